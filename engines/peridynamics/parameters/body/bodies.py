"""What is broken: the shape of the body."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from engines.api.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.body.cloud import PointBody
from engines.peridynamics.parameters.body.shapes import CORNERS, FILE, MOST_CORNERS, Flat, Point, Shape, kinds_named

Hole = Shape
Formulation = Literal["plane stress", "plane strain"]
Axis = Literal["x", "y", "z"]


def formulation() -> Any:
    return quantity("plane stress", "", "Plane stress (thin, Poisson's ratio 1/3) or plane strain (thick, 1/4)")


def thickness() -> Any:
    return quantity(1.0, "mm", "Thickness, for energies and forces", gt=0)


def holes() -> Any:
    return quantity([], "", "What is left out of it")


class _Holed(ParameterGroup):
    """Reads also the holes of older projects, which were all round."""

    @field_validator("holes", mode="before", check_fields=False)
    @classmethod
    def _round(cls, value: Any) -> Any:
        return kinds_named(value, "circle")


class Plate(_Holed):
    """A flat rectangle, calculated in its plane; its lower left corner is at (0, 0)."""

    kind: Literal["plate"] = "plate"
    formulation: Formulation = formulation()
    size_x: float = quantity(100.0, "mm", "Length along x", gt=0)
    size_y: float = quantity(40.0, "mm", "Length along y", gt=0)
    thickness: float = thickness()
    holes: list[Hole] = holes()


class Disc(_Holed):
    """A flat disc, calculated in its plane."""

    kind: Literal["disc"] = "disc"
    formulation: Formulation = formulation()
    center: Flat = quantity((0.0, 0.0), "mm", "Centre (x, y)")
    radius: float = quantity(25.0, "mm", "Radius of the disc", gt=0)
    thickness: float = thickness()
    holes: list[Hole] = holes()


class FlatRing(_Holed):
    """A flat ring, calculated in its plane."""

    kind: Literal["ring"] = "ring"
    formulation: Formulation = formulation()
    center: Flat = quantity((0.0, 0.0), "mm", "Centre (x, y)")
    radius: float = quantity(25.0, "mm", "Outer radius", gt=0)
    inner_radius: float = quantity(15.0, "mm", "Inner radius", gt=0)
    thickness: float = thickness()
    holes: list[Hole] = holes()


class PolygonPlate(_Holed):
    """A flat polygon, calculated in its plane."""

    kind: Literal["polygon"] = "polygon"
    formulation: Formulation = formulation()
    points: list[Flat] = quantity(
        [(0.0, 0.0), (60.0, 0.0), (60.0, 20.0), (20.0, 20.0), (20.0, 60.0), (0.0, 60.0)], "mm", CORNERS,
        when={"file": ("",)}, max_length=MOST_CORNERS,
    )  # fmt: skip
    file: str = quantity("", "", FILE, title="CSV file", file="table")
    thickness: float = thickness()
    holes: list[Hole] = holes()


class Block(_Holed):
    """A box; its lowest corner is at (0, 0, 0). Poisson's ratio is 1/4."""

    kind: Literal["block"] = "block"
    size_x: float = quantity(40.0, "mm", "Length along x", gt=0)
    size_y: float = quantity(20.0, "mm", "Length along y", gt=0)
    size_z: float = quantity(10.0, "mm", "Length along z", gt=0)
    holes: list[Hole] = holes()


class Cylinder(_Holed):
    """A cylinder along an axis. Poisson's ratio is 1/4."""

    kind: Literal["cylinder"] = "cylinder"
    center: Point = quantity((0.0, 0.0, 0.0), "mm", "Middle of the cylinder")
    axis: Axis = quantity("z", "", "Direction of its axis")
    radius: float = quantity(10.0, "mm", "Radius of the cylinder", gt=0)
    length: float = quantity(20.0, "mm", "Length along its axis", gt=0)
    holes: list[Hole] = holes()


class Tube(_Holed):
    """A hollow cylinder along an axis. Poisson's ratio is 1/4."""

    kind: Literal["tube"] = "tube"
    center: Point = quantity((0.0, 0.0, 0.0), "mm", "Middle of the tube")
    axis: Axis = quantity("z", "", "Direction of its axis")
    radius: float = quantity(10.0, "mm", "Outer radius", gt=0)
    inner_radius: float = quantity(7.0, "mm", "Inner radius", gt=0)
    length: float = quantity(20.0, "mm", "Length along its axis", gt=0)
    holes: list[Hole] = holes()


class Ball(_Holed):
    """A ball. Poisson's ratio is 1/4."""

    kind: Literal["sphere"] = "sphere"
    center: Point = quantity((0.0, 0.0, 0.0), "mm", "Middle of the ball")
    radius: float = quantity(10.0, "mm", "Radius of the ball", gt=0)
    holes: list[Hole] = holes()


class SurfaceBody(_Holed):
    """What a closed surface of triangles holds, from an STL file. Poisson's ratio is 1/4."""

    kind: Literal["surface"] = "surface"
    file: str = quantity("", "", "STL file, binary or text", title="STL file", file="STL file")
    scale: float = quantity(1.0, "1", "The file's unit of length in mm", gt=0)
    shift: Point = quantity((0.0, 0.0, 0.0), "mm", "Added to its coordinates when they are scaled")
    holes: list[Hole] = holes()


PlaneBody = Plate | Disc | FlatRing | PolygonPlate
SolidBody = Block | Cylinder | Tube | Ball | SurfaceBody
LatticeBody = PlaneBody | SolidBody
Body = Annotated[LatticeBody | PointBody, Field(discriminator="kind")]
