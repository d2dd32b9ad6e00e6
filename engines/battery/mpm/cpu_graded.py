"""Particles of a piece of an electrode whose diffusivity depends on the stoichiometry, on the CPU: as in ``mpm.cu``.

The surface is no straight line of the current then. A pass of Newton's has the surface of the current that it is at, by
a solution of the shells, and the slope of the chord to the pass before; the first, of the chord to a current nearby.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from engines.api import Array
from engines.battery.mpm.cpu_particles import limited
from engines.battery.step.cpu_graded import Graded, advance, solve
from engines.battery.step.graded import SHELLS
from engines.battery.step.many_particle_rows import ASIDE, Coefficient, Row, Scratch


class Shells(NamedTuple):
    """geometry: :func:`engines.battery.step.graded.geometry`; laws: (2, 4 * INTERVALS), D over that of the set"""

    geometry: Array
    laws: Array


@njit
def workspace():
    """Of a thread: what :class:`Graded` has four of."""
    return np.empty((4, SHELLS))


@njit
def graded(state, coefficients, shells, e, start, work, i):
    """Particle ``i`` of electrode ``e`` as it was at the start of the step."""
    for k in range(SHELLS):
        work[0, k] = state[Row.MODES + k, i]
    return Graded(
        work[0], work[1], work[2], work[3], shells.laws[e], shells.geometry, float(start) + float(state[Row.MEAN, i]),
        float(coefficients[Coefficient.RATE, i]), float(coefficients[Coefficient.GAIN, i]),
        float(coefficients[Coefficient.GROWTH, i]),
    )  # fmt: skip


@njit
def aside(coefficients, i, span):
    """[A] the current nearby."""
    growth, gain = float(coefficients[Coefficient.GROWTH, i]), float(coefficients[Coefficient.GAIN, i])
    return ASIDE / (abs(growth * span) + 0.2 * abs(gain))


@njit
def respond_graded(state, scratch, coefficients, shells, e, start, first, last, span, shift, rise):
    """A and B of a piece, of the chord at the currents of the step before, which move by ``shift``."""
    work = workspace()
    for i in range(first, last):
        state[Row.FLUX, i] += shift
        particle, q, near = (
            graded(state, coefficients, shells, e, start, work, i),
            float(state[Row.FLUX, i]),
            aside(coefficients, i, span),
        )
        x = solve(particle, q - rise, rise, span)
        B = (solve(particle, q + near - rise, rise, span) - x) / near
        scratch[Scratch.RELAXED, i], scratch[Scratch.RESPONSE, i] = x - B * q, B


@njit
def move_graded(state, scratch, coefficients, shells, e, start, first, last, change, span, rise):
    """Newton's step of the particles of a piece, and the chord to where they came from."""
    work = workspace()
    for i in range(first, last):
        before = float(state[Row.FLUX, i])
        A, B = float(scratch[Scratch.RELAXED, i]), float(scratch[Scratch.RESPONSE, i])
        state[Row.FLUX, i] = before + limited(scratch, i, before, change)
        q = float(state[Row.FLUX, i])
        x = solve(graded(state, coefficients, shells, e, start, work, i), q - rise, rise, span)
        if abs(q - before) > 0.1 * aside(coefficients, i, span):
            B = (x - (A + B * before)) / (q - before)
        scratch[Scratch.RELAXED, i], scratch[Scratch.RESPONSE, i] = x - B * q, B


@njit
def relax_graded(state, coefficients, shells, e, start, first, last, span, rise):
    """The shells of a piece after a part of a step."""
    work = workspace()
    for i in range(first, last):
        particle = graded(state, coefficients, shells, e, start, work, i)
        solve(particle, float(state[Row.FLUX, i]) - rise, rise, span)
        advance(particle)
        for k in range(SHELLS):
            state[Row.MODES + k, i] = work[0, k]
