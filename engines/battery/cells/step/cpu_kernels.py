"""A cell's steps on the CPU: the twin of ``run_cells`` in ``cells.cu``.

Each function is a part of a step that is compiled into its caller (``forceinline``): a step is 0.1 µs, and a call would
pass the fields of its structs one by one. For the same reason arrays are pointers in it.
"""

import math

import numpy as np
from numba import njit

from engines.backend.pointers import at, pointer, rounded
from engines.battery.cells.step.cpu_ageing import accumulate, close_cycle, film_thickness, react
from engines.battery.cells.step.cpu_arguments import (
    CellMoment,
    Conditions,
    Cycles,
    Demand,
    Line,
    Met,
    Model,
    Own,
    Protocol,
    Rates,
    Taken,
)
from engines.battery.cells.step.cpu_particles import (
    chords,
    driven_part,
    move,
    raised,
    relaxed,
    rising,
    settle,
    shares,
    surface,
    varying_line,
)
from engines.battery.cells.step.cpu_salt import salt_means, salt_step
from engines.battery.cells.step.cpu_voltage import bounded, cost, curve_at, held_current, terminal
from engines.battery.parameter_sets.constants import REFERENCE_TEMPERATURE
from engines.battery.protocol.instructions import DriveColumn, Field, Kind
from engines.battery.setup.curves import INTERVALS
from engines.battery.step.cell_rows import ELECTROLYTE_CELLS, GAS_PER_FARADAY, AgeingRow, Coefficient, Row, Table
from engines.battery.step.particle_rows import MODES

FIELDS, DRIVE_COLUMNS, AGEING_ROWS = len(Field), len(DriveColumn), len(AgeingRow)


@njit(forceinline=True)
def loaded(cell, ensemble, model, reals, doubles):
    """A cell's :class:`Own`, in the room of two arrays: at least (rows + 2 MODES,) in the precision of the state, and
    (coefficients + 6 ELECTROLYTE_CELLS + 4 SHELLS,) float64."""
    state, coefficients = ensemble.state, ensemble.coefficients
    rows, given = state.shape[0], coefficients.shape[0]
    for row in range(rows):
        reals[row] = state[row, cell]
    for row in range(given):
        doubles[row] = coefficients[row, cell]
    own, scratch, volumes = pointer(reals), pointer(doubles), 3 * ELECTROLYTE_CELLS
    aged = Row.SALT + (volumes if model.electrolyte else 0)
    return Own(
        scratch, own, at(own, aged), at(own, Row.NEGATIVE_MODES),
        at(own, Row.POSITIVE_MODES), at(own, Row.SALT), at(own, rows), at(own, rows + MODES), at(scratch, given),
        at(scratch, given + volumes), at(own, aged + (AGEING_ROWS if model.ageing else 0)),
        at(scratch, given + 2 * volumes),
    )  # fmt: skip


@njit(forceinline=True)
def at_temperature(own, model, warmth, dt):
    """The :class:`Rates` of a temperature, by Arrhenius; the shares of a whole step go into ``own``."""
    given = own.given
    temperature = REFERENCE_TEMPERATURE + (warmth if model.thermal else 0.0)
    inverse = (temperature - REFERENCE_TEMPERATURE) / (REFERENCE_TEMPERATURE * temperature)
    faster_n = math.exp(given[Coefficient.NEGATIVE_DIFFUSION_HEAT] * inverse)
    faster_p = math.exp(given[Coefficient.POSITIVE_DIFFUSION_HEAT] * inverse)
    rate_n, gain_n = given[Coefficient.NEGATIVE_RATE] * faster_n, given[Coefficient.NEGATIVE_GAIN] / faster_n
    rate_p, gain_p = given[Coefficient.POSITIVE_RATE] * faster_p, given[Coefficient.POSITIVE_GAIN] / faster_p
    kinetic_n = given[Coefficient.NEGATIVE_KINETIC] * math.exp(-given[Coefficient.NEGATIVE_REACTION_HEAT] * inverse)
    kinetic_p = given[Coefficient.POSITIVE_KINETIC] * math.exp(-given[Coefficient.POSITIVE_REACTION_HEAT] * inverse)
    shares(own, model.squares, rate_n, rate_p, dt)
    B_n = given[Coefficient.NEGATIVE_GROWTH] * dt + gain_n * driven_part(own.share_n, model.weights)
    B_p = given[Coefficient.POSITIVE_GROWTH] * dt + gain_p * driven_part(own.share_p, model.weights)
    resistance, salt_arrhenius = given[Coefficient.RESISTANCE], 1.0
    if model.electrolyte:
        salt_arrhenius = math.exp(given[Coefficient.SALT_DIFFUSION_HEAT] * inverse)
        resistance += given[Coefficient.IONIC] * math.exp(-given[Coefficient.CONDUCTIVITY_HEAT] * inverse)
    return Rates(
        inverse, 2.0 * GAS_PER_FARADAY * temperature, np.float64(warmth), rate_n, rate_p, gain_n, gain_p, B_n, B_p,
        kinetic_n, kinetic_p, resistance, salt_arrhenius,
    )  # fmt: skip


