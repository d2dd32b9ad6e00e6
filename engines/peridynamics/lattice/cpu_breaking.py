"""Bonds that break or soften, on the CPU: a row of particles (one SIMD vector along x) at a time, in float64."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import math

import numpy as np
from numba import njit

from engines.backend.vector_math import lanes, load, load_row, sqrt, store, store_row

PLACES = np.full(37, -1)
"""Of the bit in a number of one bit, by what is left of it after division by 37."""
PLACES[[(1 << bit) % 37 for bit in range(32)]] = np.arange(32)


@njit(nogil=True)
def pull_of(u, v, i, bit, offsets, steps, lengths):
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
def break_bonds(
    u, v, i, first, at, left, words, offsets, steps, lengths, weights, general, factor_of, stiffness, loss
):  # fmt: skip
    """Takes the bonds of a row of particles from i on that are in ``words`` from ``at`` on and not in ``left``, and
    adds what they lost to ``loss``: K/4 Σ (|ξ| s² + 2 s n·v)."""
    for lane in range(len(left)):
        here, gone, lost = i + lane, words[at + lane] & ~left[lane], 0.0
        words[at + lane] = left[lane]
        if gone:
            for bit in range(first, min(first + 32, len(steps))):
                if (gone >> np.uint32(bit - first)) & 1:
                    weight = float(factor_of[bit, here]) * lengths[bit] if general else weights[bit]
                    lost += weight * pull_of(u, v, here, bit, offsets, steps, lengths)[2]
            loss[here] += 0.25 * stiffness * lost


@njit(nogil=True)
def soften(
    u, v, i, first, at, left, words, soft, history, scratch, asked_for, offsets, steps, lengths, weights, general,
    factor_of, law, laws, material, materials, stiffness, loss,
):  # fmt: skip
    """Asks the law, once, for the bonds of a row of particles from i on that soften: those in ``words`` from ``at`` on
    and not in ``left``. Takes their damage from the forces in the scratch rows, and what is gone from the bits; adds to
    ``loss`` what they lost, as ``break_bonds`` counts it. asked_for: lists of a bond each, of :func:`lists`.
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
def lists(bonds, like):
    """What ``soften`` works in. kept: (bonds, lanes); lists of stretch, damage, energy, length; of bit, lane, and
    which parameters of the law are its, for all of them."""
    kept = np.empty((bonds, lanes(like)), like.dtype)
    bits, lanes_of, which = np.empty(kept.size, np.int64), np.empty(kept.size, np.int64), np.empty(kept.size, np.int64)
    stretches, damages, energies = np.zeros(kept.size), np.zeros(kept.size), np.zeros(kept.size)
    return kept, stretches, damages, energies, np.ones(kept.size), bits, lanes_of, which
