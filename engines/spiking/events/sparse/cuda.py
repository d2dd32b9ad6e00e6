"""Sparse and procedural event matrices on an NVIDIA GPU: launches ``sparse.cu`` and ``procedural.cu``."""

from __future__ import annotations

import copy
from abc import abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

from engines.spiking.events.cuda import SHARED_BYTES, SPARSE, EventTools
from engines.spiking.events.product import Product
from engines.spiking.events.sparse.formats import Rows
from engines.spiking.events.sparse.procedural import Drawn
from engines.spiking.events.vectors import DeviceGiven

PROCEDURAL = Path(__file__).with_name("procedural.cu")
THREADS = 256
SHARES_PER_MULTIPROCESSOR = 8
LEAST_ROWS = 64
"""Of a share of the rows: those that a group of eight threads asks about at once."""


class _Pushed(Product):
    """Sums as integers, whoever adds to them; see :class:`engines.spiking.events.sparse.cpu._Pushed`."""

    def __init__(self, backend: Any, shape: tuple[int, int], power: int) -> None:
        self._backend, self.shape, self._power = backend, shape, np.int32(power)
        self._finish = backend.compile(SPARSE, ("-DWEIGHTS=32",)).get_function("finish")
        self.tools = EventTools(backend)
        self._sums: dict[int, Any] = {}
        most = SHARES_PER_MULTIPROCESSOR * backend.multiprocessors
        self._shares = max(1, min(most, -(-shape[0] // LEAST_ROWS)))

    @abstractmethod
    def _push(self, grid: tuple[int, int], sums: Any, given: DeviceGiven, exponent: Any, gate: Any) -> None:
        """Add integers to ``sums: (batch, columns)``."""

    @abstractmethod
    def _pull(self, out: Any, given: DeviceGiven, gate: Any) -> None:
        """All of ``out: (batch, rows)``."""

    def gather_into(self, out: Any, given: DeviceGiven, gate: Any = None) -> None:
        """Two launches, three of graded events; ``gate``: see ``sparse.cu``."""
        columns = self.shape[1]
        if given.batch not in self._sums:
            self._sums[given.batch] = self._backend.array(np.zeros((given.batch, columns), np.uint64))
        sums, exponent = self._sums[given.batch], self.tools.exponent(given)
        self._push((self._shares, given.batch), sums, given, exponent, gate)
        self._finish(
            (-(-columns // 256), given.batch), (256,), (out, sums, exponent, gate, self._power, np.int32(columns))
        )

    def scan_into(self, out: Any, given: DeviceGiven, gate: Any = None) -> None:
        """One launch for vectors."""
        self._pull(out, self.tools.vector(given), gate)


class CudaSparse(_Pushed):
    """A sparse matrix."""

    def __init__(self, backend: Any, rows: Rows) -> None:
        super().__init__(backend, (rows.rows, rows.columns), rows.power)

        def held(array: Any) -> Any:
            return None if array is None else backend.array(array)

        self._entries = (held(rows.first), held(rows.length))
        self._order = held(rows.order)
        self._synapses: tuple[Any, ...] = (held(rows.targets), held(rows.weights.codes), held(rows.weights.row_scale))
        self._layout = (np.int32(rows.width), np.int64(rows.row_step))
        self._stride = np.int64(rows.stride)
        module = backend.compile(SPARSE, (f"-DWEIGHTS={rows.weights.bits}",))
        self._kernel = module.get_function("push")
        self._by_thread = rows.stride > 1
        self._puller = module.get_function("pull_by_thread" if self._by_thread else "pull_by_warp")

    def another(self) -> CudaSparse:
        """A copy with synapses and sums of its own, for measurements with cold caches."""
        twin = copy.copy(self)
        with self._backend.active():
            twin._synapses = tuple(None if array is None else array.copy() for array in self._synapses)
        twin._sums = {}
        return twin

    @property
    def main_launch(self) -> tuple[Any, tuple[int, ...], int]:
        """The first kernel of :meth:`gather_into`, its block and its dynamic shared memory."""
        return self._kernel, (THREADS,), SHARED_BYTES * THREADS

    def _push(self, grid: tuple[int, int], sums: Any, given: DeviceGiven, exponent: Any, gate: Any) -> None:
        rows, columns = self.shape
        self._kernel(
            grid, (THREADS,),
            (sums, *self._entries, *self._synapses, given.array, given.count, given.values, np.int32(given.kind),
             exponent, gate, self._power, np.int32(rows), np.int32(columns), np.int32(given.pitch), *self._layout,
             self._stride),
            shared_mem=SHARED_BYTES * THREADS,
        )  # fmt: skip

    def _pull(self, out: Any, given: DeviceGiven, gate: Any) -> None:
        rows = self.shape[0]
        events = (given.array, np.int32(given.kind), gate, np.int32(rows), np.int32(given.pitch), *self._layout)
        if self._by_thread:
            arguments = (out, *self._entries, self._order, *self._synapses, *events, self._stride)
            self._puller((-(-rows // 256), given.batch), (256,), arguments)
        else:
            self._puller((-(-rows // 8), given.batch), (256,), (out, *self._entries, *self._synapses, *events))


class CudaProcedural(_Pushed):
    """A matrix that is drawn at each use."""

    def __init__(self, backend: Any, drawn: Drawn) -> None:
        super().__init__(backend, drawn.shape, drawn.power)
        module = backend.compile(PROCEDURAL)
        self._kernel, self._puller = module.get_function("push_drawn"), module.get_function("pull_drawn")
        key = (np.uint32(drawn.seed & 0xFFFFFFFF), np.uint32(drawn.seed >> 32))
        self._drawn = (np.int32(drawn.number), *key, drawn.low, drawn.span)

    def _sizes(self, given: DeviceGiven) -> tuple[Any, ...]:
        return (*(np.int32(size) for size in (*self.shape, given.pitch)), *self._drawn)

    def _push(self, grid: tuple[int, int], sums: Any, given: DeviceGiven, exponent: Any, gate: Any) -> None:
        self._kernel(
            grid, (THREADS,),
            (sums, given.array, given.count, given.values, np.int32(given.kind), exponent, self._power,
             *self._sizes(given)),
            shared_mem=SHARED_BYTES * THREADS,
        )  # fmt: skip

    def _pull(self, out: Any, given: DeviceGiven, gate: Any) -> None:
        self._puller(
            (-(-self.shape[0] // 8), given.batch), (256,),
            (out, given.array, np.int32(given.kind), *self._sizes(given)),
        )  # fmt: skip
