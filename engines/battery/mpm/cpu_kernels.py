"""Steps of many particles on the CPU: the twin of ``run_particles`` in ``mpm.cu``, pieces of electrodes on all cores.

Arrays that all kernels take are in :class:`Particles`; what a step hands on is in :class:`Demand` and :class:`Solved`.
``shells`` is None where diffusivities are constant, and particles are eigenmodes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.battery.mpm.cpu_graded import move_graded, relax_graded, respond_graded
from engines.battery.mpm.cpu_particles import evaluate, fill, move, relax, respond, whole
from engines.battery.protocol.instructions import DriveColumn, Field, Kind
from engines.battery.step.many_particle_rows import MOST_PASSES, CellRow, Constant, Sum

PIECE = 256
"""Particles that are one turn of a thread; sums go over pieces in order, whatever the number of threads."""


class Particles(NamedTuple):
    """state, coefficients, scratch: (rows of ``Row``, ``Coefficient``, ``Scratch``, 2 * stride); shares: (MODES,
    2 * stride), 1 − e^{−λ² D dt/R²}; squares: λ² (MODES,); constants: (Constant,); tables: (2, INTERVALS, 4); n: of an
    electrode"""

    state: Array
    coefficients: Array
    scratch: Array
    shares: Array
    squares: Array
    constants: Array
    tables: Array
    thermal_voltage: float
    n: int
    stride: int


class Work(NamedTuple):
    """Of a launch. psi, in the precision of the state, and change: potentials of the electrodes and their last change
    (2,); sums: (2 * pieces, Sum)"""

    psi: Array
    change: Array
    sums: Array
    tolerance: float


class Protocol(NamedTuple):
    """instructions: (n, Field); drive: (steps, DriveColumn); factor: on all currents and powers"""

    instructions: Array
    drive: Array
    factor: float


class Trace(NamedTuple):
    """rows: (rows, 2) of voltage and current, or (0, 2) for none"""

    rows: Array
    every: int


class Clock(NamedTuple):
    """Times [s] of a launch."""

    first_time: float
    dt: float
    steps: int


class Demand(NamedTuple):
    """What an instruction asks of a step. rise: of the current, from the step's mean to its end"""

    kind: int
    wanted: float
    rise: float
    mean_power: float


class Solved(NamedTuple):
    """A step's end. part: how much of the step is left in it where a cut-off was met; rise: as in :class:`Demand`"""

    current: float
    voltage: float
    part: float
    rise: float
    instruction: int
    elapsed: int


@njit
def bounds(particles, piece, pieces):
    """(electrode, first column, column after the last) of a piece."""
    e = piece // pieces
    first = e * particles.stride + (piece - e * pieces) * PIECE
    return e, first, min(first + PIECE, e * particles.stride + particles.n)


@njit(parallel=True, nogil=True)
def evaluate_all(particles, shells, work, count, part, dt, shift, rise):
    """Residuals and sums of all particles, in the first pass after their response, in others after Newton's step."""
    shift = particles.state.dtype.type(shift)
    pieces = len(work.sums) // 2
    for piece in prange(2 * pieces):
        e, first, last = bounds(particles, piece, pieces)
        place = e * Constant.POSITIVE
        sign, start = particles.constants[place + Constant.SIGN], particles.constants[place + Constant.START]
        if shells is None:
            if count == 0:
                respond(
                    particles.state, particles.scratch, particles.coefficients, particles.shares, particles.squares,
                    start, first, last, part, dt, shift, rise,
                )  # fmt: skip
            else:
                move(particles.state, particles.scratch, first, last, work.change[e])
        elif count == 0:
            respond_graded(
                particles.state, particles.scratch, particles.coefficients, shells, e, start, first, last, part * dt,
                shift, rise,
            )  # fmt: skip
        else:
            move_graded(
                particles.state, particles.scratch, particles.coefficients, shells, e, start, first, last,
                work.change[e], part * dt, rise,
            )  # fmt: skip
        evaluate(
            particles.state, particles.scratch, particles.coefficients, particles.tables[e], float(sign),
            float(particles.constants[place + Constant.KINETIC]), particles.thermal_voltage, work.psi[e], first, last,
            work.sums[piece],
        )  # fmt: skip


@njit(parallel=True, nogil=True)
def move_all(particles, work):
    """Newton's step of all particles."""
    pieces = len(work.sums) // 2
    for piece in prange(2 * pieces):
        e, first, last = bounds(particles, piece, pieces)
        move(particles.state, particles.scratch, first, last, work.change[e])


