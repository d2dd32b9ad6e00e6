"""Particles of a piece of an electrode on the CPU: their response, Newton's step and its sums, as in ``mpm.cu``."""

import math

import numpy as np
from numba import njit

from engines.battery.setup.curves import INTERVALS
from engines.battery.step.many_particle_rows import EDGE, Coefficient, Row, Scratch, Sum
from engines.battery.step.particle_rows import MODES

SUMS = len(Sum)


@njit
def respond(state, scratch, coefficients, shares, squares, start, first, last, part, dt, shift, rise):
    """A and B of a piece (x = A + B q at the surface at the end of a part of a step, after a rise of q by ``rise`` from
    its mean); q moves by ``shift``."""
    relaxed, driven = scratch[Scratch.RELAXED], scratch[Scratch.RESPONSE]
    for i in range(first, last):
        relaxed[i], driven[i] = 0.0, 0.2
    for k in range(MODES):
        weight, b, share = state.dtype.type(2.0 / squares[k]), state[Row.MODES + k], shares[k]
        one = state.dtype.type(1.0)
        if part == 1.0:
            for i in range(first, last):
                left = one - share[i]
                relaxed[i] += b[i] * left
                driven[i] -= left * weight
        else:
            for i in range(first, last):
                left = math.exp(-squares[k] * coefficients[Coefficient.RATE, i] * part * dt)
                relaxed[i] += b[i] * left
                driven[i] -= left * weight
    for i in range(first, last):
        relaxed[i] = start + (state[Row.MEAN, i] + relaxed[i])
        driven[i] = coefficients[Coefficient.GROWTH, i] * (part * dt) + coefficients[Coefficient.GAIN, i] * driven[i]
        state[Row.FLUX, i] += shift
    if rise != 0.0:
        for i in range(first, last):
            late = 0.2
            for k in range(MODES):
                share = float(shares[k, i])
                rate = coefficients[Coefficient.RATE, i]
                late += 2.0 / squares[k] * (1.0 - share - 2.0 * share / (squares[k] * rate * dt))
            relaxed[i] += (coefficients[Coefficient.GAIN, i] * late - driven[i]) * rise


@njit(inline="always")
def limited(scratch, i, q, change):
    """Newton's step of a particle, no further than twice its current away nor out of the material."""
    most = scratch[Scratch.EXCHANGE, i] + abs(q)
    step = min(max(scratch[Scratch.TARGET, i] + change * scratch[Scratch.MOBILITY, i] - q, -most), most)
    A, B = float(scratch[Scratch.RELAXED, i]), float(scratch[Scratch.RESPONSE, i])
    x, there = A + B * q, A + B * (q + step)
    if x > EDGE and x < 1.0 - EDGE and not (there > EDGE and there < 1.0 - EDGE):
        step = 0.9 * ((1.0 - EDGE if there > 0.5 else EDGE) - x) / B
    return step


@njit
def move(state, scratch, first, last, change):
    """Newton's step of the particles of a piece."""
    for i in range(first, last):
        q = float(state[Row.FLUX, i])
        state[Row.FLUX, i] = q + limited(scratch, i, q, change)


