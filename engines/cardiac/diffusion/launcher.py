"""What the CPU's and the GPU's diffusion step have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.backend.base import Backend
from engines.cardiac.diffusion.ell import BLOCK, WIDTH, EllMatrix


class Diffusion(ABC):
    """``out = v + dt L v`` with columns and weights on the device.

    ``dt`` [ms] is not folded into the weights and may change between steps.
    """

    def __init__(self, backend: Backend, matrix: EllMatrix, dt: float, precision: str = "float32") -> None:
        self.dt = dt
        self.n_rows = matrix.n_rows
        self.dtype = np.dtype(precision)
        self._backend = backend
        self._columns = backend.array(matrix.columns)
        self._weights = backend.array(matrix.weights.astype(self.dtype, copy=False))

    @abstractmethod
    def step(self, v: Any, out: Any) -> None:
        """v, out: different device arrays of ``dtype``, at least ``n_rows`` long; the rest of ``out`` stays."""

    def update_rows(self, rows: Array, columns: Array, weights: Array) -> None:
        """Replace ``rows: (m,)`` from the next step on; the arrays on the device stay where they are.

        columns, weights: (m, 16), unused entries with the row itself as column and weight 0. The columns are among
        those that the row had at first.
        """
        places = (rows[:, None] // BLOCK * WIDTH + np.arange(WIDTH)) * BLOCK + rows[:, None] % BLOCK
        with self._backend.active():
            at = self._backend.array(places.ravel())
            self._columns.reshape(-1)[at] = self._backend.array(columns.ravel().astype(np.int32))
            self._weights.reshape(-1)[at] = self._backend.array(weights.ravel().astype(self.dtype))

    @property
    def traffic(self) -> KernelTraffic:
        return diffusion_traffic(self.n_rows, self.dtype.itemsize)


def diffusion_traffic(n_rows: int, value_bytes: int) -> KernelTraffic:
    """Columns and weights of 16 entries and the old voltage are read once, the new voltage is written once.

    float32: 132 read and 4 written, float64: 200 and 8 bytes per cell. A row costs 16 × (difference, FMA) and one FMA.
    """
    return KernelTraffic(
        kernel="diffusion",
        bytes_read=n_rows * (WIDTH * (4 + value_bytes) + value_bytes),
        bytes_written=n_rows * value_bytes,
        flops=n_rows * (3 * WIDTH + 2),
    )
