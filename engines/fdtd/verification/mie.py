"""What a sphere scatters and absorbs: Mie's series (Bohren and Huffman, Absorption and Scattering of Light, 1983,
chapter 4)."""

from __future__ import annotations

import numpy as np
import scipy

from engines.api import Array


def scattering_efficiency(size: float, index: complex) -> float:
    """Q_sca for the size parameter x = 2πa/λ."""
    return efficiencies(size, index)[0]


def efficiencies(size: float, index: complex) -> tuple[float, float]:
    """Q_sca and Q_abs; eqs. 4.53, 4.61 and 4.62, with Wiscombe's number of terms; index n + ik."""
    n = np.arange(1, int(size + 4 * size ** (1 / 3) + 4))

    def riccati(z: complex) -> tuple[Array, Array]:
        j = scipy.special.spherical_jn(n, z)
        return z * j, j + z * scipy.special.spherical_jn(n, z, derivative=True)

    psi, psi_slope = riccati(size)
    y = scipy.special.spherical_yn(n, size)
    xi = psi + 1j * size * y
    xi_slope = psi_slope + 1j * (y + size * scipy.special.spherical_yn(n, size, derivative=True))
    inside, inside_slope = riccati(index * size)
    a = (index * inside * psi_slope - psi * inside_slope) / (index * inside * xi_slope - xi * inside_slope)
    b = (inside * psi_slope - index * psi * inside_slope) / (inside * xi_slope - index * xi * inside_slope)
    scattered = 2 / size**2 * ((2 * n + 1) * (np.abs(a) ** 2 + np.abs(b) ** 2)).sum()
    extinct = 2 / size**2 * ((2 * n + 1) * (a + b).real).sum()
    return float(scattered), float(extinct - scattered)
