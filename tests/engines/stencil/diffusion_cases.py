"""The diffusion that the kernels are compared with: NumPy, float64, one array per neighbour."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.stencil.parameters.sides import FixedGradient, FixedValue, Periodic
from engines.stencil.setup.sides import Ghost, Ghosts, ghosts

PERIODIC, VALUE, GRADIENT = Periodic(), FixedValue(value=0.7), FixedGradient(gradient=-0.3)
SIDES = {
    "periodic": [(PERIODIC, PERIODIC)] * 3,
    "insulated": [(FixedGradient(), FixedGradient())] * 3,
    "mixed": [(VALUE, GRADIENT), (GRADIENT, FixedValue(value=-0.2)), (FixedGradient(gradient=0.5), VALUE)],
    "periodic in x": [(PERIODIC, PERIODIC), (VALUE, GRADIENT), (GRADIENT, VALUE)],
    "periodic in y": [(GRADIENT, VALUE), (PERIODIC, PERIODIC), (VALUE, VALUE)],
}


def ghosts_of(name: str, dimensions: int) -> Ghosts:
    return ghosts(SIDES[name][:dimensions], [0.5, 0.4, 0.3][:dimensions])


def beside(u: np.ndarray, axis: int, low: Ghost, high: Ghost) -> tuple[np.ndarray, np.ndarray]:
    """The lower and the upper neighbour of each cell along an axis of the array."""
    count = u.shape[axis]
    if low.wraps:
        return np.roll(u, 1, axis), np.roll(u, -1, axis)
    first, last = u.take([0], axis), u.take([count - 1], axis)
    inner_low, inner_high = u.take(range(count - 1), axis), u.take(range(1, count), axis)
    return (
        np.concatenate([low.scale * first + low.shift, inner_low], axis),
        np.concatenate([inner_high, high.scale * last + high.shift], axis),
    )


def laplacian(u: np.ndarray, rates: Sequence[float], around: Ghosts) -> np.ndarray:
    """The sum over x, y (and z) of rate (lower + upper − 2 u)."""
    total = np.zeros_like(u)
    for number, (rate, pair) in enumerate(zip(rates, around, strict=True)):
        lower, upper = beside(u, u.ndim - 1 - number, *pair)
        total += rate * (lower + upper - 2 * u)
    return total


def reference(
    u: np.ndarray, rates: Sequence[float], around: Ghosts, steps: int, source: np.ndarray | None = None, dt: float = 0.0
) -> np.ndarray:
    u = u.astype(float)
    for _ in range(steps):
        u = u + laplacian(u, rates, around) + (0.0 if source is None else dt * source)
    return u
