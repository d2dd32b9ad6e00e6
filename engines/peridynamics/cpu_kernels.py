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

PLACES = np.full(37, -1)
"""Of the bit in a number of one bit, by what is left of it after division by 37."""
PLACES[[(1 << bit) % 37 for bit in range(32)]] = np.arange(32)


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
    u, v, i, first, at, left, words, soft, history, scratch, asked_for, offsets, steps, lengths, weights, general,
    factor_of, law, laws, material, materials, stiffness, loss,
):  # fmt: skip
    """Asks the law, once, for the bonds of a row of particles from i on that soften: those in ``words`` from ``at`` on
    and not in ``left``. Takes their damage from the forces in the scratch rows, and what is gone from the bits; adds to
    ``loss`` what they lost, as ``_lost`` counts it. asked_for: lists of a bond each, of :func:`_lists`.
    """
    kept, stretches, damages, energies, far, bits, lanes_of, which = asked_for
    count, bonds, solid, some = 0, len(steps), len(u) == 3, np.uint32(0)
    for lane in range(len(left)):
        some |= words[at + lane] & ~left[lane]
    for bit in range(first, min(first + 32, bonds)):
        if (some >> np.uint32(bit - first)) & 1:  # rows of memory: one bond after the other would wait for each
            store_row(kept, bit - first, 0, load_row(history, bit, i))
    for lane in range(len(left)):
        here, asked = i + lane, words[at + lane] & ~left[lane]
        soft[at + lane] |= asked
        while asked:
            low = asked & (~asked + np.uint32(1))
            asked ^= low
            place = PLACES[low % np.uint32(37)]
            bit = first + place
            there = here + steps[bit]
            a, b = float(offsets[bit, 0]), float(offsets[bit, 1])
            ex, ey = float(u[0, there]) - float(u[0, here]), float(u[1, there]) - float(u[1, here])
            q = ex * ((a + a) + ex) + ey * ((b + b) + ey)
            moved = (a + ex) * float(v[0, here]) + (b + ey) * float(v[1, here])
            if solid:
                c, ez = float(offsets[bit, 2]), float(u[2, there]) - float(u[2, here])
                q += ez * ((c + c) + ez)
                moved += (c + ez) * float(v[2, here])
            if q > 0:  # in compression a crack is closed: the bond is whole
                stretches[count], energies[count], far[count] = q, moved, lengths[bit]
                damages[count] = kept[place, lane]
                bits[count], lanes_of[count] = bit, lane
                which[count] = material[here] * materials + material[there] if materials > 1 else 0
                count += 1
    for n in range(0, count, lanes(far)):
        length = load(far, n)
        p = load(stretches, n) / (length * length)
        s = p / (sqrt(p + 1.0) + 1.0)
        store(stretches, n, s)
        store(energies, n, length * s * s + 2.0 * s / ((s + 1.0) * length) * load(energies, n))
    law(stretches, damages, which, laws, count)
    for n in range(count):
        bit, lane = bits[n], lanes_of[n]
        here = i + lane
        was = now = float(kept[bit - first, lane])
        if damages[n] > was:
            history[bit, here] = min(damages[n], 1.0)
            now = float(history[bit, here])
            weight = float(factor_of[bit, here]) * lengths[bit] if general else weights[bit]
            loss[here] += 0.25 * stiffness * (now - was) * weight * energies[n]
            if now >= 1:
                mask = np.uint32(1) << np.uint32(bit - first)
                words[at + lane] &= ~mask
                soft[at + lane] &= ~mask
        for k in range(len(u)):
            scratch[k * bonds + bit, lane] *= 1 - now


