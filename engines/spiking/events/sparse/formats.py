"""How the synapses of a sparse matrix lie in memory: compressed rows, ELL, SELL-C-σ, a fixed number for each row.

One description serves all: entry j of row r is at ``first[r] + j * stride``, and row r has ``length[r]`` entries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.spiking.events.weights import Precision, Stored, decoded, stored

Format = Literal["compressed", "ell", "sell"]
CHUNK, WINDOW = 32, 1024
"""C and σ: rows that lie side by side, a warp of them, and rows among which they are sorted by length."""
ROOM = 61
"""Bits of a 64-bit sum that the largest possible sum of weights may take."""
MOST_POWER = 120
"""Of two, that float32 weights are multiplied with."""


@dataclass(frozen=True)
class Rows:
    """``columns`` targets are possible.

    first:    (rows,) int64, or None: ``row * row_step``
    length:   (rows,) int32, or None: ``width``
    order:    (rows,) int32, rows in the order in which they are stored, or None
    targets:  (entries,) int32; entries that no row has are 0
    weights:  ``codes: (entries,)``, ``row_scale`` by row
    power:    of two, what products are multiplied with before they are added as 64-bit integers
    """

    rows: int
    columns: int
    synapses: int
    first: Array | None
    length: Array | None
    order: Array | None
    targets: Array
    weights: Stored
    width: int
    row_step: int
    stride: int
    power: int

    @property
    def bytes(self) -> int:
        arrays = (self.first, self.length, self.order, self.targets, self.weights.codes, self.weights.row_scale)
        return sum(array.nbytes for array in arrays if array is not None)


def power_for(largest: float) -> int:
    """For sums of at most ``largest``, if no event is larger than 1."""
    return min(MOST_POWER, ROOM - math.ceil(math.log2(largest))) if largest > 0 else 0


def packed(
    starts: Array, targets: Array, values: Array, columns: int, precision: Precision, format: Format, side_by_side: bool
) -> Rows:
    """Rows with ``targets[starts[r]:starts[r + 1]]`` and their weights, float32.

    side_by_side: neighbouring rows beside each other, for a thread per row; otherwise a row lies in one piece, in SELL
    as in compressed rows (a CPU's core goes through one row after the other).
    """
    if format not in get_args(Format):
        raise ProblemError(f"Synapses lie in one of the formats {', '.join(get_args(Format))}; not '{format}'.")
    if format == "sell" and not side_by_side:
        format = "compressed"
    rows, synapses = len(starts) - 1, len(targets)
    length = np.diff(starts).astype(np.int32)
    # of use to scales and to places alone; 800 MB for 100 million synapses
    of_row = None if precision != "int8" and format == "compressed" else np.repeat(np.arange(rows), length)
    weights = stored(values, precision, of_row, rows)
    sums = np.bincount(targets, np.abs(decoded(weights, of_row)), columns) if synapses else np.zeros(1)
    width = int(length.max(initial=0))
    order = None
    if format == "compressed":
        first: Array | None = starts[:-1].astype(np.int64)
        step, stride, entries = 0, 1, synapses
    elif format == "ell":
        first, entries = None, rows * width
        step, stride = (1, rows) if side_by_side else (width, 1)
    else:
        order = _by_length(length)
        first, entries = _chunks(length, order)
        step, stride = 0, CHUNK
    if of_row is None or format == "compressed":
        placed_targets, codes = targets.astype(np.int32), weights.codes
    else:
        begin = np.arange(rows, dtype=np.int64) * step if first is None else first
        place = begin[of_row] + (np.arange(synapses) - starts[:-1][of_row]) * stride
        placed_targets, codes = np.zeros(entries, np.int32), np.zeros(entries, weights.codes.dtype)
        placed_targets[place], codes[place] = targets, weights.codes
    alike = format == "ell" and bool((length == width).all())
    return Rows(
        rows, columns, synapses, first, None if alike else length, order, placed_targets,
        Stored(codes, weights.row_scale), width, step, stride, power_for(float(sums.max(initial=0.0))),
    )  # fmt: skip


def _by_length(length: Array) -> Array:
    """Rows, the longest first in each window."""
    window = np.arange(len(length)) // WINDOW
    return np.lexsort((-length.astype(np.int64), window)).astype(np.int32)


def _chunks(length: Array, order: Array) -> tuple[Array, int]:
    """(first entry of each row, entries): each chunk is as wide as its longest row."""
    chunks = -(-len(order) // CHUNK)
    sorted_lengths = np.zeros(chunks * CHUNK, np.int64)
    sorted_lengths[: len(order)] = length[order]
    begins = np.concatenate([[0], np.cumsum(sorted_lengths.reshape(chunks, CHUNK).max(axis=1, initial=0) * CHUNK)])
    first = np.empty(len(order), np.int64)
    place = np.arange(len(order))
    first[order] = begins[place // CHUNK] + place % CHUNK
    return first, int(begins[-1])
