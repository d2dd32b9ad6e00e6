"""Orders of the cells compared: what they make a step read, and how long it takes (thesis fig. 4.2, 4.3).

Plain functions of arrays, for a benchmark or a person who has another device.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import numba as nb
import numpy as np

from engines.api import Array
from engines.backend.threads import in_turn
from engines.cardiac.diffusion import sliced
from engines.cardiac.diffusion.cuda import CudaDiffusion
from engines.cardiac.diffusion.sliced import WINDOW, SlicedMatrix, by_length, slice_starts

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

SLICE = 32
"""That of :mod:`sliced`, once more: Numba's cache on disk notices a change only in the file of the kernel."""
assert sliced.SLICE == SLICE

SECTOR = 32
"""Bytes that a GPU moves at least."""
REPETITIONS, IN_A_ROW = 5, 10


def reordered(matrix: SlicedMatrix, order: Array, window: int = WINDOW) -> tuple[SlicedMatrix, Array]:
    """``matrix`` with new row i the old row ``order[i]``, once rows are sorted by length inside each ``window``.

    Returns the matrix and the order that it has, (n_rows,) int32.
    """
    lengths = matrix.row_lengths().astype(np.uint8)
    order = np.asarray(order, np.int32)
    order = order[by_length(lengths[order], window)]
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    starts = slice_starts(lengths[order])
    columns, weights = np.empty(starts[-1], np.int32), np.empty(starts[-1], matrix.weights.dtype)
    old = (matrix.starts, matrix.columns, matrix.weights)
    _reorder(*old, order, place, lengths, int(lengths.max(initial=0)), starts, columns, weights)
    return SlicedMatrix(matrix.n_rows, starts, columns, weights), order


def voltage_bytes(matrix: SlicedMatrix, rows: int, value_bytes: int) -> float:
    """Bytes of v per row that ``rows`` (a multiple of 32) consecutive rows read if they share a cache of no limit.

    Whole sectors of 32 bytes, each counted once: 32 rows for a warp, those of a block for a first-level cache. Were
    every value read once by somebody, it would be ``value_bytes``.
    """
    if rows % SLICE:
        raise ValueError(f"{rows} rows are no whole slices of {SLICE}")
    return (
        float(_distinct(matrix.starts, matrix.columns, rows // SLICE, SECTOR // value_bytes)) * SECTOR / matrix.n_rows
    )


def step_seconds(backend: CudaBackend, diffusion: CudaDiffusion) -> float:
    """The median of five times ten steps on zeros, which cost what any do."""
    v = backend.array(np.zeros(diffusion.n_rows, diffusion.dtype))
    out = backend.empty(diffusion.n_rows, diffusion.dtype)
    backend.elapsed(lambda: diffusion.step(v, out))
    return statistics.median(backend.elapsed(lambda: diffusion.step(v, out), IN_A_ROW) for _ in range(REPETITIONS))


@in_turn
@nb.njit(cache=True, nogil=True, parallel=True)
def _reorder(old_starts, old_columns, old_weights, order, place, lengths, longest, starts, columns, weights):
    """Row i becomes the old row ``order[i]``, its columns ``place[old]``, ascending; both :class:`SlicedMatrix`.

    lengths: (n,) entries of the old rows, ``longest`` the most.
    """
    n = len(order)
    for s in nb.prange(len(starts) - 1):
        row_columns, row_weights = np.empty(longest, np.int32), np.empty(longest)
        for r in range(SLICE):
            i = s * SLICE + r
            length = 0
            if i < n:
                old = order[i]
                first = old_starts[old // SLICE] + old % SLICE
                for e in range(lengths[old]):
                    column = place[old_columns[first + SLICE * e]]
                    # a row is too short for a better sort
                    at = length
                    while at > 0 and row_columns[at - 1] > column:
                        row_columns[at], row_weights[at] = row_columns[at - 1], row_weights[at - 1]
                        at -= 1
                    row_columns[at], row_weights[at] = column, old_weights[first + SLICE * e]
                    length += 1
            for e in range((starts[s + 1] - starts[s]) // SLICE):
                k = starts[s] + SLICE * e + r
                columns[k] = row_columns[e] if e < length else min(i, n - 1)
                weights[k] = row_weights[e] if e < length else 0.0


@nb.njit(cache=True, nogil=True)
def _distinct(starts, columns, slices, values):
    """Pairs of (``slices`` consecutive slices, sector of ``values`` values that they read)."""
    groups = (len(starts) - 2 + slices) // slices
    total = 0
    for g in range(groups):
        first, last = starts[g * slices], starts[min((g + 1) * slices, len(starts) - 1)]
        sectors = np.sort(columns[first:last] // values)
        for k in range(len(sectors)):
            if k == 0 or sectors[k] != sectors[k - 1]:
                total += 1
    return total