@njit(parallel=True, nogil=True)
def relax_all(particles, shells, work, part, dt, rise):
    """The last step of Newton's and the part of a step that it was solved for."""
    pieces = len(work.sums) // 2
    for piece in prange(2 * pieces):
        e, first, last = bounds(particles, piece, pieces)
        move(particles.state, particles.scratch, first, last, work.change[e])
        if shells is None:
            relax(
                particles.state, particles.coefficients, particles.shares, particles.squares, first, last, part, dt,
                rise,
            )  # fmt: skip
        else:
            start = particles.constants[e * Constant.POSITIVE + Constant.START]
            relax_graded(
                particles.state, particles.coefficients, shells, e, start, first, last, part * dt, rise,
            )  # fmt: skip
        fill(particles.state, particles.coefficients, first, last, part * dt, rise)


@njit
def demanded(protocol, real, instruction, elapsed, voltage):
    """The :class:`Demand` of an instruction; a drive cycle gives a step's mean and the value at its end."""
    order = protocol.instructions[instruction]
    kind = int(order[Field.KIND])
    wanted = float(order[Field.VALUE])
    rise, mean_power = 0.0, 0.0
    if kind in (Kind.DRIVE, Kind.POWER_DRIVE):
        place = int(wanted) + elapsed
        wanted = float(protocol.drive[place, DriveColumn.END])
        rise = protocol.factor * (wanted - float(protocol.drive[place, DriveColumn.MEAN]))
        if kind == Kind.POWER_DRIVE:
            rise /= voltage
            mean_power = protocol.factor * float(protocol.drive[place, DriveColumn.MEAN])
    if kind != Kind.VOLTAGE:
        wanted = float(real.dtype.type(protocol.factor * wanted))
    return Demand(kind, wanted, rise, mean_power)


@njit
def held(kind, wanted, psi, found, rest, resistance):
    """The current of a held voltage or power. V = alpha + beta I once the sums are put in."""
    per_n, per_p = 1.0 / found[0, Sum.MOBILITY], 1.0 / found[1, Sum.MOBILITY]
    alpha = rest - psi[0] - psi[1] + found[0, Sum.TARGET] * per_n + found[1, Sum.TARGET] * per_p
    beta = -(per_n + per_p + resistance)
    if kind == Kind.VOLTAGE:
        return (wanted - alpha) / beta
    # beyond the largest power there is none: its current then
    square = alpha * alpha + 4.0 * beta * wanted
    return 2.0 * wanted / (alpha + math.sqrt(square)) if square > 0.0 else -0.5 * alpha / beta


