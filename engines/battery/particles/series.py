"""A sphere under a constant flux, exactly: the series over the roots of tan λ = λ, and its use as modes.

With x = r/R, τ = D t/R², inward flux N and φ_k(x) = sin(λ_k x)/(x sin λ_k) (1 at the surface, mean 0),
(5x² − 3)/10 = Σ 2 φ_k/λ_k², so the solution from uniform c0 (Crank, *The Mathematics of Diffusion*, eq. 6.45) is

    c = c0 + (N R/D) [ 3τ + Σ (2/λ_k²) φ_k(x) (1 − e^{−λ_k² τ}) ]

Each mode relaxes to ``2/λ_k² · N R/D`` at its own rate λ_k² D/R². With piecewise-constant flux that is exact at any
step. Of the modes that are left out the final value is kept: the static tail.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy

from engines.api import Array
from engines.battery.particles.shells import shells


@lru_cache(maxsize=8)
def roots(count: int) -> Array:
    """(count,) the positive roots of tan λ = λ, to the last digits of float64."""
    return np.array(
        [
            scipy.optimize.brentq(
                lambda v: np.sin(v) - v * np.cos(v), k * np.pi, (k + 0.5) * np.pi, xtol=1e-14, rtol=1e-15
            )
            for k in range(1, count + 1)
        ]
    )


def mode_shapes(x: Array, count: int) -> Array:
    """(len(x), count): φ_k(x), with its limit λ_k/sin λ_k at the centre."""
    λ = roots(count)
    return np.sinc(np.outer(x, λ) / np.pi) * λ / np.sin(λ)


@lru_cache(maxsize=8)
def shell_modes(points: int, count: int) -> Array:
    """(points, count), not to be changed: mean of φ_k over each shell; ∫ x² φ_k dx = [sin λx/λ² − x cos λx/λ]/sin λ."""
    λ, x = roots(count), np.arange(points + 1)[:, None] / points
    integral = (np.sin(λ * x) / λ**2 - x * np.cos(λ * x) / λ) / np.sin(λ)
    means = np.diff(integral, axis=0) / (shells(points).volumes[:, None] / 3)
    means.flags.writeable = False
    return means


@lru_cache(maxsize=8)
def static_tail(points: int, count: int) -> tuple[Array, float]:
    """What the modes after ``count`` add to a steady profile per unit of N R/D: (points,) in the shells, and at the
    surface."""
    weights = 2 / roots(count) ** 2
    faces = np.arange(points + 1) / points
    parabola = np.diff(faces**5 / 10 - faces**3 / 10) / (shells(points).volumes / 3)
    tail = parabola - shell_modes(points, count) @ weights
    tail.flags.writeable = False
    return tail, 0.2 - float(weights.sum())


def uniform_start(x: Array, time: float, *, flux: float, radius: float, diffusivity: float, terms: int = 2000) -> Array:
    """(len(x),) concentration above c0 [mol/m³] at x = r/R after ``time`` [s] of inward ``flux`` [mol/m²/s]."""
    λ, τ = roots(terms), diffusivity * time / radius**2
    decaying = mode_shapes(np.asarray(x, float), terms) @ (2 / λ**2 * np.exp(-(λ**2) * τ))
    return flux * radius / diffusivity * (3 * τ + (5 * np.asarray(x) ** 2 - 3) / 10 - decaying)


def shell_means(points: int, time: float, *, flux: float, radius: float, diffusivity: float) -> Array:
    """(points,) means over the shells of :func:`uniform_start`, exactly (2000 terms)."""
    λ, τ = roots(2000), diffusivity * time / radius**2
    parts, _ = static_tail(points, 1)
    steady = parts + shell_modes(points, 1)[:, 0] * 2 / roots(1)[0] ** 2
    decaying = shell_modes(points, 2000) @ (2 / λ**2 * np.exp(-(λ**2) * τ))
    return flux * radius / diffusivity * (3 * τ + steady - decaying)
