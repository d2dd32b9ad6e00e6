"""How a lattice lies in memory: rows of a padded box, with room for every neighbour of every particle.

Particle (x, y, z) is at ``base + (z·rows + y)·pitch + x``. Behind each row there are at least ``reach`` places,
behind each plane ``reach`` rows, and so many planes before and after: what lies left of a row is the room behind the
row before. Places without a particle hold zeros, so kernels ask nowhere whether a neighbour exists.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array

ALIGNED = 32
"""Places that a row begins at a multiple of: whole vectors on the CPU, whole transactions on a GPU."""
Planes = tuple[int, int]
"""From which to which plane (of a plate: row), exclusive."""


@dataclass(frozen=True)
class Layout:
    """counts: (nx, ny, nz) particles of the box; nz = 1 in two dimensions."""

    counts: tuple[int, int, int]
    reach: int
    dimensions: int

    @property
    def pitch(self) -> int:
        return -(-(self.counts[0] + self.reach) // ALIGNED) * ALIGNED

    @property
    def rows(self) -> int:
        return self.counts[1] + self.reach

    @property
    def planes_around(self) -> int:
        return self.reach if self.dimensions == 3 else 0

    @property
    def stride(self) -> int:
        """Places between two planes, of a plate between two rows."""
        return self.pitch * (self.rows if self.dimensions == 3 else 1)

    @property
    def planes(self) -> int:
        """How many there are along the slowest axis: rows of a plate."""
        return self.counts[self.dimensions - 1]

    def part(self, planes: Planes) -> tuple[tuple[int, int, int], int]:
        """counts and base with which kernels take these planes as if they were all."""
        (nx, ny, nz), (low, high) = self.counts, planes
        counts = (nx, ny, high - low) if self.dimensions == 3 else (nx, high - low, nz)
        return counts, self.base + low * self.stride

    @property
    def base(self) -> int:
        return (self.planes_around * self.rows + self.reach + 1) * self.pitch

    @property
    def size(self) -> int:
        """Places in all."""
        return self.base + ((self.counts[2] + self.planes_around) * self.rows + 1) * self.pitch

    def places(self, cells: Array) -> Array:
        """(n,) int32 of particles at lattice points ``cells: (n, 3)`` (x, y, z)."""
        x, y, z = np.asarray(cells, np.int64).T
        return (self.base + (z * self.rows + y) * self.pitch + x).astype(np.int32)

    def steps(self, offsets: Array) -> Array:
        """(m,) int64: from a place to that of its neighbours at ``offsets: (m, 3)``."""
        x, y, z = np.asarray(offsets, np.int64).T
        return np.asarray((z * self.rows + y) * self.pitch + x)
