"""Penetrators on a device: what both backends have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.twins import Twins
from engines.peridynamics.contact.rigid import Rigid
from engines.peridynamics.contact.rows import STATE, ShapeRow, StateRow
from engines.peridynamics.step.members import ALL
from engines.peridynamics.step.solver import Follower, Solver
from engines.reading import check_indices

EVERY = 16
"""Steps after which the particles in reach are looked for again."""
SUMMED = [*range(StateRow.FORCE, StateRow.SEEN), StateRow.LATER]
"""Numbers of a state that are sums over particles."""
PLACE, VELOCITY, FORCE, SEEN, SEEN_VELOCITY = (
    slice(at, at + 3)
    for at in (StateRow.PLACE, StateRow.VELOCITY, StateRow.FORCE, StateRow.SEEN, StateRow.SEEN_VELOCITY)
)
"""Vectors in a state."""


@dataclass(frozen=True, eq=False)
class Seen:
    """(bodies, 3) in mm, m/s and N (on the body itself); energies [J]: what penetrators have done, what is in the
    springs of contact, what friction has taken."""

    places: Array
    velocities: Array
    forces: Array
    work: float
    stored: float
    friction: float


class Penetrators(Follower):
    """Rigid bodies on the device. A step of theirs is one launch; the list of particles in reach is made anew every
    EVERY steps. ``rest: (d, size)`` on the device: places of particles at first."""

    def __init__(self, solver: Solver, rigid: Rigid, rest: Any) -> None:
        self.solver, self.rigid, self.backend = solver, rigid, solver.backend
        self._rest, self._first, self._light = rest, 0, solver.per_mass()
        self.bodies, self.capacity = len(rigid.solids), len(solver.body.places)
        states = np.zeros((self.bodies, STATE))
        states[:, SEEN], states[:, SEEN_VELOCITY] = rigid.places, rigid.velocities
        states[:, PLACE], states[:, VELOCITY] = rigid.places + rigid.velocities, rigid.velocities
        self._shapes, self._states = self.backend.array(rigid.shapes), self.backend.array(states)
        self._list = self.backend.array(np.zeros(self.capacity, np.int32))
        self._count = self.backend.array(np.zeros(1, np.int32))
        self.rubbing = bool(rigid.shapes[:, ShapeRow.FRICTION].any())
        shape = (self.bodies, *rest.shape) if self.rubbing else (1, 1, 1)
        self._rub = self.backend.array(np.zeros(shape, solver.dtype))
        self._stale = True
        self._motion: Any = None

    @property
    def started(self) -> Array:
        """(bodies, 3) [mm] where they were at the start, as :meth:`seen` tells it."""
        return self._in_mm(self.rigid.places)

    def prepare(self, first: int, steps: int) -> None:
        self._first = first
        if self.solver.own is not ALL:  # particles of another rank may be the first to be fast
            self._put_fastest_square(self.solver.own.largest(self._fastest_square()))
        self._motion = self.backend.array(self.rigid.path(first, steps))

    def step(self, row: int) -> None:
        if self._stale or (self._first + row + 1) % EVERY == 0:
            self._find(row)
            self._stale = False
        self._push(row)

    @abstractmethod
    def _find(self, row: int) -> None:
        """List the particles in reach, in the order of their places."""

    @abstractmethod
    def _push(self, row: int) -> None:
        """Fill in what they do to velocities, and let free bodies go on."""

    @abstractmethod
    def _fastest_square(self) -> float:
        """Of the speeds of all particles when the list was made; lists reach so far."""

    @abstractmethod
    def _put_fastest_square(self, square: float) -> None: ...

    def places(self) -> Array:
        """(bodies, 3) [mm] at this moment."""
        return self._in_mm(self.backend.to_host(self._states)[:, SEEN])

    def _in_mm(self, places: Array) -> Array:
        """Of spacings from the first point of the lattice."""
        return np.asarray(places * (self.solver.body.scales.length * 1e3) + self.rigid.origin)

    def _all_states(self) -> Array:
        """(bodies, STATE) with the sums over all particles."""
        states = self.backend.to_host(self._states)
        states[:, SUMMED] = self.solver.own.total(states[:, SUMMED])
        return states

    def seen(self) -> Seen:
        """At this moment."""
        states, scales = self._all_states(), self.solver.body.scales
        work = float((states[:, StateRow.WORK] - states[:, StateRow.PENDING]).sum())
        return Seen(
            self._in_mm(states[:, SEEN]),
            states[:, SEEN_VELOCITY] * scales.velocity,
            states[:, FORCE] * scales.force,
            work * scales.energy,
            float(states[:, StateRow.POTENTIAL].sum()) * scales.energy,
            float(states[:, StateRow.SLID].sum()) * scales.energy,
        )

    @property
    def _rubbed_rows(self) -> int:
        bodies, dimensions, _ = self._rub.shape
        return int(bodies * dimensions)

    def state(self) -> dict[str, Array]:
        own, to_host = self.solver.own, self.backend.to_host
        count = int(to_host(self._count)[0])
        found = {
            "states": self._all_states(),
            "list": own.collected(own.in_body(to_host(self._list[:count]))),
            "fastest": np.array(own.largest(self._fastest_square())),
            "stale": np.array(self._stale),
        }
        if self.rubbing:
            with self.backend.active():
                rubbed = self._rub[:, :, self._list[:count]].reshape(self._rubbed_rows, count)
            found["rub"] = own.collected(to_host(rubbed))
        return found

    def restore(self, state: Mapping[str, Array]) -> None:
        which, listed = self.solver.own.here(state["list"])
        count = len(listed)
        check_indices(listed, self.solver.arrays["u"].shape[-1])
        if state["states"].shape != self._states.shape:
            raise ValueError(f"penetrators of {state['states'].shape}, not {self._states.shape}")
        with self.backend.active():
            self._list[:count] = self.backend.array(listed)
            if "kick" in state:  # of older checkpoints, which keep what was pushed here
                self.solver.pushes[:, self._list[:count]] += self.backend.array(state["kick"])
            if self.rubbing:
                self._rub[:] = 0
                if len(state["rub"]) == self._rubbed_rows:  # older checkpoints of several bodies have what all rub
                    rubbed = state["rub"][:, which].reshape(*self._rub.shape[:2], count)
                    self._rub[:, :, self._list[:count]] = self.backend.array(np.ascontiguousarray(rubbed))
        states = np.array(state["states"])
        if not self.solver.own.leads:
            states[:, SUMMED] = 0
        self._states = self.backend.array(states)
        self._count = self.backend.array(np.array([count], np.int32))
        self._put_fastest_square(float(state["fastest"]))
        self._stale = bool(state["stale"])


PENETRATORS = Twins[Penetrators](__package__, cpu="cpu:CpuPenetrators", cuda="cuda:CudaPenetrators")