@njit
def evaluate(state, scratch, coefficients, tables, sign, kappa, thermal_voltage, psi, first, last, sums):
    """Residuals and slopes of a piece; sums: Σ w (q + r/d), Σ w/d, extremes of r."""
    targets, mobilities, lowest, highest = 0.0, 0.0, 1e30, -1e30
    for i in range(first, last):
        q, B = float(state[Row.FLUX, i]), float(scratch[Scratch.RESPONSE, i])
        wanted = scratch[Scratch.RELAXED, i] + B * q
        x = (wanted if wanted < 1.0 - EDGE else 1.0 - EDGE) if wanted > EDGE else EDGE
        moving = B if x == wanted else 0.0
        at = x * INTERVALS
        interval = min(int(at), INTERVALS - 1)
        t = at - interval
        c0, c1 = float(tables[interval, 0]), float(tables[interval, 1])
        c2, c3 = float(tables[interval, 2]), float(tables[interval, 3])
        U = c0 + t * (c1 + t * (c2 + t * c3))
        slope = (c1 + t * (2.0 * c2 + t * (3.0 * c3))) * INTERVALS
        room = x * (1.0 - x)
        exchange = math.sqrt(room) / kappa  # the current at which sinh is 1
        z = q / exchange
        root = math.sqrt(1.0 + z * z)
        kinetic = thermal_voltage / (root * exchange)
        # √(x(1−x)) changes with q too. A potential that rises with x may make d small: Newton then takes less of it.
        d = kinetic + moving * (sign * slope - thermal_voltage * z / root * (0.5 - x) / room)
        mobility = 1.0 / max(d, 0.1 * kinetic)
        r = psi - (sign * U + thermal_voltage * math.asinh(z))
        scratch[Scratch.TARGET, i], scratch[Scratch.MOBILITY, i] = q + r * mobility, mobility
        scratch[Scratch.EXCHANGE, i] = exchange
        targets += coefficients[Coefficient.WEIGHT, i] * (q + r * mobility)
        mobilities += coefficients[Coefficient.WEIGHT, i] * mobility
        lowest, highest = min(lowest, r), max(highest, r)
    sums[Sum.TARGET], sums[Sum.MOBILITY] = targets, mobilities
    sums[Sum.LOWEST], sums[Sum.HIGHEST] = lowest, highest


@njit
def relax(state, coefficients, shares, squares, first, last, part, dt, rise):
    """The modes of a piece after a part of a step, under each particle's current, which rises by ``rise`` from its mean
    to its end."""
    q, gain, lifted = state[Row.FLUX], coefficients[Coefficient.GAIN], state.dtype.type(rise)
    for k in range(MODES):
        weight, b, share = state.dtype.type(2.0 / squares[k]), state[Row.MODES + k], shares[k]
        if part == 1.0:
            for i in range(first, last):
                b[i] += share[i] * (weight * (gain[i] * (q[i] - lifted)) - b[i])
        else:
            for i in range(first, last):
                gone = math.expm1(-squares[k] * coefficients[Coefficient.RATE, i] * part * dt)
                b[i] -= gone * (weight * gain[i] * q[i] - b[i])
    if rise != 0.0:
        for k in range(MODES):
            for i in range(first, last):
                share = float(shares[k, i])
                late = 2.0 - share - 2.0 * share / (squares[k] * coefficients[Coefficient.RATE, i] * dt)
                state[Row.MODES + k, i] += 2.0 / squares[k] * gain[i] * rise * late


@njit
def fill(state, coefficients, first, last, span, rise):
    """The means of a piece after ``span``, with their rounding carried along."""
    q, lifted, long = state[Row.FLUX], state.dtype.type(rise), state.dtype.type(span)
    for i in range(first, last):
        corrected = coefficients[Coefficient.GROWTH, i] * long * (q[i] - lifted) - state[Row.MEAN_ERROR, i]
        after = state[Row.MEAN, i] + corrected
        state[Row.MEAN_ERROR, i] = (after - state[Row.MEAN, i]) - corrected
        state[Row.MEAN, i] = after


@njit
def whole(sums, pieces):
    """Rows of ``sums: (2 * pieces, Sum)`` taken together, per electrode: (2, Sum)."""
    found = np.zeros((2, SUMS))
    for e in range(2):
        found[e, Sum.LOWEST], found[e, Sum.HIGHEST] = 1e30, -1e30
        for piece in range(e * pieces, (e + 1) * pieces):
            found[e, Sum.TARGET] += sums[piece, Sum.TARGET]
            found[e, Sum.MOBILITY] += sums[piece, Sum.MOBILITY]
            found[e, Sum.LOWEST] = min(found[e, Sum.LOWEST], sums[piece, Sum.LOWEST])
            found[e, Sum.HIGHEST] = max(found[e, Sum.HIGHEST], sums[piece, Sum.HIGHEST])
    return found