@njit
def newton(particles, shells, work, demand, current, part, dt, shift, rise):
    """(current [A], resistances of the electrodes [Ω]) of a part of a step, by Newton's method for all particles and
    both potentials at once; ``work.change`` is the last change of the potentials, which particles are yet to follow."""
    psi, change, kind = work.psi, work.change, demand.kind
    rest, resistance = (
        float(particles.constants[Constant.REST_VOLTAGE]),
        float(particles.constants[Constant.RESISTANCE]),
    )
    per_n, per_p = 0.0, 0.0
    change[:] = 0.0
    for count in range(MOST_PASSES):
        evaluate_all(particles, shells, work, count, part, dt, shift, rise)
        found = whole(work.sums, len(work.sums) // 2)
        per_n, per_p = 1.0 / found[0, Sum.MOBILITY], 1.0 / found[1, Sum.MOBILITY]
        if kind in (Kind.VOLTAGE, Kind.POWER, Kind.POWER_DRIVE):
            current = held(kind, demand.wanted, psi, found, rest, resistance)
        change[0] = (current - found[0, Sum.TARGET]) * per_n
        change[1] = (current - found[1, Sum.TARGET]) * per_p
        most = 0.0
        for e in range(2):
            psi[e] += change[e]
            most = max(most, abs(change[e] + found[e, Sum.LOWEST]), abs(change[e] + found[e, Sum.HIGHEST]))
        if not most > work.tolerance:
            break
    return current, per_n, per_p


@njit
def rise_of_power(mean_power, at_end, R, current, rise):
    """The mean current of the mean power, with the electrodes' resistance to the end's."""
    mean = current - rise
    for _ in range(3):
        mean = (mean_power + R * (current - mean) ** 2 / 3.0) / (at_end + R * (current - mean))
    return current - mean


@njit
def illinois(part, f, bracket):
    """The bracket (a, b, f_a, f_b) of false position in the Illinois form after ``f`` was found at ``part``."""
    a, b, f_a, f_b = bracket
    if (f > 0.0) == (f_b > 0.0):
        return a, part, f_a * 0.5, f
    return b, part, f_b, f


@njit
def stepped(particles, shells, work, protocol, dt, current, voltage, instruction, elapsed):
    """One step (:class:`Solved`), the last of the protocol up to where its cut-off is met."""
    real, psi, instructions = particles.state, work.psi, protocol.instructions
    rest, resistance = (
        float(particles.constants[Constant.REST_VOLTAGE]),
        float(particles.constants[Constant.RESISTANCE]),
    )
    order = instructions[instruction]
    demand = demanded(protocol, real, instruction, elapsed, voltage)
    kind, wanted, rise = demand.kind, demand.wanted, demand.rise
    voltage_before, before = voltage, current
    power = kind in (Kind.POWER, Kind.POWER_DRIVE)
    if not power and kind != Kind.VOLTAGE:
        current = np.float64(wanted)
    shift = wanted / voltage - before if power else current - before
    part, limit, bracket = 1.0, 0.0, (0.0, 1.0, 0.0, 0.0)
    for attempt in range(12):
        current, per_n, per_p = newton(particles, shells, work, demand, current, part, dt, shift, rise)
        shift = 0.0
        if kind == Kind.POWER_DRIVE and rise != 0.0:
            at_end = rest - psi[0] - psi[1] - current * resistance
            rise = rise_of_power(demand.mean_power, at_end, per_n + per_p + resistance, current, rise)
        rounded = real.dtype.type(current)
        current = np.float64(rounded)
        voltage = float(real.dtype.type(rest - psi[0] - psi[1] - rounded * resistance))
        if attempt == 0:
            elapsed += 1
            low, high = voltage <= order[Field.LOWEST], voltage >= order[Field.HIGHEST]
            spent = kind == Kind.VOLTAGE and abs(current) <= order[Field.LEAST_CURRENT]
            if not (low or high or spent or elapsed >= int(order[Field.STEPS])):
                break
            instruction += 1
            elapsed = 0
            if instruction < len(instructions) or kind != Kind.CURRENT or not (low or high):
                break
            # Where in the step the cut-off was met, by the Illinois form of false position: `part` of the step
            # is solved again until the voltage is the cut-off's. 0: it was beyond from the start.
            cut_off = float(order[Field.LOWEST]) if low else float(order[Field.HIGHEST])
            f_a, f_b = np.float64(voltage_before - cut_off), np.float64(voltage - cut_off)
            limit = np.float64(cut_off)
            bracket = (0.0, 1.0, f_b if (f_a > 0.0) == (f_b > 0.0) else f_a, f_b)
        else:
            if bracket[2] == bracket[3]:
                break
            f = voltage - limit
            bracket = illinois(part, f, bracket)
            if abs(f) < 1e-6 or bracket[2] == bracket[3]:
                break
        if attempt < 11:
            a, b, f_a, f_b = bracket
            part = 0.0 if f_a == f_b else b - f_b * (b - a) / (f_b - f_a)
            move_all(particles, work)
    relax_all(particles, shells, work, part, dt, rise)
    return Solved(current, voltage, part, rise, instruction, elapsed)


@njit
def run_steps(particles, shells, work, cell, protocol, trace, clock):
    """All steps of a launch; cell: (CellRow,)"""
    real = particles.state
    voltage, current, ended = (
        float(cell[CellRow.VOLTAGE]),
        np.float64(cell[CellRow.CURRENT]),
        float(cell[CellRow.ENDED]),
    )
    charge, charge_error = float(cell[CellRow.CHARGE]), float(cell[CellRow.CHARGE_ERROR])
    instruction, elapsed = int(cell[CellRow.INSTRUCTION]), int(cell[CellRow.ELAPSED])
    work.psi[0], work.psi[1] = float(cell[CellRow.NEGATIVE_POTENTIAL]), float(cell[CellRow.POSITIVE_POTENTIAL])
    for step in range(clock.steps):
        running = instruction < len(protocol.instructions)
        if running:
            end = stepped(particles, shells, work, protocol, clock.dt, current, voltage, instruction, elapsed)
            current, voltage, instruction, elapsed = end.current, end.voltage, end.instruction, end.elapsed
            corrected = (current - end.rise) * (end.part * clock.dt) - charge_error
            after = float(real.dtype.type(charge + corrected))
            charge_error = float(real.dtype.type((after - charge) - corrected))
            charge = after
            if instruction >= len(protocol.instructions):
                ended = clock.first_time + (step + end.part) * clock.dt
        if len(trace.rows) and (step + 1) % trace.every == 0:
            trace.rows[step // trace.every, 0] = voltage if running else np.nan
            trace.rows[step // trace.every, 1] = current if running else np.nan
    cell[CellRow.CHARGE], cell[CellRow.CHARGE_ERROR], cell[CellRow.VOLTAGE] = charge, charge_error, voltage
    cell[CellRow.CURRENT] = current
    cell[CellRow.INSTRUCTION], cell[CellRow.ELAPSED], cell[CellRow.ENDED] = instruction, elapsed, ended
    cell[CellRow.NEGATIVE_POTENTIAL], cell[CellRow.POSITIVE_POTENTIAL] = work.psi[0], work.psi[1]
