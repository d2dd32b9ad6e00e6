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
def _bond(u, v, i, bit, offsets, steps, lengths):
    """(stretch, s/(1 + s), energy over weight half a step ago) of a bond of particle i, as in ``bonds.cu``."""
    q = moved = 0.0
    for k in range(len(u)):
        e = float(u[k, i + steps[bit]]) - float(u[k, i])
        q += e * (2 * offsets[bit, k] + e)
        moved += (offsets[bit, k] + e) * float(v[k, i])
    p = q / lengths[bit] ** 2
    r = math.sqrt(1 + p)
    s = p / (r + 1)
    return s, s / r, lengths[bit] * s * s + 2 * s / (r * lengths[bit]) * moved


@njit(nogil=True)
def _lost(u, v, i, first, gone, offsets, steps, lengths, weights, general, factor_of):
    """Σ (|ξ| s² + 2 s n·v) of the bonds of particle i that have just broken: ``gone`` has bit ``first`` lowest."""
    total = 0.0
    for bit in range(first, min(first + 32, len(steps))):
        if (gone >> (bit - first)) & 1:
            weight = float(factor_of[bit, i]) * lengths[bit] if general else weights[bit]
            total += weight * _bond(u, v, i, bit, offsets, steps, lengths)[2]
    return total


@njit(nogil=True)
def _soften(
    u, v, i, lane, first, asked, words, soft, history, at, scratch, offsets, steps, lengths, weights, general,
    factor_of, law, laws, material, materials,
):  # fmt: skip
    """Asks the law for the bonds ``asked`` of particle i, writes their forces to the scratch rows and their bits.

    Returns what they lost, as ``_lost`` counts it.
    """
    total = 0.0
    bonds = len(steps)
    for bit in range(first, min(first + 32, bonds)):
        if (asked >> (bit - first)) & 1:
            weight = float(factor_of[bit, i]) * lengths[bit] if general else weights[bit]
            there = i + steps[bit]
            s, g, energy = _bond(u, v, i, bit, offsets, steps, lengths)
            was = float(history[bit, i])
            now = was
            mask = np.uint32(1) << np.uint32(bit - first)
            soft[at] |= mask
            if s > 0:
                which = material[i] * materials + material[there] if materials > 1 else 0
                now = max(was, law(s, was, laws[which]))
                if now > was:
                    history[bit, i] = min(now, 1.0)
                    now = float(history[bit, i])
                    total += (now - was) * weight * energy
                if now >= 1:
                    words[at] &= ~mask
                    soft[at] &= ~mask
                g *= 1 - now
            force = g * weight / lengths[bit]
            for k in range(len(u)):
                e = float(u[k, there]) - float(u[k, i])
                scratch[k * bonds + bit, lane] = force * (offsets[bit, k] + e)
    return total


@njit(nogil=True)
def _loaded(u, out, v, i, given, stiffness, kick, pull, before, work, light):
    """What a load makes of particle i after its free step; given: (4, d), as in ``bonds.cu``; work: one number; light:
    1 over its mass."""
    for k in range(len(u)):
        if given[1, k] != 0:
            v[k, i] = given[3, k]
            out[k, i] = given[2, k]
            force = (v[k, i] - before[k]) / light - stiffness * pull[k]
        else:
            v[k, i] += kick * light * given[0, k]
            out[k, i] = u[k, i] + v[k, i]
            force = given[0, k]
        work[i] += 0.5 * float(force) * (float(before[k]) + float(v[k, i]))


@njit(nogil=True)
def _damped(v, i, given, decay, before, light):
    """What damping took from particle i, whose axes are held where ``given[1]`` is not 0."""
    total = 0.0
    for k in range(len(v)):
        if given[1, k] == 0:
            total += (float(before[k]) + float(v[k, i])) ** 2
    return 0.5 * (1 - float(decay)) / ((1 + float(decay)) * float(light)) * total


