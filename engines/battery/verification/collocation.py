"""Voltages at a constant current where the diffusivity depends on the stoichiometry: Chebyshev collocation, and an ODE
solver for the time.

∂x/∂t = ∂g/∂r + 2 g/r with g = D(x) ∂x/∂r, which is the flux at the surface; x is even in r and g is odd. The profile is
a polynomial through its values at the extremes of Chebyshev's, the surface among them, so its error falls faster than
any power of their number. Salt: finite volumes. Written for these cases: it takes the numbers and potentials of a
parameter set and nothing of the engine's solvers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import scipy

from engines.api import Array
from engines.battery.parameter_sets import ParameterSet

FARADAY, GAS, T = 96485.33212, 8.314462618, 298.15
POINTS, POINTS_OF_MANY = 48, 32
SALT_CELLS = 40
"""Per layer."""
Law = Callable[[Array], Array]


def even_and_odd(points: int) -> tuple[Array, Array, Array]:
    """(points,) radii from the surface inwards, and derivatives at them of even and of odd functions."""
    n = 2 * points - 1  # an odd number of intervals of −1 to 1: the centre is no point
    x = np.cos(np.pi * np.arange(n + 1) / n)
    c = np.where((np.arange(n + 1) == 0) | (np.arange(n + 1) == n), 2.0, 1.0) * (-1.0) ** np.arange(n + 1)
    matrix = np.outer(c, 1 / c) / (np.subtract.outer(x, x) + np.eye(n + 1))
    matrix -= np.diag(matrix.sum(axis=1))
    mirrored = matrix[:points, : points - 1 : -1]
    return x[:points], matrix[:points, :points] + mirrored, matrix[:points, :points] - mirrored


def surfaces(start: float, radius: float, law: Law, flux: float, times: Array, points: int = POINTS) -> Array:
    """(times,) stoichiometries at the surface. law: D [m²/s]; flux: inwards, over the maximum concentration [m/s]"""
    r, even, odd = even_and_odd(points)

    def rate(_: float, x: Array) -> Array:
        g = law(x) * (even @ x) / radius
        g[0] = flux
        return (odd @ g + 2 * g / r) / radius

    found = scipy.integrate.solve_ivp(
        rate, (0.0, float(times[-1])), np.full(points, start), "BDF", times, rtol=1e-8, atol=1e-10
    )
    return np.asarray(found.y[0])


def potential_of_many(
    cell: ParameterSet,
    name: str,
    law: Law,
    radii: Array,
    shares: Array,
    current: float,
    times: Array,
    points: int = POINTS_OF_MANY,
) -> Array:
    """(times,) potential [V] of an electrode of particles of ``radii`` [m] that have ``shares`` of its surface, from
    rest. The stoichiometries at the surfaces are states: at each moment the potential at which all currents sum up is
    the root of a function that rises."""
    p, n = cell.values(), len(radii)
    most, solid = p[f"{name}_maximum_concentration"], p[f"{name}_active_fraction"] * p[f"{name}_thickness"]
    area = 3 * solid * p["electrode_area"] / (shares @ radii)
    wanted = (1 if name == "negative" else -1) * current / area
    exchange = 2 * p[f"{name}_reaction_constant"] * most * np.sqrt(p["electrolyte_concentration"])
    r, even, odd = even_and_odd(points)

    def solved(x: Array) -> tuple[float, Array]:
        """Potential, and current densities out of the particles whose stoichiometries are ``x`` at their surfaces."""
        U, full = getattr(cell, f"{name}_ocp")(x), exchange * np.sqrt(x * (1 - x))

        def wrong(phi: float) -> float:
            return float(shares @ (full * np.sinh((phi - U) * FARADAY / (2 * GAS * T))) - wanted)

        phi = scipy.optimize.brentq(wrong, U.min() - 0.5, U.max() + 0.5, xtol=1e-13)
        return float(phi), full * np.sinh((phi - U) * FARADAY / (2 * GAS * T))

    def rate(_: float, state: Array) -> Array:
        x = state.reshape(points, n)
        g = law(x) * (even @ x) / radii
        g[0] = -solved(x[0])[1] / (FARADAY * most)
        return np.asarray((odd @ g + 2 * g / r[:, None]) / radii).ravel()

    start = np.full(points * n, p[f"{name}_initial_concentration"] / most)
    found = scipy.integrate.solve_ivp(rate, (0.0, float(times[-1])), start, "BDF", times, rtol=1e-8, atol=1e-10)
    return np.array([solved(state[:n])[0] for state in found.y.T])


def salt(cell: ParameterSet, current: float, times: Array) -> tuple[Array, Array, Array, Array]:
    """Means over the negative and the positive electrode of ln u and √u, u: concentration over its start, at
    ``times``."""
    p, n = cell.values(), SALT_CELLS
    layers = ("negative", "separator", "positive")
    thickness, porosity, bruggeman = (
        np.repeat([p[f"{layer}_{name}"] for layer in layers], n) for name in ("thickness", "porosity", "bruggeman")
    )
    width, start = thickness / n, p["electrolyte_concentration"]
    released = np.repeat([1.0, 0.0, -1.0], n) * current * (1 - p["transference_number"])
    source = released / (FARADAY * p["electrode_area"] * thickness * start)
    hindrance = width / (2 * porosity**bruggeman)

    def rate(_: float, u: Array) -> Array:
        D = cell.electrolyte_diffusivity(start * (u[1:] + u[:-1]) / 2)
        flow = np.concatenate([[0.0], D * np.diff(u) / (hindrance[1:] + hindrance[:-1]), [0.0]])
        return (np.diff(flow) / width + source) / porosity

    u = scipy.integrate.solve_ivp(rate, (0.0, float(times[-1])), np.ones(3 * n), "BDF", times, rtol=1e-8, atol=1e-10).y
    logarithm, root = np.log(u), np.sqrt(u)
    return logarithm[:n].mean(axis=0), logarithm[-n:].mean(axis=0), root[:n].mean(axis=0), root[-n:].mean(axis=0)


def voltage(cell: ParameterSet, laws: Mapping[str, Law], current: float, times: Array, *, electrolyte: bool) -> Array:
    """(times,) [V] of the SPM or SPMe at 298.15 K from rest. laws: D [m²/s] of both electrodes"""
    p = cell.values()
    v = np.full(len(times), -current * p["contact_resistance"])
    root = dict.fromkeys(("negative", "positive"), np.ones(len(times)))
    if electrolyte:
        log_n, log_p, root["negative"], root["positive"] = salt(cell, current, times)
        v += 2 * (1 - p["transference_number"]) * GAS * T / FARADAY * (log_p - log_n)
        kappa = float(cell.electrolyte_conductivity(np.array(p["electrolyte_concentration"])))
        for layer, share in (("negative", 3), ("separator", 1), ("positive", 3)):
            ionic = p[f"{layer}_thickness"] / (share * kappa * p[f"{layer}_porosity"] ** p[f"{layer}_bruggeman"])
            solid = 0.0 if layer == "separator" else p[f"{layer}_thickness"] / (3 * p[f"{layer}_solid_conductivity"])
            v -= current / p["electrode_area"] * (ionic + solid)
    for name, sign in (("negative", -1), ("positive", 1)):
        R, most = p[f"{name}_particle_radius"], p[f"{name}_maximum_concentration"]
        area = 3 * p[f"{name}_active_fraction"] * p["electrode_area"] * p[f"{name}_thickness"] / R
        flux = sign * current / (FARADAY * area * most)
        x = surfaces(p[f"{name}_initial_concentration"] / most, R, laws[name], flux, times)
        rate = p[f"{name}_reaction_constant"] * np.sqrt(p["electrolyte_concentration"]) * root[name]
        exchange = rate * most * np.sqrt(x * (1 - x))
        v += sign * getattr(cell, f"{name}_ocp")(x)
        v -= 2 * GAS * T / FARADAY * np.arcsinh(current / area / (2 * exchange))
    return v
