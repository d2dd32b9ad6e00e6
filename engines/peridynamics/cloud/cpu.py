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
        records, number = np.zeros((family.size, 4 if d == 2 else 8), self.dtype), self.dtype.type
        self._advance = cpu_kernels.ADVANCE[d, body.blend is not None]
        limits = np.full(1, body.limit) if body.blend is None else body.blend.limits[body.blend.classes]
        self._points = cpu_kernels.Points(records, self.grid, self.mass, self.volume, number(family.unit))
        self._bonds = cpu_kernels.Bonds(
            family.starts, family.neighbours, self.weights.astype(self.dtype), limits.astype(self.dtype),
            number(body.stiffness),
        )  # fmt: skip
        self._bands = min(BANDS_PER_THREAD * backend.info.threads, len(family.starts) - 1)

    def _particles(self) -> cpu_kernels.Particles:
        """Of what the arrays are now."""
        arrays = self.arrays
        return cpu_kernels.Particles(
            arrays["words"].reshape(-1), self._breakable.reshape(-1), self._kind, arrays["work"], arrays["loss"],
            arrays["damped"],
        )  # fmt: skip

    def _prepared(self, table: Array) -> tuple[Array, cpu_kernels.Particles]:
        """With the arrays of this batch of steps."""
        return table, self._particles()

    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        number, (loads, particles) = self.dtype.type, table
        self._advance(
            self.arrays["u"], self._spare, self.arrays["v"], loads[row], number(kick), number(decay), particles,
            self._points, self._bonds, self._bands,
        )  # fmt: skip

    def measure(self) -> None:
        cpu_kernels.measure(
            self.arrays["u"], self._particles(), self._points, self._bonds, self.energy_values, self.kick_values,
            self._bands,
        )  # fmt: skip

    def find_damage(self) -> None:
        damage(self.arrays["words"], self._whole, self.damage_values)
