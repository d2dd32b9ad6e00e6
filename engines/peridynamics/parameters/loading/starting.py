"""How a body moves at the start."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.body.bodies import Axis
from engines.peridynamics.parameters.body.shapes import Point


class AtRest(ParameterGroup):
    """It stands still."""

    kind: Literal["at rest"] = "at rest"


class Flying(ParameterGroup):
    """All of it moves alike."""

    kind: Literal["flying"] = "flying"
    velocity: Point = quantity((0.0, -10.0, 0.0), "m/s", "Velocity at the start, along x, y and z")


class Expanding(ParameterGroup):
    """It flies apart from an axis, as after a blast inside a tube."""

    kind: Literal["expanding"] = "expanding"
    center: Point = quantity((0.0, 0.0, 0.0), "mm", "A point of the axis: the middle of the body")
    axis: Axis = quantity("z", "", "Direction of the axis; in a plate z")
    outward: float = quantity(200.0, "m/s", "Velocity away from the axis", title="Outward")
    slower_ends: float = quantity(
        0.0, "m/s", "How much slower than in the middle that is at both ends (as the square of the way there)",
        title="Slower at the ends",
    )  # fmt: skip
    lengthwise: float = quantity(
        0.0, "m/s", "Velocity along the axis at both ends, out of the body (as the way there)", title="Along the axis"
    )
    scatter: float = quantity(
        0.0, "%", "Each particle is faster or slower by a random part, at most this one, always the same; without "
        "it a symmetric body breaks symmetrically", ge=0, le=100,
    )  # fmt: skip
    seed: int = quantity(0, "1", "Of the random numbers", ge=0, advanced=True)


Start = Annotated[AtRest | Flying | Expanding, Field(discriminator="kind")]
