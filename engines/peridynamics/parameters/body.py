"""What is broken: the shape of the body."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.cloud import PointBody


class Hole(ParameterGroup):
    """A round hole; in a block it goes through along z."""

    center: tuple[float, float] = quantity((50.0, 20.0), "mm", "Centre (x, y)")
    radius: float = quantity(5.0, "mm", "Radius", gt=0)


class Plate(ParameterGroup):
    """A flat body, calculated in its plane."""

    kind: Literal["plate"] = "plate"
    formulation: Literal["plane stress", "plane strain"] = quantity(
        "plane stress", "", "Plane stress (thin, Poisson's ratio 1/3) or plane strain (thick, 1/4)"
    )
    size_x: float = quantity(100.0, "mm", "Length along x", gt=0)
    size_y: float = quantity(40.0, "mm", "Length along y", gt=0)
    thickness: float = quantity(1.0, "mm", "Thickness, for energies and forces", gt=0)
    holes: list[Hole] = quantity([], "", "Round holes")


class Block(ParameterGroup):
    """A body in three dimensions; Poisson's ratio is 1/4."""

    kind: Literal["block"] = "block"
    size_x: float = quantity(40.0, "mm", "Length along x", gt=0)
    size_y: float = quantity(20.0, "mm", "Length along y", gt=0)
    size_z: float = quantity(10.0, "mm", "Length along z", gt=0)
    holes: list[Hole] = quantity([], "", "Round holes along z")


Body = Annotated[Plate | Block | PointBody, Field(discriminator="kind")]