@njit(forceinline=True)
def demanded(protocol, moment):
    """The :class:`Demand` of the cell's instruction; a drive cycle gives a step's mean and the value at its end."""
    order = at(protocol.instructions, FIELDS * moment.instruction)
    kind, wanted, rise, mean_power = int(order[Field.KIND]), float(order[Field.VALUE]), 0.0, 0.0
    if kind in (Kind.DRIVE, Kind.POWER_DRIVE):
        given = at(protocol.drive, DRIVE_COLUMNS * (int(wanted) + moment.elapsed))
        wanted = float(given[DriveColumn.END])
        rise = protocol.factor * (wanted - float(given[DriveColumn.MEAN]))
        if kind == Kind.POWER_DRIVE:
            rise /= moment.voltage
            mean_power = protocol.factor * float(given[DriveColumn.MEAN])
    if kind != Kind.VOLTAGE:
        wanted *= protocol.factor
    return Demand(kind, wanted, rise, mean_power)


@njit(forceinline=True)
def response(own, model, rates, means, side, rise, dt):
    """The :class:`Line` of a whole step. means: mean stoichiometries of the particles at its start"""
    A_n, A_p = means[0] + relaxed(own.b_n, own.share_n), means[1] + relaxed(own.b_p, own.share_p)
    if model.ageing:
        A_n += rates.B_n * side
    if rise != 0.0:
        late_n = rates.gain_n * rising(own.share_n, model.squares, model.weights, rates.rate_n * dt)
        late_p = rates.gain_p * rising(own.share_p, model.squares, model.weights, rates.rate_p * dt)
        A_n += (late_n - rates.B_n) * rise
        A_p += (late_p - rates.B_p) * rise
    return Line(A_n, rates.B_n, A_p, rates.B_p)


@njit(forceinline=True)
def shortened(own, model, rates, means, side, span):
    """The :class:`Line` and the shares of the part of a step that the salt lasts for."""
    shares(own, model.squares, rates.rate_n, rates.rate_p, span)
    B_n = own.given[Coefficient.NEGATIVE_GROWTH] * span + rates.gain_n * driven_part(own.share_n, model.weights)
    B_p = own.given[Coefficient.POSITIVE_GROWTH] * span + rates.gain_p * driven_part(own.share_p, model.weights)
    A_n, A_p = means[0] + relaxed(own.b_n, own.share_n) + B_n * side, means[1] + relaxed(own.b_p, own.share_p)
    return Line(A_n, B_n, A_p, B_p)


@njit(forceinline=True)
def conditions(own, model, rates, film):
    """Before the salt is looked at. film: its resistance [Ω]"""
    given = own.given
    skew_n, skew_p = 0.0, 0.0
    if model.asymmetric:
        skew_n, skew_p = given[Coefficient.NEGATIVE_SKEW], given[Coefficient.POSITIVE_SKEW]
    resistance = rates.resistance
    if model.ageing:
        resistance += film
    return Conditions(
        rates.thermal_voltage, rates.warmth, resistance, 0.0, rates.kinetic_n, rates.kinetic_p, skew_n, skew_p
    )


@njit(forceinline=True)
def salted(now, own, rates):
    """``now`` with the salt as it is: concentration overpotential, and √c_e in the exchange currents."""
    log_n, root_n = salt_means(own.salt, 0)
    log_p, root_p = salt_means(own.salt, 2 * ELECTROLYTE_CELLS)
    concentration = 0.5 * now.thermal_voltage * own.given[Coefficient.TRANSFERENCE] * (log_p - log_n)
    return Conditions(
        now.thermal_voltage, now.warmth, now.resistance, concentration, rates.kinetic_n / root_n,
        rates.kinetic_p / root_p, now.skew_n, now.skew_p,
    )  # fmt: skip


@njit(forceinline=True)
def rise_of_power(now, line, current, v, rise, mean_power):
    """The mean current of the mean power: what it costs is a line between the current's mean and its end."""
    x_n, x_p = line.A_n + line.B_n * current, line.A_p + line.B_p * current
    at_end = cost(now, x_n, x_p, current)
    for _ in range(3):
        at_mean = cost(now, x_n, x_p, current - rise)
        rise = current - (mean_power + rise * (at_end - at_mean) / 3.0) / (v + at_end - at_mean)
    return rise


