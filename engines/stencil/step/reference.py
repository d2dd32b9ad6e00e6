"""The stencil engine's equations in float64 NumPy: slow, short and obviously right, for tests and the Kernel Lab."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.stencil.setup.sides import Ghosts


def with_ghosts(u: Array, ghosts: Ghosts, axis: int) -> Array:
    """``u`` with one ghost cell at each end of the axis (0 is x, 1 is y, 2 is z)."""
    along = u.ndim - 1 - axis
    low, high = ghosts[axis]
    first, last = np.take(u, [0], along), np.take(u, [-1], along)
    before = last if low.wraps else low.scale * first + low.shift
    after = first if high.wraps else high.scale * last + high.shift
    return np.concatenate([before, u, after], along)


def faces(k: Array, ghosts: Ghosts, axis: int) -> Array:
    """Conductivity of the faces across an axis: harmonic means, the cell's own at a side that is not periodic."""
    along = k.ndim - 1 - axis
    first, last = np.take(k, [0], along), np.take(k, [-1], along)
    before, after = (last, first) if ghosts[axis][0].wraps else (first, last)
    padded = np.concatenate([before, k, after], along)
    a, b = np.delete(padded, -1, along), np.delete(padded, 0, along)
    return np.asarray(2 * a * b / (a + b))


def divergence(u: Array, spacing: Sequence[float], ghosts: Ghosts, conductivity: Array | None = None) -> Array:
    """div(k grad u) per cell: the fluxes through the two faces across each axis."""
    u = np.asarray(u, float)
    k = np.ones(u.shape) if conductivity is None else np.asarray(conductivity, float)
    total = np.zeros(u.shape)
    for axis, h in enumerate(spacing):
        along = u.ndim - 1 - axis
        flux = faces(k, ghosts, axis) * np.diff(with_ghosts(u, ghosts, axis), axis=along) / h
        total += np.diff(flux, axis=along) / h
    return total


def diffuse(
    u: Array,
    rates: Sequence[float],
    ghosts: Ghosts,
    steps: int = 1,
    conductivity: Array | None = None,
    source: Array | None = None,
    dt: float = 0.0,
) -> Array:
    """``steps`` steps of forward Euler; rates: alpha dt/h² for x, y (and z); ``source`` is added times ``dt``."""
    u = np.asarray(u, float)
    spacing = [rate**-0.5 for rate in rates]
    for _ in range(steps):
        change = divergence(u, spacing, ghosts, conductivity)
        u = u + change if source is None else u + change + dt * np.asarray(source, float)
    return u


def gray_scott(
    u: Array,
    v: Array,
    rates_u: Sequence[float],
    rates_v: Sequence[float],
    ghosts: Ghosts,
    dt: float,
    feed: float,
    kill: float,
    steps: int = 1,
) -> tuple[Array, Array]:
    """``steps`` steps of forward Euler of both substances."""
    u, v = np.asarray(u, float), np.asarray(v, float)
    for _ in range(steps):
        reaction = u * v**2
        u, v = (
            diffuse(u, rates_u, ghosts) + dt * (-reaction + feed * (1 - u)),
            diffuse(v, rates_v, ghosts) + dt * (reaction - (feed + kill) * v),
        )
    return u, v


def poisson_residual(
    u: Array, source: Array, spacing: Sequence[float], ghosts: Ghosts, conductivity: Array | None = None
) -> Array:
    """``s + div(k grad u)`` per cell, zero where −div(k grad u) = s holds."""
    return np.asarray(source, float) + divergence(u, spacing, ghosts, conductivity)


def mode_decay(modes: Sequence[float], counts: Sequence[int], rates: Sequence[float]) -> float:
    """Factor per step of an eigenmode: 1 − 4 Σ r sin²(m π / 2N), m half waves on N cells of each axis."""
    return 1.0 - 4.0 * sum(
        rate * np.sin(m * np.pi / (2 * n)) ** 2 for m, n, rate in zip(modes, counts, rates, strict=True)
    )
