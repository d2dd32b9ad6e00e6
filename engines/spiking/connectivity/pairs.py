"""Who is joined to whom: drawn from a seed, the same on every machine."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.backend.threads import parallel_region
from engines.spiking.lif.model import Synapses


@njit(nogil=True, cache=True)
def _fill_row(seed, row, columns, per_skip, targets):
    """Number of targets of a row, written to ``targets`` if it has room for any; gaps between them are geometric.

    Random numbers are SplitMix64 (Steele, Lea and Flood 2014) of a stream that belongs to the row.
    """
    state = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) ^ (np.uint64(row) + np.uint64(1)) * np.uint64(
        0xD1342543DE82EF95
    )
    column, found = -1, 0
    while True:
        state += np.uint64(0x9E3779B97F4A7C15)
        z = state
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
        uniform = (np.float64(z >> np.uint64(11)) + 0.5) * 2.0**-53
        skip = np.log(uniform) * per_skip
        if skip >= columns - 1 - column:
            return found
        column += 1 + int(skip)
        if len(targets):
            targets[found] = column
        found += 1


@njit(parallel=True, nogil=True, cache=True)
def _counts(seed, columns, per_skip, counts):
    """counts: (rows,) how many targets each has."""
    nothing = np.empty(0, np.int32)
    for row in prange(len(counts)):
        counts[row] = _fill_row(seed, row, columns, per_skip, nothing)


@njit(parallel=True, nogil=True, cache=True)
def _fill(seed, columns, per_skip, starts, targets):
    """targets: (synapses,) int32, those of row r from ``starts[r]`` on, ascending."""
    for row in prange(len(starts) - 1):
        if starts[row + 1] > starts[row]:
            _fill_row(seed, row, columns, per_skip, targets[starts[row] : starts[row + 1]])


def random_synapses(neurons: int, probability: float, seed: int) -> Synapses:
    """Each ordered pair of ``neurons``, a neuron with itself included, is joined with ``probability``."""
    starts = np.zeros(neurons + 1, np.int64)
    if probability <= 0:
        return Synapses(starts, np.zeros(0, np.int32))
    if probability >= 1:
        targets = np.tile(np.arange(neurons, dtype=np.int32), neurons)
        return Synapses(np.arange(neurons + 1, dtype=np.int64) * neurons, targets)
    per_skip = 1 / np.log1p(-probability)
    counts: Array = np.zeros(neurons, np.int64)
    with parallel_region():
        _counts(seed, neurons, per_skip, counts)
        np.cumsum(counts, out=starts[1:])
        targets = np.empty(int(starts[-1]), np.int32)
        _fill(seed, neurons, per_skip, starts, targets)
    return Synapses(starts, targets)
