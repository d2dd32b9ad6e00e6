"""The two passes of ``state.cu`` in Numba: one SIMD vector of particles along x at a time, all bonds of each.

A bond's term is written to a scratch row and the orbits are summed afterwards, as in the bond-based kernels. Plates and
blocks share the code: what is of the third axis is skipped where there is none.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

from engines.backend import vector_math
from engines.backend.vector_math import (
    any_lane,
    lanes,
    load,
    load_like,
    load_row,
    select,
    splat,
    sqrt,
    store,
    store_row,
)
from engines.peridynamics.lattice import cpu_rows
from engines.peridynamics.lattice.cpu_rows import move_row, over_family


@njit(nogil=True)
def _bond(u, i, there, offset, inverse_square, way):
    """(s, 1/(1 + s)) of a bond of particle i in float64; way: (3) becomes ξ + η."""
    q = 0.0
    for k in range(len(u)):
        e = float(u[k, there]) - float(u[k, i])
        way[k] = float(offset[k]) + e
        q += e * (float(offset[k]) + way[k])
    root = math.sqrt(1 + q * inverse_square)
    return q * inverse_square / (root + 1), 1 / root


@njit(nogil=True)
def _lost(u, v, i, were, words, offsets, steps, bonds, dilation, stiffness):
    """As in ``state.cu``; were: (words) bits before, words: flat, bits now."""
    whole = whole_rate = left = left_rate = gone = 0.0
    way, size = np.zeros(3), u.shape[1]
    for bit in range(len(steps)):
        if (were[bit // 32] >> (bit % 32)) & 1:
            there, length, weight = i + steps[bit], bonds[bit, 0], bonds[bit, 2]
            s, w = _bond(u, i, there, offsets[bit], bonds[bit, 1], way)
            e, rate = s * length, 0.0
            for k in range(len(u)):
                rate += way[k] * (float(v[k, there]) - float(v[k, i]))
            rate *= w / length
            whole += weight * length * e
            whole_rate += weight * length * rate
            if (words[bit // 32 * size + i] >> (bit % 32)) & 1:
                left += weight * length * e
                left_rate += weight * length * rate
            else:
                gone += weight * e * (e - rate)
    return 0.5 * (dilation * (whole * (whole - whole_rate) - left * (left - left_rate)) + stiffness * gone)


def _compiled(sources: int) -> Any:
    """(dilate, move, measure); ``sources`` is a digest of the other files' code in them, for Numba's cache."""

    @njit(parallel=True, nogil=True, cache=True)
    def dilate(
        u, v, words, breakable, dilation, stiffness, state, loss, offsets, steps, lengths, factors, orbits, counts,
        rows, pitch, base, limit, bands,
    ):  # fmt: skip
        """Arrays as in ``state.cu``; words, breakable: flat; offsets: (bonds, 3); lengths: (bonds, 3) float64 |ξ|,
        1/|ξ|² and ω; factors: (bonds, 3) ω|ξ|², 1/|ξ|² and ω; orbits: (3) of 8, 4, 2; counts: nx, ny, nz."""
        width, size, bonds = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(steps)
        nx, ny, nz, solid, last = counts[0], counts[1], counts[2], len(u) == 3, len(u) - 1
        parts = -(-bonds // 32)
        for band in prange(bands):
            scratch = np.empty((bonds, width), u.dtype)
            were = np.empty((parts, width), np.uint32)
            for line in range(band * ny * nz // bands, (band + 1) * ny * nz // bands):
                for x in range(0, nx, width):
                    i = base + (line // ny * rows + line % ny) * pitch + x
                    ux, uy, uz = load_row(u, 0, i), load_row(u, 1, i), load_row(u, last, i)
                    changed = False
                    for part in range(parts):
                        at, first = part * size + i, 32 * part
                        old = load_like(ux, words, at)
                        word, weak = old, load_like(ux, breakable, at)
                        for bit in range(first, min(first + 32, bonds)):
                            a, b, c = offsets[bit, 0], offsets[bit, 1], offsets[bit, 2]
                            there, mask = i + steps[bit], 1 << (bit - first)
                            ex, ey = load_row(u, 0, there) - ux, load_row(u, 1, there) - uy
                            q = ex * ((a + a) + ex) + ey * ((b + b) + ey)
                            if solid:
                                ez = load_row(u, last, there) - uz
                                q = q + ez * ((c + c) + ez)
                            p = q * factors[bit, 1]
                            word = word - (word & select(p > limit, weak & mask, 0))
                            s = p / (sqrt(p + 1.0) + 1.0)
                            store_row(scratch, bit, 0, select((word & mask) != 0, s * factors[bit, 0], 0.0))
                        store_row(were, part, 0, old)
                        if any_lane(word != old):
                            store(words, at, word)
                            changed = True
                    store(state, i, over_family(scratch, 0, splat(ux, 0.0), orbits) * load(dilation, i))
                    if changed:
                        for lane in range(width):
                            broke = False
                            for part in range(parts):
                                broke |= were[part, lane] != words[part * size + i + lane]
                            if broke:
                                loss[i + lane] += _lost(
                                    u, v, i + lane, were[:, lane], words, offsets, steps, lengths, dilation[i + lane],
                                    stiffness[i + lane],
                                )  # fmt: skip

    @njit(parallel=True, nogil=True, cache=True)
    def move(
        u, out, v, words, stiffness, state, kind, table, offsets, steps, factors, orbits, work, damped, counts, rows,
        pitch, base, one, kick, decay, bands, touching, pushes,
    ):  # fmt: skip
        """As ``dilate``; table: (kinds, 4, d) of this step; one: (1, 1); pushes: as in ``lattice/cpu_kernels.py``."""
        width, size, bonds = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(steps)
        nx, ny, nz, d, solid, last = counts[0], counts[1], counts[2], len(u), len(u) == 3, len(u) - 1
        for band in prange(bands):
            scratch = np.empty((d * bonds, width), u.dtype)
            pulls, before = np.empty((d, width), u.dtype), np.empty((d, width), u.dtype)
            for line in range(band * ny * nz // bands, (band + 1) * ny * nz // bands):
                for x in range(0, nx, width):
                    i = base + (line // ny * rows + line % ny) * pitch + x
                    ux, uy, uz = load_row(u, 0, i), load_row(u, 1, i), load_row(u, last, i)
                    own_state, own_stiffness = load(state, i), load(stiffness, i)
                    for first in range(0, bonds, 32):
                        word = load_like(ux, words, first // 32 * size + i)
                        for bit in range(first, min(first + 32, bonds)):
                            a, b, c = offsets[bit, 0], offsets[bit, 1], offsets[bit, 2]
                            there, mask = i + steps[bit], 1 << (bit - first)
                            ex, ey, ez = load_row(u, 0, there) - ux, load_row(u, 1, there) - uy, uz
                            q = ex * ((a + a) + ex) + ey * ((b + b) + ey)
                            if solid:
                                ez = load_row(u, last, there) - uz
                                q = q + ez * ((c + c) + ez)
                            p = q * factors[bit, 1]
                            root = sqrt(p + 1.0)
                            both = (own_stiffness + load(stiffness, there)) * (p / (root + 1.0))
                            g = (both + (own_state + load(state, there))) / root * factors[bit, 2]
                            live = (word & mask) != 0
                            store_row(scratch, bit, 0, select(live, g * (ex + a), 0.0))
                            store_row(scratch, bonds + bit, 0, select(live, g * (ey + b), 0.0))
                            if solid:
                                store_row(scratch, 2 * bonds + bit, 0, select(live, g * (ez + c), 0.0))
                    move_row(
                        u, out, v, i, scratch, orbits, kind, table, work, damped, one[0, 0], False, one, kick, decay,
                        touching, pushes, pulls, before,
                    )  # fmt: skip

    @njit(parallel=True, nogil=True, cache=True)
    def measure(
        u, words, dilation, stiffness, state, energy, kick, offsets, steps, factors, orbits, counts, rows, pitch, base,
        bands,
    ):  # fmt: skip
        """Energy, φ and what bonds add to the velocity of each place in a step; arrays as in ``dilate``."""
        width, size, bonds = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(steps)
        nx, ny, nz, solid, last = counts[0], counts[1], counts[2], len(u) == 3, len(u) - 1
        for forces in range(2):  # which need all dilatations
            for band in prange(bands):
                scratch = np.empty((len(u) * bonds, width), u.dtype)
                for line in range(band * ny * nz // bands, (band + 1) * ny * nz // bands):
                    for x in range(0, nx, width):
                        i = base + (line // ny * rows + line % ny) * pitch + x
                        ux, uy, uz = load_row(u, 0, i), load_row(u, 1, i), load_row(u, last, i)
                        own_state, own_stiffness, none = load(state, i), load(stiffness, i), splat(ux, 0.0)
                        for first in range(0, bonds, 32):
                            word = load_like(ux, words, first // 32 * size + i)
                            for bit in range(first, min(first + 32, bonds)):
                                a, b, c = offsets[bit, 0], offsets[bit, 1], offsets[bit, 2]
                                there = i + steps[bit]
                                live = (word & (1 << (bit - first))) != 0
                                ex, ey, ez = load_row(u, 0, there) - ux, load_row(u, 1, there) - uy, uz
                                q = ex * ((a + a) + ex) + ey * ((b + b) + ey)
                                if solid:
                                    ez = load_row(u, last, there) - uz
                                    q = q + ez * ((c + c) + ez)
                                p = q * factors[bit, 1]
                                root = sqrt(p + 1.0)
                                s = p / (root + 1.0)
                                if forces:
                                    both = (own_stiffness + load(stiffness, there)) * s
                                    g = (both + (own_state + load(state, there))) / root * factors[bit, 2]
                                    store_row(scratch, bit, 0, select(live, g * (ex + a), 0.0))
                                    store_row(scratch, bonds + bit, 0, select(live, g * (ey + b), 0.0))
                                    if solid:
                                        store_row(scratch, 2 * bonds + bit, 0, select(live, g * (ez + c), 0.0))
                                else:
                                    weighted = select(live, s * factors[bit, 0], 0.0)
                                    store_row(scratch, bit, 0, weighted)
                                    store_row(scratch, bonds + bit, 0, weighted * s)
                        tx, ty = over_family(scratch, 0, none, orbits), over_family(scratch, bonds, none, orbits)
                        if forces:
                            store_row(kick, 0, i, tx)
                            store_row(kick, 1, i, ty)
                            if solid:
                                store_row(kick, last, i, over_family(scratch, 2 * bonds, none, orbits))
                        else:
                            dilated = load(dilation, i) * tx
                            store(state, i, dilated)
                            store(energy, i, (dilated * tx + own_stiffness * ty) * 0.5)

    return dilate, move, measure


dilate, move, measure = _compiled(cpu_rows.digest(vector_math, cpu_rows))
