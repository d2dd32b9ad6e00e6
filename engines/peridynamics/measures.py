"""What a run of particles is watched by: energies, damage and the crack's tip, reduced on the device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.peridynamics.contact.contact import ContactEnergies
from engines.peridynamics.loads import ACCELERATION, HELD
from engines.peridynamics.material import Lattice
from engines.peridynamics.solver import Solver

NO_CONTACT = ContactEnergies()
LOOKED_WITH = 8
"""Numbers of a particle that energies and fields are found with, beside those that a solver keeps."""
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
    begun: bool,
    decay: float,
    too_much: float,
    contact: ContactEnergies = NO_CONTACT,
    brought: float = 0.0,
) -> Energies:
    """At the present moment, with ``measure`` done.

    table: (kinds, 4, d) of this moment, in which velocities are half a step old once the run has ``begun``: what the
    forces add in half a step is put on top. decay: of velocities in a step. too_much: work of the first half step that
    the kernels count and that was not done (``instruments.first_work``).
    brought: [J] what the body had at the start, which counts as work.

    Kinetic is ½ v⁻·v⁺ with the velocities half a step before and after, for with it the balance of this integrator is
    exact while bonds are linear; ½ |v|² of the mean differs from it by ⅛ |a|², which is much of the energy of the
    shortest waves (0.25 % of the whole behind a crack at 0.7 of the stable step).
    """
    backend, arrays, body = solver.backend, solver.arrays, solver.body
    velocity, inner, mass, share = arrays["v"], solver.kick_values, solver.mass, solver.volume
    with backend.active():
        read = backend.array(np.zeros((4 + 3 * len(velocity),)))  # on the device: the host waits once
        totals, per_axis = read[:4], read[4:].reshape(3, -1)
        totals[0], totals[1], totals[2] = (arrays[name].sum() for name in ("work", "damped", "loss"))
        totals[3] = solver.energy_values.sum(dtype=np.float64)
        without = velocity
        if begun:
            given = backend.array(np.ascontiguousarray(table[:, ACCELERATION].T).astype(solver.dtype))
            free = backend.array((1.0 - table[:, HELD].T).astype(solver.dtype))
            loaded = (solver.kind > 0).astype(solver.dtype)
            left = solver.dtype.type(0.5 * (1 + decay))
            half = solver.dtype.type(0.25 * (1 + decay))
            if solver.followers:  # what they added after the last step belongs to the coming one
                without = velocity.copy()
                for follower in solver.followers:
                    follower.take_back(without)
        for axis, before in enumerate(velocity):  # one after the other, for the sake of memory
            after = before
            if begun:
                is_free, push = free[axis][solver.kind], given[axis][solver.kind]
                acting = (is_free * push * share - (1 - is_free) * inner[axis] * mass) * loaded
                per_axis[0, axis] = 0.5 * (acting * before).sum(dtype=np.float64)
                mean = left * before + half * (inner[axis] + push * (share / mass))
                if decay != 1:
                    taken = (is_free * mean * before * mass).sum(dtype=np.float64)
                    per_axis[1, axis] = (1 - decay) / (1 + decay) * taken
                after = before + is_free * (mean - before) * 2
            per_axis[2, axis] = (without[axis] * after * mass).sum(dtype=np.float64)
    told = backend.to_host(read)
    (work, damped, loss, elastic), now = told[:4].tolist(), told[4:].reshape(3, -1).sum(axis=1).tolist()
    work, damped, kinetic = work + now[0] - (too_much if begun else 0.0), damped + now[1], now[2]
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
        self._along = solver.backend.array(along.astype(solver.dtype))

    def intact(self) -> float:
        """How many bonds hold, each counted once."""
        with self._solver.backend.active():
            holding = self._solver.whole * (1 - self._solver.damage_values)
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
