"""Voltage of a cell on the CPU: tables, charge transfer, terminals, as in ``cells.cu`` and ``kinetics.cuh``."""

import math

import numpy as np
from numba import njit

from engines.battery.protocol.instructions import Kind
from engines.battery.setup.curves import INTERVALS
from engines.battery.step.cell_rows import Table


@njit(inline="always")
def curve_at(tables, which, at):
    """As in curves.cuh; tables: pointer to (Table, INTERVALS, 4)"""
    at = min(max(at, 0.0), float(INTERVALS))
    i = min(int(at), INTERVALS - 1)
    t = at - i
    k = 4 * (which * INTERVALS + i)
    return tables[k] + t * (tables[k + 1] + t * (tables[k + 2] + t * np.float64(tables[k + 3])))


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
def terminal(tables, thermal, now, x_n, x_p, current):
    """(voltage, open circuit of the surfaces, potential of the anode under its film):

    V = U_p(x_p) − U_n(x_n) − 2RT/F [asinh_p + asinh_n] − I R + concentration; now: :class:`Conditions`."""
    x_n, x_p = bounded(x_n), bounded(x_p)
    at_n, at_p = x_n * INTERVALS, x_p * INTERVALS
    anode = curve_at(tables, Table.NEGATIVE_OCP, at_n)
    open_circuit = curve_at(tables, Table.POSITIVE_OCP, at_p) - anode
    if thermal:
        entropic = curve_at(tables, Table.NEGATIVE_ENTROPIC, at_n)
        open_circuit += now.warmth * (curve_at(tables, Table.POSITIVE_ENTROPIC, at_p) - entropic)
        anode += now.warmth * entropic
    eta_p = overpotential(now.kinetic_p * current / math.sqrt(x_p * (1.0 - x_p)), now.skew_p)
    eta_n = overpotential(now.kinetic_n * current / math.sqrt(x_n * (1.0 - x_n)), now.skew_n)
    voltage = open_circuit - now.thermal_voltage * (eta_p + eta_n) - current * now.resistance + now.concentration
    return voltage, open_circuit, anode + now.thermal_voltage * eta_n


@njit
def cost(now, x_n, x_p, current):
    """Overpotentials of charge transfer and resistances: what a current costs at these surfaces [V]."""
    x_n, x_p = bounded(x_n), bounded(x_p)
    eta_p = overpotential(now.kinetic_p * current / math.sqrt(x_p * (1.0 - x_p)), now.skew_p)
    eta_n = overpotential(now.kinetic_n * current / math.sqrt(x_n * (1.0 - x_n)), now.skew_n)
    return now.thermal_voltage * (eta_p + eta_n) + current * now.resistance


@njit(forceinline=True)
def held_current(model, now, line, kind, wanted, before):
    """(current, voltage) at which a voltage or power is held: a secant on what is wanted less what is."""
    tables, thermal = model.tables, model.thermal
    v, _, _ = terminal(tables, thermal, now, line.A_n + line.B_n * before, line.A_p + line.B_p * before, before)
    wrong_before = v - wanted if kind == Kind.VOLTAGE else v * before - wanted
    following = before + 1e-3 + 0.01 * abs(before) if kind == Kind.VOLTAGE else wanted / v
    if following == before:
        following = before + 1e-3
    for _ in range(12):
        x_n, x_p = line.A_n + line.B_n * following, line.A_p + line.B_p * following
        v, _, _ = terminal(tables, thermal, now, x_n, x_p, following)
        wrong = v - wanted if kind == Kind.VOLTAGE else v * following - wanted
        slope = wrong - wrong_before
        if slope == 0.0:
            break
        move_by = wrong * (following - before) / slope
        before, wrong_before = following, wrong
        following -= move_by
        if abs(move_by) <= 1e-7 * (1e-3 + abs(following)):
            break
    return following, v
