"""Which materials meet along edges and at faces: passes over the grid in Numba.

The mixture along an edge is named by a code: the numbers of its four cells in ascending order, a byte each; BLOCKED
where one of them is a perfect conductor, or the edge lies on a PEC face or does not exist.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import numba as nb
import numpy as np

from engines.backend.threads import in_planes

BLOCKED = -1
MOST_IDS = 65_536
"""Mixtures that ids of 16 bits name."""
MOST_CODES = MOST_IDS - 1
"""Per band; of the whole grid there can be no more mixtures than ids of 16 bits name."""
SET_SIZE = 1 << 17
"""Places of a band's set of codes: twice as many as codes, a power of two."""


@nb.njit(nogil=True)
def _beside(node, n, wraps):
    """The cells before and behind a node."""
    if wraps:
        return (node + n - 1) % n, node % n
    return max(node - 1, 0), min(node, n - 1)


@nb.njit(nogil=True)
def _code(a, b, c, d, perfect):
    if a == b and a == c and a == d:
        return BLOCKED if perfect[a] else np.int64(a) * 0x01010101
    if perfect[a] or perfect[b] or perfect[c] or perfect[d]:
        return BLOCKED
    low, high = min(a, b), max(a, b)
    less, more = min(c, d), max(c, d)
    first, last = min(low, less), max(high, more)
    second, third = max(low, less), min(high, more)
    if second > third:
        second, third = min(second, third), max(second, third)
    return ((np.int64(first) * 256 + second) * 256 + third) * 256 + last


@nb.njit(nogil=True)
def _row_codes(cells, c, k, j, wraps, walls, perfect, codes):
    """codes: (nx + 1,) of the edges along axis c at the nodes (halves along c) j and k."""
    nz, ny, nx = cells.shape
    za, zb = _beside(k, nz, wraps[2])
    ya, yb = _beside(j, ny, wraps[1])
    on_z = (k == 0 and walls[2, 0]) or (k == nz and walls[2, 1])
    on_y = (j == 0 and walls[1, 0]) or (j == ny and walls[1, 1])
    codes[:] = BLOCKED
    if c == 0:
        if on_y or on_z:
            return
        for i in range(nx):
            codes[i] = _code(cells[za, ya, i], cells[za, yb, i], cells[zb, ya, i], cells[zb, yb, i], perfect)
        return
    if c == 1:
        if j == ny or on_z:
            return
        before, behind = cells[za, j], cells[zb, j]
    else:
        if k == nz or on_y:
            return
        before, behind = cells[k, ya], cells[k, yb]
    for i in range(nx + 1):
        if (i == 0 and walls[0, 0]) or (i == nx and walls[0, 1]):
            continue
        xa, xb = _beside(i, nx, wraps[0])
        codes[i] = _code(before[xa], before[xb], behind[xa], behind[xb], perfect)


@in_planes
@nb.njit(cache=True, nogil=True)
def occurring(first, last, cells, perfect, wraps, walls, bands, sets, counts):
    """sets: (bands, SET_SIZE) int64 of BLOCKED, gets the codes that occur; counts: (bands,) how many, of which those
    beyond MOST_CODES are left out. cells: (nz, ny, nx) uint8; perfect: (materials,) bool."""
    nz, ny, nx = cells.shape
    for band in range(first, last):
        codes = np.empty(nx + 1, np.int64)
        found = sets[band]
        for k in range(band * (nz + 1) // bands, (band + 1) * (nz + 1) // bands):
            for j in range(ny + 1):
                for c in range(3):
                    _row_codes(cells, c, k, j, wraps, walls, perfect, codes)
                    before = np.int64(BLOCKED)
                    for i in range(nx + 1):
                        code = codes[i]
                        if code in (before, BLOCKED):
                            continue
                        before = code
                        at = ((code * 2654435761) >> 15) & (SET_SIZE - 1)
                        while found[at] != BLOCKED and found[at] != code:
                            at = (at + 1) & (SET_SIZE - 1)
                        if found[at] == BLOCKED:
                            counts[band] += 1
                            if counts[band] <= MOST_CODES:
                                found[at] = code


@in_planes
@nb.njit(cache=True, nogil=True)
def number_edges(first, last, cells, perfect, wraps, walls, codes, numbers, ids):
    """ids: (3, nz + 1, ny + 1, row) of E ← numbers (3, n) of the ascending ``codes`` (n,); blocked edges stay."""
    _, ny, nx = cells.shape
    for k in range(first, last):
        row = np.empty(nx + 1, np.int64)
        for j in range(ny + 1):
            for c in range(3):
                _row_codes(cells, c, k, j, wraps, walls, perfect, row)
                before, number = np.int64(BLOCKED), numbers[c, 0]
                for i in range(nx + 1):
                    code = row[i]
                    if code == BLOCKED:
                        continue
                    if code != before:
                        low, high = 0, codes.size - 1
                        while low < high:
                            middle = (low + high) // 2
                            if codes[middle] < code:
                                low = middle + 1
                            else:
                                high = middle
                        before, number = code, numbers[c, low]
                    ids[c, k, j, i] = number


@in_planes
@nb.njit(cache=True, nogil=True)
def number_faces(first, last, cells, mixtures, count, wraps, ids):
    """ids: (3, nz + 1, ny + 1, row) of H; ``mixtures[a · count + b]`` of two cells."""
    nz, ny, nx = cells.shape
    for k in range(first, last):
        za, zb = _beside(k, nz, wraps[2])
        for j in range(ny + 1):
            ya, yb = _beside(j, ny, wraps[1])
            for i in range(nx + 1):
                xa, xb = _beside(i, nx, wraps[0])
                if j < ny and k < nz:
                    ids[0, k, j, i] = mixtures[cells[k, j, xa] * count + cells[k, j, xb]]
                if i < nx and k < nz:
                    ids[1, k, j, i] = mixtures[cells[k, ya, i] * count + cells[k, yb, i]]
                if i < nx and j < ny:
                    ids[2, k, j, i] = mixtures[cells[za, j, i] * count + cells[zb, j, i]]
