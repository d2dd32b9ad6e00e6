"""How it is calculated."""

from __future__ import annotations

from typing import Literal

from engines.api.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.loading.relaxation import Relaxation

QUASI_STATIC = "dynamic relaxation"
DYNAMIC = ("velocity Verlet", "Euler-Cromer")


class Numerics(ParameterGroup):
    """How it is calculated."""

    precision: Literal["fp32", "fp64"] = quantity("fp32", "", "Numbers of 4 or of 8 bytes")
    integrator: Literal["velocity Verlet", "Euler-Cromer", "dynamic relaxation"] = quantity(
        "velocity Verlet", "", "The first two follow waves and differ in the first step only, a half or a whole one; "
        "dynamic relaxation loads the body so slowly that it is always at rest",
    )  # fmt: skip
    relaxation: Relaxation = quantity(Relaxation(), "", "Slow loading", when={"integrator": (QUASI_STATIC,)})
    step: float | None = quantity(
        None, "us", "Time step; none: a part of the stable one", finer="smaller", gt=0, when={"integrator": DYNAMIC}
    )
    damping: float = quantity(
        0.0,
        "1/s",
        "Slows all particles down: force over mass and velocity; 0: only the material does",
        ge=0,
        when={"integrator": DYNAMIC},
    )
    safety: float | None = quantity(
        None,
        "1",
        "The part of the stable step that is taken; none: 0.7, with friction 0.45, for what slips keeps its "
        "energy in shorter steps",
        gt=0,
        le=1,
        advanced=True,
        when={"integrator": DYNAMIC},
    )

    @property
    def quasi_static(self) -> bool:
        """Whether iterations are counted and not time."""
        return self.integrator == QUASI_STATIC
