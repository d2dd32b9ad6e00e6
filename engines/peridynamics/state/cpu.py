"""The linear peridynamic solid on the CPU: the kernels of ``cpu_kernels.py``."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.peridynamics.lattice.cpu import particles_of, place_of
from engines.peridynamics.lattice.cpu_arguments import Pairs, Particles
from engines.peridynamics.lattice.cpu_damage import damage
from engines.peridynamics.lattice.layout import Planes
from engines.peridynamics.lattice.solver import Slab
from engines.peridynamics.state import cpu_kernels
from engines.peridynamics.state.body import StateBody
from engines.peridynamics.state.material import influence
from engines.peridynamics.state.solver import StateSolver


class CpuStateSolver(StateSolver):
    """Arrays are NumPy's."""

    def __init__(self, backend: Backend, body: StateBody, precision: str, slab: Slab | None = None) -> None:
        super().__init__(backend, body, precision, slab)
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
        self._place_of = cache(partial(place_of, body.layout, backend.info.threads))
        self._one = np.ones((1, 1), self.dtype)

    def _prepared(self, table: Array) -> tuple[Array, Particles]:
        """With the arrays of this batch of steps."""
        return table, particles_of(self)

    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        if self.slab is not None:
            super()._step(table, row, kick, decay)
            return
        loads, particles = table
        cpu_kernels.step(
            self.arrays["u"], self._spare, self.arrays["v"], loads, row, kick, decay, particles, self._solid,
            self._bonds, self._place, self._one,
        )  # fmt: skip

    def _dilate_planes(self, table: Any, planes: Planes) -> None:
        place = self._place_of(planes)
        cpu_kernels.dilate(self.arrays["u"], self.arrays["v"], table[1], self._solid, self._bonds, place)

    def _move_planes(self, table: Any, row: int, kick: float, decay: float, planes: Planes) -> None:
        number, (loads, particles) = self.dtype.type, table
        cpu_kernels.move(
            self.arrays["u"], self._spare, self.arrays["v"], loads[row], number(kick), number(decay), particles,
            self._solid, self._bonds, self._place_of(planes), Pairs(False, self._one, self._one, self._one),
        )  # fmt: skip

    def _measure_energy(self) -> None:
        if self.slab is not None:  # one kernel does both, and kicks need what neighbours find
            self._measure_kicks()

    def _measure_kicks(self) -> None:
        cpu_kernels.measure(
            self.arrays["u"], particles_of(self), self._solid, self._bonds, self._place, self.energy_values,
            self.kick_values,
        )  # fmt: skip

    def find_damage(self) -> None:
        damage(self.arrays["words"], self._whole, self.damage_values)
