"""What acts on the body."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from engines.api.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.body.kinds import IN_SPACE
from engines.peridynamics.parameters.body.regions import Region, Side, SideRegion
from engines.peridynamics.parameters.body.shapes import Point
from engines.peridynamics.parameters.loading.histories import History, SmoothStep, Sudden, with_history

NAME = "Name of its force and displacement in charts; empty: its number"
COURSE = "How it comes on"


class _Load(ParameterGroup):
    """What all loads have in common."""

    @model_validator(mode="before")
    @classmethod
    def _older(cls, value: Any) -> Any:
        return with_history(value)


class Stress(_Load):
    """A stress on a side, spread over its outermost row."""

    kind: Literal["stress"] = "stress"
    side: Side = quantity("top", "", "The side that it pulls at")
    stress: Point = quantity((0.0, 2.0, 0.0), "MPa", "Force per area of the side, along x, y and z")
    history: History = quantity(Sudden(), "", COURSE)
    name: str = quantity("", "", NAME, advanced=True)


class Force(_Load):
    """A force, spread evenly over the particles of a region."""

    kind: Literal["force"] = "force"
    region: Region = quantity(SideRegion(), "", "Which particles")
    force: Point = quantity((0.0, 100.0, 0.0), "N", "Force in all, along x, y and z")
    history: History = quantity(Sudden(), "", COURSE)
    name: str = quantity("", "", NAME, advanced=True)


class Gravity(_Load):
    """The same acceleration for all particles of the body."""

    kind: Literal["gravity"] = "gravity"
    acceleration: Point = quantity((0.0, -9.81, 0.0), "m/s²", "Acceleration along x, y and z")
    history: History = quantity(Sudden(), "", COURSE)
    name: str = quantity("", "", NAME, advanced=True)


class Velocity(_Load):
    """Particles that move with a given velocity; an axis without one is free."""

    kind: Literal["velocity"] = "velocity"
    region: Region = quantity(SideRegion(), "", "Which particles")
    x: float | None = quantity(None, "m/s", "Velocity along x", title="Along x")
    y: float | None = quantity(0.0, "m/s", "Velocity along y", title="Along y")
    z: float | None = quantity(None, "m/s", "Velocity along z", title="Along z", when=IN_SPACE)
    history: History = quantity(Sudden(), "", COURSE)
    name: str = quantity("", "", NAME, advanced=True)


class Displacement(_Load):
    """Particles that are brought to a given displacement; an axis without one is free, one with 0 is held."""

    kind: Literal["displacement"] = "displacement"
    region: Region = quantity(SideRegion(), "", "Which particles")
    x: float | None = quantity(None, "mm", "Displacement along x", title="Along x")
    y: float | None = quantity(0.0, "mm", "Displacement along y", title="Along y")
    z: float | None = quantity(None, "mm", "Displacement along z", title="Along z", when=IN_SPACE)
    history: History = quantity(SmoothStep(), "", COURSE)
    name: str = quantity("", "", NAME, advanced=True)


Load = Annotated[Stress | Force | Gravity | Velocity | Displacement, Field(discriminator="kind")]
Held = Velocity | Displacement
"""Loads that say where particles go; the others push."""
