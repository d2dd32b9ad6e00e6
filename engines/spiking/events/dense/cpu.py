"""Dense event matrices on the CPU; the kernels are in ``events/cpu_kernels.py``."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.backend.threads import CORE_BANDWIDTH
from engines.spiking.events import cpu_kernels
from engines.spiking.events.product import Product
from engines.spiking.events.vectors import HostGiven
from engines.spiking.events.weights import Stored

_NONE = np.empty(0, np.float32)


class CpuDense(Product):
    """``stored.codes: (rows, columns)``."""

    gathers_anywhere = scans_anywhere = True

    def __init__(self, backend: Backend, stored: Stored) -> None:
        self._backend, self.shape = backend, stored.codes.shape
        self._weights = backend.array(cpu_kernels.as_bytes(stored.codes))
        self._bits = stored.bits
        self._scale = _NONE if stored.row_scale is None else stored.row_scale

    def another(self) -> CpuDense:
        """A copy with weights of its own, for measurements with cold caches."""
        twin = copy.copy(self)
        twin._weights = self._backend.array(self._weights)
        return twin

    def gather_into(self, out: Array, given: HostGiven) -> None:
        self._run(cpu_kernels.gather_rows, out, given, len(given.active) * self._weights.shape[1])

    def scan_into(self, out: Array, given: HostGiven) -> None:
        self._run(cpu_kernels.scan_rows, out, given, self._weights.nbytes)

    def _run(self, kernel: Any, out: Array, given: HostGiven, read: int) -> None:
        """read: bytes of weights"""
        with self._backend.cores_for(read / CORE_BANDWIDTH):
            kernel(
                self._weights, self._bits, self._scale, self.shape[1], given.offsets, given.active, given.values, out
            )
