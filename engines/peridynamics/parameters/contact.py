"""What the body meets: rigid penetrators and supports, and its own pieces."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.body.regions import Point


class Ball(ParameterGroup):
    """A sphere; in a plate a disc."""

    kind: Literal["ball"] = "ball"
    center: Point = quantity((50.0, 45.0, 5.0), "mm", "Centre; z counts in a block only")
    radius: float = quantity(5.0, "mm", "Radius of the ball", gt=0)


class Cylinder(ParameterGroup):
    """A round bar with flat ends, in a block."""

    kind: Literal["cylinder"] = "cylinder"
    center: Point = quantity((20.0, 25.0, 5.0), "mm", "Middle of the bar")
    direction: Point = quantity((0.0, 0.0, 1.0), "1", "Its axis points this way; any length")
    radius: float = quantity(5.0, "mm", "Radius of the bar", gt=0)
    length: float = quantity(20.0, "mm", "Length from end to end", gt=0)


class Plane(ParameterGroup):
    """Everything behind a plane."""

    kind: Literal["plane"] = "plane"
    point: Point = quantity((0.0, 0.0, 0.0), "mm", "A point of the plane")
    normal: Point = quantity((0.0, 1.0, 0.0), "1", "Points out of it, towards the body; any length")


class Cuboid(ParameterGroup):
    """A box with its edges along the axes; in a plate a rectangle."""

    kind: Literal["cuboid"] = "cuboid"
    low: Point = quantity((0.0, -10.0, 0.0), "mm", "Lowest corner; z counts in a block only")
    high: Point = quantity((10.0, 0.0, 10.0), "mm", "Highest corner")


Form = Annotated[Ball | Cylinder | Plane | Cuboid, Field(discriminator="kind")]


class Fixed(ParameterGroup):
    """It stays where it is: a support."""

    kind: Literal["fixed"] = "fixed"


class Driven(ParameterGroup):
    """It moves with a given velocity."""

    kind: Literal["driven"] = "driven"
    velocity: Point = quantity((0.0, -1.0, 0.0), "m/s", "Velocity that it keeps, along x, y and z")
    rise: float = quantity(0.0, "us", "Time over which it comes on smoothly; 0: suddenly", ge=0)


class Shifted(ParameterGroup):
    """It is brought to another place smoothly, and stays there."""

    kind: Literal["shifted"] = "shifted"
    displacement: Point = quantity((0.0, -1.0, 0.0), "mm", "How far")
    rise: float = quantity(100.0, "us", "Time that it takes", gt=0)


class Free(ParameterGroup):
    """An impactor: it flies, and the body slows it down. It does not turn."""

    kind: Literal["free"] = "free"
    mass: float = quantity(0.0, "g", "Mass (of a disc in a plate: of the thickness of the plate)", ge=0)
    velocity: Point = quantity((0.0, -10.0, 0.0), "m/s", "Velocity at the start")


Motion = Annotated[Fixed | Driven | Shifted | Free, Field(discriminator="kind")]


class Penetrator(ParameterGroup):
    """Something rigid that the body meets."""

    form: Form = quantity(Ball(), "", "Its form and place")
    motion: Motion = quantity(Driven(), "", "How it moves")
    friction: float = quantity(0.0, "1", "Coefficient of Coulomb's friction", ge=0)
    stiffness: float = quantity(
        1.0, "1", "Stiffness of the contact with a particle, over that of a column of the body as wide", gt=0,
        advanced=True,
    )  # fmt: skip


class ParticleContact(ParameterGroup):
    """Pieces of the body that meet again."""

    kind: Literal["none", "repulsion"] = quantity(
        "none", "", "Whether particles without a bond between them push each other away",
        labels={"none": "They pass through each other", "repulsion": "They push each other away"},
    )  # fmt: skip
    radius: float = quantity(
        0.95, "1", "Distance at which they begin to push, over the spacing of particles", gt=0,
        when={"kind": ("repulsion",)},
    )  # fmt: skip
    stiffness: float = quantity(
        5.0, "1", "Force per approach, over a bond's of a horizon's length", gt=0, advanced=True,
        when={"kind": ("repulsion",)},
    )  # fmt: skip
    share: float = quantity(
        0.5, "1", "The part of all particles that may take part at most: memory is set aside for it", gt=0, le=1,
        advanced=True, when={"kind": ("repulsion",)},
    )  # fmt: skip
