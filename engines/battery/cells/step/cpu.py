"""Cells on the CPU: the twin of ``cells.cu``, a cell at a time on all cores.

The modes of a cell are short arrays in the precision asked for, which LLVM makes vectors of. What there is one of per
cell is float64 within a step and rounded to that precision between steps, so that batches of steps make one run.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

from engines.battery.cells.step.cells import Cells
from engines.battery.particles.series import roots

INTERVALS, LAYER, SALT_RANGE = 1024, 8, 4.0
EXHAUSTED = 1e-3
REFERENCE = 298.15
GAS_PER_FARADAY = 8.314462618 / 96485.33212
MODES = 16

# Rows of the state and of the coefficients; fields and kinds of instructions (cells.py, coefficients.py,
# protocol/instructions.py).
MEAN_N, MEAN_P, CHARGE, WARMTH, VOLTAGE, CURRENT, INSTRUCTION, ELAPSED, ENDED, MODES_N = 0, 2, 4, 6, 7, 8, 9, 10, 11, 12
SALT = MODES_N + 2 * MODES
RATE, GAIN, GROWTH, KINETIC, START, DIFFUSION_HEAT, REACTION_HEAT, ELECTRODE = 0, 1, 2, 3, 4, 5, 6, 7
RESISTANCE, HEAT_CAPACITY, COOLING, AMBIENT, LAYER_CAPACITY, LAYER_CONDUCTANCE, SALT_SOURCE = 14, 15, 16, 17, 18, 21, 24
IONIC, TRANSFERENCE, SALT_DIFFUSION_HEAT, CONDUCTIVITY_HEAT, SALT_RATIO = 25, 26, 27, 28, 29
SKEW_N, SKEW_P, SEI_REACTION, SEI_DIFFUSION, SEI_POTENTIAL, SEI_HEAT, FILM, FILM_GROWTH = 30, 31, 32, 33, 34, 35, 36, 37
FILM_RESISTANCE, PLATING, PLATING_TRANSFER, PLATING_BELOW_ZERO = 38, 39, 40, 41
SEI, PLATED, SEI_CURRENT, PLATING_CURRENT, SIDE, ANODE, LOWEST_ANODE, DISCHARGED, CHARGED = 0, 2, 4, 5, 6, 7, 8, 9, 11
HELD_CURRENT, HELD_VOLTAGE, HELD_POWER, DRIVE, POWER_DRIVE = 0, 1, 2, 3, 4
KIND, VALUE, STEPS, LOWEST, HIGHEST, LEAST_CURRENT = 0, 1, 2, 3, 4, 5
NEGATIVE_OCP, POSITIVE_OCP, NEGATIVE_ENTROPIC, POSITIVE_ENTROPIC, SALT_DIFFUSIVITY = 0, 1, 2, 3, 4


@njit(inline="always")
def curve_at(tables, which, at):
    """As in curves.cuh."""
    at = min(max(at, 0.0), float(INTERVALS))
    i = min(int(at), INTERVALS - 1)
    t = at - i
    return tables[which, i, 0] + t * (
        tables[which, i, 1] + t * (tables[which, i, 2] + t * np.float64(tables[which, i, 3]))
    )


@njit(inline="always")
def bounded(x):
    """A NaN ends at the edge, where the voltage ends."""
    return (x if x < 1.0 - 1e-6 else 1.0 - 1e-6) if x > 1e-6 else 1e-6


@njit
def overpotential(s, skew):
    """As in kinetics.cuh."""
    y = math.asinh(s)
    if skew != 0.0:
        for _ in range(8):
            driven = s * math.exp(-skew * y)
            move = (y - math.asinh(driven)) / (1.0 + skew * driven / math.sqrt(1.0 + driven * driven))
            y -= move
            if abs(move) <= 1e-15 * abs(y):
                break
    return y


@njit
def terminal(tables, thermal, now, kinetic_n, kinetic_p, x_n, x_p, current):
    """(voltage, open circuit of the surfaces, potential of the anode under its film); now: 2RT/F, warmth, resistance,
    concentration overpotential, skews of charge transfer."""
    x_n, x_p = bounded(x_n), bounded(x_p)
    at_n, at_p = x_n * INTERVALS, x_p * INTERVALS
    anode = curve_at(tables, NEGATIVE_OCP, at_n)
    open_circuit = curve_at(tables, POSITIVE_OCP, at_p) - anode
    if thermal:
        entropic = curve_at(tables, NEGATIVE_ENTROPIC, at_n)
        open_circuit += now[1] * (curve_at(tables, POSITIVE_ENTROPIC, at_p) - entropic)
        anode += now[1] * entropic
    eta_p = overpotential(kinetic_p * current / math.sqrt(x_p * (1.0 - x_p)), now[5])
    eta_n = overpotential(kinetic_n * current / math.sqrt(x_n * (1.0 - x_n)), now[4])
    voltage = open_circuit - now[0] * (eta_p + eta_n) - current * now[2] + now[3]
    return voltage, open_circuit, anode + now[0] * eta_n


@njit
def cost(now, kinetic_n, kinetic_p, x_n, x_p, current):
    """Overpotentials of charge transfer and resistances: what a current costs at these surfaces [V]."""
    x_n, x_p = bounded(x_n), bounded(x_p)
    eta_p = overpotential(kinetic_p * current / math.sqrt(x_p * (1.0 - x_p)), now[5])
    eta_n = overpotential(kinetic_n * current / math.sqrt(x_n * (1.0 - x_n)), now[4])
    return now[0] * (eta_p + eta_n) + current * now[2]


@njit
def relaxed(b, share):
    """The modes' sum at the end of a step without current; four sums side by side, for one would wait for itself."""
    one = b.dtype.type(1.0)
    s0, s1, s2, s3 = b.dtype.type(0.0), b.dtype.type(0.0), b.dtype.type(0.0), b.dtype.type(0.0)
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


