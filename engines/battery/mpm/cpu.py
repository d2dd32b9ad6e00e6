"""Many particles on the CPU: the twin of ``mpm.cu``, pieces of the electrodes on all cores.

What is summed over modes is in the precision asked for, which LLVM makes vectors of; a particle's Newton step and what
there is one of are float64 and rounded when stored. Sums go over pieces in order, whatever the number of threads.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

from engines.battery.mpm.many_particles import ManyParticles
from engines.battery.particles.series import roots

MODES, INTERVALS, PIECE = 16, 1024, 256
MOST_PASSES, EDGE = 40, 1e-6
# Rows (many_particles.py), fields and kinds of instructions (protocol/instructions.py).
MEAN, MEAN_ERROR, FLUX, FIRST_MODE = 0, 1, 2, 3
WEIGHT, RATE, GAIN, GROWTH = 0, 1, 2, 3
RELAXED, RESPONSE, TARGET, MOBILITY, EXCHANGE = 0, 1, 2, 3, 4
CHARGE, CHARGE_ERROR, VOLTAGE, CURRENT, INSTRUCTION, ELAPSED, ENDED, PSI = 0, 1, 2, 3, 4, 5, 6, 7
SIGN, START, KINETIC, ELECTRODE, RESISTANCE, REST_VOLTAGE = 0, 1, 2, 3, 6, 7
HELD_CURRENT, HELD_VOLTAGE, HELD_POWER, DRIVE, POWER_DRIVE = 0, 1, 2, 3, 4
KIND, VALUE, STEPS, LOWEST, HIGHEST, LEAST_CURRENT = 0, 1, 2, 3, 4, 5
PARTICLE_SECONDS = 60e-9
"""[s] of one core for what a parallel loop does with a particle, which is entered several times in a step."""
TOLERANCE = {"float32": 3.5e-5, "float64": 7e-7}
"""As in mpm.cu [V]."""


@njit
def respond(state, scratch, coefficients, shares, squares, start, first, last, part, dt, shift, rise):
    """A and B of a piece (x = A + B q at the surface at the end of a part of a step, after a rise of q by ``rise`` from
    its mean); q moves by ``shift``."""
    relaxed, driven = scratch[RELAXED], scratch[RESPONSE]
    for i in range(first, last):
        relaxed[i], driven[i] = 0.0, 0.2
    for k in range(MODES):
        weight, b, share = state.dtype.type(2.0 / squares[k]), state[FIRST_MODE + k], shares[k]
        one = state.dtype.type(1.0)
        if part == 1.0:
            for i in range(first, last):
                left = one - share[i]
                relaxed[i] += b[i] * left
                driven[i] -= left * weight
        else:
            for i in range(first, last):
                left = math.exp(-squares[k] * coefficients[RATE, i] * part * dt)
                relaxed[i] += b[i] * left
                driven[i] -= left * weight
    for i in range(first, last):
        relaxed[i] = start + (state[MEAN, i] + relaxed[i])
        driven[i] = coefficients[GROWTH, i] * (part * dt) + coefficients[GAIN, i] * driven[i]
        state[FLUX, i] += shift
    if rise != 0.0:
        for i in range(first, last):
            late = 0.2
            for k in range(MODES):
                share = float(shares[k, i])
                late += 2.0 / squares[k] * (1.0 - share - 2.0 * share / (squares[k] * coefficients[RATE, i] * dt))
            relaxed[i] += (coefficients[GAIN, i] * late - driven[i]) * rise


@njit
def move(state, scratch, first, last, change):
    """Newton's step of the particles of a piece, no further than twice their currents away nor out of the material."""
    for i in range(first, last):
        q = float(state[FLUX, i])
        most = scratch[EXCHANGE, i] + abs(q)
        step = min(max(scratch[TARGET, i] + change * scratch[MOBILITY, i] - q, -most), most)
        A, B = float(scratch[RELAXED, i]), float(scratch[RESPONSE, i])
        x, there = A + B * q, A + B * (q + step)
        if x > EDGE and x < 1.0 - EDGE and not (there > EDGE and there < 1.0 - EDGE):
            step = 0.9 * ((1.0 - EDGE if there > 0.5 else EDGE) - x) / B
        state[FLUX, i] = q + step


@njit
def evaluate(state, scratch, coefficients, tables, sign, kappa, thermal_voltage, psi, first, last, sums):
    """Residuals and slopes of a piece; sums: Σ w (q + r/d), Σ w/d, extremes of r."""
    targets, mobilities, lowest, highest = 0.0, 0.0, 1e30, -1e30
    for i in range(first, last):
        q, B = float(state[FLUX, i]), float(scratch[RESPONSE, i])
        wanted = scratch[RELAXED, i] + B * q
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
        scratch[TARGET, i], scratch[MOBILITY, i], scratch[EXCHANGE, i] = q + r * mobility, mobility, exchange
        targets += coefficients[WEIGHT, i] * (q + r * mobility)
        mobilities += coefficients[WEIGHT, i] * mobility
        lowest, highest = min(lowest, r), max(highest, r)
    sums[0], sums[1], sums[2], sums[3] = targets, mobilities, lowest, highest


