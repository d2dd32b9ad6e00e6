"""Families of irregular points, in Numba: the search by cells, sums over bonds, and the neighbours of a block.

Bonds are stored in slices of ``SLICE`` particles, column by column: column k of particle i is at
``starts[i // SLICE] + k * SLICE + i % SLICE``. Coordinates are whole numbers, so that both ends of a bond compute the
same.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import math

import numpy as np
from numba import njit, prange

from engines.backend.compile.digest import noticing
from engines.peridynamics.cloud import rows
from engines.peridynamics.cloud.rows import SLICE

BANKS = 16
"""Classes of particles, by their number, that shared memory of a GPU delivers to half a warp at the same time."""


@njit(cache=True, nogil=True)
def _bisect(keys, key):
    """How many of the rising ``keys`` are below ``key``."""
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def _sort(values, count):
    """The first ``count`` numbers rise; Shell's way, which compiles ten times as fast as the library's."""
    gap = count // 2
    while gap > 0:
        for k in range(gap, count):
            value, at = values[k], k
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value
        gap //= 2


@njit(cache=True, nogil=True)
def _spread(found, lane, spread):
    """``spread`` is ``found``, which rises, in an order in which 16 lanes side by side mostly want different classes
    (number modulo ``BANKS``) in the same column: lane l wants class l + k in column k, or one of which most are left.
    """
    at, end = np.zeros(BANKS, np.int64), np.zeros(BANKS, np.int64)
    for j in found:
        end[j % BANKS] += 1
    for j in range(1, BANKS):
        end[j] += end[j - 1]
        at[j] = end[j - 1]
    of_class = np.empty(len(found), np.int32)
    for j in found:
        of_class[at[j % BANKS]] = j
        at[j % BANKS] += 1
    at[0] = 0
    for j in range(1, BANKS):
        at[j] = end[j - 1]
    for k in range(len(found)):
        wanted = (lane + k) % BANKS
        if at[wanted] == end[wanted]:
            wanted = (wanted + BANKS // 2) % BANKS  # as good for 16 bytes, which 8 lanes get at once
        if at[wanted] == end[wanted]:
            wanted = np.argmax(end - at)
        spread[k] = of_class[at[wanted]]
        at[wanted] += 1


@njit(cache=True, nogil=True, parallel=True)
@noticing(rows)
def search(positions, cells, keys, order, row, plane, limit, starts, counts, neighbours, spreading, filling):
    """Particles within √limit of each. positions, cells: (n, 3) int64, cells of at least that size, from 1;
    keys: (n,) ``cells`` as ``x + row y + plane z``, rising, of the particles ``order: (n,)``.

    First (not ``filling``) fills counts: (n,); then neighbours, rising or, ``spreading``, as :func:`_spread` has them.
    """
    for i in prange(len(positions)):
        found = np.empty(counts[i] if filling else 0, np.int32)
        spread = np.empty(len(found) if spreading else 0, np.int32)
        count = 0
        for dz in range(-1, 2):
            for dy in range(-1, 2):
                key = cells[i, 0] + row * (cells[i, 1] + dy) + plane * (cells[i, 2] + dz)
                at = _bisect(keys, key - 1)
                while at < len(keys) and keys[at] <= key + 1:
                    j = order[at]
                    at += 1
                    apart = 0
                    for k in range(3):
                        apart += (positions[j, k] - positions[i, k]) ** 2
                    if apart <= limit and j != i:
                        if filling:
                            found[count] = j
                        count += 1
        if filling:
            _sort(found, count)
            if spreading:
                _spread(found, i % SLICE, spread)
            for k in range(count):
                at = starts[i // SLICE] + k * SLICE + i % SLICE
                neighbours[at] = spread[k] if spreading else found[k]
        else:
            counts[i] = count


@njit(cache=True, nogil=True, parallel=True)
@noticing(rows)
def dilation(positions, counts, starts, neighbours, volumes, factors, unit, sums):
    """sums: (n,) of Σ |ξ| V_j f_j over each family, |ξ| in units of 1/``unit``."""
    for i in prange(len(counts)):
        total = 0.0
        for k in range(counts[i]):
            j = neighbours[starts[i // SLICE] + k * SLICE + i % SLICE]
            square = 0
            for axis in range(3):
                square += (positions[j, axis] - positions[i, axis]) ** 2
            total += math.sqrt(square) * unit * volumes[j] * factors[j]
        sums[i] = total


@njit(cache=True, nogil=True, parallel=True)
@noticing(rows)
def weigh(positions, counts, starts, neighbours, shares, unit, weights):
    """weights: (entries,) f_i f_j/|ξ| of each bond; shares: (n,) f; the same at both ends."""
    for i in prange(len(counts)):
        for k in range(counts[i]):
            at = starts[i // SLICE] + k * SLICE + i % SLICE
            j = neighbours[at]
            square = 0
            for axis in range(3):
                square += (positions[j, axis] - positions[i, axis]) ** 2
            weights[at] = shares[i] * shares[j] / (math.sqrt(square) * unit)


@njit(cache=True, nogil=True, parallel=True)
@noticing(rows)
def meet(counts, starts, neighbours, material, met):
    """met: (M, M) bool, whether bonds join two of the materials that ``material: (n,)`` numbers."""
    for i in prange(len(counts)):
        for k in range(counts[i]):
            met[material[i], material[neighbours[starts[i // SLICE] + k * SLICE + i % SLICE]]] = True


@njit(cache=True, nogil=True, parallel=True)
@noticing(rows)
def mix(counts, starts, neighbours, material, stiffness, class_of, weights, classes, least):
    """Multiply weights: (entries,) by the ``stiffness: (M, M)`` of each bond's pair of materials; classes: (entries,)
    uint8 by ``class_of: (M, M)``; least: (n,) the least of each particle's classes."""
    for i in prange(len(counts)):
        lowest = class_of[material[i], material[i]]
        for k in range(counts[i]):
            at = starts[i // SLICE] + k * SLICE + i % SLICE
            j = neighbours[at]
            weights[at] *= stiffness[material[i], material[j]]
            classes[at] = class_of[material[i], material[j]]
            if k == 0 or classes[at] < lowest:
                lowest = classes[at]
        least[i] = lowest


@njit(cache=True, nogil=True, parallel=True)
@noticing(rows)
def stiffnesses(positions, counts, starts, neighbours, weights, tensors):
    """tensors: (n, 3, 3) Σ w n nᵀ over each family."""
    for i in prange(len(counts)):
        for k in range(counts[i]):
            at = starts[i // SLICE] + k * SLICE + i % SLICE
            j = neighbours[at]
            square = 0
            for axis in range(3):
                square += (positions[j, axis] - positions[i, axis]) ** 2
            for a in range(3):
                for b in range(3):
                    product = (positions[j, a] - positions[i, a]) * (positions[j, b] - positions[i, b])
                    tensors[i, a, b] += weights[at] * (product / square)


@njit(cache=True, nogil=True, parallel=True)
@noticing(rows)
def localise(counts, starts, neighbours, threads, bands, list_starts, lists, local, filling):
    """The neighbours of each block of ``threads`` particles, once each, and the bonds in these numbers.

    A neighbour's number in the list of a block is of its own class (modulo ``BANKS``); gaps hold the block's first one.
    First (not ``filling``) puts the lengths of the lists in list_starts: (blocks + 1,), from 1 on; then fills lists and
    local: (entries,) the number in the block's list.
    """
    blocks = len(list_starts) - 1
    for band in prange(bands):
        numbers = np.full(len(counts), -1, np.int32)
        found = np.empty(len(counts), np.int32)
        for block in range(band * blocks // bands, (band + 1) * blocks // bands):
            count, of_class = 0, np.zeros(BANKS, np.int32)
            first, last = block * threads, min((block + 1) * threads, len(counts))
            for i in range(first, last):
                for k in range(counts[i]):
                    j = neighbours[starts[i // SLICE] + k * SLICE + i % SLICE]
                    if numbers[j] < 0:
                        numbers[j] = 0
                        found[count] = j
                        count += 1
                        of_class[j % BANKS] += 1
            if filling:
                _sort(found, count)
                lists[list_starts[block] : list_starts[block + 1]] = found[0] if count else 0
                of_class[:] = 0
                for number in range(count):
                    j = found[number]
                    numbers[j] = BANKS * of_class[j % BANKS] + j % BANKS
                    of_class[j % BANKS] += 1
                    lists[list_starts[block] + numbers[j]] = j
                for i in range(first, last):
                    for k in range(counts[i]):
                        at = starts[i // SLICE] + k * SLICE + i % SLICE
                        local[at] = numbers[neighbours[at]]
            else:
                list_starts[block + 1] = BANKS * of_class.max()
            for number in range(count):
                numbers[found[number]] = -1
