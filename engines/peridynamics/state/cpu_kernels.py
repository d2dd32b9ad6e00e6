"""The two passes of ``state.cu`` in Numba: one SIMD vector of particles along x at a time, all bonds of each.

A bond's term is written to a scratch row and the orbits are summed afterwards, as in the bond-based kernels. Plates and
blocks share the code: what is of the third axis is skipped where there is none.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.backend import vector_math
from engines.backend.compile.digest import digest
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
from engines.peridynamics.lattice import cpu_arguments, cpu_rows
from engines.peridynamics.lattice.cpu_arguments import Pairs, Rows
from engines.peridynamics.lattice.cpu_rows import move_row, over_family


class Bonds(NamedTuple):
    """The family of a particle.

    offsets: (bonds, 3) ξ in spacings; steps: (bonds,) from a place to that of the neighbour; lengths: (bonds, 3)
    float64 |ξ|, 1/|ξ|² and ω; factors: (bonds, 3) ω|ξ|², 1/|ξ|² and ω; eights, fours, twos: how many orbits there are
    of so many members; limit of p.
    """

    offsets: Array
    steps: Array
    lengths: Array
    factors: Array
    eights: int
    fours: int
    twos: int
    limit: Any


class Solid(NamedTuple):
    """stiffness β, dilation γ, state φ: (size,) of each particle."""

    dilation: Array
    stiffness: Array
    state: Array


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
def _lose(u, v, i, were, particles, bonds, solid):
    """Adds to ``loss`` what particle i has lost, as ``lost`` in ``state.cu`` counts it; were: (words) bits before."""
    words = particles.words
    offsets, steps, lengths = bonds.offsets, bonds.steps, bonds.lengths
    dilation, stiffness = solid.dilation[i], solid.stiffness[i]
    whole = whole_rate = left = left_rate = gone = 0.0
    way, size = np.zeros(3), u.shape[1]
    for bit in range(len(steps)):
        if (were[bit // 32] >> (bit % 32)) & 1:
            there, length, weight = i + steps[bit], lengths[bit, 0], lengths[bit, 2]
            s, w = _bond(u, i, there, offsets[bit], lengths[bit, 1], way)
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
    particles.loss[i] += 0.5 * (
        dilation * (whole * (whole - whole_rate) - left * (left - left_rate)) + stiffness * gone
    )


def _compiled_dilate(sources: int) -> Any:
    """The first pass; ``sources`` is a digest of the other files' code in it, for Numba's cache."""

    @njit(parallel=True, nogil=True, cache=True)
    def dilate(u, v, particles, solid, bonds, place):
        """S = Σ ω|ξ|² s and φ = γ S of each particle; bonds break for good where p = η·(2ξ + η)/|ξ|² > limit.

        u, v: (d, size), v half a step old; particles, place: as in ``lattice/cpu_arguments.py``. Per particle u, words,
        breakable and γ are read once from memory, φ written: 2D float32 24 bytes, 3D 52 (m = 3).
        """
        words, breakable, limit = particles.words, particles.breakable, bonds.limit
        dilation, state = solid.dilation, solid.state
        offsets, steps, factors = bonds.offsets, bonds.steps, bonds.factors
        nx, ny, nz, pitch, room, base, bands = place
        lines = ny * nz
        width, size, number = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(steps)
        compact, last, parts = len(u) == 3, len(u) - 1, -(-len(steps) // 32)
        for band in prange(bands):
            scratch = np.empty((number, width), u.dtype)
            were = np.empty((parts, width), np.uint32)
            for line in range(band * lines // bands, (band + 1) * lines // bands):
                for x in range(0, nx, width):
                    i = base + (line // ny * room + line % ny) * pitch + x
                    ux, uy, uz = load_row(u, 0, i), load_row(u, 1, i), load_row(u, last, i)
                    changed = False
                    for part in range(parts):
                        at, first = part * size + i, 32 * part
                        old = load_like(ux, words, at)
                        word, weak = old, load_like(ux, breakable, at)
                        for bit in range(first, min(first + 32, number)):
                            a, b, c = offsets[bit, 0], offsets[bit, 1], offsets[bit, 2]
                            there, mask = i + steps[bit], 1 << (bit - first)
                            ex, ey = load_row(u, 0, there) - ux, load_row(u, 1, there) - uy
                            q = ex * ((a + a) + ex) + ey * ((b + b) + ey)
                            if compact:
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
                    store(state, i, over_family(scratch, 0, splat(ux, 0.0), bonds) * load(dilation, i))
                    if changed:
                        for lane in range(width):
                            broke = False
                            for part in range(parts):
                                broke |= were[part, lane] != words[part * size + i + lane]
                            if broke:
                                _lose(u, v, i + lane, were[:, lane], particles, bonds, solid)

    return dilate


def _compiled_move(sources: int) -> Any:
    """The second pass; ``sources`` as in :func:`_compiled_dilate`."""

    @njit(parallel=True, nogil=True, cache=True)
    def move(u, out, v, table, kick, decay, particles, solid, bonds, place, pairs):
        """a = Σ ω ((β + β') s + φ + φ')(ξ + η)/(1 + s), v' = decay v + kick a, u' = u + v'.

        As ``dilate``; out: (d, size); table: (kinds, 4, d) of this step; pairs: of equal bonds, with a mass of 1. Per
        particle u, v, words, φ, β and kind are read once from memory, out and v written: 2D float32 45 bytes, 3D 73
        (m = 3).
        """
        words, stiffness, state = particles.words, solid.stiffness, solid.state
        offsets, steps, factors = bonds.offsets, bonds.steps, bonds.factors
        nx, ny, nz, pitch, room, base, bands = place
        lines = ny * nz
        width, size, number = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(steps)
        d, compact, last, one = len(u), len(u) == 3, len(u) - 1, pairs.light_of[0, 0]
        for band in prange(bands):
            scratch = np.empty((d * number, width), u.dtype)
            rows = Rows(scratch, np.empty((d, width), u.dtype), np.empty((d, width), u.dtype))
            for line in range(band * lines // bands, (band + 1) * lines // bands):
                for x in range(0, nx, width):
                    i = base + (line // ny * room + line % ny) * pitch + x
                    ux, uy, uz = load_row(u, 0, i), load_row(u, 1, i), load_row(u, last, i)
                    own_state, own_stiffness = load(state, i), load(stiffness, i)
                    for first in range(0, number, 32):
                        word = load_like(ux, words, first // 32 * size + i)
                        for bit in range(first, min(first + 32, number)):
                            a, b, c = offsets[bit, 0], offsets[bit, 1], offsets[bit, 2]
                            there, mask = i + steps[bit], 1 << (bit - first)
                            ex, ey, ez = load_row(u, 0, there) - ux, load_row(u, 1, there) - uy, uz
                            q = ex * ((a + a) + ex) + ey * ((b + b) + ey)
                            if compact:
                                ez = load_row(u, last, there) - uz
                                q = q + ez * ((c + c) + ez)
                            p = q * factors[bit, 1]
                            root = sqrt(p + 1.0)
                            both = (own_stiffness + load(stiffness, there)) * (p / (root + 1.0))
                            g = (both + (own_state + load(state, there))) / root * factors[bit, 2]
                            live = (word & mask) != 0
                            store_row(scratch, bit, 0, select(live, g * (ex + a), 0.0))
                            store_row(scratch, number + bit, 0, select(live, g * (ey + b), 0.0))
                            if compact:
                                store_row(scratch, 2 * number + bit, 0, select(live, g * (ez + c), 0.0))
                    move_row(u, out, v, i, table, kick, decay, rows, particles, bonds, one, pairs)

    return move


def _compiled_measure(sources: int) -> Any:
    """``sources`` as in :func:`_compiled_dilate`."""

    @njit(parallel=True, nogil=True, cache=True)
    def measure(u, particles, solid, bonds, place, energy, kick):
        """energy: (size), ½ γ S² + ½ β Σ ω|ξ|²s²; φ; kick: (d, size), what bonds add to a velocity in a step.

        Arrays as in ``dilate``. Per particle, in two passes, u, words, β and φ are read twice from memory, γ once, and
        energy, φ and kick written: 2D float32 60 bytes, 3D 96 (m = 3).
        """
        dilation, stiffness, state = solid
        offsets, steps, factors, compact = bonds.offsets, bonds.steps, bonds.factors, len(u) == 3
        nx, ny, nz, pitch, room, base, bands = place
        lines = ny * nz
        width, size, number = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(steps)
        words, last = particles.words, len(u) - 1
        for forces in range(2):  # which need all dilatations
            for band in prange(bands):
                scratch = np.empty((len(u) * number, width), u.dtype)
                for line in range(band * lines // bands, (band + 1) * lines // bands):
                    for x in range(0, nx, width):
                        i = base + (line // ny * room + line % ny) * pitch + x
                        ux, uy, uz = load_row(u, 0, i), load_row(u, 1, i), load_row(u, last, i)
                        own_state, own_stiffness, none = load(state, i), load(stiffness, i), splat(ux, 0.0)
                        for first in range(0, number, 32):
                            word = load_like(ux, words, first // 32 * size + i)
                            for bit in range(first, min(first + 32, number)):
                                a, b, c = offsets[bit, 0], offsets[bit, 1], offsets[bit, 2]
                                there = i + steps[bit]
                                live = (word & (1 << (bit - first))) != 0
                                ex, ey, ez = load_row(u, 0, there) - ux, load_row(u, 1, there) - uy, uz
                                q = ex * ((a + a) + ex) + ey * ((b + b) + ey)
                                if compact:
                                    ez = load_row(u, last, there) - uz
                                    q = q + ez * ((c + c) + ez)
                                p = q * factors[bit, 1]
                                root = sqrt(p + 1.0)
                                s = p / (root + 1.0)
                                if forces:
                                    both = (own_stiffness + load(stiffness, there)) * s
                                    g = (both + (own_state + load(state, there))) / root * factors[bit, 2]
                                    store_row(scratch, bit, 0, select(live, g * (ex + a), 0.0))
                                    store_row(scratch, number + bit, 0, select(live, g * (ey + b), 0.0))
                                    if compact:
                                        store_row(scratch, 2 * number + bit, 0, select(live, g * (ez + c), 0.0))
                                else:
                                    weighted = select(live, s * factors[bit, 0], 0.0)
                                    store_row(scratch, bit, 0, weighted)
                                    store_row(scratch, number + bit, 0, weighted * s)
                        tx, ty = over_family(scratch, 0, none, bonds), over_family(scratch, number, none, bonds)
                        if forces:
                            store_row(kick, 0, i, tx)
                            store_row(kick, 1, i, ty)
                            if compact:
                                store_row(kick, last, i, over_family(scratch, 2 * number, none, bonds))
                        else:
                            dilated = load(dilation, i) * tx
                            store(state, i, dilated)
                            store(energy, i, (dilated * tx + own_stiffness * ty) * 0.5)

    return measure


def _compiled_step(sources: int) -> Any:
    """``sources`` as in :func:`_compiled_dilate`."""

    @njit(nogil=True, cache=True)
    def step(u, out, v, table, row, kick, decay, particles, solid, bonds, place, one):
        """``dilate``, then ``move``: structs are taken from Python once a step.

        table: (steps, kinds, 4, d); one: (1, 1), the mass of each particle.
        """
        number, pairs = u.dtype.type, Pairs(False, one, one, one)
        if sources >= 0:
            dilate(u, v, particles, solid, bonds, place)
        move(u, out, v, table[row], number(kick), number(decay), particles, solid, bonds, place, pairs)

    return step


SOURCES = digest(vector_math, cpu_rows, cpu_arguments)
dilate, move, measure = _compiled_dilate(SOURCES), _compiled_move(SOURCES), _compiled_measure(SOURCES)
step = _compiled_step(SOURCES)
