"""Eigenvalues of the model problem (k = 1, cells of one size) in closed form, and the best relaxation factors.

Along one axis with N cells all sides give eigenvalues (4/h²) sin²θ_m of -d²/dx²:

    value, value        θ = m π / 2N,  m = 1..N         gradient, gradient   θ = m π / 2N,  m = 0..N-1
    value, gradient     θ = (2m+1) π / 4N,  m = 0..N-1  periodic             θ = m π / N,   m = 0..floor(N/2)

and in more dimensions they add up. Jacobi with the ghosts of the iteration before, u += ω r / D, D = Σ 2k/h²,
multiplies each mode by 1 - ω μ, μ = λ / D in [0, 2].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.stencil.poisson.axes import Axis


def axis_eigenvalues(axis: Axis) -> Array:
    """(n,) [1/mm²], ascending; for periodic sides each of the double ones twice."""
    n, h = axis.n, float(axis.widths[0])
    if not axis.acts:
        return np.zeros(1)
    if axis.wraps:
        theta = np.pi * ((np.arange(n) + 1) // 2) / n
    elif axis.ends[0].scale != axis.ends[1].scale:
        theta = np.pi * (2 * np.arange(n) + 1) / (4 * n)
    else:
        theta = np.pi * (np.arange(n) + (axis.ends[0].scale < 0)) / (2 * n)
    return 4.0 / h**2 * np.sin(theta) ** 2


def jacobi_extremes(axes: Sequence[Axis]) -> tuple[float, float]:
    """Smallest (that is not zero) and largest eigenvalue μ of D⁻¹A; (1, 1) where there is none but zero."""
    spectra = [axis_eigenvalues(axis) for axis in axes]
    diagonal = sum(2.0 / float(axis.widths[0]) ** 2 for axis in axes if axis.acts)
    lowest = sum(spectrum[0] for spectrum in spectra)
    if lowest == 0.0:
        lowest = min((spectrum[1] for spectrum in spectra if len(spectrum) > 1), default=0.0)
    if lowest == 0.0:
        return 1.0, 1.0
    return float(lowest / diagonal), float(sum(spectrum[-1] for spectrum in spectra) / diagonal)


def best_jacobi(axes: Sequence[Axis]) -> float:
    """ω = 2 / (μ_min + μ_max): smoothest and roughest mode decay alike. Just under 1 on value sides, where plain
    Jacobi (ω = 1) never loses the checkerboard, μ = 2."""
    lowest, highest = jacobi_extremes(axes)
    return 2.0 / (lowest + highest)


def best_sor(axes: Sequence[Axis]) -> float:
    """Young's ω = 2 / (1 + √(1 - ρ²)) with ρ = 1 - μ_min, Jacobi's radius to leading order in h² at any side."""
    radius = max(0.0, 1.0 - jacobi_extremes(axes)[0])
    return 2.0 / (1.0 + np.sqrt(1.0 - radius**2))
