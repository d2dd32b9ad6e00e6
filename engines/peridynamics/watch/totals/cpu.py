"""Sums over particles on the CPU: the kernel of ``totals.cu`` in Numba, and NumPy for a few."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import math

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.totals.totals import NOWHERE, ListSums, Totals

BANDS = 64
"""Parts whose sums are added up in their order: the same bits whatever the number of threads."""


@njit(parallel=True, nogil=True, cache=True)
def sums(
    v, inner, touching, pushes, energy, work, damped, loss, damage, lost, whole, along, kind, mass, volume, table,
    decay, begun, threshold, nowhere, partial,
):  # fmt: skip
    """partial: (bands, 9) of each part of the particles; the rest as in ``totals.cu``. mass, volume: (size) or (1)."""
    d, size = v.shape
    bands = len(partial)
    masses, volumes = min(len(mass) - 1, 1), min(len(volume) - 1, 1)  # 0 where one number is that of all
    for band in prange(bands):
        found = np.zeros(9)
        found[8] = nowhere
        for i in range(band * size // bands, (band + 1) * size // bands):
            m, share = float(mass[i * masses]), float(volume[i * volumes])
            row = kind[i]
            found[0] += work[i]
            found[1] += damped[i]
            found[2] += loss[i]
            found[3] += energy[i]
            for axis in range(d):
                before = float(v[axis, i])
                after = before
                if begun:
                    push, free, pulled = table[row, 0, axis], 1 - table[row, 1, axis], np.float64(inner[axis, i])
                    if touching:
                        pulled += pushes[axis, i]
                    mean = 0.5 * (1 + decay) * before + 0.25 * (1 + decay) * (pulled + push * share / m)
                    if row:
                        found[4] += 0.5 * (free * push * share - (1 - free) * pulled * m) * before
                    found[5] += free * mean * before * m
                    after += 2 * free * (mean - before)
                found[6] += before * after * m
            found[7] += math.floor(whole[i] * (1 - float(damage[i])) + 0.5)
            if not lost[i] < threshold:
                found[8] = max(found[8], along[i])
        partial[band] = found


class CpuTotals(Totals):
    """As :class:`Totals`."""

    def __init__(self, solver: Solver, along: Array, threshold: float) -> None:
        super().__init__(solver, along, threshold)
        self._partial = np.zeros((BANDS, 9))

    def _sums(self, table: Array, begun: bool, decay: float) -> Array:
        solver, arrays = self._solver, self._solver.arrays
        touching = begun and solver.pushes is not None
        mass, volume = (np.atleast_1d(np.asarray(values, solver.dtype)) for values in (solver.mass, solver.volume))
        sums(
            arrays["v"], solver.kick_values, touching, solver.pushes if touching else arrays["v"],
            solver.energy_values, arrays["work"], arrays["damped"], arrays["loss"], solver.damage_values,
            solver.lost_values(), solver.whole, self._along, solver.kind, mass, volume, table, float(decay), begun,
            float(self._threshold), NOWHERE, self._partial,
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
