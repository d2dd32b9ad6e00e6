"""How it is calculated."""

from __future__ import annotations

from typing import Literal

from engines.parameters import ParameterGroup, quantity


class Numerics(ParameterGroup):
    """How it is calculated."""

    precision: Literal["fp32", "fp64"] = quantity("fp32", "", "Numbers of 4 or of 8 bytes")
    integrator: Literal["velocity Verlet", "Euler-Cromer"] = quantity(
        "velocity Verlet", "", "They differ in the first step only: a half one, or a whole one"
    )
    step: float | None = quantity(None, "us", "Time step; none: a part of the stable one", gt=0)
    damping: float = quantity(
        0.0, "1/s", "Slows all particles down: force over mass and velocity; 0: only the material does", ge=0
    )
    safety: float = quantity(0.7, "1", "The part of the stable step that is taken", gt=0, le=1, advanced=True)
