"""Particles whose diffusivity depends on the stoichiometry, on the CPU: the twin of ``graded.cuh``.

``w``, ``found``, ``base``, ``up``: pointers to (SHELLS,); ``law``: pointer to a curve of D over that of the set;
``shells``: pointer to :func:`engines.battery.step.graded.geometry`.
"""
# Numba functions carry no annotations: their types are inferred where they are called.

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engines.battery.setup.curves import INTERVALS
from engines.battery.step.graded import GAMMA, PICARD, SHELLS, SURFACE_PASSES

Values = Any
"""A pointer (``engines.backend.pointers``)."""


class Graded(NamedTuple):
    """One electrode's particle. w: what the shells have beyond the mean at the start of a step; found: the same at its
    end, beyond the mean of its start; base, up: scratch; mean: at the start; rate: D/R² of the set [1/s]; gain,
    growth: as in ``Coefficient``"""

    w: Values
    found: Values
    base: Values
    up: Values
    law: Values
    shells: Values
    mean: float
    rate: float
    gain: float
    growth: float


@njit(inline="always")
def relative(law, x):
    """D over that of the set, as curves.cuh looks it up."""
    at = min(max(x * INTERVALS, 0.0), float(INTERVALS))
    i = min(int(at), INTERVALS - 1)
    t = at - i
    return law[4 * i] + t * (law[4 * i + 1] + t * (law[4 * i + 2] + t * np.float64(law[4 * i + 3])))


@njit
def stage(particle, tau, inward):
    """found − τ f(found) = base for what flows in at the surface (per radius), with D of what ``found`` was."""
    found, base, up, law, shells = particle.found, particle.base, particle.up, particle.law, particle.shells
    scale = tau * particle.rate / 6.0
    left, last_up, last = 0.0, 0.0, 0.0
    here = particle.mean + found[0]
    D_here = relative(law, here)
    for i in range(SHELLS):
        inverse = shells[SHELLS + i]
        right, source, there, D_there = 0.0, base[i], here, D_here
        if i + 1 < SHELLS:
            there = particle.mean + found[i + 1]
            D_there = relative(law, there)
            right = scale * shells[i] * (D_here + 4.0 * relative(law, 0.5 * (here + there)) + D_there)
        else:
            source += tau * inward * inverse
        pivot = 1.0 / (1.0 + inverse * (right + left - left * last_up))
        last_up = inverse * right * pivot
        last = (source + inverse * left * last) * pivot
        up[i], found[i] = last_up, last
        left, here, D_here = right, there, D_there
    for k in range(SHELLS - 1):
        i = SHELLS - 2 - k
        found[i] += up[i] * found[i + 1]


# One body of code: steps of a cell ask for solutions at fourteen places, and who asks is compiled into its callers.
@njit(forceinline=False)
def solve(particle, through, rise, span):
    """The surface after ``span`` of a current whose mean is ``through`` and which ends ``rise`` above that, on a line;
    the profile is left in ``found``."""
    w, found, base = particle.w, particle.found, particle.base
    per_ampere, tau = particle.growth / 3.0, GAMMA * span
    for i in range(SHELLS):
        base[i] = found[i] = float(w[i])
    for _ in range(PICARD):
        stage(particle, tau, per_ampere * (through + (2.0 * GAMMA - 1.0) * rise))
    for i in range(SHELLS):
        change = (found[i] - float(w[i])) / GAMMA
        base[i] = w[i] + (1.0 - GAMMA) * change
        found[i] = w[i] + change  # a line to the end
    for _ in range(PICARD):
        stage(particle, tau, per_ampere * (through + rise))
    return surface(particle, through + rise)


@njit
def surface(particle, current):
    """The surface of the profile in ``found`` under a current: the parabola with its slope, D of the surface itself."""
    found, weights = particle.found, 3 * SHELLS
    shape = particle.mean + particle.shells[weights] * found[SHELLS - 1]
    shape += particle.shells[weights + 1] * found[SHELLS - 2]
    slope, x = particle.shells[weights + 2] * particle.gain * current, shape
    for _ in range(SURFACE_PASSES):
        x = shape + slope / relative(particle.law, x)
    return x


@njit
def advance(particle):
    """The profile becomes that of the next step, whose mean is counted apart."""
    moved = 0.0
    for i in range(SHELLS):
        moved += particle.shells[2 * SHELLS + i] * particle.found[i]
    for i in range(SHELLS):
        particle.w[i] = particle.found[i] - moved
