"""What it costs to take the mean of a diffusivity that depends on the stoichiometry: one discharge at 1C, both ways.

The single-particle model in float64 at 298.15 K: the shells of ``particles/shells.py``, implicit in time with D of the
faces at the middle of the step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Literal

import numpy as np
import scipy

from engines.api import Array, Finding
from engines.battery.parameter_sets.constants import FARADAY, GAS, REFERENCE_TEMPERATURE
from engines.battery.parameter_sets.model import Function, ParameterSet
from engines.battery.particles.shells import shells, surface_weights

POINTS, STEPS_PER_HOUR = 40, 240
SEEN = 0.9
"""Share of the shorter discharge in which voltages are compared; at its end both fall steeply."""
EDGE = 1e-6
SMALL_COST = 1e-3
"""[V] and share of the charge by which the mean of a diffusivity may be off without a warning."""
ALIKE = 1 + 1e-9


def mean_over(function: Function, electrode: str, low: float, high: float) -> tuple[float, str]:
    """Mean diffusivity [m²/s] between two stoichiometries, and a sentence for who takes it for a function that is not
    the same everywhere."""
    values = function(np.linspace(low, high, 1001))
    least, most = float(values.min()), float(values.max())
    mean = float(np.trapezoid(values) / (len(values) - 1)) if most > least else float(values[0])
    if not most > least * ALIKE:
        return mean, ""
    return mean, (
        f"The diffusivity of the {electrode} particles goes from {least:.3g} to {most:.3g} m²/s with the "
        f"stoichiometry: its mean, {mean:.3g} m²/s, is taken."
    )


def with_laws(cell: ParameterSet, varying: Mapping[str, tuple[Function, str]]) -> ParameterSet:
    """``cell``, whose numbers are the means, with diffusivities [m²/s] by electrode, of the stoichiometry, each with a
    sentence for who takes its mean."""
    laws = {name: scaled(law, 1 / cell.values()[f"{name}_diffusivity"]) for name, (law, _) in varying.items()}

    @cache
    def cost(name: str) -> Finding:
        law, sentence = varying[name]
        volts, charge = cost_of_means(cell, {name: law})
        what = f"up to {1e3 * volts:.2g} mV and {100 * abs(charge):.1f} % of the charge"
        small = volts < SMALL_COST and abs(charge) < SMALL_COST
        severity: Literal["info", "warning"] = "info" if small else "warning"
        return Finding(f"{sentence} In a discharge at 1C that is {what} away.", severity)

    return replace(
        cell,
        negative_diffusivity_law=laws.get("negative", cell.negative_diffusivity_law),
        positive_diffusivity_law=laws.get("positive", cell.positive_diffusivity_law),
        mean_findings={**cell.mean_findings, **{name: partial(cost, name) for name in varying}},
    )


def scaled(function: Function, factor: float) -> Function:
    return function if factor == 1.0 else lambda x: factor * function(x)


def cost_of_means(cell: ParameterSet, laws: Mapping[str, Function]) -> tuple[float, float]:
    """(largest difference of voltage [V], difference of charge as a share) between a discharge at 1C with ``laws``,
    diffusivities [m²/s] by electrode over stoichiometry, and one with the numbers of ``cell``. Positive charge: the
    means give more."""
    means = {name: _constant(cell.values()[f"{name}_diffusivity"]) for name in ("negative", "positive")}
    mean, varying = discharge(cell, means), discharge(cell, {**means, **laws})
    if min(len(mean), len(varying)) < 2:
        return 0.0, 0.0
    seen = max(1, int(SEEN * min(len(mean), len(varying))))
    return float(np.abs(mean[:seen] - varying[:seen]).max()), len(mean) / len(varying) - 1


def discharge(
    cell: ParameterSet, laws: Mapping[str, Function], points: int = POINTS, steps_per_hour: int = STEPS_PER_HOUR
) -> Array:
    """(steps,) voltages at 1C down to the lower cut-off, at the ends of steps, with diffusivities by electrode."""
    p, dt = cell.values(), 3600.0 / steps_per_hour
    current = p["nominal_capacity"]
    stoichiometry, rate, gain = {}, {}, {}
    for name, sign in (("negative", 1), ("positive", -1)):
        solid = p["electrode_area"] * p[f"{name}_thickness"] * p[f"{name}_active_fraction"]
        stoichiometry[name] = np.full(points, p[f"{name}_initial_concentration"] / p[f"{name}_maximum_concentration"])
        rate[name] = 1 / p[f"{name}_particle_radius"] ** 2
        gain[name] = -sign * current / (3 * FARADAY * solid * p[f"{name}_maximum_concentration"])
    voltages: list[float] = []
    while len(voltages) < 2 * steps_per_hour:
        v, eta = -current * p["contact_resistance"], 0.0
        for name, sign in (("negative", -1), ("positive", 1)):
            x, at_surface = _step(stoichiometry[name], laws[name], rate[name], gain[name], dt)
            if not EDGE < at_surface < 1 - EDGE:
                return np.array(voltages)
            stoichiometry[name] = x
            v += sign * float(getattr(cell, f"{name}_ocp")(np.array(at_surface)))
            exchange = p[f"{name}_reaction_constant"] * np.sqrt(p["electrolyte_concentration"])
            driven = abs(gain[name]) * FARADAY * p[f"{name}_particle_radius"] / (2 * exchange)
            eta += float(np.arcsinh(driven / np.sqrt(at_surface * (1 - at_surface))))
        voltages.append(v - 2 * GAS * REFERENCE_TEMPERATURE / FARADAY * eta)
        if voltages[-1] <= p["lower_cutoff"]:
            break
    return np.array(voltages)


def _step(x: Array, law: Function, rate: float, gain: float, dt: float) -> tuple[Array, float]:
    """(stoichiometries after a step, at the surface); ``rate``: 1/R² [1/m²], ``gain``: inward flux over R and the
    maximum concentration [1/s]."""
    grid = shells(len(x))
    last, before, slope = surface_weights(len(x))
    new = x
    for _ in range(3):
        middle = (x + new) / 2
        D = dt * rate * law((middle[1:] + middle[:-1]) / 2)
        bands = np.zeros((3, len(x)))
        bands[0, 1:], bands[2, :-1] = -grid.outer[:-1] * D, -grid.inner[1:] * D
        bands[1] = 1.0
        bands[1, :-1] -= bands[0, 1:]
        bands[1, 1:] -= bands[2, :-1]
        new = scipy.linalg.solve_banded((1, 1), bands, x + dt * gain * grid.source)
    shape = last * new[-1] + before * new[-2]
    return new, float(shape + slope * gain / (rate * float(law(np.array(shape)))))


def _constant(value: float) -> Function:
    return lambda x: np.full(np.shape(x), value)
