"""A sphere cut into shells that are thinner towards its surface, for a diffusivity that depends on the stoichiometry.

With r in radii, faces r_i = (i/SHELLS)^EXPONENT, volumes V_i = (r_{i+1}³ − r_i³)/3, D relative to that of the set:

    V_i dx_i/dt = (D_set/R²) [K_i D_i (x_{i+1} − x_i) − K_{i−1} D_{i−1} (x_i − x_{i−1})]
    K_i = r_{i+1}²/(ρ_{i+1} − ρ_i)

and the outermost shell gains N. ρ is the centroid of a shell's volume, D_i of a face the integral of D between its two
shells over their difference (Simpson's rule): what flows where D is steep. What leaves a shell enters its neighbour.

A step of length τ is two implicit ones (SDIRK2, Alexander 1977: second order, L-stable), γ = 1 − 1/√2:

    x₁ = x + γτ f(x₁),   x₂ = x + (1 − γ)τ f(x₁) + γτ f(x₂)

each found twice with D of the profile before (Picard). What 24 shells leave: the engine's README.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy

from engines.api import Array
from engines.battery.parameter_sets import ParameterSet
from engines.battery.setup.curves import Curve, monotone_curve

SHELLS = 24
EXPONENT = 0.4
GAMMA = 1 - 0.5**0.5
PICARD = 2
"""Times that each implicit stage is solved: with the second the order in time is two."""
HALF_SPACE = 2 / np.pi**0.5
"""Rise at the surface of a half space over √τ, per unit of N R/D."""
SHORT = 0.1
"""τ up to which a rise is that of short times."""
SURFACE_PASSES = 3
"""The surface has D of itself: fixed point."""


def faces(shells: int = SHELLS) -> Array:
    """(shells + 1,) radii of the faces."""
    return np.asarray((np.arange(shells + 1) / shells) ** EXPONENT)


@lru_cache(maxsize=8)
def geometry(shells: int = SHELLS) -> Array:
    """(3 shells + 3,) float64: couplings K (0 at the surface), 1/V, shares 3V of the sphere, and the weights of the
    surface: x_s = a x_last + b x_before + g N R/D, the parabola with that slope and these means."""
    r = faces(shells)
    volumes = np.diff(r**3) / 3
    centroids = np.diff(r**4) / 4 / volumes
    couplings = np.append(r[1:-1] ** 2 / np.diff(centroids), 0.0)

    def mean(power: int) -> Array:
        """Of (r − 1)^power over the two outermost shells, the last of them first; Gauss's rule is exact for it."""
        at, weight = np.polynomial.legendre.leggauss(4)
        low, high = r[-3:-1, None], r[-2:, None]
        radii = (low + high) / 2 + (high - low) / 2 * at
        weights = weight * radii**2
        return np.asarray(((radii - 1) ** power * weights).sum(axis=1) / weights.sum(axis=1))[::-1]

    curved, sloped = mean(2), mean(1)
    last = -curved[1] / (curved[0] - curved[1])
    before = 1 - last
    surface = [last, before, -(last * sloped[0] + before * sloped[1])]
    return np.concatenate([couplings, 1 / volumes, 3 * volumes, surface])


def diffusivity_curves(parameters: ParameterSet) -> tuple[Curve, Curve]:
    """Of the negative and the positive particles, over that of the set, of the stoichiometry."""
    laws = [parameters.laws.get(name, np.ones_like) for name in ("negative", "positive")]
    negative, positive = (monotone_curve(law, 0.0, 1.0) for law in laws)
    return negative, positive


def surface(x: Array, slope: Array, law: Curve) -> Array:
    """(n,) stoichiometries at the surfaces of profiles ``x``: (SHELLS, n). slope: N R/D_set; law: D over D_set"""
    last, before, weight = geometry(len(x))[-3:]
    shape = last * x[-1] + before * x[-2]
    found = shape
    for _ in range(SURFACE_PASSES):
        found = shape + weight * slope / law(found)
    return np.asarray(found)


def means(x: Array, points: int) -> Array:
    """(points, n) means over shells of equal thickness of profiles ``x``: (SHELLS, n); lithium is kept."""
    shares = geometry(len(x))[2 * len(x) : 3 * len(x), None]
    inside = np.concatenate([np.zeros((1, x.shape[1])), np.cumsum(shares * x, axis=0)])
    volume = np.linspace(0.0, 1.0, points + 1) ** 3
    return np.asarray(
        np.diff(scipy.interpolate.PchipInterpolator(faces(len(x)) ** 3, inside)(volume), axis=0)
        / np.diff(volume)[:, None]
    )


def profile(x: Array, at_surface: float, radii: Array) -> Array:
    """(len(radii),) stoichiometries of a particle at ``radii``: through its shells ``x``: (SHELLS,) and its surface."""
    r = faces(len(x))
    middle = np.append(0.75 * np.diff(r**4) / np.diff(r**3), 1.0)
    known = np.append(x, at_surface)
    return np.asarray(
        scipy.interpolate.PchipInterpolator(np.append(-middle[0], middle), np.append(known[0], known))(radii)
    )
