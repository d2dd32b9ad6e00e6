"""The matrix as a GPU reads it: columns in 16 bits, and a lane's entries side by side so that one load takes several.

A slice's columns lie in a few runs of the numbering (Hilbert's curve folds, it does not scatter): a code names one of
four segments of 16,384 cells in its upper two bits and a place in it in the lower fourteen. A slice that four segments
do not cover keeps columns of 32 bits.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from dataclasses import dataclass

import numba as nb
import numpy as np

from engines.api import Array
from engines.backend.threads import in_turn
from engines.cardiac.diffusion import sliced
from engines.cardiac.diffusion.sliced import SlicedMatrix

SLICE = 32
"""That of :mod:`sliced`, once more: Numba's cache on disk notices a change only in the file of the kernel."""
assert sliced.SLICE == SLICE

SEGMENTS = 4
OFFSET_BITS = 14
GROUPS = (2, 4)
"""Entries of a row that a lane may read at once; what is left at the end of a row is read two by two, then singly."""


@dataclass(frozen=True)
class PackedMatrix:
    """A :class:`SlicedMatrix` of a slice's width W with G entries side by side: of entry e of lane r the place is
    ``32 G (e // G) + G r + e % G`` behind the slice's start, for the rest of the row with 2, then 1 for G.

    starts: (n_slices + 1,) int32, in units of 32 entries.
    segments: (n_slices, 4) int32: the first cell of each; a negative first one is ``-1 - s``, for a slice whose columns
    start at ``32 s`` in ``wide``.
    codes: (n_entries,) uint16, weights: (n_entries,); wide: int32.
    """

    starts: Array
    segments: Array
    codes: Array
    wide: Array
    weights: Array

    @property
    def wide_share(self) -> float:
        """The share of entries with columns of 32 bits."""
        return len(self.wide) / max(len(self.codes), 1)

    @property
    def column_bytes(self) -> int:
        """What a step reads to know all columns: codes or columns, segments, and starts."""
        return 2 * len(self.codes) + 2 * len(self.wide) + self.segments.nbytes + self.starts.nbytes


def pack(matrix: SlicedMatrix, weight_type: np.dtype, group: int = 2) -> PackedMatrix:
    """``matrix`` for a GPU, ``group`` (of :data:`GROUPS`) entries side by side, weights rounded to ``weight_type``."""
    if group not in GROUPS:
        raise ValueError(f"{group} entries cannot be read at once: use one of {GROUPS}")
    starts = (matrix.starts // SLICE).astype(np.int32)
    segments = _segments(matrix.starts, matrix.columns)
    is_wide = segments[:, 0] < 0
    widths = np.where(is_wide, np.diff(starts), 0)
    segments[is_wide, 0] = -1 - (np.cumsum(widths) - widths)[is_wide]
    codes = np.zeros(len(matrix.columns), np.uint16)
    wide = np.zeros(SLICE * int(widths.sum()), np.int32)
    weights = np.empty(len(matrix.weights), weight_type)
    _fill(matrix.starts, matrix.columns, matrix.weights, segments, group, codes, wide, weights)
    return PackedMatrix(starts, segments, codes, wide, weights)


def packed_places(starts: Array, entries: Array, group: int) -> Array:
    """(n,) int64: where the entries ``(n,)`` of a :class:`SlicedMatrix` with these ``starts`` stand when packed."""
    slices = np.searchsorted(starts, entries, side="right") - 1
    e, r = divmod(entries - starts[slices], SLICE)
    width = np.diff(starts)[slices] // SLICE
    beside = np.where(e < width // group * group, group, np.where(e < width // 2 * 2, 2, 1))
    first = e // beside * beside
    return np.asarray(starts[slices] + SLICE * first + beside * r + e - first)


@in_turn
@nb.njit(cache=True, nogil=True, parallel=True)
def _segments(starts, columns):
    """(n_slices, 4): each begins at the first column that those before do not cover; -1 first where 4 are too few."""
    none = np.int64(1) << 40
    reach = np.int64(1) << OFFSET_BITS
    segments = np.zeros((len(starts) - 1, SEGMENTS), np.int32)
    for s in nb.prange(len(starts) - 1):
        covered = np.int64(0)
        for k in range(SEGMENTS + 1):
            first = none
            for e in range(starts[s], starts[s + 1]):
                c = np.int64(columns[e])
                if covered <= c < first:
                    first = c
            if first == none:
                break
            if k == SEGMENTS:
                segments[s, 0] = -1
            else:
                segments[s, k] = first
            covered = first + reach
    return segments


@in_turn
@nb.njit(cache=True, nogil=True, parallel=True)
def _fill(starts, columns, weights, segments, group, codes, wide, packed):
    """Entries as :class:`PackedMatrix` has them, ``group`` side by side: a code of 16 bits, or a whole column in
    ``wide`` where a slice has no segments. An entry's column and weight are read, its code (or column) and weight
    written.
    """
    for s in nb.prange(len(starts) - 1):
        width = (starts[s + 1] - starts[s]) // SLICE
        whole = width // group * group
        for e in range(width):
            if e < whole:
                g, first = group, e // group * group
            elif e < width // 2 * 2:
                g, first = 2, e // 2 * 2
            else:
                g, first = 1, e
            for r in range(SLICE):
                source = starts[s] + SLICE * e + r
                place = SLICE * first + g * r + e - first
                packed[starts[s] + place] = weights[source]
                c = columns[source]
                if segments[s, 0] < 0:
                    wide[SLICE * np.int64(-1 - segments[s, 0]) + place] = c
                    continue
                k = 0
                for other in range(1, SEGMENTS):
                    # segments ascend; an unused one is 0 and comes after all used ones
                    if segments[s, other] > segments[s, k] and c >= segments[s, other]:
                        k = other
                codes[starts[s] + place] = (k << OFFSET_BITS) | (c - segments[s, k])
