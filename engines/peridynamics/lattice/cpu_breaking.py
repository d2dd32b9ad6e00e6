"""Bonds that break or soften, on the CPU: a row of particles (one SIMD vector along x) at a time, in float64."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import math

import numpy as np
from numba import njit, types
from numba.core import cgutils, sigutils
from numba.extending import intrinsic

from engines.backend.vector_math import lanes, load, load_row, sqrt, store, store_row
from engines.peridynamics.material.laws.code import SIGNATURE

PLACES = np.full(37, -1)
"""Of the bit in a number of one bit, by what is left of it after division by 37."""
PLACES[[(1 << bit) % 37 for bit in range(32)]] = np.arange(32)


@intrinsic
def function_at(typingctx, address):
    """The law whose C function is at ``address``: to hand over the function itself takes Python 10 µs at each call."""
    arguments_of, result = sigutils.normalize_signature(SIGNATURE)
    kind = types.FunctionType(result(*arguments_of))

    def generate(context, builder, signature, arguments):
        function = cgutils.create_struct_proxy(kind)(context, builder)
        function.py_addr = function.jit_addr = context.get_constant_null(types.voidptr)
        function.c_addr = builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))
        return function._getvalue()

    return kind(types.intp), generate


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
def break_bonds(u, v, i, first, left, particles, bonds, pairs):
    """Takes the bonds of a row of particles from i on that are in the word of bit ``first`` and not in ``left``,
    (lanes,), and adds what they lost to ``loss``: K/4 Σ (|ξ| s² + 2 s n·v). Arguments as in ``cpu_arguments.py``.

    Of each bond that breaks u of both ends is read, and v of the particle: 24 bytes in 2D, float32; loss once.
    """
    words, offsets, steps, lengths = particles.words, bonds.offsets, bonds.steps, bonds.lengths
    at = first // 32 * u.shape[1] + i
    for lane in range(len(left)):
        here, gone, lost = i + lane, words[at + lane] & ~left[lane], 0.0
        words[at + lane] = left[lane]
        if gone:
            for bit in range(first, min(first + 32, len(steps))):
                if (gone >> np.uint32(bit - first)) & 1:
                    weight = float(pairs.factor_of[bit, here]) * lengths[bit] if pairs.general else bonds.weights[bit]
                    lost += weight * pull_of(u, v, here, bit, offsets, steps, lengths)[2]
            particles.loss[here] += 0.25 * bonds.stiffness * lost


@njit(nogil=True)
def soften(u, v, i, first, left, particles, bonds, pairs, softening, scratch, asked_for):
    """Asks the law, once, for the bonds of a row of particles from i on that soften: those in the word of bit ``first``
    and not in ``left``, (lanes,). Takes their damage d from the forces in the scratch rows, (1 − d) of each is left,
    and what is gone from the bits; adds to ``loss`` what they lost, as ``break_bonds`` counts it.

    Arguments as in ``cpu_arguments.py``; asked_for: lists of a bond each, of :func:`lists`. Of each
    such bond u of both ends, v of the particle and the damage are read, 28 bytes in 2D and float32, and the damage
    written where it grows.
    """
    words, soft, history, loss = particles.words, softening.soft, softening.damage, particles.loss
    offsets, steps, lengths, material = bonds.offsets, bonds.steps, bonds.lengths, softening.material
    materials, general, at = softening.materials, pairs.general, first // 32 * u.shape[1] + i
    kept, stretches, damages, energies, far, bits, lanes_of, which = asked_for
    count, number, solid, some = 0, len(steps), len(u) == 3, np.uint32(0)
    for lane in range(len(left)):
        some |= words[at + lane] & ~left[lane]
    for bit in range(first, min(first + 32, number)):
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
    function_at(softening.law)(stretches, damages, which, softening.laws, count)
    for n in range(count):
        bit, lane = bits[n], lanes_of[n]
        here = i + lane
        was = now = float(kept[bit - first, lane])
        if damages[n] > was:
            history[bit, here] = min(damages[n], 1.0)
            now = float(history[bit, here])
            weight = float(pairs.factor_of[bit, here]) * lengths[bit] if general else bonds.weights[bit]
            loss[here] += 0.25 * bonds.stiffness * (now - was) * weight * energies[n]
            if now >= 1:
                mask = np.uint32(1) << np.uint32(bit - first)
                words[at + lane] &= ~mask
                soft[at + lane] &= ~mask
        for k in range(len(u)):
            scratch[k * number + bit, lane] *= 1 - now


@njit(nogil=True)
def lists(bonds, like):
    """What ``soften`` works in. kept: (bonds, lanes); lists of stretch, damage, energy, length; of bit, lane, and
    which parameters of the law are its, for all of them."""
    kept = np.empty((bonds, lanes(like)), like.dtype)
    bits, lanes_of, which = np.empty(kept.size, np.int64), np.empty(kept.size, np.int64), np.empty(kept.size, np.int64)
    stretches, damages, energies = np.zeros(kept.size), np.zeros(kept.size), np.zeros(kept.size)
    return kept, stretches, damages, energies, np.ones(kept.size), bits, lanes_of, which
