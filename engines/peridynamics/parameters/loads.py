"""What acts on the body."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.regions import Region, Side, SideRegion
from engines.peridynamics.parameters.shapes import Point


class Stress(ParameterGroup):
    """A stress on a side, spread over its outermost row."""

    kind: Literal["stress"] = "stress"
    side: Side = quantity("top", "", "The side that it pulls at")
    stress: Point = quantity((0.0, 2.0, 0.0), "MPa", "Force per area of the side, along x, y and z")
    rise: float = quantity(0.0, "us", "Time over which it comes on smoothly; 0: suddenly", ge=0)


class Velocity(ParameterGroup):
    """Particles that move with a given velocity; an axis without one is free."""

    kind: Literal["velocity"] = "velocity"
    region: Region = quantity(SideRegion(), "", "Which particles")
    x: float | None = quantity(None, "m/s", "Velocity along x")
    y: float | None = quantity(0.0, "m/s", "Velocity along y")
    z: float | None = quantity(None, "m/s", "Velocity along z")
    rise: float = quantity(0.0, "us", "Time over which it comes on smoothly; 0: suddenly", ge=0)


class Displacement(ParameterGroup):
    """Particles that are brought to a given displacement smoothly; an axis without one is free."""

    kind: Literal["displacement"] = "displacement"
    region: Region = quantity(SideRegion(), "", "Which particles")
    x: float | None = quantity(None, "mm", "Displacement along x")
    y: float | None = quantity(0.0, "mm", "Displacement along y")
    z: float | None = quantity(None, "mm", "Displacement along z")
    rise: float = quantity(100.0, "us", "Time that it takes", gt=0)


Load = Annotated[Stress | Velocity | Displacement, Field(discriminator="kind")]
