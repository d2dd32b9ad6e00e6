"""The step of ``bonds.cu`` in Numba: one SIMD vector of particles along x at a time, all bonds of each.

A bond's force is written to a scratch row and the orbits are summed afterwards: the code of a bond exists once, so
that both ends round alike whatever the compiler fuses, and the sums are those of the mirror orbits. Plates and blocks
share the code: what is of the third axis is skipped where there is none.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from engines.backend import vector_math
from engines.backend.compile.digest import digest
from engines.backend.vector_math import any_lane, lanes, load_like, load_row, select, splat, sqrt, store, store_row
from engines.peridynamics.lattice import cpu_arguments, cpu_breaking, cpu_rows
from engines.peridynamics.lattice.cpu_arguments import Rows
from engines.peridynamics.lattice.cpu_breaking import break_bonds, lists, soften
from engines.peridynamics.lattice.cpu_rows import move_row


def _compiled(sources: int) -> Any:
    """The step; ``sources`` is a digest of the other files' code in them, for Numba's cache."""

    @njit(parallel=True, nogil=True, cache=True)
    def advance(u, out, v, table, kick, decay, particles, bonds, place, pairs, softening):
        """One step of ``bonds.cu``: p = η·(2ξ + η)/|ξ|², g = k p/(√(1 + p) + 1 + p), a = K Σ g (ξ + η), v' = decay v +
        kick a, u' = u + v'; a bond breaks, or softens, where p > limit.

        u, out, v: (d, size); table: (kinds, 4, d) of this step; particles, bonds, place, pairs, softening: as in
        ``cpu_arguments.py``. Per particle u, v, words, breakable and kind are read once from memory,
        out, v and words written: 2D float32 41 bytes, 3D 81 (m = 3).
        """
        words, breakable, soft, softens = particles.words, particles.breakable, softening.soft, softening.softening
        offsets, steps, factors, limit = bonds.offsets, bonds.steps, bonds.factors, bonds.limit
        general, factor_of, limit_of = pairs.general, pairs.factor_of, pairs.limit_of
        nx, ny, nz, pitch, room, base, bands = place
        width, size, number = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(steps)
        d, solid, last, lines = len(u), len(u) == 3, len(u) - 1, ny * nz
        for band in prange(bands):
            left, asked_for = np.empty(width, np.uint32), lists(32 if softens else 0, u[0])
            scratch = np.empty((d * number, width), u.dtype)
            rows = Rows(scratch, np.empty((d, width), u.dtype), np.empty((d, width), u.dtype))
            for line in range(band * lines // bands, (band + 1) * lines // bands):
                for x in range(0, nx, width):
                    i = base + (line // ny * room + line % ny) * pitch + x
                    ux, uy, uz = load_row(u, 0, i), load_row(u, 1, i), load_row(u, last, i)
                    for first in range(0, number, 32):
                        at = first // 32 * size + i
                        held = load_like(ux, words, at)
                        word, weak = held, load_like(ux, breakable, at)
                        if softens:
                            word = held - (held & load_like(ux, soft, at))
                        for bit in range(first, min(first + 32, number)):
                            a, b, c = offsets[bit, 0], offsets[bit, 1], offsets[bit, 2]
                            there, mask = i + steps[bit], 1 << (bit - first)
                            ex, ey, ez = load_row(u, 0, there) - ux, load_row(u, 1, there) - uy, uz
                            q = ex * ((a + a) + ex) + ey * ((b + b) + ey)
                            if solid:
                                ez = load_row(u, last, there) - uz
                                q = q + ez * ((c + c) + ez)
                            p = q * factors[bit, 0]
                            most, weight = splat(ux, limit), splat(ux, factors[bit, 1])
                            if general:
                                most, weight = load_row(limit_of, bit, i), load_row(factor_of, bit, i)
                            word = word - (word & select(p > most, weak & mask, 0))
                            r1 = p + 1.0
                            g = p / (sqrt(r1) + r1) * weight
                            live = ((held if softens else word) & mask) != 0
                            store_row(scratch, bit, 0, select(live, g * (ex + a), 0.0))
                            store_row(scratch, number + bit, 0, select(live, g * (ey + b), 0.0))
                            if solid:
                                store_row(scratch, 2 * number + bit, 0, select(live, g * (ez + c), 0.0))
                        if any_lane(word != held):
                            store(left, 0, word)
                            if softens:
                                soften(u, v, i, first, left, particles, bonds, pairs, softening, scratch, asked_for)
                            else:
                                break_bonds(u, v, i, first, left, particles, bonds, pairs)
                    move_row(u, out, v, i, table, kick, decay, rows, particles, bonds, bonds.stiffness, pairs)

    return advance


advance = _compiled(digest(vector_math, cpu_rows, cpu_breaking, cpu_arguments))