def _compiled(sources: int) -> Any:
    """(step in 2D, step in 3D); ``sources`` is a digest of the other files' code in them, for Numba's cache."""

    @njit(parallel=True, nogil=True, cache=True)
    def advance_2d(
        u, out, v, words, breakable, kind, table, offsets, real_offsets, steps, lengths, factors, orbits, work, loss,
        damped, counts, rows, pitch, base, stiffness, limit, kick, decay, bands,
        weights, general, factor_of, limit_of, light_of, softening, soft, history, law, laws, material, materials,
    ):  # fmt: skip
        """Arrays as in ``bonds.cu``; words, breakable: flat; table: (kinds, 4, 2) of this step; real_offsets:
        (bonds, 2); factors: (bonds, 2) 1/|ξ|² and weight over |ξ|; orbits: (3) of 8, 4, 2; counts: nx, ny, nz.

        weights: (bonds,) float64. If ``general``, factor_of, limit_of: (bonds, size) weight over |ξ| and limit of p of
        each bond and light_of: (1, size) 1 over the mass of each particle, else a single 1. If ``softening``, soft as
        words, history: (bonds, size), law: a C function with parameters ``laws: (materials², p)``, material: (size)."""
        one = light_of[0, 0]
        width, size, bonds = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(steps)
        nx, ny = counts[0], counts[1]
        for band in prange(bands):
            scratch = np.empty((2 * bonds, width), u.dtype)
            left = np.empty(width, np.uint32)
            pulls, before = np.empty((2, width), u.dtype), np.empty((2, width), u.dtype)
            for y in range(band * ny // bands, (band + 1) * ny // bands):
                for x in range(0, nx, width):
                    i = base + y * pitch + x
                    ux, uy = load_row(u, 0, i), load_row(u, 1, i)
                    for first in range(0, bonds, 32):
                        at = first // 32 * size + i
                        held = load_like(ux, words, at)
                        word, weak = held, load_like(ux, breakable, at)
                        if softening:
                            word = held - (held & load_like(ux, soft, at))
                        for bit in range(first, min(first + 32, bonds)):
                            a, b = real_offsets[bit, 0], real_offsets[bit, 1]
                            there, mask = i + steps[bit], 1 << (bit - first)
                            ex, ey = load_row(u, 0, there) - ux, load_row(u, 1, there) - uy
                            p = (ex * ((a + a) + ex) + ey * ((b + b) + ey)) * factors[bit, 0]
                            most, weight = splat(ux, limit), splat(ux, factors[bit, 1])
                            if general:
                                most, weight = load_row(limit_of, bit, i), load_row(factor_of, bit, i)
                            word = word - (word & select(p > most, weak & mask, 0))
                            r1 = p + 1.0
                            g = p / (sqrt(r1) + r1) * weight
                            live = (word & mask) != 0
                            store_row(scratch, bit, 0, select(live, g * (ex + a), 0.0))
                            store_row(scratch, bonds + bit, 0, select(live, g * (ey + b), 0.0))
                        if any_lane(word != held):
                            store(left, 0, word)
                            for lane in range(width):
                                place = at + lane
                                gone = words[place] & ~left[lane]
                                if gone == 0:
                                    continue
                                if softening:
                                    lost = _soften(
                                        u, v, i + lane, lane, first, gone, words, soft, history, place, scratch,
                                        offsets, steps, lengths, weights, general, factor_of, law, laws, material,
                                        materials,
                                    )  # fmt: skip
                                else:
                                    words[place] = left[lane]
                                    lost = _lost(
                                        u, v, i + lane, first, gone, offsets, steps, lengths, weights, general,
                                        factor_of,
                                    )  # fmt: skip
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
                        per_mass = total * load_row(light_of, 0, i) if general else total
                        velocity = velocity * decay + per_mass * stiffness * kick
                        store_row(v, k, i, velocity)
                        store_row(out, k, i, load_row(u, k, i) + velocity)
                    if any_lane(load_like(ux, kind, i) != 0):
                        for lane in range(width):
                            which = kind[i + lane]
                            if which:
                                _loaded(
                                    u, out, v, i + lane, table[which], stiffness, kick, pulls[:, lane],
                                    before[:, lane], work, light_of[0, i + lane] if general else one,
                                )  # fmt: skip
                    if decay != 1:
                        for lane in range(width):
                            given = table[kind[i + lane]]
                            light = light_of[0, i + lane] if general else one
                            damped[i + lane] += _damped(v, i + lane, given, decay, before[:, lane], light)

    @njit(parallel=True, nogil=True, cache=True)
    def advance_3d(
        u, out, v, words, breakable, kind, table, offsets, real_offsets, steps, lengths, factors, orbits, work, loss,
        damped, counts, rows, pitch, base, stiffness, limit, kick, decay, bands,
        weights, general, factor_of, limit_of, light_of, softening, soft, history, law, laws, material, materials,
    ):  # fmt: skip
        """As ``advance_2d``; table: (kinds, 4, 3), real_offsets: (bonds, 3)."""
        one = light_of[0, 0]
        width, size, bonds = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(steps)
        nx, ny, nz = counts[0], counts[1], counts[2]
        for band in prange(bands):
            scratch = np.empty((3 * bonds, width), u.dtype)
            left = np.empty(width, np.uint32)
            pulls, before = np.empty((3, width), u.dtype), np.empty((3, width), u.dtype)
            for line in range(band * ny * nz // bands, (band + 1) * ny * nz // bands):
                for x in range(0, nx, width):
                    i = base + (line // ny * rows + line % ny) * pitch + x
                    ux, uy, uz = load_row(u, 0, i), load_row(u, 1, i), load_row(u, 2, i)
                    for first in range(0, bonds, 32):
                        at = first // 32 * size + i
                        held = load_like(ux, words, at)
                        word, weak = held, load_like(ux, breakable, at)
                        if softening:
                            word = held - (held & load_like(ux, soft, at))
                        for bit in range(first, min(first + 32, bonds)):
                            a, b, c = real_offsets[bit, 0], real_offsets[bit, 1], real_offsets[bit, 2]
                            there, mask = i + steps[bit], 1 << (bit - first)
                            ex, ey = load_row(u, 0, there) - ux, load_row(u, 1, there) - uy
                            ez = load_row(u, 2, there) - uz
                            q = ex * ((a + a) + ex) + ey * ((b + b) + ey) + ez * ((c + c) + ez)
                            p = q * factors[bit, 0]
                            most, weight = splat(ux, limit), splat(ux, factors[bit, 1])
                            if general:
                                most, weight = load_row(limit_of, bit, i), load_row(factor_of, bit, i)
                            word = word - (word & select(p > most, weak & mask, 0))
                            r1 = p + 1.0
                            g = p / (sqrt(r1) + r1) * weight
                            live = (word & mask) != 0
                            store_row(scratch, bit, 0, select(live, g * (ex + a), 0.0))
                            store_row(scratch, bonds + bit, 0, select(live, g * (ey + b), 0.0))
                            store_row(scratch, 2 * bonds + bit, 0, select(live, g * (ez + c), 0.0))
                        if any_lane(word != held):
                            store(left, 0, word)
                            for lane in range(width):
                                place = at + lane
                                gone = words[place] & ~left[lane]
                                if gone == 0:
                                    continue
                                if softening:
                                    lost = _soften(
                                        u, v, i + lane, lane, first, gone, words, soft, history, place, scratch,
                                        offsets, steps, lengths, weights, general, factor_of, law, laws, material,
                                        materials,
                                    )  # fmt: skip
                                else:
                                    words[place] = left[lane]
                                    lost = _lost(
                                        u, v, i + lane, first, gone, offsets, steps, lengths, weights, general,
                                        factor_of,
                                    )  # fmt: skip
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
                        per_mass = total * load_row(light_of, 0, i) if general else total
                        velocity = velocity * decay + per_mass * stiffness * kick
                        store_row(v, k, i, velocity)
                        store_row(out, k, i, load_row(u, k, i) + velocity)
                    if any_lane(load_like(ux, kind, i) != 0):
                        for lane in range(width):
                            which = kind[i + lane]
                            if which:
                                _loaded(
                                    u, out, v, i + lane, table[which], stiffness, kick, pulls[:, lane],
                                    before[:, lane], work, light_of[0, i + lane] if general else one,
                                )  # fmt: skip
                    if decay != 1:
                        for lane in range(width):
                            given = table[kind[i + lane]]
                            light = light_of[0, i + lane] if general else one
                            damped[i + lane] += _damped(v, i + lane, given, decay, before[:, lane], light)

    return advance_2d, advance_3d


def _digest() -> int:
    return int.from_bytes(hashlib.sha256(Path(vector_math.__file__).read_bytes()).digest()[:7], "big")


advance_2d, advance_3d = _compiled(_digest())


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
