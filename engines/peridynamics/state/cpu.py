"""The linear peridynamic solid on the CPU: the kernels of ``cpu_kernels.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.peridynamics.lattice.cpu import particles_of, place_of
from engines.peridynamics.lattice.cpu_arguments import Particles
from engines.peridynamics.lattice.cpu_damage import damage
from engines.peridynamics.state import cpu_kernels
from engines.peridynamics.state.body import StateBody
from engines.peridynamics.state.material import influence
from engines.peridynamics.state.solver import StateSolver


class CpuStateSolver(StateSolver):
    """Arrays are NumPy's."""

    def __init__(self, backend: Backend, body: StateBody, precision: str) -> None:
        super().__init__(backend, body, precision)
        family, lengths, omega = body.family, body.family.lengths, influence(body.family)
        bonds = np.stack([lengths, 1 / lengths**2, omega], axis=1)
        factors = bonds.astype(self.dtype)
        factors[:, 0] = omega * lengths**2
        self._bonds = cpu_kernels.Bonds(
            family.offsets.astype(self.dtype), self._steps, bonds, factors, *family.orbits,
            self.dtype.type(self.body.limit),
        )  # fmt: skip
        self._solid = cpu_kernels.Solid(self._dilation, self._stiffness, self.state_values)
        self._place = place_of(body.layout, backend.info.threads)
        self._one = np.ones((1, 1), self.dtype)

    def _prepared(self, table: Array) -> tuple[Array, Particles]:
        """With the arrays of this batch of steps."""
        return table, particles_of(self)

    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        loads, particles = table
        cpu_kernels.step(
            self.arrays["u"], self._spare, self.arrays["v"], loads, row, kick, decay, particles, self._solid,
            self._bonds, self._place, self._one,
        )  # fmt: skip

    def measure(self) -> None:
        cpu_kernels.measure(
            self.arrays["u"], particles_of(self), self._solid, self._bonds, self._place, self.energy_values,
            self.kick_values,
        )  # fmt: skip

    def find_damage(self) -> None:
        damage(self.arrays["words"], self._whole, self.damage_values)