@njit(nogil=True)
def _lists(bonds, like):
    """What ``_soften`` works in. kept: (bonds, lanes); lists of stretch, damage, energy, length; of bit, lane, and
    which parameters of the law are its, for all of them."""
    kept = np.empty((bonds, lanes(like)), like.dtype)
    bits, lanes_of, which = np.empty(kept.size, np.int64), np.empty(kept.size, np.int64), np.empty(kept.size, np.int64)
    stretches, damages, energies = np.zeros(kept.size), np.zeros(kept.size), np.zeros(kept.size)
    return kept, stretches, damages, energies, np.ones(kept.size), bits, lanes_of, which


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
def _damp(v, i, kind, table, decay, before, light_of, general, damped):
    """Adds what damping took from a row of particles from i on, whose axes are held where a table's row 1 is not 0."""
    share, loads = 0.5 * (1 - float(decay)) / (1 + float(decay)), False
    for lane in range(before.shape[1]):
        loads |= kind[i + lane] != 0
    for lane in range(before.shape[1]):
        total = 0.0
        for k in range(len(v)):
            if not loads or table[kind[i + lane], 1, k] == 0:
                total += (float(before[k, lane]) + float(v[k, i + lane])) ** 2
        damped[i + lane] += share * total / (float(light_of[0, i + lane]) if general else 1.0)


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
            left, asked_for = np.empty(width, np.uint32), _lists(32 if softening else 0, u[0])
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
                            live = ((held if softening else word) & mask) != 0
                            store_row(scratch, bit, 0, select(live, g * (ex + a), 0.0))
                            store_row(scratch, bonds + bit, 0, select(live, g * (ey + b), 0.0))
                        if any_lane(word != held):
                            store(left, 0, word)
                            if softening:
                                _soften(
                                    u, v, i, first, at, left, words, soft, history, scratch, asked_for, real_offsets,
                                    steps, lengths, weights, general, factor_of, law, laws, material, materials,
                                    stiffness, loss,
                                )  # fmt: skip
                                continue
                            for lane in range(width):
                                place = at + lane
                                gone = words[place] & ~left[lane]
                                if gone:
                                    words[place] = left[lane]
                                    loss[i + lane] += 0.25 * stiffness * _lost(
                                        u, v, i + lane, first, gone, offsets, steps, lengths, weights, general,
                                        factor_of,
                                    )  # fmt: skip
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
                        _damp(v, i, kind, table, decay, before, light_of, general, damped)

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
            left, asked_for = np.empty(width, np.uint32), _lists(32 if softening else 0, u[0])
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
                            live = ((held if softening else word) & mask) != 0
                            store_row(scratch, bit, 0, select(live, g * (ex + a), 0.0))
                            store_row(scratch, bonds + bit, 0, select(live, g * (ey + b), 0.0))
                            store_row(scratch, 2 * bonds + bit, 0, select(live, g * (ez + c), 0.0))
                        if any_lane(word != held):
                            store(left, 0, word)
                            if softening:
                                _soften(
                                    u, v, i, first, at, left, words, soft, history, scratch, asked_for, real_offsets,
                                    steps, lengths, weights, general, factor_of, law, laws, material, materials,
                                    stiffness, loss,
                                )  # fmt: skip
                                continue
                            for lane in range(width):
                                place = at + lane
                                gone = words[place] & ~left[lane]
                                if gone:
                                    words[place] = left[lane]
                                    loss[i + lane] += 0.25 * stiffness * _lost(
                                        u, v, i + lane, first, gone, offsets, steps, lengths, weights, general,
                                        factor_of,
                                    )  # fmt: skip
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
                        _damp(v, i, kind, table, decay, before, light_of, general, damped)

    return advance_2d, advance_3d


def _digest() -> int:
    return int.from_bytes(hashlib.sha256(Path(vector_math.__file__).read_bytes()).digest()[:7], "big")


advance_2d, advance_3d = _compiled(_digest())


@njit(cache=True, nogil=True, parallel=True)
def measure(
    u, words, offsets, steps, lengths, energy, kick, places, stiffness, weights, general, factor_of, light_of,
    softening, soft, history,
):  # fmt: skip
    """energy: (size), ¼ K Σ |ξ| s² over the bonds of each of ``places: (n)``; kick: (d, size), K Σ s n over
    its mass."""
    size, d = u.shape[1], len(u)
    for index in prange(len(places)):
        i = places[index]
        strain = 0.0
        sums = np.zeros(3)
        for bit in range(len(steps)):
            at = bit // 32 * size + i
            if (words[at] >> (bit % 32)) & 1:
                s, g, _ = _bond(u, u, i, bit, offsets, steps, lengths)
                weight = float(factor_of[bit, i]) * lengths[bit] if general else weights[bit]
                if softening and s > 0 and (soft[at] >> (bit % 32)) & 1:
                    weight *= 1 - float(history[bit, i])
                strain += weight * lengths[bit] * s * s
                for k in range(d):
                    e = float(u[k, i + steps[bit]]) - float(u[k, i])
                    sums[k] += weight * g / lengths[bit] * (offsets[bit, k] + e)
        energy[i] = 0.25 * stiffness * strain
        light = float(light_of[0, i]) if general else 1.0
        for k in range(d):
            kick[k, i] = stiffness * light * sums[k]


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