@njit
def until_empty(before, after, part):
    """The part of a step after which what goes from ``before`` to ``after`` has come down to EXHAUSTED, or ``part`` if
    that is less."""
    if after > EXHAUSTED or not after < before:
        return part
    return min(part, max((before - EXHAUSTED) / (before - after), 1e-6))


@njit
def salt_step(u, up, delta, tables, given, arrhenius, current, dt):
    """One implicit step of the salt; u, up, delta: (24,). The part of the step after which a volume or a
    collector is empty (1: none is); the salt is left as at that moment, straight between the step's start and its end.
    """
    source = given[SALT_SOURCE] * current
    scale = given[SALT_RATIO] * (INTERVALS / SALT_RANGE)
    left_flux, left_coupling, last_up, last = 0.0, 0.0, 0.0, 0.0
    for layer in range(3):
        capacity = given[LAYER_CAPACITY + layer] / dt
        here = given[LAYER_CONDUCTANCE + layer]
        for k in range(LAYER):
            i = layer * LAYER + k
            coupling, flux = 0.0, 0.0
            if i + 1 < 3 * LAYER:
                conductance, bend = here, 0.0
                if k + 1 == LAYER:
                    beyond = given[LAYER_CONDUCTANCE + layer + 1]
                    conductance = 2.0 * here * beyond / (here + beyond)
                    # The source bends the profile between the electrode's last mean and its edge (engine's README).
                    bend = source * (beyond if layer == 0 else here) / (3.0 * (here + beyond))
                at = 0.5 * (u[i] + u[i + 1]) * scale
                coupling = conductance * arrhenius * curve_at(tables, SALT_DIFFUSIVITY, at)
                flux = coupling * (u[i + 1] - u[i]) - bend
            pivot = 1.0 / (capacity + left_coupling + coupling - left_coupling * last_up)
            last_up = coupling * pivot
            last = (source * (1 - layer) + flux - left_flux + left_coupling * last) * pivot
            up[i], delta[i] = last_up, last
            left_flux, left_coupling = flux, coupling
    change, part = 0.0, 1.0
    for k in range(3 * LAYER):
        i = 3 * LAYER - 1 - k
        change = up[i] * change + delta[i]
        part = until_empty(float(u[i]), u[i] + change, part)
        delta[i] = change
        u[i] += change
    for last, following in ((0, 1), (3 * LAYER - 1, 3 * LAYER - 2)):
        # at the collector, by the parabola with no slope there whose means over the last two volumes are these
        after = u[last] + (u[last] - u[following]) / 6.0
        part = until_empty(after - (delta[last] + (delta[last] - delta[following]) / 6.0), after, part)
    if part < 1.0:
        for i in range(3 * LAYER):
            u[i] += (part - 1.0) * delta[i]
    return part


