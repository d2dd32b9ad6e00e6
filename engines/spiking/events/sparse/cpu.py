"""Sparse and procedural event matrices on the CPU; the kernels are in ``events/cpu_kernels.py``."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.spiking.events import cpu_kernels
from engines.spiking.events.product import Product
from engines.spiking.events.sparse.formats import Rows
from engines.spiking.events.sparse.procedural import Drawn
from engines.spiking.events.sparse.scaling import used_power
from engines.spiking.events.vectors import HostGiven

_NONE = np.empty(0, np.float32)


class _Pushed(Product):
    """Sums as integers, whoever adds to them."""

    def __init__(self, shape: tuple[int, int], power: int) -> None:
        self.shape, self._power = shape, power

    def gather_into(self, out: Array, given: HostGiven) -> None:
        parts = np.split(given.values, given.offsets[1:-1])
        powers = [used_power(self._power, part) if given.graded else self._power for part in parts]
        sums = np.zeros((given.batch, self.shape[1]), np.int64)
        self._push(given, np.ldexp(np.float32(1), powers).astype(np.float32), sums)
        out[...] = sums * np.ldexp(1.0, -np.array(powers, np.int64))[:, None]

    def scan_into(self, out: Array, given: HostGiven) -> None:
        self._pull(given.table, out)

    @abstractmethod
    def _push(self, given: HostGiven, scales: Array, sums: Array) -> None:
        """Add integers to ``sums``."""

    @abstractmethod
    def _pull(self, table: Array, out: Array) -> None:
        """All of ``out``."""


class CpuSparse(_Pushed):
    """A sparse matrix whose rows lie in one piece each."""

    def __init__(self, backend: Backend, rows: Rows) -> None:
        super().__init__((rows.rows, rows.columns), rows.power)
        self._entries = (
            np.arange(rows.rows, dtype=np.int64) * rows.row_step if rows.first is None else rows.first,
            np.full(rows.rows, rows.width, np.int32) if rows.length is None else rows.length,
            backend.array(rows.targets),
            backend.array(cpu_kernels.as_bytes(rows.weights.codes)),
            rows.weights.bits,
            _NONE if rows.weights.row_scale is None else rows.weights.row_scale,
            rows.width,
        )

    def _push(self, given: HostGiven, scales: Array, sums: Array) -> None:
        cpu_kernels.push(*self._entries, given.offsets, given.active, given.values, scales, sums)

    def _pull(self, table: Array, out: Array) -> None:
        cpu_kernels.pull(*self._entries, table, out)


class CpuProcedural(_Pushed):
    """A matrix that is drawn at each use."""

    def __init__(self, backend: Backend, drawn: Drawn) -> None:
        super().__init__(drawn.shape, drawn.power)
        self._drawn = (np.uint64(drawn.seed), drawn.number, drawn.columns, drawn.low, drawn.span)

    def _push(self, given: HostGiven, scales: Array, sums: Array) -> None:
        cpu_kernels.push_drawn(*self._drawn, given.offsets, given.active, given.values, scales, sums)

    def _pull(self, table: Array, out: Array) -> None:
        cpu_kernels.pull_drawn(*self._drawn, table, out)
