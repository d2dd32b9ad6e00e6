"""Irregular points on the CPU: the kernels of ``cpu_kernels.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.peridynamics.cloud import cpu_kernels
from engines.peridynamics.cloud.solver import Cloud, CloudSolver
from engines.peridynamics.lattice.cpu_damage import damage

BANDS_PER_THREAD = 8
"""Parts that the particles are cut into: those of a surface have fewer bonds than others."""


class CpuCloudSolver(CloudSolver):
    """As :class:`CloudSolver`; arrays are NumPy's. grid: (d, size) places, whole numbers as floats."""

    def __init__(self, backend: Backend, body: Cloud, precision: str) -> None:
        super().__init__(backend, body, precision)
        family, d = body.family, body.dimensions
        self.grid = np.ascontiguousarray(family.grid[:, :d].T, self.dtype)
        self._records = np.zeros((family.size, 4 if d == 2 else 8), self.dtype)
        self._weights = self.weights.astype(self.dtype)
        self._kernel = cpu_kernels.ADVANCE[d, body.blend is not None]
        limits = np.full(1, body.limit) if body.blend is None else body.blend.limits[body.blend.classes]
        self._limits = limits.astype(self.dtype)
        self._bands = min(BANDS_PER_THREAD * backend.info.threads, len(family.starts) - 1)

    def _prepared(self, table: Array) -> Array:
        return table

    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        arrays, family, number = self.arrays, self.body.family, self.dtype.type
        cpu_kernels.pack(arrays["u"], self.grid, self._records)
        self._kernel(
            arrays["u"], self._spare, arrays["v"], self._records, self.grid, arrays["words"].reshape(-1),
            self._breakable.reshape(-1), self._kind, table[row], family.starts, family.neighbours, self._weights,
            self._limits, self.mass, self.volume, arrays["work"], arrays["loss"], arrays["damped"],
            number(family.unit), number(self.body.stiffness), number(kick), number(decay), self._bands,
        )  # fmt: skip

    def measure(self) -> None:
        arrays, family, number = self.arrays, self.body.family, self.dtype.type
        cpu_kernels.pack(arrays["u"], self.grid, self._records)
        cpu_kernels.measure(
            arrays["u"], self._records, self.grid, arrays["words"].reshape(-1), family.starts, family.neighbours,
            self._weights, self.mass, self.energy_values, self.kick_values, number(family.unit),
            number(self.body.stiffness), self._bands,
        )  # fmt: skip

    def find_damage(self) -> None:
        damage(self.arrays["words"], self._whole, self.damage_values)
