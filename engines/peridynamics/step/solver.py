"""Bonds and particles on a device: what both backends have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend, Cores
from engines.backend.threads import core_seconds
from engines.peridynamics.step.members import ALL, Own
from engines.peridynamics.step.scales import Scales


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


class Follower(ABC):
    """What acts on the particles between steps (contact): it adds to ``solver.pushes`` what its forces on the particles
    as they are now do to velocities in a step, and the next step has them."""

    @abstractmethod
    def prepare(self, first: int, steps: int) -> None:
        """Before steps first, first + 1, … Inside ``backend.timed``."""

    @abstractmethod
    def step(self, row: int) -> None:
        """After step ``first + row``."""

    @abstractmethod
    def state(self) -> dict[str, Array]:
        """All that :meth:`restore` needs, on the host."""

    @abstractmethod
    def restore(self, state: Mapping[str, Array]) -> None: ...


class Body(Protocol):
    """What all kinds of bodies have in common (:class:`Placed`), with their bonds: words, breakable (words, size)."""

    @property
    def places(self) -> Array: ...
    @property
    def whole(self) -> Array: ...
    @property
    def kind(self) -> Array: ...
    @property
    def scales(self) -> Scales: ...
    @property
    def size(self) -> int: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def words(self) -> Array: ...
    @property
    def breakable(self) -> Array: ...


class Solver(ABC):
    """``arrays`` holds the state on the device by name: u, v (d, size), words, work, loss and damped (size)
    float64.

    All is in the units of ``body.scales``; velocities are per step, those of half a step ago. work: what loads have
    done on each particle; loss: the energy of bonds that are gone; damped: what damping has taken. After
    :meth:`measure`, ``energy_values: (size)`` is the elastic energy of each particle and ``kick_values: (d, size)``
    what its bonds add to its velocity in a step; after :meth:`find_damage`, ``damage_values: (size)`` the part of its
    bonds that is gone.
    """

    def __init__(self, backend: Backend, body: Body, precision: str) -> None:
        self.body, self.backend = body, backend
        self.dtype = np.dtype(precision)
        zeros, nothing = np.zeros((body.dimensions, body.size), self.dtype), np.zeros(body.size)
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
        self._weak, self._unbreakable = self._breakable, None
        self._whole = backend.array(body.whole.astype(self.dtype))
        self.mass: Any = self.dtype.type(1)
        """Of particles, in the unit of the scales: one, or (size)."""
        self.volume: Any = self.dtype.type(1)
        """Of particles, over that of one of unit mass of the body's own material: one, or (size). Loads act by it."""
        self.damage_values = backend.array(np.zeros(body.size, self.dtype))
        self.energy_values = backend.array(np.zeros(body.size, self.dtype))
        self.kick_values = backend.array(zeros)
        self.followers: list[Follower] = []
        """Act after each step."""
        self.own: Own = ALL
        """Which of the body's particles it has."""
        self.pushes: Any = None
        """(d, size) what followers add to velocities in the coming step; None where there are none."""

    @property
    def kind(self) -> Any:
        """(size,) uint8 on the device, as in the body."""
        return self._kind

    @property
    def breakable(self) -> Any:
        """(words, size) uint32 on the device: bonds that break where they are stretched too far."""
        return self._breakable

    @property
    def whole(self) -> Any:
        """(size,) on the device: bonds of each particle before any cut."""
        return self._whole

    def per_mass(self) -> Any:
        """1 over the mass of particles, on the device: (size) where materials differ in it, else one number."""
        mass = self.backend.to_host(self.mass) if np.ndim(self.mass) else np.atleast_1d(self.mass)
        return self.backend.array((1 / mass).astype(self.dtype))

    @property
    @abstractmethod
    def traffic(self) -> KernelTraffic: ...

    def advance(self, table: Array, half: bool, decay: float | Array = 1.0) -> None:
        """One step for each row of ``table: (steps, kinds, 4, d)`` float64: acceleration, held, displacement, velocity.

        ``half``: the first one is the half step of velocity Verlet. ``decay``: of velocities in a whole step (see
        :func:`decay_of`), one number or (steps,). Called inside ``backend.timed``.
        """
        given = self._prepared(table.astype(self.dtype, order="C"))  # other strides are another type to Numba
        with self._cores.of(len(table)):
            for row, (kick, left) in enumerate(paces_of(len(table), half, decay).tolist()):
                self._step(given, row, kick, left)
                self.arrays["u"], self._spare = self._spare, self.arrays["u"]
                self.follow(row)

    @cached_property
    def _cores(self) -> Cores:
        return self.backend.cores_for(core_seconds(self.traffic))

    def follow(self, row: int) -> None:
        """What acts after step ``row`` of those that were prepared."""
        if self.followers:
            self.pushes.fill(0)
        for follower in self.followers:
            follower.step(row)

    def followed_by(self, followers: Iterable[Follower]) -> None:
        """From the next step on, in their order."""
        self.followers += followers
        if self.pushes is None and self.followers:
            self.pushes = self.backend.array(np.zeros((self.body.dimensions, self.body.size), self.dtype))

    def let_break(self, allowed: bool) -> None:
        """Whether bonds that are stretched too far break from the next step on; at first they do."""
        if not allowed and self._unbreakable is None:
            self._unbreakable = self.backend.array(np.zeros_like(self.body.breakable))
        self._breakable = self._weak if allowed else self._unbreakable

    def restore(self, arrays: dict[str, Array]) -> None:
        for name, values in self.arrays.items():
            if arrays[name].shape != values.shape:
                raise ValueError(f"particles of {arrays[name].shape}, not {values.shape}")
            if arrays[name].dtype != values.dtype:  # kernels take what they are given for theirs
                raise ValueError(f"{name} of {arrays[name].dtype}, not {values.dtype}")
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

    def own_velocities(self) -> Any:
        """(d, size) of its own particles; zero elsewhere. Inside ``backend.active``."""
        return self.arrays["v"]

    def lost_values(self) -> Any:
        """(size) the part of the stiffness of its bonds that each particle has lost: ``damage_values``, which must have
        been found, and what softens. Inside ``backend.active``."""
        return self.damage_values


def decay_of(damping: float, step: float) -> float:
    """What a step of ``step`` [s] leaves of a velocity at a mass-proportional ``damping`` [1/s]: (1 − h)/(1 + h) with h
    = damping·step/2, as central differences have it (Underwood 1983)."""
    half = 0.5 * damping * step
    return (1 - half) / (1 + half)


def paces_of(steps: int, half: bool, decay: float | Array = 1.0) -> Array:
    """(steps, 2) kick and decay of each step, as :meth:`Solver.advance` is told of them."""
    left = np.array(np.broadcast_to(np.asarray(decay, float), steps))
    kick = np.full(steps, 0.5)
    if half and steps:  # half the time: (1 − h/2)/(1 + h/2) of (1 − h)/(1 + h)
        left[0], kick[0] = (1 + 3 * left[0]) / (3 + left[0]), 0.25
    return np.stack([kick * (1 + left), left], axis=1)
