"""What a run of particles is watched by: energies, damage and the crack's tip, reduced on the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array
from engines.peridynamics.contact.contact import ContactEnergies
from engines.peridynamics.loads import ACCELERATION, HELD
from engines.peridynamics.material import Lattice
from engines.peridynamics.solver import Solver

NO_CONTACT = ContactEnergies()
SPLIT = 0.9
"""A particle counts as beside the crack from this part of the damage that a straight crack along its row does."""


@dataclass(frozen=True)
class Energies:
    """[J]; ``work`` is what the loads and penetrators have done, with what the body had at the start; ``contact`` is
    in the springs of contact and ``friction`` lost to it."""

    work: float
    kinetic: float
    elastic: float
    broken: float
    damped: float = 0.0
    contact: float = 0.0
    friction: float = 0.0

    @property
    def imbalance(self) -> float:
        """What is missing over the largest of them."""
        parts = (self.kinetic, self.elastic, self.broken, self.damped, self.contact, self.friction)
        largest = max(abs(self.work), *parts)
        return abs(self.work - sum(parts)) / largest if largest else 0.0


def energies(
    solver: Solver,
    table: Array,
    kind: Any,
    begun: bool,
    decay: float,
    too_much: float,
    contact: ContactEnergies = NO_CONTACT,
    brought: float = 0.0,
) -> Energies:
    """At the present moment, with ``measure`` done.

    table: (kinds, 4, d) of this moment, in which velocities are half a step old once the run has ``begun``: what the
    forces add in half a step is put on top. kind: (size) on the device. decay: of velocities in a step.
    too_much: work of the first half step that the kernels count and that was not done (``instruments.first_work``).
    brought: [J] what the body had at the start, which counts as work.

    Kinetic is ½ v⁻·v⁺ with the velocities half a step before and after, for with it the balance of this integrator is
    exact while bonds are linear; ½ |v|² of the mean differs from it by ⅛ |a|², which is much of the energy of the
    shortest waves (0.25 % of the whole behind a crack at 0.7 of the stable step).
    """
    backend, arrays, body = solver.backend, solver.arrays, solver.body
    with backend.active():
        velocity = after = arrays["v"]
        mass, share = solver.mass, solver.volume
        work = float(arrays["work"].sum())
        damped = float(arrays["damped"].sum())
        if begun:
            work -= too_much
            given = backend.array(np.ascontiguousarray(table[:, ACCELERATION].T).astype(solver.dtype))
            free = backend.array((1.0 - table[:, HELD].T).astype(solver.dtype))
            loaded = (kind > 0).astype(solver.dtype)
            left = solver.dtype.type(0.5 * (1 + decay))
            half = solver.dtype.type(0.25 * (1 + decay))
            now = solver.kick_values.copy()
            # what followers added after the last step belongs to the coming one
            without = velocity.copy()
            for follower in solver.followers:
                follower.take_back(without)
            for axis in range(len(now)):
                is_free, push = free[axis][kind], given[axis][kind]
                acting = (is_free * push * share - (1 - is_free) * now[axis] * mass) * loaded
                work += 0.5 * float((acting * velocity[axis]).sum(dtype=np.float64))
                mean = left * velocity[axis] + half * (now[axis] + push * (share / mass))
                if decay != 1:
                    taken = float((is_free * mean * velocity[axis] * mass).sum(dtype=np.float64))
                    damped += (1 - decay) / (1 + decay) * taken
                now[axis] = velocity[axis] + is_free * (mean - velocity[axis]) * 2
            velocity, after = without, now
        kinetic = float((velocity * after * mass).sum(dtype=np.float64))
        elastic = float(solver.energy_values.sum(dtype=np.float64))
        loss = float(arrays["loss"].sum())
    unit = body.scales.energy
    return Energies(
        work=unit * work + contact.work + brought,
        kinetic=0.5 * unit * kinetic,
        elastic=unit * elastic,
        broken=unit * loss,
        damped=unit * damped,
        contact=contact.stored,
        friction=contact.friction,
    )


def kinetic_energy(solver: Solver) -> float:
    """[J] of the velocities as they stand."""
    with solver.backend.active():
        squares = solver.arrays["v"] ** 2 * solver.mass
        return 0.5 * float(squares.sum(dtype=np.float64)) * solver.body.scales.energy


@dataclass(frozen=True, eq=False)
class Watched:
    """What the crack is looked for with.

    axis, backward: the way that it is expected to grow; along: (n,) [mm] of the particles in that way; threshold: the
    damage from which a particle counts as beside it; horizon [mm]; rayleigh_speed [m/s]; volume [m³] of a particle, the
    mean one
    """

    axis: int
    backward: bool
    along: Array
    threshold: float
    horizon: float
    rayleigh_speed: float
    volume: float


def watched(lattice: Lattice, axis: int, backward: bool, along: Array) -> Watched:
    """On a lattice."""
    threshold = SPLIT * lattice.crossing_share
    return Watched(axis, backward, along, threshold, lattice.horizon * 1e3, lattice.rayleigh_speed, lattice.volume)


NOWHERE = -1e30
"""Added to where a particle is that does not count [mm]."""


class Counter:
    """Looks at damage on the device, which must have been found: bonds that hold, and the farthest damaged particle."""

    def __init__(self, solver: Solver, watched: Watched) -> None:
        self._solver, self._threshold = solver, watched.threshold
        along = np.full(solver.body.size, NOWHERE)
        along[solver.body.places] = watched.along
        array = solver.backend.array
        self._along, self._whole = (array(values.astype(solver.dtype)) for values in (along, solver.body.whole))

    def intact(self) -> float:
        """How many bonds hold, each counted once."""
        with self._solver.backend.active():
            holding = self._whole * (1 - self._solver.damage_values)
            return float((holding + 0.5).astype(np.int64).sum()) / 2

    def farthest(self) -> float:
        """[mm] along the way of the crack; NaN where nothing is damaged."""
        with self._solver.backend.active():
            whole = self._solver.lost_values() < self._threshold
            found = float((self._along + whole * self._solver.dtype.type(NOWHERE)).max())
        return found if found > 0.5 * NOWHERE else float("nan")


class Tip:
    """How fast the crack's tip, the damaged particle that is farthest on, gets on.

    The speed is that over the last horizon of growth.
    """

    def __init__(self, watched: Watched) -> None:
        self._horizon = watched.horizon
        self.passed: list[tuple[float, float]] = []
        """(time [us], position [mm]) each time it was farther."""

    def seen(self, position: float, time: float) -> None:
        """Where it is [mm] at ``time`` [us]; NaN where nothing is damaged."""
        if position == position and (not self.passed or position > self.passed[-1][1]):
            self.passed.append((time, position))

    def speed(self, time: float) -> float:
        """[m/s] over the last horizon of growth, 0 before any and where it has stood as long as that took."""
        if len(self.passed) < 2:
            return 0.0
        latest_time, latest = self.passed[-1]
        earlier = [entry for entry in self.passed[:-1] if latest - entry[1] >= self._horizon]
        if not earlier:
            return 0.0
        since, start = earlier[-1]
        if time - latest_time > latest_time - since:
            return 0.0
        return (latest - start) / (latest_time - since) * 1e3
