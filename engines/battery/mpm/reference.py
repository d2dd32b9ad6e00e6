"""The many-particle model without modes, tables and time steps: finite volumes in float64 and a solver of ODEs.

For a few particles under a constant current, where the two electrodes do not know of each other.
"""

from __future__ import annotations

import numpy as np
import scipy

from engines.api import Array
from engines.battery.kinetics.reference import overpotential
from engines.battery.parameter_sets import ParameterSet
from engines.battery.parameter_sets.constants import FARADAY
from engines.battery.particles.step.reference import rate_of_change, surface
from engines.battery.setup.sizes import Sizes


def electrode(
    parameters: ParameterSet, name: str, sizes: Sizes, current: float, times: Array, points: int = 60
) -> tuple[Array, Array, Array]:
    """(φ, x, j) of one electrode at ``times`` [s] of constant ``current`` [A].

    φ: (times,) its potential [V]; x, j: (times, n) stoichiometries at the surfaces, current densities [A/m²], positive
    where lithium leaves the particle. The surface per volume is that of the particles themselves, Σ 3 ε v_i/R_i.
    """
    p, R = parameters.values(), sizes.radii
    n, most = len(R), p[f"{name}_maximum_concentration"]
    D, start = np.full(n, p[f"{name}_diffusivity"]), p[f"{name}_initial_concentration"]
    per_volume = (3 * p[f"{name}_active_fraction"] * sizes.volume_shares / R).sum()
    sign = 1 if name == "negative" else -1
    j_mean = sign * current / (p["electrode_area"] * p[f"{name}_thickness"] * per_volume)
    potential = getattr(parameters, f"{name}_ocp")

    def solved(c: Array, guess: Array) -> Array:
        """(j_1, …, j_n, φ): all particles at φ, and the currents sum up."""

        def wrong(unknown: Array) -> Array:
            j, phi = unknown[:-1], unknown[-1]
            at_surface = start + surface(c, R, D, -j / FARADAY)
            x = np.clip(at_surface / most, 1e-9, 1 - 1e-9)
            exchange = p[f"{name}_reaction_constant"] * most * np.sqrt(p["electrolyte_concentration"] * x * (1 - x))
            eta = np.array([overpotential(a, b) for a, b in zip(j, exchange, strict=True)])
            return np.append(potential(x) + eta - phi, (sizes.shares @ j - j_mean) / max(abs(j_mean), 1.0))

        return scipy.optimize.fsolve(wrong, guess, xtol=1e-9)

    guess = np.append(np.full(n, j_mean), float(potential(np.array(start / most))))

    def rates(_: float, state: Array) -> Array:
        nonlocal guess
        c = state.reshape(points, n)
        guess = solved(c, guess)
        return rate_of_change(c, R, D, -guess[:-1] / FARADAY).ravel()

    # A shell feels its neighbours; the outermost ones feel the surfaces of all particles.
    pattern = scipy.sparse.lil_matrix((points * n, points * n))
    for k in range(points):
        for i in range(n):
            for other in (k - 1, k, k + 1):
                if 0 <= other < points:
                    pattern[k * n + i, other * n + i] = 1
    pattern[-n:, -2 * n :] = 1
    found = scipy.integrate.solve_ivp(
        rates, (0, times[-1]), np.zeros(points * n), "BDF", times, jac_sparsity=pattern, rtol=1e-8, atol=1e-5
    )
    potentials, surfaces, currents = [], [], []
    for state in found.y.T:
        c = state.reshape(points, n)
        guess = solved(c, guess)
        j = guess[:-1]
        potentials.append(guess[-1])
        currents.append(j)
        surfaces.append((start + surface(c, R, D, -j / FARADAY)) / most)
    return np.array(potentials), np.array(surfaces), np.array(currents)


def voltage(parameters: ParameterSet, sizes: tuple[Sizes, Sizes], current: float, times: Array) -> Array:
    """(times,) terminal voltage [V] of a constant ``current`` [A]."""
    negative, positive = (
        electrode(parameters, name, each, current, times)[0]
        for name, each in zip(("negative", "positive"), sizes, strict=True)
    )
    return positive - negative - current * parameters.values()["contact_resistance"]
