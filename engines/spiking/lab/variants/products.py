"""The engine's own products, prepared as variants."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.lab import Inputs, Prepared, Resources
from engines.backend.lab.variants import kernel_resources
from engines.spiking.events import vectors
from engines.spiking.events.kinds import Given
from engines.spiking.events.products import dense_product, sparse_product
from engines.spiking.events.sparse.formats import packed
from engines.spiking.events.vectors import DeviceGiven
from engines.spiking.events.weights import Precision, stored

Kind = Literal["dense", "list", "sparse"]
COMPACT = Path(__file__).with_name("compact.cu")
COMPACT_THREADS = 1024


class PreparedProduct(Prepared):
    """``dense``: rows gathered; ``list``: the same from a list that a kernel of its own makes; ``sparse``: the same
    matrix as one of synapses, each with its target."""

    def __init__(
        self, backend: Backend, inputs: Inputs, sets: int, kind: Kind, precision: Precision = "float32"
    ) -> None:
        self._backend, self._kind = backend, kind
        rows, events = inputs["rows"], inputs["events"]
        first = made(backend, rows, kind, precision)
        self._products: list[Any] = [first, *(first.another() for _ in range(sets - 1))]
        self._given = [vectors.on(backend, events[None] != 0) for _ in range(sets)]
        self._lists: list[DeviceGiven] = []
        if kind == "list":
            self._compact = backend.compile(COMPACT).get_function("compact")  # type: ignore[attr-defined]  # a GPU
            for _ in range(sets):
                indices, count = (backend.empty(size, np.int32) for size in (len(events), 1))
                self._lists.append(DeviceGiven(Given.LIST, indices, 1, 16, False, len(events), count))
        self._outputs = [backend.empty((1, rows.shape[1]), np.float32) for _ in range(sets)]
        share = 3 if kind == "sparse" else {"float32": 1, "float16": 0.5, "int8": 0.25}[precision]
        self.set_bytes = int(rows.nbytes * share) + events.nbytes + self._outputs[0].nbytes

    def launch(self, index: int) -> None:
        given = self._given[index]
        if self._lists:
            listed = self._lists[index]
            self._compact((1,), (COMPACT_THREADS,), (listed.array, listed.count, given.array, np.int32(listed.size)))
            given = listed
        self._products[index].gather_into(self._outputs[index], given)

    def poison(self, index: int) -> None:
        with self._backend.active():
            self._outputs[index].fill(np.nan)

    def result(self, index: int) -> Array:
        return self._backend.to_host(self._outputs[index])[0]

    def resources(self) -> Resources | None:
        launch = self._products[0].main_launch
        return None if launch is None else kernel_resources(self._backend, *launch)  # type: ignore[arg-type]  # it launches on a GPU

    def close(self) -> None:
        self._products, self._given, self._lists, self._outputs = [], [], [], []


def made(backend: Backend, rows: Array, kind: Kind, precision: Precision = "float32") -> Any:
    """Products of ``rows: (presynaptic, postsynaptic)``."""
    if kind != "sparse":
        return dense_product(backend, [stored(rows, precision)])
    n, columns = rows.shape
    starts = np.arange(n + 1, dtype=np.int64) * columns
    targets = np.tile(np.arange(columns, dtype=np.int32), n)
    return sparse_product(backend, [packed(starts, targets, rows.ravel(), columns, precision, "compressed", False)])
