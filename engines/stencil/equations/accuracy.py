"""How far steps of a method are off what reactions do in a cell: e^{λΔt} beside the factor that a step multiplies by.

λ are the eigenvalues of the rates' derivatives in a cell whose neighbours are as it is. What differs between cells is
not looked at: of waves on a grid the short ones are wrong with any grid.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from engines.api import Array
from engines.stencil.equations.passes import Method

FIFTH = 0.2
"""λΔt of Euler's steps that are short enough: 1/e of something is then 11 % off, as much as any method may be."""
_SEARCHED = np.geomspace(1e-2, 4.0, 600)
_DIRECTIONS = np.linspace(0, np.pi, 25)


def relative_error(method: Method, z: Array) -> Array:
    """Relative error of what changes as e^{λt} after the time 1/|λ|, or after a step if that is longer. z: λΔt"""
    factor = _factor(method, z.astype(complex))
    left = np.log(np.where(factor == 0, 1e-300, factor)) - z
    return np.asarray(np.abs(np.expm1(left / np.clip(np.abs(z), 1e-9, 1.0))))


def _factor(method: Method, z: Array) -> Array:
    """By which a step multiplies: of methods that know the step before, the root that comes nearest to e^z."""
    if method == "Euler":
        return 1 + z
    if method == "RK4":
        return np.asarray(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24)
    half, product = ((1 + 1.5 * z) / 2, z / 2) if method == "AB2" else ((2 + 2 * z) / 3, (1 + 2 * z) / 3)
    root = np.sqrt(half**2 - product)
    larger, smaller = half + root, half - root
    right = np.exp(z)
    return np.where(np.abs(larger - right) < np.abs(smaller - right), larger, smaller)


APART = float(relative_error("Euler", np.array([-FIFTH]))[0])
"""The error that steps chosen by themselves may have."""


def longest_step(method: Method, rates: Array) -> float:
    """The largest Δt up to which all that changes at these λ is off by no more than :data:`APART`; inf where nothing
    changes."""
    size = np.abs(rates)
    reach = np.interp(np.abs(np.angle(rates)), _DIRECTIONS, _reach(method))
    return float(np.divide(reach, size, out=np.full(size.shape, np.inf), where=size > 0).min(initial=np.inf))


@lru_cache
def _reach(method: Method) -> Array:
    """How large |λ| Δt may be in each of the directions."""
    off = relative_error(method, _SEARCHED[:, None] * np.exp(1j * _DIRECTIONS))
    return np.asarray(_SEARCHED[np.argmax(off > APART, axis=0) - 1])
