"""The linear peridynamic solid on a device: what both backends have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from engines.api import KernelTraffic
from engines.api.device import Backend
from engines.backend.twins import Twins
from engines.peridynamics.lattice.family import Family
from engines.peridynamics.lattice.layout import Layout, Planes
from engines.peridynamics.lattice.solver import LatticeSolver, Slab, bytes_of
from engines.peridynamics.state.body import StateBody


class StateSolver(LatticeSolver):
    """As :class:`LatticeSolver`, in two passes a step: dilatations, then forces and motion.

    ``state_values: (size)`` φ of the last pass or measurement. Of a slab neighbours send them before the second pass,
    and velocities with displacements.
    """

    body: StateBody

    def __init__(self, backend: Backend, body: StateBody, precision: str, slab: Slab | None = None) -> None:
        super().__init__(backend, body, precision, slab)
        self._stiffness = backend.array(body.stiffness_values.astype(self.dtype))
        self._dilation = backend.array(body.dilation_values.astype(self.dtype))
        self.state_values = backend.array(np.zeros(body.size, self.dtype))

    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        self._by_planes(lambda planes: self._dilate_planes(table, planes), [self.state_values])
        made = [*self._spare, *self.arrays["v"]]  # what a bond loses hangs on the velocities of both ends
        self._by_planes(lambda planes: self._move_planes(table, row, kick, decay, planes), made)

    def measure(self) -> None:
        self._measure_energy()
        if self.slab is not None:
            self.slab.send([self.state_values]).wait()
        self._measure_kicks()

    @abstractmethod
    def _dilate_planes(self, table: Any, planes: Planes) -> None:
        """The first pass."""

    @abstractmethod
    def _move_planes(self, table: Any, row: int, kick: float, decay: float, planes: Planes) -> None:
        """The second pass."""

    @abstractmethod
    def _measure_energy(self) -> None:
        """Dilatations, and ``energy_values``."""

    @abstractmethod
    def _measure_kicks(self) -> None:
        """``kick_values``, of all dilatations."""

    def own_velocities(self) -> Any:
        if self.slab is None:
            return self.arrays["v"]
        own = self.arrays["v"].copy()
        self.slab.clear(own)
        return own

    @property
    def traffic(self) -> KernelTraffic:
        """dilate reads u, words, breakable and γ once and writes φ, move reads u, v, words, φ, β and kind and writes u
        and v; 2D 16 + 22 operations a bond."""
        n, family, d = len(self.body.places), self.body.family, self.body.layout.dimensions
        value, words = self.dtype.itemsize, family.words * 4
        return KernelTraffic(
            "bonds",
            n * ((3 * d + 3) * value + 3 * words + 1),
            n * (2 * d + 1) * value,
            n * family.bonds * (13 * d + 12),
        )


STATE_SOLVER = Twins[StateSolver](__package__, cpu="cpu:CpuStateSolver", cuda="cuda:CudaStateSolver")
"""Opened with a :class:`StateBody` and a precision."""


def state_bytes_of(layout: Layout, family: Family, value_bytes: int) -> int:
    """Device memory: four numbers and a double per place more than without the dilatation."""
    return bytes_of(layout, family, value_bytes) + (4 * value_bytes + 8) * layout.size
