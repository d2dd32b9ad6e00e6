"""Particles of a cell on the CPU, the twin of ``Particle`` in ``cells.cu``: eigenmode by eigenmode, and below, where a
diffusivity depends on the stoichiometry, as shells."""

import math

from numba import njit

from engines.backend.pointers import at, pointer, rounded
from engines.battery.cells.step.cpu_arguments import Line
from engines.battery.cells.step.cpu_voltage import held_current
from engines.battery.setup.curves import INTERVALS
from engines.battery.step.cell_rows import Coefficient, Table
from engines.battery.step.cpu_graded import Graded, advance, relative, solve
from engines.battery.step.graded import HALF_SPACE, SHELLS, SHORT
from engines.battery.step.particle_rows import MODES

MOST_CHORDS = 6
"""Of a held voltage or power where a diffusivity varies."""


@njit
def relaxed(b, share):
    """The modes' sum at the end of a step without current; four sums side by side, for one would wait for itself."""
    one, s0, s1, s2, s3 = rounded(b, 1.0), rounded(b, 0.0), rounded(b, 0.0), rounded(b, 0.0), rounded(b, 0.0)
    for k in range(0, MODES, 4):
        s0 += b[k] * (one - share[k])
        s1 += b[k + 1] * (one - share[k + 1])
        s2 += b[k + 2] * (one - share[k + 2])
        s3 += b[k + 3] * (one - share[k + 3])
    return (s0 + s1) + (s2 + s3)


@njit
def driven_part(share, weights):
    """The modes' sum at the end of a step that started at rest, per unit of gain and current, with the tail."""
    total = 0.2
    for k in range(MODES):
        total += (share[k] - 1.0) * weights[k]
    return total


@njit
def rising(share, squares, weights, rate_time):
    """What a rise of the current from the step's mean to its end adds at the surface, per unit of gain and current."""
    total = 0.2
    for k in range(MODES):
        total += weights[k] * (1.0 - share[k] - 2.0 * share[k] / (squares[k] * rate_time))
    return total


@njit
def surface(b, squares, weights, rate_time, driven):
    """The modes' sum at the surface after a part of a step, with the tail."""
    x = 0.2 * driven
    for k in range(MODES):
        x += math.exp(-squares[k] * rate_time) * (b[k] - weights[k] * driven)
    return x


@njit(forceinline=True)
def shares(own, squares, rate_n, rate_p, dt):
    """g_k = 1 − e^{−λ_k² D t/R²} of both particles."""
    for k in range(MODES):
        own.share_n[k] = -math.expm1(-squares[k] * (rate_n * dt))
        own.share_p[k] = -math.expm1(-squares[k] * (rate_p * dt))


@njit(forceinline=True)
def move(own, model, rates, driven_n, driven_p, rise, dt):
    """The amplitudes after a step: b_k += g_k (2/λ_k² G I − b_k), and what a rise of the current adds; driven: G I."""
    b_n, b_p, share_n, share_p, squares, weights = (
        own.b_n,
        own.b_p,
        own.share_n,
        own.share_p,
        model.squares,
        model.weights,
    )
    for k in range(MODES):
        b_n[k] += share_n[k] * (weights[k] * driven_n - b_n[k])
        b_p[k] += share_p[k] * (weights[k] * driven_p - b_p[k])
    if rise != 0.0:
        for k in range(MODES):
            late_n = 2.0 - share_n[k] - 2.0 * share_n[k] / (squares[k] * (rates.rate_n * dt))
            late_p = 2.0 - share_p[k] - 2.0 * share_p[k] / (squares[k] * (rates.rate_p * dt))
            b_n[k] += weights[k] * rates.gain_n * rise * late_n
            b_p[k] += weights[k] * rates.gain_p * rise * late_p


@njit(forceinline=True)
def particles(own, model, rates, means, shells):
    """The two :class:`Graded` of a cell. means: at the start of the step; shells: their geometry"""
    base, up = at(own.found, 2 * SHELLS), at(own.found, 3 * SHELLS)
    table, geometry = 4 * INTERVALS, pointer(shells)
    return (
        Graded(
            own.shells, own.found, base, up, at(model.tables, Table.NEGATIVE_DIFFUSIVITY * table), geometry, means[0],
            rates.rate_n, rates.gain_n, own.given[Coefficient.NEGATIVE_GROWTH],
        ),
        Graded(
            at(own.shells, SHELLS), at(own.found, SHELLS), base, up,
            at(model.tables, Table.POSITIVE_DIFFUSIVITY * table), geometry, means[1], rates.rate_p, rates.gain_p,
            own.given[Coefficient.POSITIVE_GROWTH],
        ),
    )  # fmt: skip


@njit
def varying_line(own, model, rates, means, flowing, rise, span, shells):
    """The :class:`Line` of a current that is known: the surfaces, whatever else flowed; leaves the profiles. flowing:
    the current, and that of the side reactions, which the negative particles carry too"""
    negative, positive = particles(own, model, rates, means, shells)
    through, side = flowing
    return Line(solve(negative, through + side, rise, span), 0.0, solve(positive, through, rise, span), 0.0)


@njit
def raised(own, model, rates, x_n, span):
    """By how much a step of an ampere more raises the negative surface where D varies, from D there alone.

    To second order of short times, 2√(τ/π) + τ, or for long ones 3τ + 1/5: within 7 % of the series of a constant D.
    What a side reaction is damped by may be that far off.
    """
    D = relative(at(model.tables, Table.NEGATIVE_DIFFUSIVITY * 4 * INTERVALS), x_n)
    tau = rates.rate_n * D * span
    return rates.gain_n / D * (HALF_SPACE * math.sqrt(tau) + tau if tau < SHORT else 3.0 * tau + 0.2)


@njit
def chords(own, model, rates, now, means, kind, wanted, step, shells):
    """(current, voltage, :class:`Line`) at which a voltage or power is held: chords through two currents that are near,
    the first of them some 0.001 of stoichiometry apart, until the current stays. step: current before, that of side
    reactions, rise, length"""
    before, side, rise, dt = step
    negative, positive = particles(own, model, rates, means, shells)
    here, v = before, 0.0
    x_n, x_p = solve(negative, here - rise + side, rise, dt), solve(positive, here - rise, rise, dt)
    aside = 1e-3 / (abs(positive.growth * dt) + 0.2 * abs(positive.gain))
    B_n = (solve(negative, here + aside - rise + side, rise, dt) - x_n) / aside
    B_p = (solve(positive, here + aside - rise, rise, dt) - x_p) / aside
    for _ in range(MOST_CHORDS):
        line = Line(x_n - B_n * here, B_n, x_p - B_p * here, B_p)
        following, v = held_current(model, now, line, kind, wanted, here)
        there_n = solve(negative, following - rise + side, rise, dt)
        there_p = solve(positive, following - rise, rise, dt)
        move = following - here
        if abs(move) > 0.1 * aside:
            B_n, B_p = (there_n - x_n) / move, (there_p - x_p) / move
        here, x_n, x_p = following, there_n, there_p
        if abs(move) <= 1e-9 * (1e-3 + abs(following)):
            break
    return here, v, Line(x_n - B_n * here, B_n, x_p - B_p * here, B_p)


@njit(forceinline=True)
def settle(own, model, rates, means, shells):
    """The profiles become those of the next step."""
    negative, positive = particles(own, model, rates, means, shells)
    advance(negative)
    advance(positive)
