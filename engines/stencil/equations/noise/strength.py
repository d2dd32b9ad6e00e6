"""How much of a wave's variance a method keeps: exact for linear equations with noise that does not hang on fields.

A wave that decays at the rate λ under noise of the strength s comes to the variance s²/2λ. In steps it is a sequence
x' = a x + b x₋ + w + c w₋, whose variance follows from its covariances (Yule and Walker's equations).
"""

from __future__ import annotations

import numpy as np

from engines.stencil.equations.passes import Method

APART = 0.1
"""Of the variance: how far that of the fastest wave may be off without a word."""
_SEARCHED = np.geomspace(1e-3, 10.0, 400)


def variance(method: Method, explicit: float, implicit: float = 0.0) -> float:
    """That of a wave over s²/2λ, given λ Δt of what is explicit and of the diffusion that is implicit; inf where the
    wave grows."""
    z, solved = explicit, 1.0 + 2 / 3 * implicit
    a, b, c = 1.0 - z, 0.0, 0.0
    if method == "AB2":
        a, b = 1.0 - 1.5 * z, 0.5 * z
    elif method == "IMEX":
        a, b, c = 4 / 3 * (1.0 - z) / solved, -(1.0 - 2 * z) / 3 / solved, -1 / 3
    if np.abs(np.roots([1.0, -a, -b])).max() >= 1.0:
        return float("inf")
    known = np.array([1.0 + c * (a + c), c, 0.0]) / (solved if method == "IMEX" else 1.0) ** 2
    covariances = np.linalg.solve(np.array([[1.0, -a, -b], [-a, 1.0 - b, 0.0], [-b, -a, 1.0]]), known)
    return float(covariances[0] * 2.0 * (explicit + implicit))


def longest(method: Method) -> float:
    """The largest λ Δt up to which the variance is within :data:`APART`, of diffusion that is implicit by IMEX."""
    off = [abs(variance(method, *((0.0, z) if method == "IMEX" else (z,))) - 1.0) > APART for z in _SEARCHED]
    return float(_SEARCHED[int(np.argmax(off)) - 1])
