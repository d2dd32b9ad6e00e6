"""Cells on the CPU: the twin of ``cells.cu``, a cell at a time on all cores.

The modes of a cell are short arrays in the precision asked for, which LLVM makes vectors of. What there is one of per
cell is float64 within a step and rounded to that precision between steps, so that batches of steps make one run.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

from engines.battery.cells.launcher import Cells
from engines.battery.particles.series import roots

INTERVALS, LAYER, SALT_RANGE = 1024, 8, 4.0
REFERENCE = 298.15
GAS_PER_FARADAY = 8.314462618 / 96485.33212
MODES = 16

# Rows of the state and of the coefficients; fields and kinds of instructions (launcher.py, coefficients.py).
MEAN_N, MEAN_P, CHARGE, WARMTH, VOLTAGE, CURRENT, INSTRUCTION, ELAPSED, ENDED, MODES_N = 0, 2, 4, 6, 7, 8, 9, 10, 11, 12
SALT = MODES_N + 2 * MODES
RATE, GAIN, GROWTH, KINETIC, START, DIFFUSION_HEAT, REACTION_HEAT, ELECTRODE = 0, 1, 2, 3, 4, 5, 6, 7
RESISTANCE, HEAT_CAPACITY, COOLING, AMBIENT, LAYER_CAPACITY, LAYER_CONDUCTANCE, SALT_SOURCE = 14, 15, 16, 17, 18, 21, 24
IONIC, TRANSFERENCE, SALT_DIFFUSION_HEAT, CONDUCTIVITY_HEAT, SALT_RATIO = 25, 26, 27, 28, 29
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
def terminal(tables, thermal, now, kinetic_n, kinetic_p, x_n, x_p, current):
    """(voltage, open circuit of the surfaces); now: 2RT/F, warmth, resistance, concentration overpotential."""
    x_n, x_p = bounded(x_n), bounded(x_p)
    at_n, at_p = x_n * INTERVALS, x_p * INTERVALS
    open_circuit = curve_at(tables, POSITIVE_OCP, at_p) - curve_at(tables, NEGATIVE_OCP, at_n)
    if thermal:
        open_circuit += now[1] * (curve_at(tables, POSITIVE_ENTROPIC, at_p) - curve_at(tables, NEGATIVE_ENTROPIC, at_n))
    activation = math.asinh(kinetic_p * current / math.sqrt(x_p * (1.0 - x_p))) + math.asinh(
        kinetic_n * current / math.sqrt(x_n * (1.0 - x_n))
    )
    return open_circuit - now[0] * activation - current * now[2] + now[3], open_circuit


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
def surface(b, squares, weights, rate_time, driven):
    """The modes' sum at the surface after a part of a step, with the tail."""
    x = 0.2 * driven
    for k in range(MODES):
        x += math.exp(-squares[k] * rate_time) * (b[k] - weights[k] * driven)
    return x


@njit
def salt_step(u, up, delta, tables, given, arrhenius, current, dt):
    """One implicit step of the salt; u, up, delta: (24,)."""
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
                conductance = here
                if k + 1 == LAYER:
                    beyond = given[LAYER_CONDUCTANCE + layer + 1]
                    conductance = 2.0 * here * beyond / (here + beyond)
                at = 0.5 * (u[i] + u[i + 1]) * scale
                coupling = conductance * arrhenius * curve_at(tables, SALT_DIFFUSIVITY, at)
                flux = coupling * (u[i + 1] - u[i])
            pivot = 1.0 / (capacity + left_coupling + coupling - left_coupling * last_up)
            last_up = coupling * pivot
            last = (source * (1 - layer) + flux - left_flux + left_coupling * last) * pivot
            up[i], delta[i] = last_up, last
            left_flux, left_coupling = flux, coupling
    change = 0.0
    for k in range(3 * LAYER):
        i = 3 * LAYER - 1 - k
        change = up[i] * change + delta[i]
        u[i] += change


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
    corrected = state.dtype.type(value) - state[row + 1, cell]
    after = state[row, cell] + corrected
    state[row + 1, cell] = (after - state[row, cell]) - corrected
    state[row, cell] = after


