"""How far apart points lie, from the points alone."""

from __future__ import annotations

import math

import numpy as np
import scipy

from engines.api import Array

NEIGHBOURS = {2: 24, 3: 32}
"""Of a lattice, those within √8 and within 2 spacings: a whole number of shells."""
LOOKED_AT = 2000
"""Points whose neighbourhood is measured."""


def unevenness(positions: Array) -> float:
    """Standard deviation of the distance to the nearest point, over its mean: 0 on a lattice, 0.2 where points of one
    are pushed by up to a quarter of their distance along each axis. positions: (n, d)"""
    some = positions[:: max(1, len(positions) // LOOKED_AT)]
    nearest = scipy.spatial.cKDTree(positions).query(some, k=[2])[0]
    return float(nearest.std() / nearest.mean())


def mean_distance(positions: Array) -> float:
    """The root of the volume of a point in the middle of the body, in the unit of ``positions: (n, d)``; 0 where there
    are too few points to tell.

    k points and the one in their middle fill the ball around it that reaches to the k-th: 0.997 (2D) and 1.005 (3D) of
    the spacing on a lattice. Points near a surface see less; the median over all counts.
    """
    n, d = positions.shape
    k = NEIGHBOURS[d]
    if n <= 4 * k:
        return 0.0
    some = positions[:: max(1, n // LOOKED_AT)]
    reach = float(np.median(scipy.spatial.cKDTree(positions).query(some, k=[k + 1])[0]))
    ball = math.pi * reach**2 if d == 2 else 4 / 3 * math.pi * reach**3
    return float((ball / (k + 1)) ** (1 / d))
