"""Rows in slices of 32, each as wide as its longest row, transposed so that neighbouring rows read neighbouring words.

Sliced ELLPACK (Monakov et al. 2010, doi 10.1007/978-3-642-11515-8_10), with rows sorted by length inside small windows
(SELL-C-σ, Kreutzer et al. 2014, doi 10.1137/130930352): C = 32, σ = :data:`WINDOW`.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from dataclasses import dataclass

import numba as nb
import numpy as np
import scipy

from engines.api import Array
from engines.api.errors import MeshError
from engines.backend.threads import in_parts

WIDTH = 16
"""Most off-diagonal entries of a cell's row: 4 face neighbours and their 12 other neighbours. Rows of vertices may be
longer (:func:`slice_rows`)."""
LONGEST = 255
"""Entries of any row: lengths are bytes."""
SLICE = 32
"""Rows of a slice: the lanes of a warp, and a multiple of every SIMD width."""
WINDOW = 256
"""Consecutive rows that are sorted by length: those of one block of threads, so that it reads no more of v (README)."""


@dataclass(frozen=True)
class SlicedMatrix:
    """Rate of change ``(L v)_i = sum_j weights_ij (v_j - v_i)`` [1/ms].

    starts: (n_slices + 1,) int64; columns: (n_entries,) int32, weights: (n_entries,) float64 or float32. Entry e of row
    ``32 s + r`` is at ``starts[s] + 32 e + r``. Unused entries have the row itself as column (so that they read
    nothing new) and weight 0; rows past ``n_rows`` in the last slice have column ``n_rows - 1``. The diagonal is
    :meth:`diagonal`: it is not stored, since the differences make constants exact in any precision.
    """

    n_rows: int
    starts: Array
    columns: Array
    weights: Array

    def diagonal(self) -> Array:
        """(n_rows,) float64: ``-sum_j weights_ij``."""
        return -self._row_sums(absolute=False)

    def absolute_row_sums(self) -> Array:
        """(n_rows,) float64: ``sum_j |weights_ij|``, whose reciprocal is the step limit of thesis eq. 3.6."""
        return self._row_sums(absolute=True)

    def _row_sums(self, *, absolute: bool) -> Array:
        sums = np.zeros(self.n_rows)
        _row_sums(len(self.starts) - 1, self.starts, self.weights, absolute, sums)
        return sums

    def scaled_rows(self, factors: Array) -> SlicedMatrix:
        """``diag(factors) L`` with weights in float32; factors: (n_rows,)."""
        weights = np.empty(len(self.weights), np.float32)
        _scale_rows(len(self.starts) - 1, self.starts, self.weights, factors, weights)
        return SlicedMatrix(self.n_rows, self.starts, self.columns, weights)

    def row_lengths(self) -> Array:
        """(n_rows,) number of entries off the diagonal."""
        counts = np.zeros(self.n_rows, np.int64)
        _row_counts(len(self.starts) - 1, self.starts, self.columns, counts)
        return counts

    def replaced(self, rows: Array, columns: Array, weights: Array) -> tuple[Array, Array]:
        """``(entries, values)``: the entries (k,) int64 that ``rows: (m,)`` use, and their weights where the rows
        become ``columns, weights: (m, any)``. An entry whose column is not among them gets 0."""
        slices = rows // SLICE
        first = (self.starts[slices] + rows % SLICE)[:, None]
        widths = np.diff(self.starts)[slices][:, None]
        within = np.arange(0, widths.max(initial=0), SLICE)
        there = within < widths
        entries = first + within
        own = np.repeat(rows[:, None], len(within), axis=1)
        own[there] = self.columns[entries[there]]
        equal = (own[:, :, None] == columns[:, None, :]) & (columns != rows[:, None])[:, None, :]
        values = np.where(equal, weights[:, None, :], 0.0).sum(axis=2)
        used = own != rows[:, None]
        return entries[used], values[used]

    def rows(self) -> Array:
        """(n_entries,) int64: the row of each entry; those of the last slice may pass ``n_rows``."""
        widths = np.diff(self.starts) // SLICE
        slices = np.repeat(np.arange(len(widths)), widths)
        return (SLICE * slices[:, None] + np.arange(SLICE)).ravel()

    def to_csr(self) -> scipy.sparse.csr_matrix:
        """L as a SciPy matrix, float64, with its diagonal."""
        n, rows = self.n_rows, self.rows()
        used = (self.columns != rows) & (rows < n)
        weights = self.weights[used].astype(np.float64)
        off = scipy.sparse.coo_matrix((weights, (rows[used], self.columns[used])), shape=(n, n)).tocsr()
        return (off + scipy.sparse.diags(-np.asarray(off.sum(axis=1)).ravel())).tocsr()


def slice_rows(rows: scipy.sparse.csr_matrix, order: Array) -> SlicedMatrix:
    """The entries of ``rows: (n, n)``, all off the diagonal, with row i the old row ``order[i]``; columns ascend.

    Raises MeshError for a row of more than :data:`LONGEST` entries.
    """
    lengths = np.diff(rows.indptr)[order]
    if lengths.max(initial=0) > LONGEST:
        raise MeshError(
            f"A vertex of the mesh has {lengths.max()} edges, and {LONGEST} fit: remesh there, or use the "
            "cell-centred discretisation."
        )
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    starts = slice_starts(lengths.astype(np.uint8))
    columns, weights = np.empty(starts[-1], np.int32), np.empty(starts[-1])
    entries = rows.indptr, rows.indices, rows.data
    _slice_rows(len(starts) - 1, *entries, order, place, starts, columns, weights)
    return SlicedMatrix(len(order), starts, columns, weights)


def row_lengths(neighbours: Array) -> Array:
    """(n_cells,) uint8: the entries of each cell's row, from ``neighbours: (n_cells, 4)``."""
    lengths = np.zeros(len(neighbours), np.uint8)
    _row_lengths(len(neighbours), neighbours, lengths)
    return lengths


