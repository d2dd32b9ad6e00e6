"""The engine's own products as variants."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from engines.api import Array
from engines.backend.base import Backend
from engines.lab import Inputs, Prepared, Resources
from engines.lab_variants import kernel_resources


class OwnPrepared(Prepared):
    """``dense``: rows gathered; ``sparse``: the same matrix as one of synapses, each with its target."""

    def __init__(self, backend: Backend, inputs: Inputs, sets: int, kind: Literal["dense", "sparse"]) -> None:
        self._backend = backend
        rows, events = inputs["rows"], inputs["events"]
        self._kernels: list[Any] = [_made(backend, rows, kind) for _ in range(sets)]
        self._events = [backend.array(events) for _ in range(sets)]
        self._outputs = [backend.empty(-(-rows.shape[1] // 4) * 4, np.float32) for _ in range(sets)]
        self._columns = rows.shape[1]
        self.set_bytes = rows.nbytes * (3 if kind == "sparse" else 1) + events.nbytes + self._outputs[0].nbytes

    def launch(self, index: int) -> None:
        out = self._outputs[index]
        self._kernels[index].gather_into(
            out if self._backend.id != "cpu" else out[: self._columns], self._events[index]
        )

    def poison(self, index: int) -> None:
        with self._backend.active():
            self._outputs[index].fill(np.nan)

    def result(self, index: int) -> Array:
        return self._backend.to_host(self._outputs[index])[: self._columns]

    def resources(self) -> Resources | None:
        if self._backend.id == "cpu":
            return None
        kernel, block = self._kernels[0].main_launch
        return kernel_resources(self._backend, kernel, block, 0)  # type: ignore[arg-type]  # a GPU, as its id says

    def close(self) -> None:
        self._kernels, self._events, self._outputs = [], [], []


def _made(backend: Backend, rows: Array, kind: Literal["dense", "sparse"]) -> Any:
    from engines.spiking.events.matrix import dense_on, sparse_on

    if kind == "dense":
        return dense_on(backend, rows)
    n, columns = rows.shape
    starts = np.arange(n + 1, dtype=np.int64) * columns
    return sparse_on(backend, columns, starts, np.tile(np.arange(columns, dtype=np.int32), n), rows.ravel())
