"""The public operator: a matrix of synaptic weights that is multiplied with vectors of spikes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend import open_backend
from engines.backend.base import Backend
from engines.errors import ProblemError

_ROOM = 61
"""Bits of a 64-bit sum that the largest possible sum of weights may take."""


class EventMatrix:
    """W (postsynaptic, presynaptic), stored by presynaptic neuron; ``W @ s`` reads the weights of spikes alone.

    ``s: (presynaptic,)`` or ``(presynaptic, batch)`` of 0 and 1, a NumPy array or an array of bools on the device; the
    result, float32, is where ``s`` was. ``W.T @ s`` is the product with the transpose through the same storage. Sums
    are the same from run to run on a backend. Raises ProblemError for weights that are no numbers, events other than
    0 and 1, and shapes that do not match.
    """

    def __init__(self, backend: Backend, kernels: Any, *, transposed: bool = False) -> None:
        self._backend, self._kernels, self._transposed = backend, kernels, transposed
        reversed_shape = kernels.shape[::-1]
        self.shape: tuple[int, int] = kernels.shape if transposed else reversed_shape

    @classmethod
    def dense(cls, weights: Any, backend: Backend | None = None) -> EventMatrix:
        """From all weights, ``(postsynaptic, presynaptic)``; kept as float32."""
        backend = backend or open_backend("cpu")
        table = np.asarray(weights)
        if table.ndim != 2 or 0 in table.shape:
            raise ProblemError(f"A weight matrix has rows and columns; this array has the shape {table.shape}.")
        rows = np.ascontiguousarray(_numbers(table, "weights").T)
        return cls(backend, dense_on(backend, rows))

    @classmethod
    def sparse(cls, weights: Any, backend: Backend | None = None) -> EventMatrix:
        """From any of SciPy's sparse matrices, ``(postsynaptic, presynaptic)``."""
        backend = backend or open_backend("cpu")
        columns = weights.tocsc()
        columns.sum_duplicates()
        return cls(backend, sparse_on(backend, columns.shape[0], columns.indptr, columns.indices, columns.data))

    @classmethod
    def fixed_number(cls, targets: Any, weights: Any, postsynaptic: int, backend: Backend | None = None) -> EventMatrix:
        """Every presynaptic neuron has the same number of synapses: ``targets`` and ``weights: (presynaptic, number)``.

        One number as ``weights`` stands for all.
        """
        backend = backend or open_backend("cpu")
        places = np.asarray(targets)
        if places.ndim != 2 or places.dtype.kind not in "iu":
            raise ProblemError(f"Targets are whole numbers, a row for each neuron; not {places.dtype} {places.shape}.")
        if places.size and not (places.min() >= 0 and places.max() < postsynaptic):
            raise ProblemError(
                f"Targets are from 0 to {postsynaptic - 1}; these are from {places.min()} to {places.max()}."
            )
        given = np.asarray(weights)
        if given.ndim and given.shape != places.shape:
            raise ProblemError(f"Weights {given.shape} and targets {places.shape} have different shapes.")
        starts = np.arange(len(places) + 1) * places.shape[1]
        values = np.broadcast_to(given, places.shape)
        return cls(backend, sparse_on(backend, postsynaptic, starts, places.ravel(), values.ravel()))

    @property
    def T(self) -> EventMatrix:
        """The transpose, without a copy."""
        return EventMatrix(self._backend, self._kernels, transposed=not self._transposed)

    def __matmul__(self, events: Any) -> Any:
        if events.ndim not in (1, 2) or events.shape[0] != self.shape[1]:
            raise ProblemError(
                f"A matrix {self.shape} takes {self.shape[1]} events; this array has the shape {tuple(events.shape)}."
            )
        if events.ndim == 2:
            return self._batch(events)
        on_host = isinstance(events, np.ndarray)
        given = _binary(events) if on_host else _on_device(events)
        if on_host and self._backend.id != "cpu":
            given = self._backend.array(given)
        out = self._kernels.scan(given) if self._transposed else self._kernels.gather(given)
        return self._backend.to_host(out) if on_host else out

    def _batch(self, events: Any) -> Any:
        columns = [self @ events[:, place] for place in range(events.shape[1])]
        if isinstance(events, np.ndarray):
            return np.stack(columns, axis=1) if columns else np.empty((self.shape[0], 0), np.float32)
        out = self._backend.empty((self.shape[0], len(columns)), np.float32)
        with self._backend.active():
            for place, column in enumerate(columns):
                out[:, place] = column
        return out


def _numbers(weights: Array, what: str) -> Array:
    """As float32. Raises ProblemError."""
    if weights.dtype.kind not in "fiub":
        raise ProblemError(f"The {what} are real numbers, not {weights.dtype}.")
    with np.errstate(over="ignore"):
        values = weights.astype(np.float32)
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        place = tuple(int(index) for index in bad[0])
        raise ProblemError(
            f"The {what} hold {values[place]} at {place if len(place) > 1 else place[0]}; all are finite."
        )
    return values


def _binary(events: Array) -> Array:
    """Events on the host as bools. Raises ProblemError."""
    if events.dtype == bool:
        return events
    wrong = np.flatnonzero((events != 0) & (events != 1))
    if len(wrong):
        raise ProblemError(f"Events are 0 or 1; number {wrong[0]} is {events[wrong[0]]}.")
    return events != 0


def _on_device(events: Any) -> Any:
    if events.dtype != bool:
        raise ProblemError(f"On the device, events are an array of bool, not of {events.dtype}.")
    return events


def dense_on(backend: Backend, rows: Array) -> Any:
    """The products of ``rows: (presynaptic, postsynaptic)`` on the device of ``backend``."""
    if backend.id == "cpu":
        from engines.spiking.events.cpu import CpuDense

        return CpuDense(backend, rows)
    from engines.spiking.events.cuda import CudaDense

    return CudaDense(backend, rows)


def sparse_on(backend: Backend, columns: int, starts: Array, targets: Array, weights: Array) -> Any:
    """The same of a sparse matrix; see :class:`engines.spiking.events.cpu.CpuSparse`. Raises ProblemError."""
    values = _numbers(weights, "weights")
    largest = float(np.bincount(targets, np.abs(values), columns).max(initial=0.0)) if len(targets) else 0.0
    scale = 2.0 ** (_ROOM - math.ceil(math.log2(largest))) if largest > 0 else 1.0
    scale = min(scale, 2.0**120)
    given = (columns, starts.astype(np.int64), targets.astype(np.int32), values, scale)
    if backend.id == "cpu":
        from engines.spiking.events.cpu import CpuSparse

        return CpuSparse(backend, *given)
    from engines.spiking.events.cuda import CudaSparse

    return CudaSparse(backend, *given)