@njit
def relax(state, coefficients, shares, squares, first, last, part, dt, rise):
    """A part of a step of a piece, under each particle's current, which rises by ``rise`` from its mean to its end."""
    q, gain, lifted = state[FLUX], coefficients[GAIN], state.dtype.type(rise)
    for k in range(MODES):
        weight, b, share = state.dtype.type(2.0 / squares[k]), state[FIRST_MODE + k], shares[k]
        if part == 1.0:
            for i in range(first, last):
                b[i] += share[i] * (weight * (gain[i] * (q[i] - lifted)) - b[i])
        else:
            for i in range(first, last):
                b[i] -= math.expm1(-squares[k] * coefficients[RATE, i] * part * dt) * (weight * gain[i] * q[i] - b[i])
    long = state.dtype.type(part * dt)
    for i in range(first, last):
        corrected = coefficients[GROWTH, i] * long * (q[i] - lifted) - state[MEAN_ERROR, i]
        after = state[MEAN, i] + corrected
        state[MEAN_ERROR, i] = (after - state[MEAN, i]) - corrected
        state[MEAN, i] = after
    if rise != 0.0:
        for k in range(MODES):
            for i in range(first, last):
                share = float(shares[k, i])
                late = 2.0 - share - 2.0 * share / (squares[k] * coefficients[RATE, i] * dt)
                state[FIRST_MODE + k, i] += 2.0 / squares[k] * gain[i] * rise * late


@njit
def whole(sums, pieces):
    """Rows of ``sums: (2 * pieces, 4)`` taken together, per electrode: (2, 4)."""
    found = np.zeros((2, 4))
    for e in range(2):
        found[e, 2], found[e, 3] = 1e30, -1e30
        for piece in range(e * pieces, (e + 1) * pieces):
            found[e, 0] += sums[piece, 0]
            found[e, 1] += sums[piece, 1]
            found[e, 2] = min(found[e, 2], sums[piece, 2])
            found[e, 3] = max(found[e, 3], sums[piece, 3])
    return found


