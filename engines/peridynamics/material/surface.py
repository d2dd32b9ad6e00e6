"""Surface correction: bonds are stiffer where a surface cuts families short (the volume method).

The factor of a bond is 2 V₀/(V_i + V_j), V the volume of a family in the body before any cut and V₀ that of a whole one
(Bobaru, Foster, Geubelle and Silling 2016, chapter 2; Le and Bobaru 2018), or this with powers of V (``bars.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engines.api import Array
from engines.peridynamics.body.bonded import Filled
from engines.peridynamics.lattice.layout import Layout
from engines.peridynamics.material.bars import DILATION
from engines.peridynamics.material.brittle import Lattice, volume_parts

FREE_BITS = 16
"""Of a float32 the lowest 4 bits are left 0, 16 steps: kernels keep the number of a material there."""


@dataclass(frozen=True, eq=False)
class Surface:
    """half_shares: (size,) float32, half of V/V₀ of each place or of a power of it, so that the factor is 1 over the
    sum of two; stiffening: the largest eigenvalue of ``Σ w f n nᵀ/|ξ|`` of all particles over that of a whole family,
    for the stable step."""

    half_shares: Array
    stiffening: float


@lru_cache(maxsize=4)
def surface(body: Filled, lattice: Lattice, power: float = DILATION) -> Surface:
    """Of all particles of ``body``."""
    family, d = lattice.family, body.dimensions
    layout = Layout(body.counts, family.reach, d)
    places, steps = layout.places(body.cells), layout.steps(family.offsets)
    exists = np.zeros(layout.size, bool)
    exists[places] = True
    parts = volume_parts(family.lengths, family.reach) if lattice.partial_volumes else np.ones(family.bonds)
    held = np.zeros(layout.size)
    for part, step in zip(parts, steps, strict=True):
        held[places] += part * exists[places + step]
    halves = rounded(np.where(held > 0, 0.5 * (held / parts.sum()) ** power, 0.5))
    n = family.offsets[:, :d] / family.lengths[:, None]
    each = n[:, :, None] * n[:, None, :] * (lattice.weights / family.lengths)[:, None, None]
    sums = np.zeros((len(places), d, d))
    for matrix, step in zip(each, steps, strict=True):
        there = places + step
        factor = exists[there] / (halves[places].astype(float) + halves[there])
        sums += factor[:, None, None] * matrix
    largest = float(np.linalg.eigvalsh(sums)[:, -1].max())
    return Surface(halves, largest / float(np.linalg.eigvalsh(each.sum(axis=0))[-1]))


def rounded(halves: Array) -> Array:
    """float32 with the lowest 4 bits 0, to the nearest."""
    bits = halves.astype(np.float32).view(np.uint32) + np.uint32(FREE_BITS // 2)
    return np.asarray((bits & ~np.uint32(FREE_BITS - 1)).view(np.float32))
