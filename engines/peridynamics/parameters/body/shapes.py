"""Shapes: what holes, regions and cuts are made of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity

Point = tuple[float, float, float]
Flat = tuple[float, float]
MOST_CORNERS = 5000
CORNERS = "Its corners (x, y) in turn, a line for each"
FILE = "CSV file with a corner x, y in mm on each line, instead of the list"
Positive = Annotated[float, Field(gt=0)]


class Circle(ParameterGroup):
    """A circle; in a body of three dimensions it goes through along z."""

    kind: Literal["circle"] = "circle"
    center: Flat = quantity((50.0, 20.0), "mm", "Centre (x, y)")
    radius: float = quantity(5.0, "mm", "Radius of the circle", gt=0)


class Ellipse(ParameterGroup):
    """An ellipse; in a body of three dimensions it goes through along z."""

    kind: Literal["ellipse"] = "ellipse"
    center: Flat = quantity((50.0, 20.0), "mm", "Centre (x, y)")
    radii: tuple[Positive, Positive] = quantity((10.0, 5.0), "mm", "Half of its length and of its width")
    angle: float = quantity(0.0, "°", "Its length against the x axis, counterclockwise")


class Polygon(ParameterGroup):
    """A polygon; in a body of three dimensions it goes through along z."""

    kind: Literal["polygon"] = "polygon"
    points: list[Flat] = quantity(
        [(45.0, 15.0), (55.0, 15.0), (50.0, 25.0)], "mm", CORNERS, when={"file": ("",)}, max_length=MOST_CORNERS
    )
    file: str = quantity("", "", FILE, title="CSV file", file="table")


class Box(ParameterGroup):
    """A box along the axes."""

    kind: Literal["box"] = "box"
    low: Point = quantity((0.0, 0.0, 0.0), "mm", "Lowest corner; z counts in three dimensions only")
    high: Point = quantity((10.0, 10.0, 10.0), "mm", "Highest corner")


class Sphere(ParameterGroup):
    """A ball in a body of three dimensions."""

    kind: Literal["sphere"] = "sphere"
    center: Point = quantity((20.0, 10.0, 5.0), "mm", "Middle of the ball")
    radius: float = quantity(3.0, "mm", "Radius of the ball", gt=0)


class Rod(ParameterGroup):
    """A cylinder between two points of a body of three dimensions."""

    kind: Literal["rod"] = "rod"
    start: Point = quantity((0.0, 10.0, 5.0), "mm", "Middle of one end")
    end: Point = quantity((40.0, 10.0, 5.0), "mm", "Middle of the other end")
    radius: float = quantity(2.0, "mm", "Radius of the rod", gt=0)


Shape = Annotated[Circle | Ellipse | Polygon | Box | Sphere | Rod, Field(discriminator="kind")]


def kinds_named(items: object, kind: str) -> object:
    """A list of plain values as it was written before there were kinds: those without one are of ``kind``."""
    if not isinstance(items, list):
        return items
    return [{"kind": kind, **item} if isinstance(item, dict) and "kind" not in item else item for item in items]