@njit
def salt_means(u, first):
    """Means over an electrode of ln u and √u."""
    logarithm, root = 0.0, 0.0
    for k in range(LAYER):
        value = max(float(u[first + k]), 1e-6)
        logarithm += math.log(value) / LAYER
        root += math.sqrt(value) / LAYER
    return logarithm, root


@njit(inline="always")
def accumulate(state, row, cell, value):
    """state[row] += value with the rounding carried in the next row (Kahan)."""
    before, corrected = np.float64(state[row, cell]), value - np.float64(state[row + 1, cell])
    after = state.dtype.type(before + corrected)
    state[row + 1, cell] = (np.float64(after) - before) - corrected
    state[row, cell] = after


@njit
def film_thickness(state, aged, cell, given, dt):
    """[m] after ``dt`` more."""
    charge = float(state[aged + SEI, cell]) + float(state[aged + SEI_CURRENT, cell]) * dt
    return given[FILM] + given[FILM_GROWTH] * charge


@njit
def react(state, aged, cell, given, tables, inverse, thermal_voltage, salt, x_n, B_n, current):
    """The side reactions' currents of the next step, as in ageing.cuh."""
    anode = float(state[aged + ANODE, cell])
    hindered = given[SEI_REACTION] * math.exp((anode - given[SEI_POTENTIAL]) / thermal_voltage)
    diffusion = given[SEI_DIFFUSION] * film_thickness(state, aged, cell, given, 0.0)
    state[aged + SEI_CURRENT, cell] = math.exp(given[SEI_HEAT] * inverse) / (hindered + diffusion)
    transfer, full = given[PLATING_TRANSFER], given[PLATING] * salt
    below_zero = given[PLATING_BELOW_ZERO] != 0.0
    y = 2.0 * anode / thermal_voltage
    forward, back = full * math.exp(min(-transfer * y, 60.0)), 0.0
    if below_zero:
        back = full * math.exp((1.0 - transfer) * y)
    wanted, slope = 0.0, 0.0
    if not below_zero or anode < 0.0:
        wanted = forward - back
        slope = 2.0 * (transfer * forward + (1.0 - transfer) * back) / thermal_voltage
    at = bounded(x_n) * INTERVALS
    i = min(int(at), INTERVALS - 1)
    t, k = at - i, tables[NEGATIVE_OCP, i]
    stiffness = max(B_n * INTERVALS * (k[1] + t * (2.0 * k[2] + 3.0 * t * k[3])), 0.0)
    old = float(state[aged + PLATING_CURRENT, cell])
    following = old + (wanted - old) / (1.0 + slope * stiffness)
    state[aged + PLATING_CURRENT, cell] = max(min(following, 10.0 * full + max(-current, 0.0)), 0.0)


@njit
def close_cycle(state, aged, cell, record, cycle):
    """A cycle is over: its numbers, and from zero again."""
    if cell < record.shape[2]:
        record[cycle, 0, cell] = state[aged + DISCHARGED, cell] - state[aged + DISCHARGED + 1, cell]
        record[cycle, 1, cell] = state[aged + CHARGED, cell] - state[aged + CHARGED + 1, cell]
        record[cycle, 2, cell] = state[aged + SEI, cell]
        record[cycle, 3, cell] = state[aged + PLATED, cell]
        record[cycle, 4, cell] = state[aged + LOWEST_ANODE, cell]
    for row in range(DISCHARGED, CHARGED + 2):
        state[aged + row, cell] = 0.0
    state[aged + LOWEST_ANODE, cell] = state[aged + ANODE, cell]


