"""A sphere cut into shells of equal thickness: the conservative finite volumes of all radial schemes.

With x = r/R, N shells, h = 1/N, faces x_f = f h and the shells' volumes V_i = (x_{i+1}³ − x_i³)/3 (over 4π):

    dc_i/dt = (D/R²) [ outer_i (c_{i+1} − c_i) − inner_i (c_i − c_{i−1}) ]
    outer_i = x_{i+1}²/(h V_i),   inner_i = x_i²/(h V_i)

and the outermost shell gains flux·A/V. What leaves a shell enters its neighbour, V_i outer_i = V_{i+1} inner_{i+1},
so lithium is conserved; the Laplacian is that of a sphere, of second order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy

from engines.api import Array

FEWEST, MOST = 8, 128
"""Radial points that the schemes take."""


@dataclass(frozen=True, eq=False)
class Shells:
    """The shells of a sphere of radius 1, from the centre outwards; every array is (points,) float64.

    inner, outer: couplings to the neighbours [1]; ``inner[0]`` and ``outer[-1]`` are 0
    volumes:      share of the sphere, sums to 1
    centers:      x at half thickness
    source:       gain of each shell per unit of flux·dt/R (0 but for the outermost)
    steady:       the profile that a steady flux holds, (c − mean) D/(flux R): ``L steady = 3 − source``
    """

    points: int
    inner: Array
    outer: Array
    volumes: Array
    centers: Array
    source: Array
    steady: Array

    @property
    def thickness(self) -> float:
        return 1.0 / self.points

    @property
    def stable_rate(self) -> float:
        """Largest D dt/R² of an explicit step: 2 over the largest eigenvalue."""
        off = -np.sqrt(self.outer[:-1] * self.inner[1:])
        top = scipy.linalg.eigvalsh_tridiagonal(
            self.inner + self.outer, off, select="i", select_range=(self.points - 1,) * 2
        )
        return float(2.0 / top[0])


@lru_cache(maxsize=16)
def shells(points: int) -> Shells:
    """Shells of a unit sphere. Raises ValueError outside 8 to 128 points."""
    if not FEWEST <= points <= MOST:
        raise ValueError(f"a particle has {FEWEST} to {MOST} radial points, not {points}")
    faces = np.arange(points + 1) / points
    volumes = np.diff(faces**3) / 3
    areas = faces**2
    inner = areas[:-1] * points / volumes
    outer = areas[1:] * points / volumes
    outer[-1] = 0.0
    source = np.zeros(points)
    source[-1] = 1.0 / volumes[-1]
    # Through face f must flow what the shells inside gain: x_f² Δc/h = x_f³, so Δc = h x_f.
    steady = np.concatenate([[0.0], np.cumsum(faces[1:-1] / points)])
    steady -= 3 * volumes @ steady
    return Shells(points, inner, outer, 3 * volumes, (faces[1:] + faces[:-1]) / 2, source, steady)


def surface_weights(points: int) -> tuple[float, float, float]:
    """(a, b, g): ``c_surface = a c_last + b c_last_but_one + g flux R/D``.

    The parabola that has the slope of the flux at the surface and passes through the two outermost values.
    """
    return 9 / 8, -1 / 8, 3 / (8 * points)
