"""Heat in a box of voxels on an NVIDIA GPU: launches ``heat.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.backend.precision import REAL
from engines.battery.pack.heat import Heat

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

SOURCE = Path(__file__).with_name("heat.cu")
BLOCK = (32, 8)
SUMMING = 128
"""Threads that add up one element."""


class CudaHeat(Heat):
    """Heat on a GPU. Launches go to the stream that is current."""

    backend: CudaBackend

    def __init__(self, backend: CudaBackend, *args: Any, **kwargs: Any) -> None:
        super().__init__(backend, *args, **kwargs)
        module = backend.compile(SOURCE, (REAL[self.dtype.name],))
        self._kernels = {name: module.get_function(name) for name in ("rate", "stage", "finish", "means")}
        self._size = tuple(np.int32(count) for count in self.shape[::-1])
        self._numbers = [
            tuple(self.dtype.type(number) for number in (*row, weight))
            for row, weight in zip(self.stages.rows, self.stages.weights, strict=True)
        ]

    @property
    def _grid(self) -> tuple[int, int, int]:
        nz, ny, nx = self.shape
        return -(-nx // BLOCK[0]), -(-ny // BLOCK[1]), nz

    @property
    def _parts(self) -> int:
        return int(np.prod(self._grid))

    def _rate(self, change: Any) -> None:
        arguments = (
            self.temperature, *self._faces, self._per_capacity, self._owner, self._power,
            self.dtype.type(self.stages.first), self._rates, change, self._outflow, *self._size,
        )  # fmt: skip
        self._kernels["rate"](self._grid, BLOCK, arguments)

    def _stage(self, number: int, before: Any, older: Any, change: Any) -> None:
        arguments = (
            before, older, self._rates, *self._faces, self._per_capacity, *self._numbers[number], change, self._outflow,
            *self._size,
        )  # fmt: skip
        self._kernels["stage"](self._grid, BLOCK, arguments)

    def _finish(self, change: Any) -> None:
        arguments = (
            self.temperature, self._error, change, self._outflow, *self._faces, np.float64(self.step), self._lost,
            *self._size,
        )  # fmt: skip
        self._kernels["finish"](self._grid, BLOCK, arguments)

    def _means(self) -> None:
        arguments = (self.temperature, self._boxes, self._mean, *self._size[:2])
        self._kernels["means"]((self.n_elements,), (SUMMING,), arguments)
