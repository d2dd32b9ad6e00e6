"""The step of ``cloud.cu`` in Numba: one SIMD vector of particles at a time, their bonds column by column.

What a column needs of its neighbours is brought into a scratch row for each word of bits, so that stores to it are long
done when vectors are read. The code of a bond exists once: both ends round alike whatever the compiler fuses.
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
from engines.peridynamics.cloud import rows
from engines.peridynamics.cloud.rows import SLICE


class Particles(NamedTuple):
    """words, breakable: flat (words·size,) uint32, a bit for each column; kind: (size,) uint8; work, loss, damped:
    (size,) float64."""

    words: Array
    breakable: Array
    kind: Array
    work: Array
    loss: Array
    damped: Array


class Points(NamedTuple):
    """records: (size, 2d or more) of :func:`pack`; places: (d, size) whole numbers as floats, in units of ``unit``;
    masses, volumes: (size,)."""

    records: Array
    places: Array
    masses: Array
    volumes: Array
    unit: Any


class Bonds(NamedTuple):
    """starts: (slices + 1,) where the columns of 32 particles begin; neighbours, weights: (entries,); limits:
    (entries,) of p if there are several materials, else (1,); stiffness K."""

    starts: Array
    neighbours: Array
    weights: Array
    limits: Array
    stiffness: Any


@njit(cache=True, nogil=True, parallel=True)
def pack(u, places, records):
    """records: (size, 2d or more): displacement and place of each particle together."""
    d = len(u)
    for i in prange(u.shape[1]):
        for k in range(d):
            records[i, k] = u[k, i]
            records[i, d + k] = places[k, i]


@njit(nogil=True)
def _bring(records, neighbours, at, columns, scratch, solid):
    """scratch: (2d for each column, lanes), what ``records`` has of neighbours whose numbers begin at ``at``."""
    rows = 6 if solid else 4
    for k in range(columns):
        for lane in range(scratch.shape[1]):
            j = neighbours[at + k * SLICE + lane]
            for c in range(4):
                scratch[rows * k + c, lane] = records[j, c]
            if solid:
                for c in range(4, 6):
                    scratch[rows * k + c, lane] = records[j, c]


@njit(nogil=True)
def _lost(u, v, i, at, gone, points, bonds):
    """Σ k (|ξ|² s² + 2 s/(1 + s) (ξ + η)·v) of the bonds of particle i that have just broken: their energy half a step
    ago, for the last half kick was without them; the lowest bit of ``gone`` is of the bond at entry ``at``."""
    places, unit, total = points.places, points.unit, 0.0
    for k in range(32):
        if (gone >> k) & 1:
            entry = at + k * SLICE
            j = bonds.neighbours[entry]
            q = square = moved = 0.0
            for axis in range(len(u)):
                e = float(u[axis, j]) - float(u[axis, i])
                x = (float(places[axis, j]) - float(places[axis, i])) * unit
                q += e * (2 * x + e)
                square += x * x
                moved += (x + e) * float(v[axis, i])
            p = q / square
            r = math.sqrt(1 + p)
            s = p / (r + 1)
            total += bonds.weights[entry] * (square * s * s + 2 * s / r * moved)
    return total


@njit(nogil=True)
def _break(u, v, i, at, first, were, particles, points, bonds):
    """Adds to ``loss`` what a row of particles from i on has lost; were: (lanes,) words of column ``first`` before."""
    spot = first // 32 * u.shape[1] + i
    for lane in range(len(were)):
        gone = were[lane] & ~particles.words[spot + lane]
        if gone:
            particles.loss[i + lane] += 0.25 * bonds.stiffness * _lost(u, v, i + lane, at + lane, gone, points, bonds)


@njit(nogil=True)
def _loaded(u, out, v, i, given, stiffness, mass, volume, kick, pull, before, work):
    """What a load makes of particle i after its free step; given: (4, d) as in ``bonds.cu``."""
    for k in range(len(u)):
        if given[1, k] != 0:
            v[k, i] = given[3, k]
            out[k, i] = given[2, k]
            force = (v[k, i] - before[k]) - stiffness / mass * pull[k]
        else:
            force = given[0, k] * (volume / mass)
            v[k, i] += kick * force
            out[k, i] = u[k, i] + v[k, i]
        work[i] += 0.5 * float(mass) * float(force) * (float(before[k]) + float(v[k, i]))


@njit(nogil=True)
def _damped(v, i, given, mass, decay, before, damped):
    """What damping takes from particle i in a step, where it is not held."""
    total = 0.0
    for k in range(len(v)):
        if given[1, k] == 0:
            total += (float(before[k]) + float(v[k, i])) ** 2
    damped[i] += 0.5 * float(mass) * (1 - float(decay)) / (1 + float(decay)) * total


@njit(nogil=True, forceinline=True)
def _act(u, out, v, i, table, kick, decay, particles, points, bonds, pulls, before):
    """What loads and damping make of a row of particles from i on; pulls, before: (d, lanes) sums of forces over K, and
    velocities before the step."""
    masses, stiffness = points.masses, bonds.stiffness
    for lane in range(before.shape[1]):
        which = particles.kind[i + lane]
        if which:
            _loaded(
                u, out, v, i + lane, table[which], stiffness, masses[i + lane], points.volumes[i + lane], kick,
                pulls[:, lane], before[:, lane], particles.work,
            )  # fmt: skip
        if decay != 1:
            _damped(v, i + lane, table[which], masses[i + lane], decay, before[:, lane], particles.damped)


def _compiled(sources: int, dimensions: int, several: bool) -> Any:
    """The step, of one material or of several; ``sources`` is a digest of the other file's code in it, for Numba's
    cache."""
    solid = dimensions == 3

    @njit(parallel=True, nogil=True, cache=True)
    def advance(u, out, v, table, kick, decay, particles, points, bonds, bands):
        """p = η·(2ξ + η)/|ξ|², a = K/m Σ k p/(√(1 + p) + 1 + p) (ξ + η), v' = decay v + kick a, u' = u + v'; a bond
        breaks where p > limit.

        u, out, v: (d, size); table: (kinds, 4, d) of this step. Per particle u and places are read twice, v, words,
        breakable, kind and mass once, records, out and v written: float32 85 bytes in 2D (a word), 153 in 3D (four
        words). Per bond a number and a weight, 8 bytes (of several materials 12), and a record, mostly from a cache.
        """
        pack(u, points.places, points.records)
        words, breakable, limits = particles.words, particles.breakable, bonds.limits
        records, places, masses, unit = points.records, points.places, points.masses, points.unit
        starts, neighbours, weights, stiffness = bonds.starts, bonds.neighbours, bonds.weights, bonds.stiffness
        width, size, slices = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(starts) - 1
        one, limit = u.dtype.type(1), limits[0]
        for band in prange(bands):
            scratch = np.empty((32 * 2 * dimensions, width), u.dtype)
            were = np.empty(width, np.uint32)
            pulls, before = np.empty((dimensions, width), u.dtype), np.empty((dimensions, width), u.dtype)
            for part in range(band * slices // bands, (band + 1) * slices // bands):
                columns = (starts[part + 1] - starts[part]) // SLICE
                for lane0 in range(0, SLICE, width):
                    i = part * SLICE + lane0
                    ux, uy, uz = load_row(u, 0, i), load_row(u, 1, i), load_row(u, dimensions - 1, i)
                    ax, ay, az = load_row(places, 0, i), load_row(places, 1, i), load_row(places, dimensions - 1, i)
                    tx, ty, tz = splat(ux, 0.0), splat(ux, 0.0), splat(ux, 0.0)
                    for first in range(0, columns, 32):
                        spot = first // 32 * size + i
                        old = load_like(ux, words, spot)
                        if not any_lane(old != 0):
                            continue
                        last = min(first + 32, columns)
                        _bring(records, neighbours, starts[part] + first * SLICE + lane0, last - first, scratch, solid)
                        word, weak = old, load_like(ux, breakable, spot)
                        for k in range(first, last):
                            at, row = starts[part] + k * SLICE + lane0, (k - first) * 2 * dimensions
                            mask = 1 << (k - first)
                            ex, ey = load_row(scratch, row, 0) - ux, load_row(scratch, row + 1, 0) - uy
                            x = (load_row(scratch, row + dimensions, 0) - ax) * unit
                            y = (load_row(scratch, row + dimensions + 1, 0) - ay) * unit
                            q = ex * ((x + x) + ex) + ey * ((y + y) + ey)
                            square = x * x + y * y
                            if solid:
                                ez = load_row(scratch, row + 2, 0) - uz
                                z = (load_row(scratch, row + 5, 0) - az) * unit
                                q = q + ez * ((z + z) + ez)
                                square = square + z * z
                            p = q / square
                            far = p > load(limits, at) if several else p > limit
                            word = word - (word & select(far, weak & mask, 0))
                            r1 = p + one
                            g = p / (sqrt(r1) + r1) * load(weights, at)
                            live = (word & mask) != 0
                            tx = tx + select(live, g * (ex + x), 0.0)
                            ty = ty + select(live, g * (ey + y), 0.0)
                            if solid:
                                tz = tz + select(live, g * (ez + z), 0.0)
                        if any_lane(word != old):
                            store(words, spot, word)
                            store(were, 0, old)
                            _break(u, v, i, starts[part] + first * SLICE + lane0, first, were, particles, points, bonds)
                    store_row(pulls, 0, 0, tx)
                    store_row(pulls, 1, 0, ty)
                    if solid:
                        store_row(pulls, 2, 0, tz)
                    share = splat(ux, 1.0) * stiffness / load(masses, i) * kick
                    for k in range(dimensions):
                        velocity = load_row(v, k, i)
                        store_row(before, k, 0, velocity)
                        velocity = velocity * decay + load_row(pulls, k, 0) * share
                        store_row(v, k, i, velocity)
                        store_row(out, k, i, load_row(u, k, i) + velocity)
                    _act(u, out, v, i, table, kick, decay, particles, points, bonds, pulls, before)

    return advance


def _compiled_measure(sources: int) -> Any:
    """Plates and blocks share it, for it compiles as long as the step; ``sources`` as in :func:`_compiled`."""

    @njit(parallel=True, nogil=True, cache=True)
    def measure(u, particles, points, bonds, energy, kick, bands):
        """energy: (size), ¼ K Σ k |ξ|² s² over the intact bonds; kick: (d, size), K/m Σ k s/(1 + s) (ξ + η).

        The rest as in ``advance``. Per particle u and places are read twice, words and mass once, records, energy and
        kick written: float32 68 bytes in 2D (a word), 116 in 3D (four words); per bond as in ``advance``.
        """
        pack(u, points.places, points.records)
        words, records, places, masses = particles.words, points.records, points.places, points.masses
        unit = points.unit
        starts, neighbours, weights, stiffness = bonds.starts, bonds.neighbours, bonds.weights, bonds.stiffness
        width, size, dimensions = lanes(u[0]) if sources >= 0 else 1, u.shape[1], len(u)
        slices, solid = len(starts) - 1, len(u) == 3
        one = u.dtype.type(1)
        for band in prange(bands):
            scratch = np.empty((32 * 2 * dimensions, width), u.dtype)
            for part in range(band * slices // bands, (band + 1) * slices // bands):
                columns = (starts[part + 1] - starts[part]) // SLICE
                for lane0 in range(0, SLICE, width):
                    i = part * SLICE + lane0
                    ux, uy, uz = load_row(u, 0, i), load_row(u, 1, i), load_row(u, dimensions - 1, i)
                    ax, ay, az = load_row(places, 0, i), load_row(places, 1, i), load_row(places, dimensions - 1, i)
                    tx, ty, tz, strain = splat(ux, 0.0), splat(ux, 0.0), splat(ux, 0.0), splat(ux, 0.0)
                    for first in range(0, columns, 32):
                        word = load_like(ux, words, first // 32 * size + i)
                        if not any_lane(word != 0):
                            continue
                        last = min(first + 32, columns)
                        _bring(records, neighbours, starts[part] + first * SLICE + lane0, last - first, scratch, solid)
                        for k in range(first, last):
                            at, row = starts[part] + k * SLICE + lane0, (k - first) * 2 * dimensions
                            live = (word & (1 << (k - first))) != 0
                            ex, ey = load_row(scratch, row, 0) - ux, load_row(scratch, row + 1, 0) - uy
                            x = (load_row(scratch, row + dimensions, 0) - ax) * unit
                            y = (load_row(scratch, row + dimensions + 1, 0) - ay) * unit
                            q = ex * ((x + x) + ex) + ey * ((y + y) + ey)
                            square = x * x + y * y
                            ez, z = uz, uz
                            if solid:
                                ez = load_row(scratch, row + 2, 0) - uz
                                z = (load_row(scratch, row + 5, 0) - az) * unit
                                q = q + ez * ((z + z) + ez)
                                square = square + z * z
                            p = q / square
                            r1 = p + one
                            root = sqrt(r1)
                            pull = p / (root + r1)
                            s, weight = pull * root, load(weights, at)
                            strain = strain + select(live, weight * square * (s * s), 0.0)
                            g = weight * pull
                            tx = tx + select(live, g * (ex + x), 0.0)
                            ty = ty + select(live, g * (ey + y), 0.0)
                            if solid:
                                tz = tz + select(live, g * (ez + z), 0.0)
                    share = splat(ux, 1.0) * stiffness / load(masses, i)
                    store(energy, i, strain * stiffness * 0.25)
                    store_row(kick, 0, i, tx * share)
                    store_row(kick, 1, i, ty * share)
                    if solid:
                        store_row(kick, 2, i, tz * share)

    return measure


ADVANCE = {(d, several): _compiled(digest(vector_math, rows), d, several) for d in (2, 3) for several in (False, True)}
"""The step by dimensions and whether there are several materials; what is not called is not compiled."""
measure = _compiled_measure(digest(vector_math, rows))