@njit(forceinline=True)
def crossing(own, model, rates, now, means, limit, voltage_before, taken, shells):
    """The part of a step at which the voltage met ``limit``, by the Illinois form of false position."""
    given, current, side = own.given, taken.current, taken.side
    a, b, f_a, f_b = 0.0, 1.0, voltage_before - limit, taken.voltage - limit
    crossed = (f_a > 0.0) != (f_b > 0.0)
    part = b if crossed else 0.0  # 0: it was beyond from the start
    for _ in range(10):
        if not crossed or f_a == f_b:
            break
        part = b - f_b * (b - a) / (f_b - f_a)
        time = part * taken.span
        if shells is not None:
            line = varying_line(own, model, rates, means, (current, side), 0.0, time, shells)
            x_n, x_p = line.A_n, line.A_p
        else:
            driven_n, driven_p = rates.gain_n * (current + side), rates.gain_p * current
            x_n = (
                means[0]
                + given[Coefficient.NEGATIVE_GROWTH] * time * (current + side)
                + surface(own.b_n, model.squares, model.weights, rates.rate_n * time, driven_n)
            )
            x_p = (
                means[1]
                + given[Coefficient.POSITIVE_GROWTH] * time * current
                + surface(own.b_p, model.squares, model.weights, rates.rate_p * time, driven_p)
            )
        f, _, _ = terminal(model.tables, model.thermal, now, x_n, x_p, current)
        f -= limit
        if (f > 0.0) == (f_b > 0.0):
            f_a *= 0.5
        else:
            a, f_a = b, f_b
        b, f_b = part, f
        if abs(f) < 1e-6:
            break
    if shells is not None:  # the profiles of its end again
        varying_line(own, model, rates, means, (taken.through, side), taken.rise, taken.span, shells)
    return part


@njit(forceinline=True)
def met(own, model, protocol, clock, rates, now, means, moment, taken, kind, step, shells):
    """What of the instruction's ends the step met (:class:`Met`)."""
    instruction, elapsed, ended = moment.instruction, moment.elapsed + 1, moment.ended
    order = at(protocol.instructions, FIELDS * instruction)
    low, high = taken.voltage <= order[Field.LOWEST], taken.voltage >= order[Field.HIGHEST]
    spent = kind == Kind.VOLTAGE and abs(taken.current) <= order[Field.LEAST_CURRENT]
    limit = float(order[Field.LOWEST]) if low else float(order[Field.HIGHEST])
    counted = 1.0
    if model.ageing:
        # A cut-off is met within the step: capacities end there, unless the next instruction goes on.
        cut = (low and taken.current > 0.0) or (high and taken.current < 0.0)
        more = instruction + 1 < protocol.length
        on_limit = more and int(order[FIELDS + Field.KIND]) == Kind.VOLTAGE
        if cut and elapsed > 1 and not on_limit:
            share = (moment.voltage - limit) / (moment.voltage - taken.voltage)
            counted = share if 0.0 <= share < 1.0 else 1.0
    exhausted = taken.span < clock.dt and not low and not high
    done = low or high or spent or exhausted or elapsed >= int(order[Field.STEPS])
    if done:
        instruction = protocol.length if exhausted else instruction + 1
        elapsed = 0
        if instruction >= protocol.length:
            part = 1.0
            if (low or high) and kind == Kind.CURRENT:
                part = crossing(own, model, rates, now, means, limit, moment.voltage, taken, shells)
            ended = clock.first_time + (step + part * (taken.span / clock.dt)) * clock.dt
    return Met(done, exhausted, instruction, elapsed, ended, counted)


