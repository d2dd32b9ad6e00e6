"""Sums over particles on the CPU: the kernel of ``totals.cu`` in Numba, and NumPy for a few."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.totals.totals import NOWHERE, ListSums, Totals

BANDS = 64
"""Parts whose sums are added up in their order: the same bits whatever the number of threads."""


class Spent(NamedTuple):
    """(size,) float64 of each particle."""

    work: Array
    damped: Array
    loss: Array


class Bonds(NamedTuple):
    """(size,) of each particle: parts of its bonds and of their stiffness that are gone, bonds before any cut, how far
    it lies along the way of the crack."""

    damage: Array
    lost: Array
    whole: Array
    along: Array


class Loads(NamedTuple):
    """kind: (size,) uint8; table: (kinds, 4, d) float64 of this moment, if the run has ``begun``; mass, volume: (size,)
    or (1,) of particles; decay: of velocities in a step."""

    kind: Array
    table: Array
    mass: Array
    volume: Array
    begun: bool
    decay: float


@njit(parallel=True, nogil=True, cache=True)
def sums(v, inner, touching, pushes, energy, spent, bonds, loads, threshold, nowhere, partial):
    """Σ over particles of work, damped and loss, energy, of what loads do and damping takes in half a step, m v⁻·v⁺ and
    bonds that hold; and the farthest that has lost the ``threshold``.

    partial: (bands, 9) of each part of the particles; v, inner: (d, size); pushes: as they, if ``touching``; energy:
    (size,). All is read once: 2D float32 61 bytes a particle, 3D 69, with masses, volumes and pushes up to 20 more.
    """
    d, size = v.shape
    bands, kind, table, decay = len(partial), loads.kind, loads.table, loads.decay
    mass, volume = loads.mass, loads.volume
    masses, volumes = min(len(mass) - 1, 1), min(len(volume) - 1, 1)  # 0 where one number is that of all
    for band in prange(bands):
        found = np.zeros(9)
        found[8] = nowhere
        for i in range(band * size // bands, (band + 1) * size // bands):
            m, share = float(mass[i * masses]), float(volume[i * volumes])
            row = kind[i]
            found[0] += spent.work[i]
            found[1] += spent.damped[i]
            found[2] += spent.loss[i]
            found[3] += energy[i]
            for axis in range(d):
                before = float(v[axis, i])
                after = before
                if loads.begun:
                    push, free, pulled = table[row, 0, axis], 1 - table[row, 1, axis], np.float64(inner[axis, i])
                    if touching:
                        pulled += pushes[axis, i]
                    mean = 0.5 * (1 + decay) * before + 0.25 * (1 + decay) * (pulled + push * share / m)
                    if row:
                        found[4] += 0.5 * (free * push * share - (1 - free) * pulled * m) * before
                    found[5] += free * mean * before * m
                    after += 2 * free * (mean - before)
                found[6] += before * after * m
            found[7] += math.floor(bonds.whole[i] * (1 - float(bonds.damage[i])) + 0.5)
            if not bonds.lost[i] < threshold:
                found[8] = max(found[8], bonds.along[i])
        for n in range(9):
            partial[band, n] = found[n]


class CpuTotals(Totals):
    """As :class:`Totals`."""

    def __init__(self, solver: Solver, along: Array, threshold: float) -> None:
        super().__init__(solver, along, threshold)
        self._partial = np.zeros((BANDS, 9))

    def _sums(self, table: Array, begun: bool, decay: float) -> Array:
        solver, arrays = self._solver, self._solver.arrays
        touching = begun and solver.pushes is not None
        mass, volume = (np.atleast_1d(np.asarray(values, solver.dtype)) for values in (solver.mass, solver.volume))
        velocities = solver.own_velocities()
        sums(
            velocities, solver.kick_values, touching, solver.pushes if touching else velocities,
            solver.energy_values, Spent(arrays["work"], arrays["damped"], arrays["loss"]),
            Bonds(solver.damage_values, solver.lost_values(), solver.whole, self._along),
            Loads(solver.kind, table, mass, volume, begun, float(decay)), float(self._threshold), NOWHERE,
            self._partial,
        )  # fmt: skip
        found = self._partial.sum(axis=0)
        found[8] = self._partial[:, 8].max()
        return found


class CpuListSums(ListSums):
    """As :class:`ListSums`."""

    def read(self) -> Array:
        solver = self._solver
        found = np.zeros(len(self._axes))
        for number, (axis, places) in enumerate(zip(self._axes, self._lists, strict=True)):
            if axis < 3:
                found[number] = solver.arrays["u"][axis, places].sum(dtype=np.float64)
            else:
                mass = solver.mass[places] if np.ndim(solver.mass) else solver.mass
                found[number] = (solver.kick_values[axis - 3, places] * mass).sum(dtype=np.float64)
        return found
