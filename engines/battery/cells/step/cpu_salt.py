"""The salt of the electrolyte (SPMe) on the CPU: the twin of ``salt.cuh``."""

import math

from numba import njit

from engines.battery.cells.step.cpu_voltage import curve_at
from engines.battery.setup.curves import INTERVALS
from engines.battery.step.cell_rows import ELECTROLYTE_CELLS, ELECTROLYTE_RANGE, EXHAUSTED, Coefficient, Table


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
    source = given[Coefficient.SALT_SOURCE] * current
    scale = given[Coefficient.SALT_RATIO] * (INTERVALS / ELECTROLYTE_RANGE)
    left_flux, left_coupling, last_up, last = 0.0, 0.0, 0.0, 0.0
    for layer in range(3):
        capacity = given[Coefficient.NEGATIVE_CAPACITY + layer] / dt
        here = given[Coefficient.NEGATIVE_CONDUCTANCE + layer]
        for k in range(ELECTROLYTE_CELLS):
            i = layer * ELECTROLYTE_CELLS + k
            coupling, flux = 0.0, 0.0
            if i + 1 < 3 * ELECTROLYTE_CELLS:
                conductance, bend = here, 0.0
                if k + 1 == ELECTROLYTE_CELLS:
                    beyond = given[Coefficient.NEGATIVE_CONDUCTANCE + layer + 1]
                    conductance = 2.0 * here * beyond / (here + beyond)
                    # The source bends the profile between the electrode's last mean and its edge (engine's README).
                    bend = source * (beyond if layer == 0 else here) / (3.0 * (here + beyond))
                at = 0.5 * (u[i] + u[i + 1]) * scale
                coupling = conductance * arrhenius * curve_at(tables, Table.ELECTROLYTE_DIFFUSIVITY, at)
                flux = coupling * (u[i + 1] - u[i]) - bend
            pivot = 1.0 / (capacity + left_coupling + coupling - left_coupling * last_up)
            last_up = coupling * pivot
            last = (source * (1 - layer) + flux - left_flux + left_coupling * last) * pivot
            up[i], delta[i] = last_up, last
            left_flux, left_coupling = flux, coupling
    change, part = 0.0, 1.0
    for k in range(3 * ELECTROLYTE_CELLS):
        i = 3 * ELECTROLYTE_CELLS - 1 - k
        change = up[i] * change + delta[i]
        part = until_empty(float(u[i]), u[i] + change, part)
        delta[i] = change
        u[i] += change
    for last, following in ((0, 1), (3 * ELECTROLYTE_CELLS - 1, 3 * ELECTROLYTE_CELLS - 2)):
        # at the collector, by the parabola with no slope there whose means over the last two volumes are these
        after = u[last] + (u[last] - u[following]) / 6.0
        part = until_empty(after - (delta[last] + (delta[last] - delta[following]) / 6.0), after, part)
    if part < 1.0:
        for i in range(3 * ELECTROLYTE_CELLS):
            u[i] += (part - 1.0) * delta[i]
    return part


@njit
def salt_means(u, first):
    """Means over an electrode of ln u and √u."""
    logarithm, root = 0.0, 0.0
    for k in range(ELECTROLYTE_CELLS):
        value = max(float(u[first + k]), 1e-6)
        logarithm += math.log(value) / ELECTROLYTE_CELLS
        root += math.sqrt(value) / ELECTROLYTE_CELLS
    return logarithm, root