@njit(parallel=True, nogil=True, cache=True)
def advance(
    state, scratch, cell, coefficients, shares, squares, constants, tables, instructions, drive, factor, tolerance,
    trace, every, first_time, dt, steps, n, stride, thermal_voltage,
):  # fmt: skip
    """As ``run_particles`` in mpm.cu; trace: (0, 2) for none."""
    real = state.dtype.type
    pieces = (n + PIECE - 1) // PIECE
    sums = np.empty((2 * pieces, 4))
    change = np.zeros(2)
    psi = np.array([float(cell[PSI]), float(cell[PSI + 1])])
    voltage, current, ended = float(cell[VOLTAGE]), float(cell[CURRENT]), float(cell[ENDED])
    charge, charge_error = float(cell[CHARGE]), float(cell[CHARGE_ERROR])
    instruction, elapsed = int(cell[INSTRUCTION]), int(cell[ELAPSED])
    resistance, rest = float(constants[RESISTANCE]), float(constants[REST_VOLTAGE])
    for step in range(steps):
        running = instruction < len(instructions)
        if running:
            order = instructions[instruction]
            kind = int(order[KIND])
            power = kind in (HELD_POWER, POWER_DRIVE)
            held = kind == HELD_VOLTAGE or power
            wanted = float(order[VALUE])
            rise, mean_power = 0.0, 0.0  # of the current, from the mean of the step to its end
            if kind in (DRIVE, POWER_DRIVE):
                place = int(wanted) + elapsed
                wanted = float(drive[place, 1])
                rise = factor * (wanted - float(drive[place, 0]))
                if kind == POWER_DRIVE:
                    rise /= voltage
                    mean_power = factor * float(drive[place, 0])
            if kind != HELD_VOLTAGE:
                wanted = float(real(factor * wanted))
            voltage_before, before = voltage, current
            if not held:
                current = wanted
            shift = wanted / voltage - before if power else current - before
            part, limit, a, b, f_a, f_b = 1.0, 0.0, 0.0, 1.0, 0.0, 0.0
            for attempt in range(12):
                change[:] = 0.0
                for count in range(MOST_PASSES):
                    for piece in prange(2 * pieces):
                        e = piece // pieces
                        first = e * stride + (piece - e * pieces) * PIECE
                        last = min(first + PIECE, e * stride + n)
                        sign, start = constants[e * ELECTRODE + SIGN], constants[e * ELECTRODE + START]
                        if count == 0:
                            respond(
                                state, scratch, coefficients, shares, squares, start, first, last, part, dt,
                                real(shift), rise,
                            )  # fmt: skip
                        else:
                            move(state, scratch, first, last, change[e])
                        evaluate(
                            state, scratch, coefficients, tables[e], float(sign),
                            float(constants[e * ELECTRODE + KINETIC]), thermal_voltage, psi[e], first,
                            last, sums[piece],
                        )  # fmt: skip
                    found = whole(sums, pieces)
                    per_n, per_p = 1.0 / found[0, 1], 1.0 / found[1, 1]
                    if held:
                        # V = alpha + beta I once the sums are put in.
                        alpha = rest - psi[0] - psi[1] + found[0, 0] * per_n + found[1, 0] * per_p
                        beta = -(per_n + per_p + resistance)
                        if kind == HELD_VOLTAGE:
                            current = (wanted - alpha) / beta
                        else:
                            # beyond the largest power there is none: its current then
                            square = alpha * alpha + 4.0 * beta * wanted
                            current = (
                                2.0 * wanted / (alpha + math.sqrt(square)) if square > 0.0 else -0.5 * alpha / beta
                            )
                    change[0] = (current - found[0, 0]) * per_n
                    change[1] = (current - found[1, 0]) * per_p
                    most = 0.0
                    for e in range(2):
                        psi[e] += change[e]
                        most = max(most, abs(change[e] + found[e, 2]), abs(change[e] + found[e, 3]))
                    if not most > tolerance:
                        break
                shift = 0.0
                if kind == POWER_DRIVE and rise != 0.0:
                    # The mean current of the mean power, with the electrodes' resistance to the end's.
                    R = per_n + per_p + resistance
                    at_end = rest - psi[0] - psi[1] - current * resistance
                    mean = current - rise
                    for _ in range(3):
                        mean = (mean_power + R * (current - mean) ** 2 / 3.0) / (at_end + R * (current - mean))
                    rise = current - mean
                current = float(real(current))
                psi[0], psi[1] = float(real(psi[0])), float(real(psi[1]))
                voltage = float(real(rest - psi[0] - psi[1] - current * resistance))
                if attempt == 0:
                    elapsed += 1
                    low, high = voltage <= order[LOWEST], voltage >= order[HIGHEST]
                    spent = kind == HELD_VOLTAGE and abs(current) <= order[LEAST_CURRENT]
                    if not (low or high or spent or elapsed >= int(order[STEPS])):
                        break
                    instruction += 1
                    elapsed = 0
                    if instruction < len(instructions) or kind != HELD_CURRENT or not (low or high):
                        break
                    # Where in the step the cut-off was met, by the Illinois form of false position: `part` of the step
                    # is solved again until the voltage is the cut-off's. 0: it was beyond from the start.
                    limit = float(order[LOWEST]) if low else float(order[HIGHEST])
                    f_a, f_b = voltage_before - limit, voltage - limit
                    if (f_a > 0.0) == (f_b > 0.0):
                        f_a = f_b
                else:
                    if f_a == f_b:
                        break
                    f = voltage - limit
                    if (f > 0.0) == (f_b > 0.0):
                        f_a *= 0.5
                    else:
                        a, f_a = b, f_b
                    b, f_b = part, f
                    if abs(f) < 1e-6 or f_a == f_b:
                        break
                if attempt < 11:
                    part = 0.0 if f_a == f_b else b - f_b * (b - a) / (f_b - f_a)
                    for piece in prange(2 * pieces):
                        e = piece // pieces
                        first = e * stride + (piece - e * pieces) * PIECE
                        move(state, scratch, first, min(first + PIECE, e * stride + n), change[e])
            for piece in prange(2 * pieces):
                e = piece // pieces
                first = e * stride + (piece - e * pieces) * PIECE
                last = min(first + PIECE, e * stride + n)
                move(state, scratch, first, last, change[e])
                relax(state, coefficients, shares, squares, first, last, part, dt, rise)
            corrected = (current - rise) * (part * dt) - charge_error
            after = float(real(charge + corrected))
            charge_error = float(real((after - charge) - corrected))
            charge = after
            if instruction >= len(instructions):
                ended = first_time + (step + part) * dt
        if len(trace) and (step + 1) % every == 0:
            trace[step // every, 0] = voltage if running else np.nan
            trace[step // every, 1] = current if running else np.nan
    cell[CHARGE], cell[CHARGE_ERROR], cell[VOLTAGE] = charge, charge_error, voltage
    cell[CURRENT] = current if instruction < len(instructions) else 0.0
    cell[INSTRUCTION], cell[ELAPSED], cell[ENDED] = instruction, elapsed, ended
    cell[PSI], cell[PSI + 1] = psi[0], psi[1]


class CpuManyParticles(ManyParticles):
    """Many particles on the CPU."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._squares = roots(MODES) ** 2
        self._no_trace = np.empty((0, 2), self.dtype)

    def advance(self, first_step: int, steps: int, trace: Any = None, every: int = 1) -> None:
        with self.backend.cores_for(PARTICLE_SECONDS * self.n):
            advance(
                self.state, self.scratch, self.cell, self.coefficients, self.shares, self._squares, self.constants,
                self.tables, self.instructions, self.drive, float(self.factor), TOLERANCE[self.dtype.name],
                self._no_trace if trace is None else trace, every, first_step * self.dt, self.dt, steps, self.n,
                self.stride, self.thermal_voltage,
            )  # fmt: skip
