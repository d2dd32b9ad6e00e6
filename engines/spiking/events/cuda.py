"""Event matrices on an NVIDIA GPU: launches ``dense.cu`` and ``sparse.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.tuning import tune, tuning_key

DENSE = Path(__file__).with_name("dense.cu")
SPARSE = Path(__file__).with_name("sparse.cu")
SHAPES = tuple((threads, span) for span in (256, 512, 128, 1024) for threads in (128, 64, 256))
"""(threads per block, rows of a stretch) to choose from."""
SPAN, THREADS = 256, 256
"""Rows of a stretch of a sparse matrix, and threads per block."""
TYPICAL = 0.05
"""Density of the events with which launch shapes are compared."""


class CudaDense:
    """The products of a dense matrix; see :class:`engines.spiking.events.cpu.CpuDense`."""

    def __init__(self, backend: Any, weights: Array) -> None:
        self._backend, self.shape = backend, weights.shape
        rows, columns = weights.shape
        self._pitch = -(-columns // 4) * 4
        padded = np.zeros((rows, self._pitch), np.float32)
        padded[:, :columns] = weights
        self.weights = backend.array(padded)
        module = backend.compile(DENSE)
        self._gather, self._scan = module.get_function("gather_rows"), module.get_function("scan_rows")
        self._wide_events = backend.array(np.zeros(self._pitch, np.uint8))
        self._events = backend.array(np.zeros(rows, np.uint8))
        self._prepare(SHAPES[0])
        self._prepare(self._choose())

    def _choose(self) -> tuple[int, ...]:
        rows, columns = self.shape
        chosen = np.random.default_rng(1).random(rows) < TYPICAL
        events = self._backend.array(np.asarray(chosen, np.uint8))
        out = self._backend.empty(self._pitch, np.float32)

        def time_one(shape: tuple[int, ...]) -> float:
            self._prepare(shape)
            return float(self._backend.elapsed(lambda: self.gather_into(out, events)))

        key = tuning_key(f"gather_rows {columns.bit_length()}", self._backend.info, DENSE, rows * columns)
        return tune(key, SHAPES, time_one)

    def _prepare(self, shape: tuple[int, ...]) -> None:
        threads, self._span = shape
        self._grid = (-(-self._pitch // (4 * threads)), -(-self.shape[0] // self._span))
        self._block = (threads,)
        self._partial = self._backend.empty((self._grid[1], self._pitch), np.float32)
        self._arrived = self._backend.array(np.zeros(self._grid[0], np.uint32))

    def gather_into(self, out: Any, events: Any) -> None:
        """One launch; ``out`` has room for a whole number of packs of four."""
        self._gather(
            self._grid, self._block,
            (out, self.weights, events, self._partial, self._arrived, np.int32(self.shape[0]), np.int32(self._pitch),
             np.int32(self._span)),
        )  # fmt: skip

    @property
    def main_launch(self) -> tuple[Any, tuple[int, ...]]:
        """The kernel of :meth:`gather_into` and its block."""
        return self._gather, self._block

    def gather(self, events: Any) -> Any:
        out = self._backend.empty(self._pitch, np.float32)
        with self._backend.timed("gather_rows"):
            self._events[...] = events
            self.gather_into(out, self._events)
        return out[: self.shape[1]]

    def scan(self, events: Any) -> Any:
        rows, columns = self.shape
        out = self._backend.empty(rows, np.float32)
        with self._backend.timed("scan_rows"):
            self._wide_events[:columns] = events
            self._scan(
                (-(-rows // 32),), (256,), (out, self.weights, self._wide_events, np.int32(rows), np.int32(self._pitch))
            )
        return out


class CudaSparse:
    """The products of a sparse matrix; see :class:`engines.spiking.events.cpu.CpuSparse`."""

    def __init__(self, backend: Any, columns: int, starts: Array, targets: Array, weights: Array, scale: float) -> None:
        self._backend, self.shape = backend, (len(starts) - 1, columns)
        self._arrays = tuple(backend.array(array) for array in (starts, targets, weights))
        self._scale = scale
        self._sums = backend.array(np.zeros(columns, np.uint64))
        module = backend.compile(SPARSE)
        self._scatter, self._finish = module.get_function("scatter_rows"), module.get_function("finish")
        self._gather = module.get_function("gather_synapses")
        self._events = [backend.array(np.zeros(size, np.uint8)) for size in self.shape]

    @property
    def main_launch(self) -> tuple[Any, tuple[int, ...]]:
        """The first kernel of :meth:`gather_into` and its block."""
        return self._scatter, (THREADS,)

    def gather_into(self, out: Any, events: Any) -> None:
        """Two launches; events are bytes, 0 or 1."""
        rows, columns = self.shape
        self._scatter(
            (-(-rows // SPAN),), (THREADS,),
            (self._sums, *self._arrays, events, np.float32(self._scale), np.int32(rows), np.int32(SPAN)),
        )  # fmt: skip
        self._finish(
            (-(-columns // THREADS),), (THREADS,),
            (out, self._sums, np.float64(1 / self._scale), np.int32(columns)),
        )  # fmt: skip

    def gather(self, events: Any) -> Any:
        out = self._backend.empty(self.shape[1], np.float32)
        with self._backend.timed("scatter_rows"):
            self._events[0][...] = events
            self.gather_into(out, self._events[0])
        return out

    def scan(self, events: Any) -> Any:
        rows = self.shape[0]
        out = self._backend.empty(rows, np.float32)
        with self._backend.timed("gather_synapses"):
            self._events[1][...] = events
            self._gather((-(-rows // 8),), (256,), (out, *self._arrays, self._events[1], np.int32(rows)))
        return out
