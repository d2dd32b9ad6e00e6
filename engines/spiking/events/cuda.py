"""What all matrices on an NVIDIA GPU do with events before they are multiplied: small kernels of ``sparse.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.spiking.events.kinds import Given
from engines.spiking.events.vectors import PITCH, DeviceGiven

SPARSE = Path(__file__).parent / "sparse" / "sparse.cu"
SHARED_BYTES = 64
"""Per thread, for the list of events."""


class EventTools:
    """Small kernels about events of one matrix."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        module = backend.compile(SPARSE, ("-DWEIGHTS=32",))
        self._expand, self._largest, self._decide = (module.get_function(n) for n in ("expand", "largest", "decide"))
        self._exponents: dict[int, Any] = {}
        self._table: Any = None

    def vector(self, given: DeviceGiven) -> DeviceGiven:
        """A list as one vector of values, for kernels that look events up."""
        if given.kind != Given.LIST:
            return given
        if self._table is None:
            self._table = self._backend.array(np.zeros((1, -(-given.size // PITCH) * PITCH), np.float32))
        table = self._table
        with self._backend.active():
            self._expand((1,), (512,), (table, given.array, given.count, given.values, np.int32(given.size)))
        return DeviceGiven(Given.FLOATS, table, 1, table.shape[1], given.graded, given.size)

    def exponent(self, given: DeviceGiven) -> Any:
        """(batch,) int32 of graded events, one launch; None for others."""
        if not given.graded:
            return None
        if given.batch not in self._exponents:
            self._exponents[given.batch] = self._backend.empty(given.batch, np.int32)
        out = self._exponents[given.batch]
        self._largest(
            (given.batch,), (256,),
            (out, given.array, given.count, given.values, np.int32(given.kind), np.int32(given.size),
             np.int32(given.pitch)),
        )  # fmt: skip
        return out

    def decide(self, gate: Any, given: DeviceGiven, limit: int) -> None:
        """gate[0] = 1 if there are more than ``limit`` events."""
        packs = given.batch * given.pitch // 8
        self._decide(
            (1,), (256,), (gate, given.array, given.count, np.int32(given.kind), np.int64(packs), np.int32(limit))
        )
