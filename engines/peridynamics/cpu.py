"""Bonds on the CPU: the kernels of ``cpu_kernels.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.base import Backend
from engines.peridynamics import cpu_kernels
from engines.peridynamics.solver import Discretised, Solver

BANDS_PER_THREAD = 4
"""Parts that the rows are cut into: a core that is interrupted holds up a quarter of its share."""


class CpuSolver(Solver):
    """As :class:`Solver`; arrays are NumPy's."""

    def __init__(self, backend: Backend, body: Discretised, precision: str) -> None:
        super().__init__(backend, body, precision)
        family, layout = body.family, body.layout
        d = layout.dimensions
        self._kernel = cpu_kernels.advance_2d if d == 2 else cpu_kernels.advance_3d
        self._offsets, self._lengths = family.offsets, family.lengths
        self._real_offsets = np.ascontiguousarray(family.offsets[:, :d], self.dtype)
        self._factors = np.stack([1 / self._lengths**2, 1 / self._lengths], axis=1).astype(self.dtype)
        self._bands = min(BANDS_PER_THREAD * backend.info.threads, layout.counts[1] * layout.counts[2])

    def _prepared(self, table: Array) -> Array:
        return table

    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        arrays, layout, number = self.arrays, self.body.layout, self.dtype.type
        self._kernel(
            arrays["u"], self._spare, arrays["v"], arrays["words"].reshape(-1), self._breakable.reshape(-1), self._kind,
            table[row], self._offsets, self._real_offsets, self._steps, self._lengths, self._factors,
            self.body.family.orbits, arrays["work"], arrays["loss"], arrays["damped"], layout.counts, layout.rows,
            layout.pitch, layout.base, number(self.body.stiffness), number(self.body.limit), number(kick),
            number(decay), self._bands,
        )  # fmt: skip

    def measure(self) -> None:
        cpu_kernels.measure(
            self.arrays["u"], self.arrays["words"].reshape(-1), self._offsets, self._steps, self._lengths,
            self.energy_values, self.kick_values, self.body.places, self.body.stiffness,
        )  # fmt: skip

    def find_damage(self) -> None:
        cpu_kernels.damage(self.arrays["words"].reshape(-1), self._whole, self.damage_values, self.body.places)
