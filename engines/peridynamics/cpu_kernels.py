"""The step of ``bonds.cu`` in Numba: one SIMD vector of particles along x at a time, all bonds of each.

A bond's force is written to a scratch row and the orbits are summed afterwards: the code of a bond exists once, so
that both ends round alike whatever the compiler fuses, and the sums are those of the mirror orbits.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit, prange

from engines.backend import vector_math
from engines.backend.vector_math import any_lane, lanes, load_like, load_row, select, splat, sqrt, store, store_row


@njit(nogil=True)
def _lost(u, v, i, first, gone, offsets, steps, lengths):
    """Σ |ξ| s² + 2 s n·v of the bonds of particle i that have just broken: ``gone`` has bit ``first`` lowest."""
    total = 0.0
    for bit in range(first, min(first + 32, len(steps))):
        if (gone >> (bit - first)) & 1:
            q = moved = 0.0
            for k in range(len(u)):
                e = float(u[k, i + steps[bit]]) - float(u[k, i])
                q += e * (2 * offsets[bit, k] + e)
                moved += (offsets[bit, k] + e) * float(v[k, i])
            p = q / lengths[bit] ** 2
            r = math.sqrt(1 + p)
            s = p / (r + 1)
            total += lengths[bit] * s * s + 2 * s / (r * lengths[bit]) * moved
    return total


@njit(nogil=True)
def _loaded(u, out, v, i, given, stiffness, kick, pull, before, work):
    """What a load makes of particle i after its free step; given: (4, d), as in ``bonds.cu``; work: one number."""
    for k in range(len(u)):
        if given[1, k] != 0:
            v[k, i] = given[3, k]
            out[k, i] = given[2, k]
            force = (v[k, i] - before[k]) - stiffness * pull[k]
        else:
            v[k, i] += kick * given[0, k]
            out[k, i] = u[k, i] + v[k, i]
            force = given[0, k]
        work[i] += 0.5 * float(force) * (float(before[k]) + float(v[k, i]))


@njit(nogil=True)
def _damped(v, i, given, decay, before):
    """What damping took from particle i, whose axes are held where ``given[1]`` is not 0."""
    total = 0.0
    for k in range(len(v)):
        if given[1, k] == 0:
            total += (float(before[k]) + float(v[k, i])) ** 2
    return 0.5 * (1 - float(decay)) / (1 + float(decay)) * total


def _compiled(sources: int) -> Any:
    """(step in 2D, step in 3D); ``sources`` is a digest of the other files' code in them, for Numba's cache."""

    @njit(parallel=True, nogil=True, cache=True)
    def advance_2d(
        u, out, v, words, breakable, kind, table, offsets, real_offsets, steps, lengths, factors, orbits, work, loss,
        damped, counts, rows, pitch, base, stiffness, limit, kick, decay, bands,
    ):  # fmt: skip
        """Arrays as in ``bonds.cu``; words, breakable: flat; table: (kinds, 4, 2) of this step; real_offsets:
        (bonds, 2); factors: (bonds, 2) 1/|ξ|² and 1/|ξ|; orbits: (3) of 8, 4, 2; counts: nx, ny, nz."""
        width, size, bonds = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(steps)
        nx, ny = counts[0], counts[1]
        for band in prange(bands):
            scratch = np.empty((2 * bonds, width), u.dtype)
            were = np.empty(width, np.uint32)
            pulls, before = np.empty((2, width), u.dtype), np.empty((2, width), u.dtype)
            for y in range(band * ny // bands, (band + 1) * ny // bands):
                for x in range(0, nx, width):
                    i = base + y * pitch + x
                    ux, uy = load_row(u, 0, i), load_row(u, 1, i)
                    for first in range(0, bonds, 32):
                        at = first // 32 * size + i
                        old = load_like(ux, words, at)
                        word, weak = old, load_like(ux, breakable, at)
                        for bit in range(first, min(first + 32, bonds)):
                            a, b = real_offsets[bit, 0], real_offsets[bit, 1]
                            there, mask = i + steps[bit], 1 << (bit - first)
                            ex, ey = load_row(u, 0, there) - ux, load_row(u, 1, there) - uy
                            p = (ex * ((a + a) + ex) + ey * ((b + b) + ey)) * factors[bit, 0]
                            word = word - (word & select(p > limit, weak & mask, 0))
                            r1 = p + 1.0
                            g = p / (sqrt(r1) + r1) * factors[bit, 1]
                            live = (word & mask) != 0
                            store_row(scratch, bit, 0, select(live, g * (ex + a), 0.0))
                            store_row(scratch, bonds + bit, 0, select(live, g * (ey + b), 0.0))
                        if any_lane(word != old):
                            store(words, at, word)
                            store(were, 0, old)
                            for lane in range(width):
                                gone = were[lane] & ~words[at + lane]
                                lost = _lost(u, v, i + lane, first, gone, offsets, steps, lengths)
                                loss[i + lane] += 0.25 * stiffness * lost
                    for k in range(2):
                        total, row = splat(ux, 0.0), k * bonds
                        for _ in range(orbits[1]):
                            total = total + (
                                (load_row(scratch, row, 0) + load_row(scratch, row + 1, 0))
                                + (load_row(scratch, row + 2, 0) + load_row(scratch, row + 3, 0))
                            )
                            row += 4
                        for _ in range(orbits[2]):
                            total = total + (load_row(scratch, row, 0) + load_row(scratch, row + 1, 0))
                            row += 2
                        velocity = load_row(v, k, i)
                        store_row(pulls, k, 0, total)
                        store_row(before, k, 0, velocity)
                        velocity = velocity * decay + total * stiffness * kick
                        store_row(v, k, i, velocity)
                        store_row(out, k, i, load_row(u, k, i) + velocity)
                    if any_lane(load_like(ux, kind, i) != 0):
                        for lane in range(width):
                            which = kind[i + lane]
                            if which:
                                _loaded(
                                    u, out, v, i + lane, table[which], stiffness, kick, pulls[:, lane],
                                    before[:, lane], work,
                                )  # fmt: skip
                    if decay != 1:
                        for lane in range(width):
                            given = table[kind[i + lane]]
                            damped[i + lane] += _damped(v, i + lane, given, decay, before[:, lane])

    @njit(parallel=True, nogil=True, cache=True)
    def advance_3d(
        u, out, v, words, breakable, kind, table, offsets, real_offsets, steps, lengths, factors, orbits, work, loss,
        damped, counts, rows, pitch, base, stiffness, limit, kick, decay, bands,
    ):  # fmt: skip
        """As ``advance_2d``; table: (kinds, 4, 3), real_offsets: (bonds, 3)."""
        width, size, bonds = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(steps)
        nx, ny, nz = counts[0], counts[1], counts[2]
        for band in prange(bands):
            scratch = np.empty((3 * bonds, width), u.dtype)
            were = np.empty(width, np.uint32)
            pulls, before = np.empty((3, width), u.dtype), np.empty((3, width), u.dtype)
            for line in range(band * ny * nz // bands, (band + 1) * ny * nz // bands):
                for x in range(0, nx, width):
                    i = base + (line // ny * rows + line % ny) * pitch + x
                    ux, uy, uz = load_row(u, 0, i), load_row(u, 1, i), load_row(u, 2, i)
                    for first in range(0, bonds, 32):
                        at = first // 32 * size + i
                        old = load_like(ux, words, at)
                        word, weak = old, load_like(ux, breakable, at)
                        for bit in range(first, min(first + 32, bonds)):
                            a, b, c = real_offsets[bit, 0], real_offsets[bit, 1], real_offsets[bit, 2]
                            there, mask = i + steps[bit], 1 << (bit - first)
                            ex, ey = load_row(u, 0, there) - ux, load_row(u, 1, there) - uy
                            ez = load_row(u, 2, there) - uz
                            q = ex * ((a + a) + ex) + ey * ((b + b) + ey) + ez * ((c + c) + ez)
                            p = q * factors[bit, 0]
                            word = word - (word & select(p > limit, weak & mask, 0))
                            r1 = p + 1.0
                            g = p / (sqrt(r1) + r1) * factors[bit, 1]
                            live = (word & mask) != 0
                            store_row(scratch, bit, 0, select(live, g * (ex + a), 0.0))
                            store_row(scratch, bonds + bit, 0, select(live, g * (ey + b), 0.0))
                            store_row(scratch, 2 * bonds + bit, 0, select(live, g * (ez + c), 0.0))
                        if any_lane(word != old):
                            store(words, at, word)
                            store(were, 0, old)
                            for lane in range(width):
                                gone = were[lane] & ~words[at + lane]
                                lost = _lost(u, v, i + lane, first, gone, offsets, steps, lengths)
                                loss[i + lane] += 0.25 * stiffness * lost
                    for k in range(3):
                        total, row = splat(ux, 0.0), k * bonds
                        for _ in range(orbits[0]):
                            near = (load_row(scratch, row, 0) + load_row(scratch, row + 1, 0)) + (
                                load_row(scratch, row + 2, 0) + load_row(scratch, row + 3, 0)
                            )
                            far = (load_row(scratch, row + 4, 0) + load_row(scratch, row + 5, 0)) + (
                                load_row(scratch, row + 6, 0) + load_row(scratch, row + 7, 0)
                            )
                            total = total + (near + far)
                            row += 8
                        for _ in range(orbits[1]):
                            total = total + (
                                (load_row(scratch, row, 0) + load_row(scratch, row + 1, 0))
                                + (load_row(scratch, row + 2, 0) + load_row(scratch, row + 3, 0))
                            )
                            row += 4
                        for _ in range(orbits[2]):
                            total = total + (load_row(scratch, row, 0) + load_row(scratch, row + 1, 0))
                            row += 2
                        velocity = load_row(v, k, i)
                        store_row(pulls, k, 0, total)
                        store_row(before, k, 0, velocity)
                        velocity = velocity * decay + total * stiffness * kick
                        store_row(v, k, i, velocity)
                        store_row(out, k, i, load_row(u, k, i) + velocity)
                    if any_lane(load_like(ux, kind, i) != 0):
                        for lane in range(width):
                            which = kind[i + lane]
                            if which:
                                _loaded(
                                    u, out, v, i + lane, table[which], stiffness, kick, pulls[:, lane],
                                    before[:, lane], work,
                                )  # fmt: skip
                    if decay != 1:
                        for lane in range(width):
                            given = table[kind[i + lane]]
                            damped[i + lane] += _damped(v, i + lane, given, decay, before[:, lane])

    return advance_2d, advance_3d


def _digest() -> int:
    return int.from_bytes(hashlib.sha256(Path(vector_math.__file__).read_bytes()).digest()[:7], "big")


advance_2d, advance_3d = _compiled(_digest())


@njit(cache=True, nogil=True, parallel=True)
def measure(u, words, offsets, steps, lengths, energy, kick, places, stiffness):
    """energy: (size), ¼ K Σ |ξ| s² over the intact bonds of each of ``places: (n)``; kick: (d, size), K Σ s n."""
    size, d = u.shape[1], len(u)
    for index in prange(len(places)):
        i = places[index]
        strain = 0.0
        sums = np.zeros(3)
        e = np.zeros(3)
        for bit in range(len(steps)):
            if (words[bit // 32 * size + i] >> (bit % 32)) & 1:
                q = 0.0
                for k in range(d):
                    e[k] = float(u[k, i + steps[bit]]) - float(u[k, i])
                    q += e[k] * (2 * offsets[bit, k] + e[k])
                p = q / lengths[bit] ** 2
                r = math.sqrt(1 + p)
                s = p / (r + 1)
                strain += lengths[bit] * s * s
                for k in range(d):
                    sums[k] += s / (r * lengths[bit]) * (offsets[bit, k] + e[k])
        energy[i] = 0.25 * stiffness * strain
        for k in range(d):
            kick[k, i] = stiffness * sums[k]


@njit(cache=True, nogil=True, parallel=True)
def damage(words, whole, out, places):
    """(1 − intact bonds/bonds of the uncut family) of each of ``places: (n)``; whole, out: (size)."""
    size, count = len(out), len(words) // len(out)
    for index in prange(len(places)):
        i = places[index]
        intact = 0
        for k in range(count):
            word = words[k * size + i]
            while word:
                word &= word - np.uint32(1)
                intact += 1
        out[i] = 1.0 - intact / whole[i] if whole[i] > 0 else 0.0
