"""Event matrices on the CPU: Numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.backend.base import Backend

_TILE = 2048
"""Columns whose sums stay in a core's first-level cache while the rows go by."""
_SPAN = 512
"""Events that are added before their sum is: roundings grow with the events of a stretch, not with all."""


@njit(parallel=True, nogil=True, cache=True)
def gather_rows(weights: Array, active: Array, out: Array) -> None:
    """out[c] = sum over r in ``active`` (ascending row numbers) of weights[r, c].

    Each column is summed by one thread in the order of the rows, so the number of threads does not matter.
    """
    columns = weights.shape[1]
    for tile in prange(-(-columns // _TILE)):
        first = tile * _TILE
        width = min(_TILE, columns - first)
        whole, part = np.zeros(width, np.float32), np.zeros(width, np.float32)
        for start in range(0, len(active), _SPAN):
            part[:] = 0
            for k in range(start, min(start + _SPAN, len(active))):
                row = weights[active[k], first : first + width]
                for c in range(width):
                    part[c] += row[c]
            for c in range(width):
                whole[c] += part[c]
        out[first : first + width] = whole


@njit(parallel=True, nogil=True, cache=True)
def scan_rows(weights: Array, active: Array, out: Array) -> None:
    """out[r] = sum over c in ``active`` of weights[r, c]."""
    for r in prange(weights.shape[0]):
        whole = np.float32(0)
        for start in range(0, len(active), _SPAN):
            part = np.float32(0)
            for k in range(start, min(start + _SPAN, len(active))):
                part += weights[r, active[k]]
            whole += part
        out[r] = whole


@njit(nogil=True, cache=True)
def scatter_rows(starts: Array, targets: Array, weights: Array, active: Array, scale: np.float32, sums: Array) -> None:
    """sums[targets[k]] += weights[k] * scale, as integers, for all k of the rows ``active``."""
    for row in active:
        for k in range(starts[row], starts[row + 1]):
            sums[targets[k]] += np.int64(weights[k] * scale)


@njit(parallel=True, nogil=True, cache=True)
def gather_synapses(starts: Array, targets: Array, weights: Array, events: Array, out: Array) -> None:
    """out[r] = sum of weights[k] over the row's k whose target has an event."""
    for r in prange(len(starts) - 1):
        total = np.float64(0)
        for k in range(starts[r], starts[r + 1]):
            if events[targets[k]]:
                total += weights[k]
        out[r] = total


class CpuDense:
    """The products of ``weights: (rows, columns)`` float32; row r is what neuron r sends.

    gather: events (rows,) bool -> (columns,) float32; scan: events (columns,) -> (rows,)
    """

    def __init__(self, backend: Backend, weights: Array) -> None:
        self._backend, self.shape = backend, weights.shape
        self.weights = backend.array(np.asarray(weights, np.float32))

    def gather_into(self, out: Any, events: Any) -> None:
        gather_rows(self.weights, np.flatnonzero(events), out)

    def gather(self, events: Any) -> Any:
        out = np.empty(self.shape[1], np.float32)
        with self._backend.timed("gather_rows"):
            self.gather_into(out, events)
        return out

    def scan(self, events: Any) -> Any:
        out = np.empty(self.shape[0], np.float32)
        with self._backend.timed("scan_rows"):
            scan_rows(self.weights, np.flatnonzero(events), out)
        return out


class CpuSparse:
    """The products of a sparse matrix: row r has ``weights`` and ``targets[starts[r]:starts[r + 1]]``.

    ``scale``: what weights are multiplied with before they are added as 64-bit integers, a power of two.
    """

    def __init__(
        self, backend: Backend, columns: int, starts: Array, targets: Array, weights: Array, scale: float
    ) -> None:
        self._backend, self.shape = backend, (len(starts) - 1, columns)
        self._arrays = tuple(backend.array(array) for array in (starts, targets, weights))
        self._scale = scale

    def gather(self, events: Any) -> Any:
        sums = np.zeros(self.shape[1], np.int64)
        with self._backend.timed("scatter_rows"):
            scatter_rows(*self._arrays, np.flatnonzero(events), np.float32(self._scale), sums)
        return (sums * (1 / self._scale)).astype(np.float32)

    def scan(self, events: Any) -> Any:
        out = np.empty(self.shape[0], np.float32)
        with self._backend.timed("gather_synapses"):
            gather_synapses(*self._arrays, np.asarray(events), out)
        return out
