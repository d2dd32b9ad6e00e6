"""Diffusion in particles, slow and plain in float64: what both backends are compared with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engines.api import Array
from engines.battery.particles.shells import shells, surface_weights

Diffusivity = float | Array | Callable[[Array], Array]


def rate_of_change(c: Array, radius: Array, diffusivity: Diffusivity, flux: Array) -> Array:
    """dc/dt [mol/m³/s] of ``c: (points, n)``, deviations from the initial concentration [mol/m³].

    ``radius: (n,)`` [m], ``flux: (n,)`` inward [mol/m²/s]; ``diffusivity`` [m²/s]: a number, (n,), or a function of
    the deviation, taken at each face at the mean of its two shells.
    """
    points = len(c)
    grid = shells(points)
    face = (c[1:] + c[:-1]) / 2
    D = diffusivity(face) if callable(diffusivity) else np.broadcast_to(diffusivity, face.shape)
    exchange = D * np.diff(c, axis=0) / radius**2
    change = grid.source[:, None] * (flux / radius)
    change[:-1] += grid.outer[:-1, None] * exchange
    change[1:] -= grid.inner[1:, None] * exchange
    return change


def explicit(c: Array, radius: Array, diffusivity: Diffusivity, flux: Array, dt: float, steps: int) -> Array:
    """``steps`` steps of forward Euler; arguments as :func:`rate_of_change`. Returns a new array."""
    for _ in range(steps):
        c = c + dt * rate_of_change(c, radius, diffusivity, flux)
    return c


def implicit(c: Array, radius: Array, diffusivity: Array, flux: Array, dt: float, steps: int, theta: float) -> Array:
    """``steps`` steps of the θ scheme (1: backward Euler, ½: Crank-Nicolson), solved as dense systems."""
    out = np.empty_like(c)
    for p in range(c.shape[1]):
        column, zero = np.eye(len(c)), np.zeros(len(c))
        L = rate_of_change(column, np.full(len(c), radius[p]), float(diffusivity[p]), zero)
        source = rate_of_change(np.zeros((len(c), 1)), radius[p : p + 1], 1.0, flux[p : p + 1])[:, 0]
        left, right = np.eye(len(c)) - theta * dt * L, np.eye(len(c)) + (1 - theta) * dt * L
        value = c[:, p]
        for _ in range(steps):
            value = np.linalg.solve(left, right @ value + dt * source)
        out[:, p] = value
    return out


def surface(c: Array, radius: Array, diffusivity: Array, flux: Array) -> Array:
    """(n,) deviation at the surface [mol/m³] by the parabola of :func:`shells.surface_weights`."""
    last, before, slope = surface_weights(len(c))
    return last * c[-1] + before * c[-2] + slope * flux * radius / diffusivity


def mean(c: Array) -> Array:
    """(n,) mean deviation of each particle [mol/m³]."""
    return shells(len(c)).volumes @ c
