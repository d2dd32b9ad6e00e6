"""The family of a particle on a regular lattice: a fixed set of offsets, in mirror orbits, one bit each.

An orbit holds the offsets that differ in signs only. Orbits of eight come first, then those of four and of two, so that
none straddles two words of 32 bits; within an orbit the sign of x changes fastest. Sums that take the members of an
orbit pair by pair (x, then y, then z) do not change when the lattice is mirrored at an axis. ``family.cuh`` counts in
the same order.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engines.api import Array

WORD = 32
"""Bits of a word."""


@dataclass(frozen=True, eq=False)
class Family:
    """offsets: (bonds, 3) int64 in lattice spacings (x, y, z), in bit order; orbits: how many of 8, 4 and 2 members."""

    dimensions: int
    reach: int
    offsets: Array
    orbits: tuple[int, int, int]

    @property
    def bonds(self) -> int:
        """Neighbours of a particle inside the body."""
        return len(self.offsets)

    @property
    def words(self) -> int:
        """Words of 32 bits that hold one bit per bond."""
        return -(-self.bonds // WORD)

    @property
    def lengths(self) -> Array:
        """(bonds,) in lattice spacings."""
        return np.asarray(np.sqrt((self.offsets**2).sum(axis=1)))

    @property
    def crossing(self) -> int:
        """How many bonds of a particle a straight crack beside its row cuts."""
        return int((self.offsets[:, 1] > 0).sum())

    def opposite(self) -> Array:
        """(bonds,) the bit by which the other end knows the same bond."""
        known = {tuple(offset): bit for bit, offset in enumerate(self.offsets)}
        return np.array([known[tuple(-offset)] for offset in self.offsets])


@lru_cache(maxsize=16)
def family(dimensions: int, reach: int) -> Family:
    """All lattice points within ``reach`` spacings: 2D reach 3 has 28, 3D reach 3 has 122."""
    axes = [range(reach + 1) if axis < dimensions else range(1) for axis in range(3)]
    offsets, orbits = [], []
    for size in (8, 4, 2):
        count = 0
        for c, b, a in itertools.product(axes[2], axes[1], axes[0]):
            if a * a + b * b + c * c > reach * reach or 2 ** sum(part > 0 for part in (a, b, c)) != size:
                continue
            signs = [(1, -1) if part else (1,) for part in (c, b, a)]
            offsets += [(a * x, b * y, c * z) for z, y, x in itertools.product(*signs)]
            count += 1
        orbits.append(count)
    return Family(dimensions, reach, np.array(offsets, np.int64), (orbits[0], orbits[1], orbits[2]))
