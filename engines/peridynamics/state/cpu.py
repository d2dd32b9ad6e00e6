"""The linear peridynamic solid on the CPU: the kernels of ``cpu_kernels.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.peridynamics.lattice.cpu import BANDS_PER_THREAD
from engines.peridynamics.lattice.cpu_damage import damage
from engines.peridynamics.state import cpu_kernels
from engines.peridynamics.state.body import StateBody
from engines.peridynamics.state.material import influence
from engines.peridynamics.state.solver import StateSolver


class CpuStateSolver(StateSolver):
    """Arrays are NumPy's."""

    def __init__(self, backend: Backend, body: StateBody, precision: str) -> None:
        super().__init__(backend, body, precision)
        family, layout = body.family, body.layout
        lengths = family.lengths
        self._real_offsets = family.offsets.astype(self.dtype)
        self._bonds = np.stack([lengths, 1 / lengths**2, influence(family)], axis=1)
        self._factors = self._bonds.astype(self.dtype)
        self._factors[:, 0] = influence(family) * lengths**2
        self._one = np.ones((1, 1), self.dtype)
        self._bands = min(BANDS_PER_THREAD * backend.info.threads, layout.counts[1] * layout.counts[2])

    def _prepared(self, table: Array) -> Array:
        return table

    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        arrays, layout, number, orbits = self.arrays, self.body.layout, self.dtype.type, self.body.family.orbits
        words = arrays["words"].reshape(-1)
        lattice = (layout.counts, layout.rows, layout.pitch, layout.base)
        cpu_kernels.dilate(
            arrays["u"], arrays["v"], words, self._breakable.reshape(-1), self._dilation, self._stiffness,
            self.state_values, arrays["loss"], self._real_offsets, self._steps, self._bonds, self._factors, orbits,
            *lattice, number(self.body.limit), self._bands,
        )  # fmt: skip
        cpu_kernels.move(
            arrays["u"], self._spare, arrays["v"], words, self._stiffness, self.state_values, self._kind, table[row],
            self._real_offsets, self._steps, self._factors, orbits, arrays["work"], arrays["damped"], *lattice,
            self._one, number(kick), number(decay), self._bands, *self._pushed(),
        )  # fmt: skip

    def measure(self) -> None:
        layout = self.body.layout
        cpu_kernels.measure(
            self.arrays["u"], self.arrays["words"].reshape(-1), self._dilation, self._stiffness, self.state_values,
            self.energy_values, self.kick_values, self._real_offsets, self._steps, self._factors,
            self.body.family.orbits, layout.counts, layout.rows, layout.pitch, layout.base, self._bands,
        )  # fmt: skip

    def find_damage(self) -> None:
        damage(self.arrays["words"], self._whole, self.damage_values)
