"""Bonds on the CPU: the kernels of ``cpu_kernels.py`` and ``cpu_energies.py``."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
from numba import cfunc

from engines.api import Array
from engines.api.device import Backend
from engines.peridynamics.lattice import cpu_energies, cpu_kernels
from engines.peridynamics.lattice.cpu_arguments import Bonds, Pairs, Particles, Place, Softening
from engines.peridynamics.lattice.cpu_damage import damage
from engines.peridynamics.lattice.layout import Layout, Planes
from engines.peridynamics.lattice.solver import Discretised, LatticeSolver, Slab
from engines.peridynamics.material.laws.code import SIGNATURE

BANDS_PER_THREAD = 4
"""Parts that the rows are cut into: a core that is interrupted holds up a quarter of its share."""


def place_of(layout: Layout, threads: int, planes: Planes | None = None) -> Place:
    """Of all particles, or those of some planes, for so many threads."""
    (nx, ny, nz), base = layout.part(planes or (0, layout.planes))
    return Place(nx, ny, nz, layout.pitch, layout.rows, base, min(BANDS_PER_THREAD * threads, ny * nz))


def particles_of(solver: LatticeSolver) -> Particles:
    """Of what the solver's arrays are now."""
    arrays = solver.arrays
    return Particles(
        arrays["words"].reshape(-1), solver.breakable.reshape(-1), solver.kind, arrays["work"], arrays["loss"],
        arrays["damped"], *solver.pushed(),
    )  # fmt: skip


class CpuSolver(LatticeSolver):
    """As :class:`LatticeSolver`; arrays are NumPy's."""

    def __init__(self, backend: Backend, body: Discretised, precision: str, slab: Slab | None = None) -> None:
        super().__init__(backend, body, precision, slab)
        family, lengths, weights = body.family, body.family.lengths, body.bond_weights
        factors = np.stack([1 / lengths**2, weights / lengths], axis=1).astype(self.dtype)
        self._bonds = Bonds(
            family.offsets.astype(self.dtype), self._steps, lengths, weights, factors, *family.orbits,
            self.dtype.type(body.stiffness), self.dtype.type(body.limit),
        )  # fmt: skip
        self._place = place_of(body.layout, backend.info.threads)
        self._place_of = cache(partial(place_of, body.layout, backend.info.threads))
        self._material, self._materials = np.zeros(1, np.uint8), 1
        self._law = (_no_law() if body.law is None else body.law.function).address
        self._laws = body.laws
        one = np.ones((1, 1), self.dtype)
        self._pairs = self._paired() if body.paired else Pairs(False, one, one, one)

    def _paired(self) -> Pairs:
        """What each bond is weighted with, and where it breaks."""
        body, size, bonds = self.body, self.body.size, self._bonds
        mixture, steps = body.mixture, self._steps
        factor_of = np.empty((body.family.bonds, size), self.dtype)
        limit_of = np.full((body.family.bonds, size), body.limit, self.dtype)
        light_of = np.ones((1, size), self.dtype)
        if mixture is not None:
            self._material, self._materials = mixture.material, len(mixture.lightness)
            light_of[0] = mixture.lightness[mixture.material]
        halves = None if body.half_shares is None else body.half_shares.astype(np.float64)
        for bit, step in enumerate(steps):
            factor = np.full(size, bonds.weights[bit] / bonds.lengths[bit])
            if mixture is not None:
                pair = mixture.material, np.roll(mixture.material, -step)
                factor *= mixture.stiffness[pair]
                limit_of[bit] = mixture.limit[pair]
            if halves is not None:
                factor /= halves + np.roll(halves, -step)
            factor_of[bit] = factor
        return Pairs(True, factor_of, limit_of, light_of)

    def _softening(self) -> Softening:
        """Of what the arrays are now."""
        if self.body.law is None:
            soft, damage = np.zeros(1, np.uint32), np.zeros((1, 1), self.dtype)
        else:
            soft, damage = self.arrays["soft"].reshape(-1), self.arrays["history"]
        return Softening(
            self.body.law is not None, soft, damage, self._laws, self._material, self._materials, self._law
        )

    def _prepared(self, table: Array) -> tuple[Array, Particles, Softening]:
        """With the arrays of this batch of steps: structs that are made once cost a step nothing."""
        return table, particles_of(self), self._softening()

    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        number, (loads, particles, softening) = self.dtype.type, table

        def launch(planes: Planes) -> None:
            cpu_kernels.advance(
                self.arrays["u"], self._spare, self.arrays["v"], loads[row], number(kick), number(decay), particles,
                self._bonds, self._place_of(planes), self._pairs, softening,
            )  # fmt: skip

        self._by_planes(launch, self._spare)

    def measure(self) -> None:
        cpu_energies.measure(
            self.arrays["u"], self.energy_values, self.kick_values, particles_of(self), self._bonds, self._place,
            self._pairs, self._softening(), self.body.stiffness,
        )  # fmt: skip

    def find_damage(self) -> None:
        damage(self.arrays["words"], self._whole, self.damage_values)


@cache
def _no_law() -> Any:
    """For kernels that are called without a law: of the type of all laws, so that they are compiled once."""
    return cfunc(SIGNATURE)(_undamaged)


def _undamaged(stretches: Array, damages: Array, which: Array, parameters: Array, count: int) -> None:
    """No bond is asked for."""
