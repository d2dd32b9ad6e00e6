"""What takes lithium out of a cell, on the CPU: the twin of ``ageing.cuh``."""

import math

import numpy as np
from numba import njit

from engines.backend.pointers import at, rounded
from engines.battery.cells.step.cpu_voltage import bounded
from engines.battery.setup.curves import INTERVALS
from engines.battery.step.cell_rows import AgeingRow, Coefficient, CycleRow, Table

CYCLE_ROWS = len(CycleRow)


@njit(inline="always")
def accumulate(rows, row, value):
    """rows[row] += value with the rounding carried in the next row (Kahan)."""
    before, corrected = np.float64(rows[row]), value - np.float64(rows[row + 1])
    after = rounded(rows, before + corrected)
    rows[row + 1] = (np.float64(after) - before) - corrected
    rows[row] = after


@njit
def film_thickness(aged, given, dt):
    """[m] after ``dt`` more."""
    charge = float(aged[AgeingRow.SEI]) + float(aged[AgeingRow.SEI_CURRENT]) * dt
    return given[Coefficient.FILM] + given[Coefficient.FILM_GROWTH] * charge


@njit
def react(aged, given, tables, inverse, thermal_voltage, salt, x_n, B_n, current):
    """The side reactions' currents of the next step, as in ageing.cuh."""
    anode = float(aged[AgeingRow.ANODE])
    hindered = given[Coefficient.SEI_REACTION] * math.exp((anode - given[Coefficient.SEI_POTENTIAL]) / thermal_voltage)
    diffusion = given[Coefficient.SEI_DIFFUSION] * film_thickness(aged, given, 0.0)
    aged[AgeingRow.SEI_CURRENT] = math.exp(given[Coefficient.SEI_HEAT] * inverse) / (hindered + diffusion)
    transfer, full = given[Coefficient.PLATING_TRANSFER], given[Coefficient.PLATING] * salt
    below_zero = given[Coefficient.PLATING_BELOW_ZERO] != 0.0
    y = 2.0 * anode / thermal_voltage
    forward, back = full * math.exp(min(-transfer * y, 60.0)), 0.0
    if below_zero:
        back = full * math.exp((1.0 - transfer) * y)
    wanted, slope = 0.0, 0.0
    if not below_zero or anode < 0.0:
        wanted = forward - back
        slope = 2.0 * (transfer * forward + (1.0 - transfer) * back) / thermal_voltage
    place = bounded(x_n) * INTERVALS
    i = min(int(place), INTERVALS - 1)
    t, k = place - i, 4 * (Table.NEGATIVE_OCP * INTERVALS + i)
    stiffness = max(B_n * INTERVALS * (tables[k + 1] + t * (2.0 * tables[k + 2] + 3.0 * t * tables[k + 3])), 0.0)
    old = float(aged[AgeingRow.PLATING_CURRENT])
    following = old + (wanted - old) / (1.0 + slope * stiffness)
    aged[AgeingRow.PLATING_CURRENT] = max(min(following, 10.0 * full + max(-current, 0.0)), 0.0)


@njit
def close_cycle(aged, cell, cycles, cycle):
    """A cycle is over: its numbers, and from zero again."""
    if cell < cycles.recorded:
        out, stride = at(cycles.record, cycle * CYCLE_ROWS * cycles.recorded + cell), cycles.recorded
        out[CycleRow.DISCHARGED * stride] = aged[AgeingRow.DISCHARGED] - aged[AgeingRow.DISCHARGED_ERROR]
        out[CycleRow.CHARGED * stride] = aged[AgeingRow.CHARGED] - aged[AgeingRow.CHARGED_ERROR]
        out[CycleRow.SEI * stride] = aged[AgeingRow.SEI]
        out[CycleRow.PLATED * stride] = aged[AgeingRow.PLATED]
        out[CycleRow.LOWEST_ANODE * stride] = aged[AgeingRow.LOWEST_ANODE]
    for row in range(AgeingRow.DISCHARGED, AgeingRow.CHARGED_ERROR + 1):
        aged[row] = 0.0
    aged[AgeingRow.LOWEST_ANODE] = aged[AgeingRow.ANODE]
