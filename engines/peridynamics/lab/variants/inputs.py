"""The study's problem: a box of particles with random displacements and some bonds broken, and its forces in float64.

Offsets are in rising order of (z, y, x), so that in rows of the box the neighbours of a particle rise too, and the
other end of bond k knows it as the k-th from the end. Particle (x, y, z) of (nx, ny, nz) is ``(z ny + y) nx + x``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.lab import Case, Inputs
from engines.peridynamics.lattice.family import WORD, family

REACH = 3
NEIGHBOURS = {2: 28, 3: 122}
"""Of a particle inside the body, by dimensions."""
BROKEN = 13
"""Of 256 bonds: five in a hundred."""
LARGEST = 1e-3
"""Of the displacements, in spacings."""


@lru_cache(maxsize=2)
def order(dimensions: int) -> Array:
    """(bonds,) the engine's bit of each offset in rising order."""
    return np.lexsort(family(dimensions, REACH).offsets.T)


@lru_cache(maxsize=2)
def offsets(dimensions: int) -> Array:
    """(bonds, 3) x, y, z in rising order."""
    return np.asarray(family(dimensions, REACH).offsets[order(dimensions)])


def box(counts: Array, offset: Array) -> tuple[Any, Any]:
    """Of arrays (…, nz, ny, nx): particles that have a neighbour at this offset, and these neighbours."""
    here, there = [], []
    for count, way in zip(counts[::-1], offset[::-1], strict=True):
        low, high = max(0, -way), count - max(0, way)
        here.append(slice(low, max(low, high)))
        there.append(slice(low + way, max(low, high) + way))
    return (..., *here), (..., *there)


def counts_of(case: Case) -> Array:
    """(3,) nx, ny, nz"""
    nx, ny, *nz = case.size[::-1]
    return np.array([nx, ny, *(nz or [1])])


def dimensions_of(inputs: Inputs) -> int:
    return len(inputs["u"])


def fresh(case: Case, generator: np.random.Generator) -> Inputs:
    """``u``: (d, n) float32 in spacings; ``words``: (words, n) uint32, a bit for each intact bond in rising order, the
    same at both ends; ``counts``: nx, ny, nz."""
    counts, d = counts_of(case), len(case.size)
    u = (generator.random((d, case.points), np.float32) * 2 - 1) * np.float32(LARGEST)
    bonds = len(offsets(d))
    words = np.zeros((-(-bonds // WORD), *counts[::-1]), np.uint32)
    for bond in range(bonds // 2, bonds):
        here, there = box(counts, offsets(d)[bond])
        holds = generator.integers(0, 256, words[0][here].shape, np.uint8) >= BROKEN
        for bit, end in ((bond, here), (bonds - 1 - bond, there)):
            words[bit // WORD][end] |= holds.astype(np.uint32) << np.uint32(bit % WORD)
    return {"u": u, "words": words.reshape(len(words), -1), "counts": counts}


def intact(inputs: Inputs, bond: int) -> Array:
    """(n,) bool: which particles have this bond."""
    return (inputs["words"][bond // WORD] >> np.uint32(bond % WORD) & np.uint32(1)).astype(bool)


def reference(inputs: Inputs, steps: int) -> Array:
    """(d, n) Σ s n in float64, from lengths as the formula of s has them."""
    d, counts = dimensions_of(inputs), inputs["counts"]
    u = inputs["u"].astype(float).reshape(d, *counts[::-1])
    force = np.zeros_like(u)
    known = offsets(d)
    for bond in range(len(known) // 2, len(known)):
        here, there = box(counts, known[bond])
        at_rest = known[bond][:d].astype(float)
        now = u[there] - u[here] + at_rest.reshape(d, 1, 1, 1)
        length, long = np.sqrt((at_rest**2).sum()), np.sqrt((now**2).sum(axis=0))
        holds = intact(inputs, bond).reshape(counts[::-1])[here]
        pull = holds * ((long - length) / length / long) * now
        force[here] += pull
        force[there] -= pull
    return force.reshape(d, -1)
