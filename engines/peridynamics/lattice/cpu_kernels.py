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
from engines.backend.vector_math import any_lane, lanes, load_like, load_row, select, splat, sqrt, store, store_row
from engines.peridynamics.lattice import cpu_breaking, cpu_rows
from engines.peridynamics.lattice.cpu_breaking import break_bonds, lists, soften
from engines.peridynamics.lattice.cpu_rows import move_row


def _compiled(sources: int) -> Any:
    """The step; ``sources`` is a digest of the other files' code in them, for Numba's cache."""

    @njit(parallel=True, nogil=True, cache=True)
    def advance(
        u, out, v, words, breakable, kind, table, real_offsets, steps, lengths, factors, orbits, work, loss,
        damped, counts, rows, pitch, base, stiffness, limit, kick, decay, bands,
        weights, general, factor_of, limit_of, light_of, softening, soft, history, law, laws, material, materials,
        touching, pushes,
    ):  # fmt: skip
        """Arrays as in ``bonds.cu``; words, breakable: flat; table: (kinds, 4, d) of this step; real_offsets:
        (bonds, 3); factors: (bonds, 2) 1/|ξ|² and weight over |ξ|; orbits: (3) of 8, 4, 2; counts: nx, ny, nz.

        weights: (bonds,) float64. If ``general``, factor_of, limit_of: (bonds, size) weight over |ξ| and limit of p of
        each bond and light_of: (1, size) 1 over the mass of each particle, else a single 1. If ``softening``, soft as
        words, history: (bonds, size), law: a C function with parameters ``laws: (materials², p)``, material: (size).
        If ``touching``, pushes: (d, size) what contact adds to a velocity in a step."""
        width, size, bonds = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(steps)
        nx, ny, nz, d, solid, last = counts[0], counts[1], counts[2], len(u), len(u) == 3, len(u) - 1
        for band in prange(bands):
            scratch = np.empty((d * bonds, width), u.dtype)
            left, asked_for = np.empty(width, np.uint32), lists(32 if softening else 0, u[0])
            pulls, before = np.empty((d, width), u.dtype), np.empty((d, width), u.dtype)
            for line in range(band * ny * nz // bands, (band + 1) * ny * nz // bands):
                for x in range(0, nx, width):
                    i = base + (line // ny * rows + line % ny) * pitch + x
                    ux, uy, uz = load_row(u, 0, i), load_row(u, 1, i), load_row(u, last, i)
                    for first in range(0, bonds, 32):
                        at = first // 32 * size + i
                        held = load_like(ux, words, at)
                        word, weak = held, load_like(ux, breakable, at)
                        if softening:
                            word = held - (held & load_like(ux, soft, at))
                        for bit in range(first, min(first + 32, bonds)):
                            a, b, c = real_offsets[bit, 0], real_offsets[bit, 1], real_offsets[bit, 2]
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
                            live = ((held if softening else word) & mask) != 0
                            store_row(scratch, bit, 0, select(live, g * (ex + a), 0.0))
                            store_row(scratch, bonds + bit, 0, select(live, g * (ey + b), 0.0))
                            if solid:
                                store_row(scratch, 2 * bonds + bit, 0, select(live, g * (ez + c), 0.0))
                        if any_lane(word != held):
                            store(left, 0, word)
                            if softening:
                                soften(
                                    u, v, i, first, at, left, words, soft, history, scratch, asked_for, real_offsets,
                                    steps, lengths, weights, general, factor_of, law, laws, material, materials,
                                    stiffness, loss,
                                )  # fmt: skip
                            else:
                                break_bonds(
                                    u, v, i, first, at, left, words, real_offsets, steps, lengths, weights, general,
                                    factor_of, stiffness, loss,
                                )  # fmt: skip
                    move_row(
                        u, out, v, i, scratch, orbits, kind, table, work, damped, stiffness, general, light_of, kick,
                        decay, touching, pushes, pulls, before,
                    )  # fmt: skip

    return advance


advance = _compiled(cpu_rows.digest(vector_math, cpu_rows, cpu_breaking))
