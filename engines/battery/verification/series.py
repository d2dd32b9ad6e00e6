"""Voltages of the single-particle model from the series of a sphere, for currents that are straight lines in time.

With τ = Dt/R² and the roots of tan λ = λ a unit step of N R/D has the surface at ``s = 3τ + 1/5 − 2 Σ e^{−λ²τ}/λ²``,
and a ramp of slope 1 per τ at its integral ``3τ²/2 + τ/5 − 2 Σ (1 − e^{−λ²τ})/λ⁴``. Kinks of the current superpose.
Written for these cases: it takes the numbers and potentials of a parameter set and nothing of the engine's solvers.
"""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.battery.parameter_sets import ParameterSet

FARADAY, GAS, REFERENCE = 96485.33212, 8.314462618, 298.15
TERMS = 1000


def roots(terms: int = TERMS) -> Array:
    """(terms,) positive roots of tan λ = λ: λ = kπ + atan λ, which contracts."""
    base = np.pi * np.arange(1, terms + 1)
    found = base + np.pi / 2
    for _ in range(60):
        found = base + np.arctan(found)
    return found


SQUARES = roots() ** 2


def step(tau: float) -> float:
    """Surface at τ after a unit step of N R/D."""
    return float(3 * tau + 0.2 - 2 * np.sum(np.exp(-SQUARES * tau) / SQUARES)) if tau > 0 else 0.0


def ramp(tau: float) -> float:
    """Surface at τ of N R/D that rises by 1 per τ."""
    return float(1.5 * tau**2 + 0.2 * tau + 2 * np.sum(np.expm1(-SQUARES * tau) / SQUARES**2)) if tau > 0 else 0.0


def voltage(cell: ParameterSet, times: Array, currents: Array, at: float, temperature: float = REFERENCE) -> float:
    """[V] at the time ``at`` [s] of ``currents`` [A] at ``times`` [s] from 0 on, straight between them, all at one
    ``temperature`` [K]: Arrhenius for D and j0, dU/dT for the potentials."""
    p = cell.values()
    warmer = (1 / REFERENCE - 1 / temperature) / GAS
    slopes = np.diff(currents) / np.diff(times)
    kinks = np.diff(np.append(0.0, slopes))
    current = float(np.interp(at, times, currents))
    v = -current * p["contact_resistance"]
    for name, sign in (("positive", 1), ("negative", -1)):
        R, most = p[f"{name}_particle_radius"], p[f"{name}_maximum_concentration"]
        D = p[f"{name}_diffusivity"] * np.exp(p[f"{name}_diffusivity_activation"] * warmer)
        per_ampere = -sign * R / (3 * p[f"{name}_active_fraction"] * p["electrode_area"] * p[f"{name}_thickness"])
        shape = currents[0] * step(D * at / R**2)
        for time, kink in zip(times[:-1], kinks, strict=True):
            shape += kink * R**2 / D * ramp(D * (at - time) / R**2)
        x = (p[f"{name}_initial_concentration"] - per_ampere / FARADAY * R / D * shape) / most
        rate = p[f"{name}_reaction_constant"] * np.exp(p[f"{name}_reaction_activation"] * warmer)
        exchange = rate * most * np.sqrt(p["electrolyte_concentration"] * x * (1 - x))
        eta = 2 * GAS * temperature / FARADAY * np.arcsinh(per_ampere * current / (2 * exchange))
        entropic = (temperature - REFERENCE) * float(getattr(cell, f"{name}_entropic")(np.array(x)))
        v += sign * (float(getattr(cell, f"{name}_ocp")(np.array(x))) + entropic + eta)
    return float(v)
