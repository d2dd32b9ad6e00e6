"""How a bond carries less and less before it breaks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import Lines, ParameterGroup, quantity
from engines.formulas.typed.definitions import html
from engines.peridynamics.material.laws import known
from engines.peridynamics.material.laws.language import check


class Brittle(ParameterGroup):
    """A bond carries its whole force up to the critical stretch, and none from then on."""

    kind: Literal["brittle"] = "brittle"


class Softening(ParameterGroup):
    """What softening laws share: where damage begins. The fracture energy of the material fixes where it ends."""

    begins: Literal["strength", "stretch"] = quantity(
        "strength", "", "What says where damage begins", title="Elastic up to",
        labels={"strength": "Tensile strength", "stretch": "A stretch"},
    )  # fmt: skip
    strength: float = quantity(
        10.0, "MPa", "Stress at which damage begins: Young's modulus times the elastic limit of the bonds",
        title="Tensile strength", when={"begins": ("strength",)}, gt=0,
    )  # fmt: skip
    stretch: float = quantity(
        1e-4, "1", "Stretch of a bond at which damage begins", title="Elastic limit", when={"begins": ("stretch",)},
        gt=0, le=1,
    )  # fmt: skip


class Bilinear(Softening):
    """The force falls along a line."""

    kind: Literal["bilinear"] = "bilinear"


class Trilinear(Softening):
    """The force falls along a steep line, then along a flat one (concrete)."""

    kind: Literal["trilinear"] = "trilinear"
    kink_force: float = quantity(
        0.25, "1", "Force at the kink over the largest (β)", title="Force at the kink", gt=0, lt=1
    )
    kink_place: float | None = quantity(
        None, "1", "Place of the kink between elastic limit and failure; none: 2β(1 − β)/(3 + 2β)",
        title="Place of the kink", gt=0, lt=1,
    )  # fmt: skip


class Exponential(Softening):
    """The force decays."""

    kind: Literal["exponential"] = "exponential"
    decay: float = quantity(
        5.0, "1", "Rate of decay between elastic limit and failure: larger is steeper", ge=0.01, le=100
    )


class Nonlinear(Softening):
    """The force decays at first and falls along a line in the end (concrete)."""

    kind: Literal["nonlinear"] = "nonlinear"
    decay: float = quantity(25.0, "1", "Rate of the exponential part: larger is steeper", ge=0.01, le=100)
    linear_part: float = quantity(0.25, "1", "Weight of the linear part (α)", title="Linear part", ge=0)


WHOLE = (
    ("Bilinear", known.BILINEAR),
    ("Trilinear", known.TRILINEAR),
    ("Exponential", known.EXPONENTIAL),
    ("Exponential and linear", known.NONLINEAR),
    ("Brittle", ("d = s > sb  # sb: the critical stretch of a brittle bond",)),
    ("A plateau, then a line", ("s1 = 1.5*s0", "force = s0 if s < s1 else s0*(sc - s)/(sc - s1)", "d = 1 - force/s")),
)
STEPS = ("k = 5", "s1 = 2*s0", "force = min(s, s0)", "d = 1 - force/s", "d = where(s > s0, 1 - s0/s, 0)")


class Typed(Softening):
    """A law of one's own. Known are s (stretch), d (damage so far), s0 (elastic limit), sc (chosen so that a crack
    takes the fracture energy) and sb (critical stretch of a brittle bond)."""

    kind: Literal["typed"] = "typed"
    lines: Annotated[list[Annotated[str, Field(max_length=200)]], Lines(check, STEPS, WHOLE, (), html)] = quantity(
        list(known.BILINEAR),
        "",
        "The damage d by the stretch s, the damage so far d, and s0, sc, sb",
        title="Definition",
    )


LawChoice = Annotated[Brittle | Bilinear | Trilinear | Exponential | Nonlinear | Typed, Field(discriminator="kind")]
