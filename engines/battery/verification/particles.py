"""Bare spheres: the series, the order of the finite volumes, lithium that is neither lost nor made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from engines.api import Problem, no_progress
from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.battery.parameters import BatteryParameters
from engines.battery.particles.model import BareParticles
from engines.battery.particles.simulation import ParticleSimulation
from engines.battery.verification.series import step

D, R, FLUX, MOST, START = 3.3e-14, 5.86e-6, -1e-5, 33133.0, 0.9
"""Of the negative particles of Chen2020; the flux takes lithium out."""
SHELLS = (8, 16, 32, 64)


def _built(backend: Backend, precision: str, **settings: Any) -> ParticleSimulation:
    given = {"start": START, "drive": {"kind": "flux", "value": FLUX}, **settings}
    parameters = {"model": "particles", "particles": given, "numerics": {"precision": precision}}
    return BareParticles().build(Problem(BatteryParameters.model_validate(parameters)), backend, no_progress)


def _surface(run: ParticleSimulation, time: float) -> tuple[float, float]:
    """(stoichiometry at the surface after about ``time`` [s], what the series has there)."""
    run.advance(round(time / run.dt) - run.step)
    expected = START + FLUX * R / (D * MOST) * step(D * run.time / R**2)
    return run.observe()["surface"], expected


def spheres(backend: Backend) -> Sequence[Answer]:
    answers = []
    for scheme, tolerance in (("eigenmodes", 1e-6), ("implicit", 1e-4), ("explicit", 1e-4)):
        for time in (60.0, 300.0, 1200.0):
            run = _built(backend, "fp32", scheme=scheme, step=None if scheme == "explicit" else 2.0)
            value, expected = _surface(run, time)
            answers.append(Answer(f"stoichiometry, {scheme}, {time:g} s", value, expected, tolerance))
    return answers


def order(backend: Backend) -> Sequence[Answer]:
    errors = []
    for shells in SHELLS:
        value, expected = _surface(_built(backend, "fp64", scheme="implicit", step=0.5, shells=shells), 400.0)
        errors.append(abs(value - expected))
    return [
        Answer(f"order from {a} to {b} shells", math.log2(one / other), 2.0, 0.1)
        for a, b, one, other in zip(SHELLS, SHELLS[1:], errors, errors[1:], strict=False)
    ]


def lithium(backend: Backend) -> Sequence[Answer]:
    answers = []
    for precision, tolerance in (("fp64", 1e-11), ("fp32", 1e-5)):
        run = _built(backend, precision, scheme="explicit", step=0.1, shells=16)
        for _ in range(10):
            run.advance(1000)
        balance = run.observe()["balance"]
        answers.append(Answer(f"error over what was transferred, 10,000 steps, {precision}", balance, 0.0, tolerance))
    return answers


CASES = (
    VerificationCase(
        "sphere-series", "Diffusion in a sphere under a steady flux",
        "The series over the roots of tan λ = λ. 32 shells are of second order (1e-4 of a stoichiometry), eigenmodes "
        "exact to float32.", 2.0, spheres,
    ),
    VerificationCase(
        "sphere-order", "Order of the finite volumes in a sphere",
        "The series; halving the shells' thickness divides the error at the surface by 4.", 2.0, order,
    ),
    VerificationCase(
        "lithium-balance", "Lithium after 10,000 steps",
        "What has entered is flux times surface times time; 1e-11 in float64 and 1e-5 in float32 are what storing the "
        "deviation from the start keeps.", 2.0, lithium,
    ),
)  # fmt: skip
