"""Which particles something acts on."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.parameters import ParameterGroup, quantity

Point = tuple[float, float, float]
Side = Literal["left", "right", "bottom", "top", "front", "back"]


class SideRegion(ParameterGroup):
    """The outermost rows of particles at one side."""

    kind: Literal["side"] = "side"
    side: Side = quantity("top", "", "Left and right along x, bottom and top along y, front and back along z")
    rows: int = quantity(1, "1", "How many rows", ge=1)


class BoxRegion(ParameterGroup):
    """All particles with their centre in a box."""

    kind: Literal["box"] = "box"
    low: Point = quantity((0.0, 0.0, 0.0), "mm", "Lowest corner; z counts in a block only")
    high: Point = quantity((10.0, 10.0, 10.0), "mm", "Highest corner")


Region = Annotated[SideRegion | BoxRegion, Field(discriminator="kind")]
