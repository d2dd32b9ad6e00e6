"""Which particles something acts on."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.body.shapes import Box, Circle, Ellipse, Point, Polygon, Rod, Sphere

Side = Literal["left", "right", "bottom", "top", "front", "back"]
SIDE = "Left and right along x, bottom and top along y, front and back along z"


class SideRegion(ParameterGroup):
    """The outermost rows of particles at one side."""

    kind: Literal["side"] = "side"
    side: Side = quantity("top", "", SIDE)
    rows: int = quantity(1, "1", "How many rows", ge=1)


class LayerRegion(ParameterGroup):
    """All particles within a depth of the surface, as it is seen from one side: it follows a round body."""

    kind: Literal["layer"] = "layer"
    side: Side = quantity("top", "", SIDE)
    depth: float = quantity(2.0, "mm", "How far below the surface", gt=0)


class BoxRegion(Box):
    """All particles with their centre in a box."""


class HalfSpace(ParameterGroup):
    """All particles on one side of a plane."""

    kind: Literal["half-space"] = "half-space"
    point: Point = quantity((0.0, 10.0, 0.0), "mm", "A point of the plane; z counts in three dimensions only")
    direction: Point = quantity((0.0, 1.0, 0.0), "1", "From the plane to the particles")


class GroupRegion(ParameterGroup):
    """All points of a group that their file tells."""

    kind: Literal["group"] = "group"
    group: str = quantity(
        "1", "", "Number or name: of a physical group or tag of a mesh; a number in a table's column material"
    )


Region = Annotated[
    SideRegion | LayerRegion | BoxRegion | Circle | Ellipse | Polygon | Sphere | Rod | HalfSpace | GroupRegion,
    Field(discriminator="kind"),
]
