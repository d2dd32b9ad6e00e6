"""Bonds on the CPU: the kernels of ``cpu_kernels.py`` and ``cpu_energies.py``."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import cfunc

from engines.api import Array
from engines.api.device import Backend
from engines.peridynamics.lattice import cpu_energies, cpu_kernels
from engines.peridynamics.lattice.cpu_damage import damage
from engines.peridynamics.lattice.solver import Discretised, LatticeSolver
from engines.peridynamics.material.laws.code import SIGNATURE

BANDS_PER_THREAD = 4
"""Parts that the rows are cut into: a core that is interrupted holds up a quarter of its share."""


class CpuSolver(LatticeSolver):
    """As :class:`LatticeSolver`; arrays are NumPy's."""

    def __init__(self, backend: Backend, body: Discretised, precision: str) -> None:
        super().__init__(backend, body, precision)
        family, layout = body.family, body.layout
        self._offsets, self._lengths = family.offsets.astype(self.dtype), family.lengths
        self._weights = body.bond_weights
        self._factors = np.stack([1 / self._lengths**2, self._weights / self._lengths], axis=1).astype(self.dtype)
        self._factor_of = self._limit_of = self._light_of = np.ones((1, 1), self.dtype)
        self._material, self._materials = np.zeros(1, np.uint8), 1
        self._law = _no_law() if body.law is None else body.law.function
        self._laws = body.laws
        if body.paired:
            self._pair()
        self._bands = min(BANDS_PER_THREAD * backend.info.threads, layout.counts[1] * layout.counts[2])

    def _pair(self) -> None:
        """What each bond is weighted with, and where it breaks."""
        body, size = self.body, self.body.size
        mixture, steps = body.mixture, self._steps
        self._factor_of = np.empty((body.family.bonds, size), self.dtype)
        self._limit_of = np.full((body.family.bonds, size), body.limit, self.dtype)
        self._light_of = np.ones((1, size), self.dtype)
        if mixture is not None:
            self._material, self._materials = mixture.material, len(mixture.lightness)
            self._light_of[0] = mixture.lightness[mixture.material]
        halves = None if body.half_shares is None else body.half_shares.astype(np.float64)
        for bit, step in enumerate(steps):
            factor = np.full(size, self._weights[bit] / self._lengths[bit])
            if mixture is not None:
                pair = mixture.material, np.roll(mixture.material, -step)
                factor *= mixture.stiffness[pair]
                self._limit_of[bit] = mixture.limit[pair]
            if halves is not None:
                factor /= halves + np.roll(halves, -step)
            self._factor_of[bit] = factor

    def _history(self) -> tuple[Any, ...]:
        """softening, soft, history."""
        if self.body.law is None:
            return False, np.zeros(1, np.uint32), np.zeros((1, 1), self.dtype)
        return True, self.arrays["soft"].reshape(-1), self.arrays["history"]

    def _prepared(self, table: Array) -> Array:
        return table

    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        arrays, layout, number = self.arrays, self.body.layout, self.dtype.type
        cpu_kernels.advance(
            arrays["u"], self._spare, arrays["v"], arrays["words"].reshape(-1), self._breakable.reshape(-1), self._kind,
            table[row], self._offsets, self._steps, self._lengths, self._factors, self.body.family.orbits,
            arrays["work"], arrays["loss"], arrays["damped"], layout.counts, layout.rows, layout.pitch, layout.base,
            number(self.body.stiffness), number(self.body.limit), number(kick), number(decay), self._bands,
            self._weights, self.body.paired, self._factor_of, self._limit_of, self._light_of, *self._history(),
            self._law, self._laws, self._material, self._materials, *self._pushed(),
        )  # fmt: skip

    def measure(self) -> None:
        layout = self.body.layout
        cpu_energies.measure(
            self.arrays["u"], self.arrays["words"].reshape(-1), self._offsets, self._steps, self._lengths,
            self.energy_values, self.kick_values, layout.counts, layout.rows, layout.pitch, layout.base,
            self.body.stiffness, self._weights, self.body.paired, self._factor_of, self._light_of, *self._history(),
        )  # fmt: skip

    def find_damage(self) -> None:
        damage(self.arrays["words"], self._whole, self.damage_values)


@cache
def _no_law() -> Any:
    """For kernels that are called without a law: of the type of all laws, so that they are compiled once."""
    return cfunc(SIGNATURE)(_undamaged)


def _undamaged(stretches: Array, damages: Array, which: Array, parameters: Array, count: int) -> None:
    """No bond is asked for."""
