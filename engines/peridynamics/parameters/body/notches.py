"""Cuts that are there from the start."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.body.shapes import Circle, Flat, Point, Shape


class Notch(ParameterGroup):
    """A straight cut from one point to another; in three dimensions it goes down along z between two heights."""

    kind: Literal["segment"] = "segment"
    start: Flat = quantity((0.0, 20.0), "mm", "Where the cut begins (x, y)")
    end: Flat = quantity((50.0, 20.0), "mm", "Where the cut ends (x, y)")
    low_z: float = quantity(-1e6, "mm", "Lowest z of the cut, in three dimensions", advanced=True)
    high_z: float = quantity(1e6, "mm", "Highest z of the cut, in three dimensions", advanced=True)


class FlatNotch(ParameterGroup):
    """A flat cut between a corner and two edges from there, in three dimensions."""

    kind: Literal["parallelogram"] = "parallelogram"
    corner: Point = quantity((0.0, 10.0, 0.0), "mm", "One of its corners")
    first: Point = quantity((20.0, 0.0, 0.0), "mm", "From there to the next corner")
    second: Point = quantity((0.0, 0.0, 10.0), "mm", "And to the one on the other side")


class PennyNotch(ParameterGroup):
    """A round flat cut in three dimensions: a penny-shaped crack."""

    kind: Literal["penny"] = "penny"
    center: Point = quantity((20.0, 10.0, 5.0), "mm", "Middle of the round cut")
    normal: Point = quantity((0.0, 1.0, 0.0), "1", "Direction across it")
    radius: float = quantity(3.0, "mm", "Radius of the round cut", gt=0)


class PlaneNotch(ParameterGroup):
    """A plane, in a flat body a line, that cuts the whole body."""

    kind: Literal["plane"] = "plane"
    point: Point = quantity((20.0, 10.0, 0.0), "mm", "A point of it; z counts in three dimensions only")
    normal: Point = quantity((1.0, 0.0, 0.0), "1", "Direction across it")


class ShapeNotch(ParameterGroup):
    """A shape that cuts all bonds that pass through it; its particles stay."""

    kind: Literal["shape"] = "shape"
    shape: Shape = quantity(Circle(), "", "The shape")


AnyNotch = Annotated[Notch | FlatNotch | PennyNotch | PlaneNotch | ShapeNotch, Field(discriminator="kind")]
