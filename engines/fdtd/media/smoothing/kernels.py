"""Cells near interfaces, and the permittivity of edges near them: passes over the grid in Numba."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba as nb
import numpy as np

MANTISSA = 8192.0
"""Steps between 0 and 1 of a permittivity's mantissa: 4,096 values per octave, wrong by at most 2⁻¹³."""
LEAST_MOMENT = 1e-3
"""Of the largest possible one: below it, nothing is said of a normal (a thin sheet through the middle)."""
VOXEL_BOXES = 4
"""The first of the twelve cells around an edge hold its voxel; the ball reaches into all of them."""


class Stencil(NamedTuple):
    """Around an edge along each of the axes."""

    boxes: Any
    """(3, 12, 3) cells, as steps along x, y, z."""
    voxel: Any
    """(3, 12, 2) from where to where the list ``voxel_points`` of a cell's points goes."""
    voxel_points: Any
    ball: Any
    """(3, 12, 2) of ``ball_points`` and ``ball_weights``."""
    ball_points: Any
    ball_weights: Any
    """(…, 3)."""


class Filled(NamedTuple):
    """The grid and what its cells hold."""

    cells: Any
    """(nz, ny, nx) uint8 materials."""
    samples: Any
    """(sampled cells, points) uint8 materials."""
    eps: Any
    """(materials, 3)."""
    allowed: Any
    """(materials,) which are lossless dielectrics."""
    sizes: Any
    """(3, longest) of cells along x, y, z."""
    wraps: Any


@nb.njit(nogil=True)
def _cell(index, n, wraps):
    """The cell with an index that may lie one beyond the grid; −1 for none."""
    if wraps:
        return (index + n) % n
    return index if 0 <= index < n else -1


@nb.njit(cache=True, nogil=True, parallel=True)
def find_mixed(cells, wraps, starts, found):
    """Cells that differ from one of their 26 neighbours. cells: (nz, ny, nx) uint8.

    starts: (nz · ny + 1,) int64: with ``found`` empty, gets the number of each row at the place behind it; else
    (accumulated) says where in ``found`` the positions x of each row go, int32.
    """
    nz, ny, nx = cells.shape
    for plane in nb.prange(nz):
        k = np.int64(plane)
        low, high = np.empty(nx, cells.dtype), np.empty(nx, cells.dtype)
        for j in range(ny):
            for i in range(nx):
                low[i] = high[i] = cells[k, j, i]
            for oz in range(-1, 2):
                z = _cell(k + oz, nz, wraps[2])
                for oy in range(-1, 2):
                    y = _cell(j + oy, ny, wraps[1])
                    if z >= 0 and y >= 0:
                        beside = cells[z, y]
                        for i in range(nx):
                            low[i] = min(low[i], beside[i])
                            high[i] = max(high[i], beside[i])
            count = 0
            for i in range(nx):
                before, behind = _cell(i - 1, nx, wraps[0]), _cell(i + 1, nx, wraps[0])
                differs = low[i] != high[i]
                if before >= 0:
                    differs = differs or low[before] != high[i] or high[before] != low[i]
                if behind >= 0:
                    differs = differs or low[behind] != high[i] or high[behind] != low[i]
                if differs:
                    if found.size:
                        found[starts[k * ny + j] + count] = i
                    count += 1
            if not found.size:
                starts[k * ny + j + 1] = count


@nb.njit(nogil=True)
def _beside(c, box, k, j, i, cells, slots, wraps):
    """(slot, z, y, x) of a cell around an edge along axis c; slot: −1 of one material, −2 there is no such cell.

    Along c nothing changes beyond a wall; across, what is missing is the mirror image of what is there.
    """
    nz, ny, nx = cells.shape
    ox, oy, oz = box[0], box[1], box[2]
    x, y, z = _cell(i + ox, nx, wraps[0]), _cell(j + oy, ny, wraps[1]), _cell(k + oz, nz, wraps[2])
    if x < 0 and c == 0:
        ox, x = 0, i
    if y < 0 and c == 1:
        oy, y = 0, j
    if z < 0 and c == 2:
        oz, z = 0, k
    if x < 0 or y < 0 or z < 0:
        return -2, z, y, x
    return slots[oz + 1, oy + 1, x], z, y, x


@nb.njit(nogil=True)
def _quantised(value):
    mantissa, exponent = math.frexp(value)
    return math.ldexp(np.round(mantissa * MANTISSA) / MANTISSA, exponent)