def by_length(lengths: Array, window: int = WINDOW) -> Array:
    """(n,) int32: an order in which each ``window`` consecutive rows stand by falling length, else as they were."""
    order = np.empty(len(lengths), np.int32)
    _by_length(-(-len(lengths) // window), lengths, window, int(lengths.max(initial=0)), order)
    return order


def slice_starts(lengths: Array) -> Array:
    """(n_slices + 1,) int64: where each slice's entries begin."""
    padded = np.zeros(-(-len(lengths) // SLICE) * SLICE, np.uint8)
    padded[: len(lengths)] = lengths
    starts = np.zeros(len(padded) // SLICE + 1, np.int64)
    np.cumsum(SLICE * padded.reshape(-1, SLICE).max(axis=1).astype(np.int64), out=starts[1:])
    return starts


@in_parts
@nb.njit(cache=True, nogil=True)
def _row_lengths(first, last, neighbours, lengths):
    """lengths: (n,) uint8, how many other cells are among the neighbours: (n, 4) of each and those of these."""
    seen = np.empty(WIDTH, np.int32)
    for i in range(first, last):
        length = 0
        for k in range(4):
            j = neighbours[i, k]
            if j < 0:
                continue
            for m in range(-1, 4):
                other = j if m < 0 else neighbours[j, m]
                new = other >= 0 and other != i
                for e in range(length):
                    new = new and seen[e] != other
                if new:
                    seen[length] = other
                    length += 1
        lengths[i] = length


@in_parts
@nb.njit(cache=True, nogil=True)
def _row_sums(first, last, starts, weights, absolute, sums):
    """sums: (n_rows,) float64, the sum of each row's weights, or of their sizes."""
    for s in range(first, last):
        for r in range(min(SLICE, len(sums) - SLICE * s)):
            total = 0.0
            for k in range(starts[s] + r, starts[s + 1], SLICE):
                total += abs(weights[k]) if absolute else weights[k]
            sums[SLICE * s + r] = total


@in_parts
@nb.njit(cache=True, nogil=True)
def _row_counts(first, last, starts, columns, counts):
    """counts: (n_rows,) int64, entries of each row without those that fill it up; zero before."""
    for s in range(first, last):
        for row in range(SLICE * s, min(SLICE * (s + 1), len(counts))):
            for k in range(starts[s] + row % SLICE, starts[s + 1], SLICE):
                counts[row] += columns[k] != row


@in_parts
@nb.njit(cache=True, nogil=True)
def _scale_rows(first, last, starts, weights, factors, scaled):
    """scaled = factor · weight; factors: (n_rows,)."""
    for s in range(first, last):
        for r in range(SLICE):
            factor = factors[min(SLICE * s + r, len(factors) - 1)]
            for k in range(starts[s] + r, starts[s + 1], SLICE):
                scaled[k] = factor * weights[k]


@in_parts
@nb.njit(cache=True, nogil=True)
def _by_length(first, last, lengths, window, longest, order):
    """order: (n,) int32, the rows, of each ``window`` of them the longest first, equal ones in their order."""
    for w in range(first, last):
        place = w * window
        start, end = place, min(place + window, len(lengths))
        for length in range(longest, -1, -1):
            for i in range(start, end):
                if lengths[i] == length:
                    order[place] = i
                    place += 1


@in_parts
@nb.njit(cache=True, nogil=True)
def _slice_rows(first, last, indptr, indices, data, order, place, starts, columns, weights):
    """Rows ``order`` of a CSR matrix as a :class:`SlicedMatrix`, columns ``place[old]``, ascending."""
    n = len(order)
    for s in range(first, last):
        for r in range(SLICE):
            row = SLICE * s + r
            begin = starts[s] + r
            length = 0
            if row < n:
                for k in range(indptr[order[row]], indptr[order[row] + 1]):
                    column = place[indices[k]]
                    # a row is too short for a better sort
                    at = length
                    while at > 0 and columns[begin + SLICE * (at - 1)] > column:
                        columns[begin + SLICE * at] = columns[begin + SLICE * (at - 1)]
                        weights[begin + SLICE * at] = weights[begin + SLICE * (at - 1)]
                        at -= 1
                    columns[begin + SLICE * at], weights[begin + SLICE * at] = column, data[k]
                    length += 1
            for e in range(length, (starts[s + 1] - starts[s]) // SLICE):
                columns[begin + SLICE * e] = min(row, n - 1)
                weights[begin + SLICE * e] = 0.0