@njit
def run_cell(
    cell, state, coefficients, tables, squares, weights, instructions, drive, factor, trace, every, plane, first_time,
    dt, steps, electrolyte, thermal, ageing, record, per_cycle,
):  # fmt: skip
    """All steps of one cell. Apart from ``advance``, for the passes of a parallel function took as long to compile this
    as all else together."""
    real = state.dtype.type
    aged = SALT + (3 * LAYER if electrolyte else 0)
    given = np.empty(coefficients.shape[0], np.float64)
    for row in range(coefficients.shape[0]):
        given[row] = coefficients[row, cell]
    b_n, b_p = np.empty(MODES, state.dtype), np.empty(MODES, state.dtype)
    share_n, share_p = np.empty(MODES, state.dtype), np.empty(MODES, state.dtype)
    for k in range(MODES):
        b_n[k], b_p[k] = state[MODES_N + k, cell], state[MODES_N + MODES + k, cell]
    u, up, delta = np.empty(3 * LAYER, state.dtype), np.empty(3 * LAYER), np.empty(3 * LAYER)
    if electrolyte:
        for i in range(3 * LAYER):
            u[i] = state[SALT + i, cell]
    now = np.zeros(6)
    if coefficients.shape[0] > SKEW_P:
        now[4], now[5] = given[SKEW_N], given[SKEW_P]
    warmth, voltage = float(state[WARMTH, cell]), float(state[VOLTAGE, cell])
    current, ended = float(state[CURRENT, cell]), float(state[ENDED, cell])
    instruction, elapsed = int(state[INSTRUCTION, cell]), int(state[ELAPSED, cell])
    fresh, inverse, side, resistance = True, 0.0, 0.0, 0.0
    rate_n, rate_p, gain_n, gain_p, B_n, B_p = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    kinetic_n, kinetic_p, at_rest_n, at_rest_p, salt_arrhenius = 0.0, 0.0, 0.0, 0.0, 1.0
    for step in range(steps):
        running = instruction < len(instructions)
        if running:
            if fresh or thermal:
                temperature = REFERENCE + (warmth if thermal else 0.0)
                inverse = (temperature - REFERENCE) / (REFERENCE * temperature)
                now[0], now[1] = 2.0 * GAS_PER_FARADAY * temperature, warmth
                faster_n = math.exp(given[DIFFUSION_HEAT] * inverse)
                faster_p = math.exp(given[ELECTRODE + DIFFUSION_HEAT] * inverse)
                rate_n, gain_n = given[RATE] * faster_n, given[GAIN] / faster_n
                rate_p, gain_p = given[ELECTRODE + RATE] * faster_p, given[ELECTRODE + GAIN] / faster_p
                at_rest_n = given[KINETIC] * math.exp(-given[REACTION_HEAT] * inverse)
                at_rest_p = given[ELECTRODE + KINETIC] * math.exp(-given[ELECTRODE + REACTION_HEAT] * inverse)
                for k in range(MODES):
                    share_n[k] = -math.expm1(-squares[k] * (rate_n * dt))
                    share_p[k] = -math.expm1(-squares[k] * (rate_p * dt))
                B_n = given[GROWTH] * dt + gain_n * driven_part(share_n, weights)
                B_p = given[ELECTRODE + GROWTH] * dt + gain_p * driven_part(share_p, weights)
                resistance = given[RESISTANCE]
                if electrolyte:
                    salt_arrhenius = math.exp(given[SALT_DIFFUSION_HEAT] * inverse)
                    resistance += given[IONIC] * math.exp(-given[CONDUCTIVITY_HEAT] * inverse)
                fresh = False
            kinetic_n, kinetic_p = at_rest_n, at_rest_p
            order = instructions[instruction]
            kind = int(order[KIND])
            held = kind in (HELD_VOLTAGE, HELD_POWER, POWER_DRIVE)
            mean_n = given[START] + state[MEAN_N, cell]
            mean_p = given[ELECTRODE + START] + state[MEAN_P, cell]
            A_n, A_p = mean_n + relaxed(b_n, share_n), mean_p + relaxed(b_p, share_p)
            now[2] = resistance
            if ageing:
                side = float(state[aged + SEI_CURRENT, cell]) + float(state[aged + PLATING_CURRENT, cell])
                A_n += B_n * side
                now[2] += given[FILM_RESISTANCE] * film_thickness(state, aged, cell, given, dt)
            # Of the current from the mean of the step to its end; span: the step, or what of it the salt lasts for.
            rise, mean_power, span, wanted = 0.0, 0.0, dt, float(order[VALUE])
            if kind in (DRIVE, POWER_DRIVE):
                place = int(wanted) + elapsed
                wanted = float(drive[place, 1])
                rise = factor * (wanted - float(drive[place, 0]))
                if kind == POWER_DRIVE:
                    rise /= voltage
                    mean_power = factor * float(drive[place, 0])
                if rise != 0.0:
                    A_n += (gain_n * rising(share_n, squares, weights, rate_n * dt) - B_n) * rise
                    A_p += (gain_p * rising(share_p, squares, weights, rate_p * dt) - B_p) * rise
            if kind != HELD_VOLTAGE:
                wanted *= factor
            if held:
                if electrolyte:
                    log_n, root_n = salt_means(u, 0)
                    log_p, root_p = salt_means(u, 2 * LAYER)
                    now[3] = 0.5 * now[0] * given[TRANSFERENCE] * (log_p - log_n)
                    kinetic_n, kinetic_p = at_rest_n / root_n, at_rest_p / root_p
                before = current
                v, open_circuit, anode = terminal(
                    tables, thermal, now, kinetic_n, kinetic_p, A_n + B_n * before, A_p + B_p * before, before
                )
                wrong_before = v - wanted if kind == HELD_VOLTAGE else v * before - wanted
                following = before + 1e-3 + 0.01 * abs(before) if kind == HELD_VOLTAGE else wanted / v
                if following == before:
                    following = before + 1e-3
                for _ in range(12):
                    v, open_circuit, anode = terminal(
                        tables, thermal, now, kinetic_n, kinetic_p, A_n + B_n * following, A_p + B_p * following,
                        following,
                    )  # fmt: skip
                    wrong = v - wanted if kind == HELD_VOLTAGE else v * following - wanted
                    slope = wrong - wrong_before
                    if slope == 0.0:
                        break
                    move = wrong * (following - before) / slope
                    before, wrong_before = following, wrong
                    following -= move
                    if abs(move) <= 1e-7 * (1e-3 + abs(following)):
                        break
                current = float(real(following))
                if kind == POWER_DRIVE and rise != 0.0:
                    # The mean current of the mean power: what it costs is a line between current's mean and end.
                    x_n, x_p = A_n + B_n * current, A_p + B_p * current
                    at_end = cost(now, kinetic_n, kinetic_p, x_n, x_p, current)
                    source = v + at_end
                    for _ in range(3):
                        at_mean = cost(now, kinetic_n, kinetic_p, x_n, x_p, current - rise)
                        rise = current - (mean_power + rise * (at_end - at_mean) / 3.0) / (source - at_mean)
            else:
                current = float(real(wanted))
            through = current - rise  # what flows, the mean of the step
            if electrolyte:
                lasts = salt_step(u, up, delta, tables, given, salt_arrhenius, through, dt)
                if lasts < 1.0:
                    span, current, rise, fresh = lasts * dt, through, 0.0, True
                    for k in range(MODES):
                        share_n[k] = -math.expm1(-squares[k] * (rate_n * span))
                        share_p[k] = -math.expm1(-squares[k] * (rate_p * span))
                    B_n = given[GROWTH] * span + gain_n * driven_part(share_n, weights)
                    B_p = given[ELECTRODE + GROWTH] * span + gain_p * driven_part(share_p, weights)
                    A_n, A_p = mean_n + relaxed(b_n, share_n) + B_n * side, mean_p + relaxed(b_p, share_p)
                if not held or lasts < 1.0:
                    log_n, root_n = salt_means(u, 0)
                    log_p, root_p = salt_means(u, 2 * LAYER)
                    now[3] = 0.5 * now[0] * given[TRANSFERENCE] * (log_p - log_n)
                    kinetic_n, kinetic_p = at_rest_n / root_n, at_rest_p / root_p
            voltage_before = voltage
            x_n, x_p = A_n + B_n * current, A_p + B_p * current
            voltage, open_circuit, anode = terminal(tables, thermal, now, kinetic_n, kinetic_p, x_n, x_p, current)
            voltage = float(real(voltage))
            elapsed += 1
            low, high = voltage <= order[LOWEST], voltage >= order[HIGHEST]
            spent = kind == HELD_VOLTAGE and abs(current) <= order[LEAST_CURRENT]
            counted = 1.0
            if ageing:
                state[aged + SIDE, cell], state[aged + ANODE, cell] = side, anode
                # A cut-off is met within the step: capacities end there, unless the next instruction goes on.
                cut = (low and current > 0.0) or (high and current < 0.0)
                on_limit = instruction + 1 < len(instructions) and instructions[instruction + 1, KIND] == HELD_VOLTAGE
                if cut and elapsed > 1 and not on_limit:
                    limit = float(order[LOWEST]) if low else float(order[HIGHEST])
                    share = (voltage_before - limit) / (voltage_before - voltage)
                    counted = share if 0.0 <= share < 1.0 else 1.0
            exhausted = span < dt and not low and not high
            done = low or high or spent or exhausted or elapsed >= int(order[STEPS])
            if done:
                instruction = len(instructions) if exhausted else instruction + 1
                elapsed = 0
                if instruction >= len(instructions):
                    # Where in the step the cut-off was met, by the Illinois form of false position.
                    part = 1.0
                    if (low or high) and kind == HELD_CURRENT:
                        limit = float(order[LOWEST]) if low else float(order[HIGHEST])
                        a, b, f_a, f_b = 0.0, 1.0, voltage_before - limit, voltage - limit
                        crossed = (f_a > 0.0) != (f_b > 0.0)
                        part = b if crossed else 0.0  # 0: it was beyond from the start
                        for _ in range(10):
                            if not crossed or f_a == f_b:
                                break
                            part = b - f_b * (b - a) / (f_b - f_a)
                            time = part * span
                            f, _, _ = terminal(
                                tables, thermal, now, kinetic_n, kinetic_p,
                                mean_n + given[GROWTH] * time * (current + side)
                                + surface(b_n, squares, weights, rate_n * time, gain_n * (current + side)),
                                mean_p + given[ELECTRODE + GROWTH] * time * current
                                + surface(b_p, squares, weights, rate_p * time, gain_p * current),
                                current,
                            )  # fmt: skip
                            f -= limit
                            if (f > 0.0) == (f_b > 0.0):
                                f_a *= 0.5
                            else:
                                a, f_a = b, f_b
                            b, f_b = part, f
                            if abs(f) < 1e-6:
                                break
                    ended = first_time + (step + part * (span / dt)) * dt
            driven_n, driven_p = real(gain_n * (through + side)), real(gain_p * through)
            for k in range(MODES):
                b_n[k] += share_n[k] * (weights[k] * driven_n - b_n[k])
                b_p[k] += share_p[k] * (weights[k] * driven_p - b_p[k])
            if rise != 0.0:
                for k in range(MODES):
                    late_n = 2.0 - share_n[k] - 2.0 * share_n[k] / (squares[k] * (rate_n * dt))
                    late_p = 2.0 - share_p[k] - 2.0 * share_p[k] / (squares[k] * (rate_p * dt))
                    b_n[k] += weights[k] * gain_n * rise * late_n
                    b_p[k] += weights[k] * gain_p * rise * late_p
            accumulate(state, MEAN_N, cell, given[GROWTH] * span * through)
            accumulate(state, MEAN_P, cell, given[ELECTRODE + GROWTH] * span * through)
            accumulate(state, CHARGE, cell, through * span)
            if ageing:
                flown = through * counted * span
                accumulate(state, MEAN_N, cell, given[GROWTH] * span * side)
                accumulate(state, aged + SEI, cell, float(state[aged + SEI_CURRENT, cell]) * span)
                accumulate(state, aged + PLATED, cell, float(state[aged + PLATING_CURRENT, cell]) * span)
                accumulate(state, aged + (DISCHARGED if flown > 0.0 else CHARGED), cell, abs(flown))
                state[aged + LOWEST_ANODE, cell] = min(state[aged + LOWEST_ANODE, cell], state[aged + ANODE, cell])
                salt = 1.0
                if electrolyte:
                    salt = 0.0
                    for k in range(LAYER):
                        salt += float(u[k]) / LAYER
                react(state, aged, cell, given, tables, inverse, now[0], salt, x_n, B_n, current)
                if done and not exhausted and instruction % per_cycle == 0:
                    close_cycle(state, aged, cell, record, instruction // per_cycle - 1)
            if thermal:
                entropic = curve_at(tables, POSITIVE_ENTROPIC, bounded(x_p) * INTERVALS) - curve_at(
                    tables, NEGATIVE_ENTROPIC, bounded(x_n) * INTERVALS
                )
                reversible = (REFERENCE + warmth) * entropic
                heat = current * (open_circuit - voltage - reversible)
                if rise != 0.0:
                    # Over the step: what the current costs is taken as a line between its mean and its end.
                    at_end = open_circuit - voltage + now[3]
                    at_mean = cost(now, kinetic_n, kinetic_p, x_n, x_p, through)
                    heat = through * (at_mean - now[3] - reversible) + rise * (at_end - at_mean) / 3.0
                lost = given[COOLING] * (warmth - given[AMBIENT])
                change = (heat - lost) / (given[HEAT_CAPACITY] / span + 0.5 * given[COOLING])
                warmth = float(real(warmth + change))
        if len(trace) and (step + 1) % every == 0:
            trace[step // every, cell] = voltage if running else np.nan
            if plane:
                trace[step // every + plane, cell] = current if running else np.nan
                trace[step // every + 2 * plane, cell] = warmth if running else np.nan
    for k in range(MODES):
        state[MODES_N + k, cell], state[MODES_N + MODES + k, cell] = b_n[k], b_p[k]
    if electrolyte:
        for i in range(3 * LAYER):
            state[SALT + i, cell] = u[i]
    state[WARMTH, cell], state[VOLTAGE, cell] = warmth, voltage
    state[CURRENT, cell] = current if instruction < len(instructions) else 0.0
    state[INSTRUCTION, cell], state[ELAPSED, cell], state[ENDED, cell] = instruction, elapsed, ended


@njit(parallel=True, nogil=True, cache=True)
def advance(
    state, coefficients, tables, squares, weights, instructions, drive, factor, trace, every, plane, first_time, dt,
    steps, n, electrolyte, thermal, ageing, record, per_cycle,
):  # fmt: skip
    """As ``run_cells`` in cells.cu; trace: (0, n_padded) for none, currents ``plane`` rows below voltages (0: not);
    record: (cycles, 5, recorded cells)."""
    for cell in prange(n):
        # Signed, as in the serial form that Numba compiles first: one form of what is called will do.
        run_cell(
            np.int64(cell), state, coefficients, tables, squares, weights, instructions, drive, factor, trace, every,
            plane, first_time, dt, steps, electrolyte, thermal, ageing, record, per_cycle,
        )  # fmt: skip


class CpuCells(Cells):
    """Cells on the CPU."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._squares = (roots(MODES) ** 2).astype(self.dtype)
        self._weights = (2 / roots(MODES) ** 2).astype(self.dtype)
        self._no_trace = np.empty((0, self.n_padded), self.dtype)

    def advance(self, first_step: int, steps: int, trace: Any = None, every: int = 1) -> None:
        advance(
            self.state, self.coefficients, self._tables, self._squares, self._weights, self._instructions, self._drive,
            float(self.factor), self._no_trace if trace is None else trace.reshape(-1, self.n_padded), every,
            self.rows_per_plane(trace), first_step * self.dt, self.dt, steps,
            self.n_cells, self.electrolyte, self.thermal,
            self.ageing is not None, self.record, self.instructions_per_cycle,
        )  # fmt: skip