@njit(forceinline=True)
def aged_by(cell, cycles, model, own, rates, now, taken, ends, B_n):
    """What the side reactions took in a step, their currents of the next, and the numbers of a cycle that is over."""
    given, aged, span = own.given, own.aged, taken.span
    flown = taken.through * ends.counted * span
    if taken.through != 0.0:  # on from a cut-off, or back to it
        flown += float(aged[AgeingRow.BEYOND])
        aged[AgeingRow.BEYOND] = taken.through * (1.0 - ends.counted) * span
    accumulate(own.state, Row.NEGATIVE_MEAN, given[Coefficient.NEGATIVE_GROWTH] * span * taken.side)
    accumulate(aged, AgeingRow.SEI, float(aged[AgeingRow.SEI_CURRENT]) * span)
    accumulate(aged, AgeingRow.PLATED, float(aged[AgeingRow.PLATING_CURRENT]) * span)
    if taken.through > 0.0:
        accumulate(aged, AgeingRow.DISCHARGED, flown)
    else:
        accumulate(aged, AgeingRow.CHARGED, -flown)
    lowest = min(aged[AgeingRow.LOWEST_ANODE], aged[AgeingRow.ANODE])
    aged[AgeingRow.LOWEST_ANODE] = lowest
    salt = 1.0
    if model.electrolyte:
        salt = 0.0
        for k in range(ELECTROLYTE_CELLS):
            salt += float(own.salt[k]) / ELECTROLYTE_CELLS
    react(aged, given, model.tables, rates.inverse, now.thermal_voltage, salt, taken.x_n, B_n, taken.current)
    if ends.done and not ends.exhausted and ends.instruction % cycles.length == 0:
        close_cycle(aged, cell, cycles, ends.instruction // cycles.length - 1)


@njit(forceinline=True)
def warmed(own, tables, now, warmth, taken):
    """The temperature after a step: C dT/dt = I (U − V − T dU/dT) − h A (T − T_ambient)."""
    given = own.given
    entropic = curve_at(tables, Table.POSITIVE_ENTROPIC, bounded(taken.x_p) * INTERVALS) - curve_at(
        tables, Table.NEGATIVE_ENTROPIC, bounded(taken.x_n) * INTERVALS
    )
    reversible = (REFERENCE_TEMPERATURE + warmth) * entropic
    heat = taken.current * (taken.open_circuit - taken.voltage - reversible)
    if taken.rise != 0.0:
        # Over the step: what the current costs is taken as a line between its mean and its end.
        at_end = taken.open_circuit - taken.voltage + now.concentration
        at_mean = cost(now, taken.x_n, taken.x_p, taken.through)
        heat = taken.through * (at_mean - now.concentration - reversible) + taken.rise * (at_end - at_mean) / 3.0
    lost = given[Coefficient.COOLING] * (warmth - given[Coefficient.AMBIENT])
    return warmth + (heat - lost) / (given[Coefficient.HEAT_CAPACITY] / taken.span + 0.5 * given[Coefficient.COOLING])


@njit(forceinline=True)
def stepped(cell, cycles, model, protocol, clock, own, rates, moment, step, shells):
    """The :class:`CellMoment` after a step, and whether the shares of a whole step have to be found anew. shells: see
    :func:`run_cell`; an argument of its own, for Numba compiles but one side of what asks whether it is None"""
    state, given, aged, dt = own.state, own.given, own.aged, clock.dt
    demand = demanded(protocol, moment)
    kind, rise, span, fresh = demand.kind, demand.rise, dt, False
    held = kind in (Kind.VOLTAGE, Kind.POWER, Kind.POWER_DRIVE)
    means = (
        given[Coefficient.NEGATIVE_START] + state[Row.NEGATIVE_MEAN],
        given[Coefficient.POSITIVE_START] + state[Row.POSITIVE_MEAN],
    )
    side, film = 0.0, 0.0
    if model.ageing:
        side = float(aged[AgeingRow.SEI_CURRENT]) + float(aged[AgeingRow.PLATING_CURRENT])
        film = given[Coefficient.FILM_RESISTANCE] * film_thickness(aged, given, dt)
    line = Line(means[0], 0.0, means[1], 0.0)
    if shells is None:
        line = response(own, model, rates, means, side, rise, dt)
    now = conditions(own, model, rates, film)
    if held:
        if model.electrolyte:
            now = salted(now, own, rates)
        if shells is not None:
            step_of = (moment.current, side, rise, dt)
            found, v, line = chords(own, model, rates, now, means, kind, demand.wanted, step_of, shells)
        else:
            found, v = held_current(model, now, line, kind, demand.wanted, moment.current)
        current = float(rounded(state, found))
        if kind == Kind.POWER_DRIVE and rise != 0.0:
            rise = rise_of_power(now, line, current, v, rise, demand.mean_power)
    else:
        current = float(rounded(state, demand.wanted))
    through = current - rise  # what flows, the mean of the step
    if shells is not None and (not held or kind == Kind.POWER_DRIVE):
        line = varying_line(own, model, rates, means, (through, side), rise, dt, shells)
    if model.electrolyte:
        lasts = salt_step(own.salt, own.up, own.delta, model.tables, given, rates.salt_arrhenius, through, dt)
        if lasts < 1.0:
            span, current, rise, fresh = lasts * dt, through, 0.0, True
            if shells is not None:
                line = varying_line(own, model, rates, means, (through, side), rise, span, shells)
            else:
                line = shortened(own, model, rates, means, side, span)
        if not held or lasts < 1.0:
            now = salted(now, own, rates)
    x_n, x_p = line.A_n + line.B_n * current, line.A_p + line.B_p * current
    voltage, open_circuit, anode = terminal(model.tables, model.thermal, now, x_n, x_p, current)
    voltage = float(rounded(state, voltage))
    taken = Taken(current, through, rise, span, x_n, x_p, side, voltage, open_circuit, anode)
    if model.ageing:
        aged[AgeingRow.SIDE], aged[AgeingRow.ANODE] = side, anode
    ends = met(own, model, protocol, clock, rates, now, means, moment, taken, kind, step, shells)
    if shells is not None:
        settle(own, model, rates, means, shells)
    else:
        driven_n, driven_p = rounded(state, rates.gain_n * (through + side)), rounded(state, rates.gain_p * through)
        move(own, model, rates, driven_n, driven_p, rise, dt)
    accumulate(own.state, Row.NEGATIVE_MEAN, given[Coefficient.NEGATIVE_GROWTH] * span * through)
    accumulate(own.state, Row.POSITIVE_MEAN, given[Coefficient.POSITIVE_GROWTH] * span * through)
    accumulate(own.state, Row.CHARGE, through * span)
    if model.ageing:
        B_n = line.B_n
        if shells is not None:
            B_n = raised(own, model, rates, x_n, span)
        aged_by(cell, cycles, model, own, rates, now, taken, ends, B_n)
    warmth = moment.warmth
    if model.thermal:
        warmth = float(rounded(state, warmed(own, model.tables, now, warmth, taken)))
    return CellMoment(warmth, voltage, current, ends.ended, ends.instruction, ends.elapsed), fresh


@njit(forceinline=True)
def stored(cell, state, own, moment):
    """A cell's state goes back to where it came from."""
    own.state[Row.WARMTH], own.state[Row.VOLTAGE] = moment.warmth, moment.voltage
    own.state[Row.CURRENT] = moment.current
    own.state[Row.INSTRUCTION], own.state[Row.ELAPSED] = moment.instruction, moment.elapsed
    own.state[Row.ENDED] = moment.ended
    for row in range(state.shape[0]):
        state[row, cell] = own.state[row]


@njit(forceinline=True)
def in_pointers(cycles, model, protocol):
    """The same, their arrays by pointers; who calls keeps the arrays alive."""
    return (
        Cycles(pointer(cycles.record), cycles.recorded, cycles.length),
        Model(
            pointer(model.tables), pointer(model.squares), pointer(model.weights), model.electrolyte, model.thermal,
            model.ageing, model.asymmetric,
        ),
        Protocol(pointer(protocol.instructions), protocol.length, pointer(protocol.drive), protocol.factor),
    )  # fmt: skip


@njit
def run_cell(cell, ensemble, cycles, model, protocol, trace, clock, reals, doubles, shells):
    """All steps of one cell; ``reals`` and ``doubles``: room for what is its own (:func:`loaded`). shells: geometry of
    the particles (``step/graded.py``) where a diffusivity varies, else None.

    Apart from ``advance``, for the passes of a parallel function took as long to compile this as all else together."""
    cycles, model, protocol = in_pointers(cycles, model, protocol)
    own = loaded(cell, ensemble, model, reals, doubles)
    state, stride = own.state, ensemble.state.shape[1]
    rows = at(pointer(trace.rows), cell)
    traced = len(trace.rows) > 0
    moment = CellMoment(
        float(state[Row.WARMTH]), float(state[Row.VOLTAGE]), np.float64(state[Row.CURRENT]),
        np.float64(state[Row.ENDED]), int(state[Row.INSTRUCTION]), int(state[Row.ELAPSED]),
    )  # fmt: skip
    fresh, rates = True, Rates(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for step in range(clock.steps):
        running = moment.instruction < protocol.length
        if running:
            if fresh or model.thermal:
                rates = at_temperature(own, model, moment.warmth, clock.dt)
            moment, fresh = stepped(cell, cycles, model, protocol, clock, own, rates, moment, step, shells)
        if traced and (step + 1) % trace.every == 0:
            place, plane = step // trace.every * stride, trace.plane * stride
            rows[place] = moment.voltage if running else np.nan
            if plane:
                rows[place + plane] = moment.current if running else np.nan
                rows[place + 2 * plane] = moment.warmth if running else np.nan
    stored(cell, ensemble.state, own, moment)
