"""Bonds and particles on a device: what both backends have in common."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.backend.base import Backend
from engines.peridynamics.family import Family
from engines.peridynamics.layout import Layout
from engines.peridynamics.scales import Scales


@dataclass(frozen=True, eq=False)
class Placed:
    """Particles in a device's memory, with what all kinds of bonds have in common.

    places: (n,) int32 where the particles are; whole: (size,) bonds of the family before any cut; kind: (size,) uint8,
    0 or the load's number; scales: the units in which the device calculates.
    """

    places: Array
    whole: Array
    kind: Array
    scales: Scales

    @property
    def size(self) -> int:
        """Places in all."""
        return len(self.whole)


@dataclass(frozen=True, eq=False)
class Discretised(Placed):
    """A body on a lattice. words, breakable: (words, size) uint32; stiffness K and limit (1 + s₀)² − 1 as in
    ``bonds.cu``."""

    layout: Layout
    family: Family
    words: Array
    breakable: Array
    stiffness: float
    limit: float

    @property
    def dimensions(self) -> int:
        return self.layout.dimensions


class Solver(ABC):
    """``arrays`` holds the state on the device by name: u, v (d, size), words, work, loss and damped (size)
    float64.

    All is in the units of ``body.scales``; velocities are per step, those of half a step ago. work: what loads have
    done on each particle; loss: the energy of bonds that are gone; damped: what damping has taken. ``masses``: (size)
    in ``scales.mass``, or one number for all. After
    :meth:`measure`, ``energy_values: (size)`` is the elastic energy of each particle and ``kick_values: (d, size)``
    what its bonds add to its velocity in a step; after :meth:`find_damage`, ``damage_values: (size)`` the part of its
    bonds that is gone.
    """

    masses: Any = 1.0

    def __init__(self, backend: Backend, body: Discretised, precision: str) -> None:
        self.body, self.backend = body, backend
        self.dtype = np.dtype(precision)
        d, size, family = body.layout.dimensions, body.layout.size, body.family
        zeros = np.zeros((d, size), self.dtype)
        nothing = np.zeros(size)
        self.arrays: dict[str, Any] = {
            "u": backend.array(zeros),
            "v": backend.array(zeros),
            "words": backend.array(body.words),
            "work": backend.array(nothing),
            "loss": backend.array(nothing),
            "damped": backend.array(nothing),
        }
        self._spare = backend.array(zeros)
        self._breakable, self._kind = backend.array(body.breakable), backend.array(body.kind)
        self._whole = backend.array(body.whole.astype(self.dtype))
        self.damage_values = backend.array(np.zeros(size, self.dtype))
        self.energy_values = backend.array(np.zeros(size, self.dtype))
        self.kick_values = backend.array(zeros)
        self._steps = body.layout.steps(family.offsets)

    @property
    def traffic(self) -> KernelTraffic:
        """u, v, words, breakable and kind are read once per particle, u, v and words written; 2D 24 operations a
        bond."""
        n, family, d = len(self.body.places), self.body.family, self.body.layout.dimensions
        values, words = d * self.dtype.itemsize, family.words * 4
        return KernelTraffic(
            "bonds", n * (2 * values + 2 * words + 1), n * (2 * values + words), n * family.bonds * (8 * d + 8)
        )

    def advance(self, table: Array, half: bool, decay: float | Array = 1.0) -> None:
        """One step for each row of ``table: (steps, kinds, 4, d)`` float64: acceleration, held, displacement, velocity.

        ``half``: the first one is the half step of velocity Verlet. ``decay``: of velocities in a whole step (see
        :func:`decay_of`), one number or (steps,). Called inside ``backend.timed``.
        """
        decays = np.broadcast_to(np.asarray(decay, float), len(table))
        given = self._prepared(table.astype(self.dtype))
        for row in range(len(table)):
            first = half and row == 0
            left = float(decays[row])
            if first:  # half the time: (1 − h/2)/(1 + h/2) of (1 − h)/(1 + h)
                left = (1 + 3 * left) / (3 + left)
            self._step(given, row, (0.25 if first else 0.5) * (1 + left), left)
            self.arrays["u"], self._spare = self._spare, self.arrays["u"]

    def restore(self, arrays: dict[str, Array]) -> None:
        for name, values in self.arrays.items():
            if arrays[name].shape != values.shape:
                raise ValueError(f"particles of {arrays[name].shape}, not {values.shape}")
        for name in self.arrays:
            self.arrays[name] = self.backend.array(arrays[name])

    @abstractmethod
    def _prepared(self, table: Array) -> Any: ...

    @abstractmethod
    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        """From u to the spare: v = decay v + kick a."""

    @abstractmethod
    def measure(self) -> None:
        """Fill ``energy_values`` and ``kick_values``. Inside ``backend.active``."""

    @abstractmethod
    def find_damage(self) -> None:
        """Fill ``damage_values``. Inside ``backend.active``."""


def decay_of(damping: float, step: float) -> float:
    """What a step of ``step`` [s] leaves of a velocity at a mass-proportional ``damping`` [1/s]: (1 − h)/(1 + h) with h
    = damping·step/2, as central differences have it (Underwood 1983)."""
    half = 0.5 * damping * step
    return (1 - half) / (1 + half)


def make_solver(backend: Backend, body: Discretised, precision: str) -> Solver:
    """The bonds of ``body`` on the device of ``backend``."""
    if backend.id == "cpu":
        from engines.peridynamics.cpu import CpuSolver

        return CpuSolver(backend, body, precision)
    from engines.peridynamics.cuda import CudaSolver

    return CudaSolver(backend, body, precision)


def bytes_of(layout: Layout, family: Family, value_bytes: int) -> int:
    """Device memory of a solver: seven vectors and three numbers per place, words twice, three float64, a kind."""
    per_place = (4 * layout.dimensions + 3) * value_bytes + 8 * family.words + 3 * 8 + 1
    return math.ceil(layout.size * per_place)
