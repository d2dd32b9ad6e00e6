"""Sparse and procedural event matrices on the CPU; the kernels are in ``events/cpu_kernels.py``."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.backend.threads import serial_region
from engines.spiking.events import cpu_kernels
from engines.spiking.events.product import Product
from engines.spiking.events.sparse.formats import Rows
from engines.spiking.events.sparse.procedural import Drawn
from engines.spiking.events.sparse.scaling import used_power
from engines.spiking.events.vectors import HostGiven

_NONE = np.empty(0, np.float32)


def _scales(powers: Sequence[int]) -> tuple[Array, Array]:
    """Powers of two, as int64, and the numbers that they are, as float32."""
    held = np.array(powers, np.int64)
    return held, np.ldexp(np.float32(1), held).astype(np.float32)


class _Pushed(Product):
    """Sums as integers, whoever adds to them."""

    gathers_anywhere = scans_anywhere = True

    def __init__(self, backend: Backend, shape: tuple[int, int], power: int) -> None:
        self._backend, self.shape, self._power = backend, shape, power
        self._sums: dict[int, Array] = {}
        """Of zeros, by batch."""
        self._scales: dict[int, tuple[Array, Array]] = {}

    def gather_into(self, out: Array, given: HostGiven) -> None:
        powers, scales = self._graded_scales(given) if given.graded else self._binary_scales(given.batch)
        with serial_region():
            # Those of a product that ends half-way are left to nobody.
            sums = self._sums.pop(given.batch, None)
            if sums is None:
                sums = np.zeros((given.batch, self.shape[1]), np.int64)
            self._push(given, scales, sums)
            cpu_kernels.finish(sums, powers, out)
            self._sums[given.batch] = sums

    def _binary_scales(self, batch: int) -> tuple[Array, Array]:
        if batch not in self._scales:
            self._scales[batch] = _scales([self._power] * batch)
        return self._scales[batch]

    def _graded_scales(self, given: HostGiven) -> tuple[Array, Array]:
        return _scales([used_power(self._power, part) for part in np.split(given.values, given.offsets[1:-1])])

    def scan_into(self, out: Array, given: HostGiven) -> None:
        with self._backend.active():
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
        super().__init__(backend, (rows.rows, rows.columns), rows.power)
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
        super().__init__(backend, drawn.shape, drawn.power)
        self._drawn = (np.uint64(drawn.seed), drawn.number, drawn.columns, drawn.low, drawn.span)

    def _push(self, given: HostGiven, scales: Array, sums: Array) -> None:
        cpu_kernels.push_drawn(*self._drawn, given.offsets, given.active, given.values, scales, sums)

    def _pull(self, table: Array, out: Array) -> None:
        cpu_kernels.pull_drawn(*self._drawn, table, out)