@njit(parallel=True, nogil=True, cache=True)
def advance(
    state, coefficients, tables, squares, weights, instructions, drive, factor, trace, every, plane, first_time, dt,
    steps, n, electrolyte, thermal,
):  # fmt: skip
    """As ``run_cells`` in cells.cu; trace: (0, n_padded) for none, currents ``plane`` rows below voltages (0: not)."""
    real = state.dtype.type
    for cell in prange(n):
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
        now = np.zeros(4)
        warmth, voltage = float(state[WARMTH, cell]), float(state[VOLTAGE, cell])
        current, ended = float(state[CURRENT, cell]), float(state[ENDED, cell])
        instruction, elapsed = int(state[INSTRUCTION, cell]), int(state[ELAPSED, cell])
        fresh = True
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
                    now[2] = given[RESISTANCE]
                    if electrolyte:
                        salt_arrhenius = math.exp(given[SALT_DIFFUSION_HEAT] * inverse)
                        now[2] += given[IONIC] * math.exp(-given[CONDUCTIVITY_HEAT] * inverse)
                    fresh = False
                kinetic_n, kinetic_p = at_rest_n, at_rest_p
                order = instructions[instruction]
                kind = int(order[KIND])
                held = kind in (HELD_VOLTAGE, HELD_POWER, POWER_DRIVE)
                mean_n = given[START] + state[MEAN_N, cell]
                mean_p = given[ELECTRODE + START] + state[MEAN_P, cell]
                A_n, A_p = mean_n + relaxed(b_n, share_n), mean_p + relaxed(b_p, share_p)
                if held:
                    if electrolyte:
                        log_n, root_n = salt_means(u, 0)
                        log_p, root_p = salt_means(u, 2 * LAYER)
                        now[3] = 0.5 * now[0] * given[TRANSFERENCE] * (log_p - log_n)
                        kinetic_n, kinetic_p = at_rest_n / root_n, at_rest_p / root_p
                    wanted = float(order[VALUE])
                    if kind == POWER_DRIVE:
                        wanted = float(drive[int(order[VALUE]) + elapsed])
                    if kind != HELD_VOLTAGE:
                        wanted *= factor
                    before = current
                    v, open_circuit = terminal(
                        tables, thermal, now, kinetic_n, kinetic_p, A_n + B_n * before, A_p + B_p * before, before
                    )
                    wrong_before = v - wanted if kind == HELD_VOLTAGE else v * before - wanted
                    following = before + 1e-3 + 0.01 * abs(before) if kind == HELD_VOLTAGE else wanted / v
                    if following == before:
                        following = before + 1e-3
                    for _ in range(12):
                        v, open_circuit = terminal(
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
                elif kind == DRIVE:
                    current = float(real(factor * drive[int(order[VALUE]) + elapsed]))
                else:
                    current = float(real(factor * order[VALUE]))
                if electrolyte:
                    salt_step(u, up, delta, tables, given, salt_arrhenius, current, dt)
                    if not held:
                        log_n, root_n = salt_means(u, 0)
                        log_p, root_p = salt_means(u, 2 * LAYER)
                        now[3] = 0.5 * now[0] * given[TRANSFERENCE] * (log_p - log_n)
                        kinetic_n, kinetic_p = at_rest_n / root_n, at_rest_p / root_p
                voltage_before = voltage
                x_n, x_p = A_n + B_n * current, A_p + B_p * current
                voltage, open_circuit = terminal(tables, thermal, now, kinetic_n, kinetic_p, x_n, x_p, current)
                voltage = float(real(voltage))
                elapsed += 1
                low, high = voltage <= order[LOWEST], voltage >= order[HIGHEST]
                spent = kind == HELD_VOLTAGE and abs(current) <= order[LEAST_CURRENT]
                if low or high or spent or elapsed >= int(order[STEPS]):
                    instruction += 1
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
                                time = part * dt
                                f, open_circuit = terminal(
                                    tables, thermal, now, kinetic_n, kinetic_p,
                                    mean_n + given[GROWTH] * time * current
                                    + surface(b_n, squares, weights, rate_n * time, gain_n * current),
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
                        ended = first_time + (step + part) * dt
                driven_n, driven_p = real(gain_n * current), real(gain_p * current)
                for k in range(MODES):
                    b_n[k] += share_n[k] * (weights[k] * driven_n - b_n[k])
                    b_p[k] += share_p[k] * (weights[k] * driven_p - b_p[k])
                accumulate(state, MEAN_N, cell, given[GROWTH] * dt * current)
                accumulate(state, MEAN_P, cell, given[ELECTRODE + GROWTH] * dt * current)
                accumulate(state, CHARGE, cell, current * dt)
                if thermal:
                    entropic = curve_at(tables, POSITIVE_ENTROPIC, bounded(x_p) * INTERVALS) - curve_at(
                        tables, NEGATIVE_ENTROPIC, bounded(x_n) * INTERVALS
                    )
                    heat = current * (open_circuit - voltage - (REFERENCE + warmth) * entropic)
                    lost = given[COOLING] * (warmth - given[AMBIENT])
                    change = (heat - lost) / (given[HEAT_CAPACITY] / dt + 0.5 * given[COOLING])
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
        )  # fmt: skip
