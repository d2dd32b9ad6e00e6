"""Sparse and procedural event matrices on an NVIDIA GPU: launches ``sparse.cu`` and ``procedural.cu``."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
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
Ready = Callable[[Mapping[int, Any]], None]
SHARES_PER_MULTIPROCESSOR = 8
LEAST_ROWS = 64
"""Of a share of the rows: those that a group of eight threads asks about at once."""


class _Pushed(Product):
    """Sums as integers, whoever adds to them; see :class:`engines.spiking.events.sparse.cpu._Pushed`."""

    gathers_anywhere = True

    def __init__(self, backend: Any, shape: tuple[int, int], power: int) -> None:
        self._backend, self.shape, self._power = backend, shape, np.int32(power)
        self._finish = backend.compile(SPARSE, ("-DWEIGHTS=32",)).get_function("finish")
        self.tools = EventTools(backend)
        self._sums: dict[int, Any] = {}
        self._ready: dict[tuple[Any, ...], tuple[int, Ready, Ready]] = {}
        most = SHARES_PER_MULTIPROCESSOR * backend.multiprocessors
        self._shares = max(1, min(most, -(-shape[0] // LEAST_ROWS)))

    @abstractmethod
    def _push(self, sums: Any, given: DeviceGiven, exponent: Any, gate: Any) -> tuple[Any, int, Sequence[Any]]:
        """The kernel that adds integers to ``sums: (batch, columns)``, the number of its first argument about events
        (their array, count and values are side by side), and all arguments."""

    @abstractmethod
    def _pull(self, out: Any, given: DeviceGiven, gate: Any) -> None:
        """All of ``out: (batch, rows)``."""

    def gather_into(self, out: Any, given: DeviceGiven, gate: Any = None) -> None:
        """Two launches, three of graded events; ``gate``: see ``sparse.cu``."""
        exponent = None
        if given.graded:
            with self._backend.active():
                exponent = self.tools.exponent(given)
        key = given.kind, given.batch, given.pitch, given.graded, id(gate)
        ready = self._ready.get(key) or self._ready.setdefault(key, self._made_ready(given, exponent, gate))
        first, push, finish = ready
        push({first: given.array, first + 1: given.count, first + 2: given.values})
        finish({0: out})

    def _made_ready(self, given: DeviceGiven, exponent: Any, gate: Any) -> tuple[int, Ready, Ready]:
        columns, batch = self.shape[1], given.batch
        if batch not in self._sums:
            self._sums[batch] = self._backend.array(np.zeros((batch, columns), np.uint64))
        sums = self._sums[batch]
        kernel, first, arguments = self._push(sums, given, exponent, gate)
        push = self._backend.ready(kernel, (self._shares, batch), (THREADS,), arguments, SHARED_BYTES * THREADS)
        finish = self._backend.ready(
            self._finish, (-(-columns // 256), batch), (256,),
            (None, sums, exponent, gate, self._power, np.int32(columns)),
        )  # fmt: skip
        return first, push, finish

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
        twin._sums, twin._ready = {}, {}
        return twin

    @property
    def main_launch(self) -> tuple[Any, tuple[int, ...], int]:
        """The first kernel of :meth:`gather_into`, its block and its dynamic shared memory."""
        return self._kernel, (THREADS,), SHARED_BYTES * THREADS

    def _push(self, sums: Any, given: DeviceGiven, exponent: Any, gate: Any) -> tuple[Any, int, Sequence[Any]]:
        rows, columns = self.shape
        held = sums, *self._entries, *self._synapses
        return self._kernel, len(held), (
            *held, None, None, None, np.int32(given.kind), exponent, gate, self._power, np.int32(rows),
            np.int32(columns), np.int32(given.pitch), *self._layout, self._stride,
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

    def _push(self, sums: Any, given: DeviceGiven, exponent: Any, gate: Any) -> tuple[Any, int, Sequence[Any]]:
        kind = np.int32(given.kind)
        return self._kernel, 1, (sums, None, None, None, kind, exponent, self._power, *self._sizes(given))

    def _pull(self, out: Any, given: DeviceGiven, gate: Any) -> None:
        self._puller(
            (-(-self.shape[0] // 8), given.batch), (256,),
            (out, given.array, np.int32(given.kind), *self._sizes(given)),
        )  # fmt: skip
