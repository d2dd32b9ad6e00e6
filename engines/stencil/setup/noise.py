"""What is told of white noise in typed equations: how its integral is meant, and how far its variance is off."""

from __future__ import annotations

import math
from collections.abc import Iterator

from engines.api import Finding, Remedy
from engines.api.errors import ProblemError
from engines.formulas.graph import ordered
from engines.quantities import rounded_down
from engines.stencil.equations.language import System
from engines.stencil.equations.noise.strength import APART, longest, variance
from engines.stencil.equations.noise.terms import called
from engines.stencil.equations.passes import Method
from engines.stencil.setup.limits import STEP

LINES, METHOD = (("equation", name) for name in ("lines", "method"))
FAR = 0.005
"""Of the variance, beyond :data:`APART`: the step that is chosen is told of by nobody."""


def check_method(system: System, method: Method) -> None:
    """Raises ProblemError for noise in the stages of Runge and Kutta's."""
    if system.noise and method == "RK4":
        raise ProblemError(
            "Runge and Kutta's method is for smooth rates, and white noise is none: take another method.",
            METHOD,
            Remedy("Take explicit Euler", {METHOD: "Euler"}),
        )


def told_of_noise(
    system: System, method: Method, step: float, explicit: float, implicit: float
) -> Iterator[Finding]:  # fmt: skip
    """explicit, implicit: the fastest rates [1/s], see :func:`engines.stencil.equations.noise.strength.variance`"""
    changing = {*system.fields, *system.stored}
    for field, factors in system.noise.items():
        for noise, factor in factors.items():
            of = [str(node.value) for node in ordered([factor]) if node.op == "symbol" and node.value in changing]
            if of:
                line = field.removesuffix("_t") if field.removesuffix("_t") in system.second else field
                yield Finding(
                    f"The factor of '{called(noise)}' in the line of '{line}' hangs on '{of[0]}': it "
                    "is that at the beginning of each step (Itô's integral, not Stratonovich's).", "info", LINES,
                )  # fmt: skip
    if not system.noise or not explicit + implicit > 0:
        return
    off = variance(method, explicit * step, implicit * step)
    if abs(off - 1.0) > APART + FAR:
        shorter = rounded_down(longest(method) / (implicit or explicit), 2)
        told = f"{off:.2g} times" if math.isfinite(off) else "far more than"
        yield Finding(
            f"With steps of {step:.3g} s noise gives the shortest waves {told} the variance that the equations say, "
            f"and long ones less and less off: steps of at most {shorter:g} s keep all to {APART:.0%}.",
            place=STEP, remedy=Remedy(f"Take {shorter:g} s", {STEP: shorter}), distorts=True,
        )  # fmt: skip