@nb.njit(nogil=True)
def _effective(c, k, j, i, slots, filled, stencil):
    """ε along axis c of the edge at (k, j, i), NaN where not all around it are lossless dielectrics; slots: (3, 3, nx)
    of the rows of cells around (k, j), −1 for cells of one material."""
    cells, samples, eps, sizes, wraps = filled.cells, filled.samples, filled.eps, filled.sizes, filled.wraps
    boxes, voxel, ball = stencil.boxes, stencil.voxel, stencil.ball
    volume_sum, mean, inverse = 0.0, 0.0, 0.0
    first, mixed = np.int64(-1), False
    for q in range(VOXEL_BOXES):
        slot, z, y, x = _beside(c, boxes[c, q], k, j, i, cells, slots, wraps)
        if slot == -2:
            continue
        volume = sizes[0, x] * sizes[1, y] * sizes[2, z]
        material = np.int64(cells[z, y, x])
        for n in range(voxel[c, q, 0], voxel[c, q, 1]):
            if slot >= 0:
                material = np.int64(samples[slot, stencil.voxel_points[n]])
            if not filled.allowed[material]:
                return np.nan
            if first < 0:
                first = material
            mixed = mixed or material != first
            volume_sum += volume
            mean += volume * eps[material, c]
            inverse += volume / eps[material, c]
    if not mixed:
        return eps[first, c]
    moment = np.zeros(3)
    largest = 0.0
    for q in range(boxes.shape[1]):
        slot, z, y, x = _beside(c, boxes[c, q], k, j, i, cells, slots, wraps)
        if slot == -2:
            continue
        material = np.int64(cells[z, y, x])
        for n in range(ball[c, q, 0], ball[c, q, 1]):
            if slot >= 0:
                material = np.int64(samples[slot, stencil.ball_points[n]])
            value = eps[material, c]
            largest = max(largest, value)
            for d in range(3):
                moment[d] += value * stencil.ball_weights[n, d]
    ends = (i, j, k)
    for d in range(3):
        n = cells.shape[2 - d]
        at = ends[d]
        if d != c and not wraps[d] and (at == 0 or at == n):
            moment[d] = 0.0
        moment[d] /= sizes[d, min(at, n - 1)] / sizes[c, ends[c]]
    size = math.sqrt(moment[0] ** 2 + moment[1] ** 2 + moment[2] ** 2)
    across = 1.0 / 3.0
    if size > LEAST_MOMENT * largest:
        across = (moment[c] / size) ** 2
    mean /= volume_sum
    inverse /= volume_sum
    return _quantised(1.0 / (across * inverse + (1.0 - across) / mean))


@nb.njit(cache=True, nogil=True, parallel=True)
def effective_edges(filled, stencil, starts, found, walls, row, offsets, places, values):
    """The permittivity of the edges whose voxel touches a sampled cell.

    starts: (nz · ny + 1,), found: as of find_mixed
    offsets: (nz + 2,) int64: with ``places`` empty, gets the number of each plane at the place behind it; else
    (accumulated) says where the ``places`` in (3, nz + 1, ny + 1, row) and the ``values`` of a plane go
    """
    wraps = filled.wraps
    nz, ny, nx = filled.cells.shape
    for plane in nb.prange(nz + 1):
        k = np.int64(plane)
        slots = np.full((3, 3, nx), -1, np.int32)
        touched = np.empty(nx, np.int32)
        count = np.int64(0)
        for j in range(ny + 1):
            some = False
            for oz in range(-1, 2):
                z = _cell(k + oz, nz, wraps[2])
                for oy in range(-1, 2):
                    y = _cell(j + oy, ny, wraps[1])
                    slots[oz + 1, oy + 1, :] = -1
                    if z >= 0 and y >= 0:
                        for slot in range(starts[z * ny + y], starts[z * ny + y + 1]):
                            slots[oz + 1, oy + 1, found[slot]] = slot
                            some = True
            if not some:
                continue
            on_y = (j == 0 and walls[1, 0]) or (j == ny and walls[1, 1])
            on_z = (k == 0 and walls[2, 0]) or (k == nz and walls[2, 1])
            for c in range(3):
                if (c == 1 and j == ny) or (c == 2 and k == nz) or (c != 1 and on_y) or (c != 2 and on_z):
                    continue
                touched[:] = -1
                for oz in range(0 if c == 2 else -1, 1):
                    for oy in range(0 if c == 1 else -1, 1):
                        for x in range(nx):
                            touched[x] = max(touched[x], slots[oz + 1, oy + 1, x])
                for i in range(nx if c == 0 else nx + 1):
                    if c != 0 and ((i == 0 and walls[0, 0]) or (i == nx and walls[0, 1])):
                        continue
                    behind, before = _cell(i, nx, wraps[0]), -1 if c == 0 else _cell(i - 1, nx, wraps[0])
                    if (behind < 0 or touched[behind] < 0) and (before < 0 or touched[before] < 0):
                        continue
                    if places.size:
                        at = offsets[k] + count
                        places[at] = ((c * (nz + 1) + k) * (ny + 1) + j) * row + i
                        values[at] = _effective(c, k, j, i, slots, filled, stencil)
                    count += 1
        if not places.size:
            offsets[k + 1] = count
