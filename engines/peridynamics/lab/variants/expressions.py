"""Forces of a body as array expressions, of NumPy and CuPy alike."""

from __future__ import annotations

from typing import Any


def gathered(out: Any, x: Any, u: Any, neighbours: Any, damage: Any) -> None:
    """All bonds of all particles at once: (d, n, K) for each vector. damage: (n, K), 1 where there is no bond."""
    xi = x[:, neighbours] - x[:, :, None]
    eta = u[:, neighbours] - u[:, :, None]
    square = (xi * xi).sum(axis=0)
    p = (eta * (xi + xi + eta)).sum(axis=0) / square
    root = (p + 1) ** 0.5
    pull = p / (root * (root + 1)) / square**0.5 * (1 - damage)
    out[...] = (pull * (xi + eta)).sum(axis=2)
