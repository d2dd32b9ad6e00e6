"""What a run of particles is watched by: energies, damage and the crack's tip, reduced on the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array
from engines.peridynamics.loads import ACCELERATION, HELD
from engines.peridynamics.material import Lattice
from engines.peridynamics.solver import Solver

SPLIT = 0.9
"""A particle counts as beside the crack from this part of the damage that a straight crack along its row does."""


@dataclass(frozen=True)
class Energies:
    """[J]; ``work`` is what the loads have done."""

    work: float
    kinetic: float
    elastic: float
    broken: float
    damped: float

    @property
    def imbalance(self) -> float:
        """What is missing over the largest of them."""
        largest = max(abs(self.work), self.kinetic, self.elastic, self.broken, self.damped)
        rest = self.work - self.kinetic - self.elastic - self.broken - self.damped
        return abs(rest) / largest if largest else 0.0


def energies(solver: Solver, table: Array, kind: Any, begun: bool, decay: float = 1.0) -> Energies:
    """At the present moment, with ``measure`` done.

    table: (kinds, 4, d) of this moment, in which velocities are half a step old once the run has ``begun``: what the
    forces add in half a step is put on top. kind: (size) on the device. decay: of velocities in a step.
    """
    backend, arrays, body = solver.backend, solver.arrays, solver.body
    with backend.active():
        velocity = arrays["v"]
        work = float(arrays["work"].sum())
        damped = float(arrays["damped"].sum())
        if begun:
            given = backend.array(np.ascontiguousarray(table[:, ACCELERATION].T).astype(solver.dtype))
            free = backend.array((1.0 - table[:, HELD].T).astype(solver.dtype))
            loaded = (kind > 0).astype(solver.dtype)
            left = solver.dtype.type(0.5 * (1 + decay))
            half = solver.dtype.type(0.25 * (1 + decay))
            now = solver.kick_values.copy()
            for axis in range(len(now)):
                is_free, push = free[axis][kind], given[axis][kind]
                acting = (is_free * push - (1 - is_free) * now[axis]) * loaded
                work += 0.5 * float((acting * velocity[axis] * solver.masses).sum(dtype=np.float64))
                mean = left * velocity[axis] + half * (now[axis] + push)
                if decay != 1:
                    damped += (
                        (1 - decay) / (1 + decay) * float((is_free * mean * mean * solver.masses).sum(dtype=np.float64))
                    )
                now[axis] = is_free * mean + (1 - is_free) * velocity[axis]
            velocity = now
        kinetic = float((velocity * velocity * solver.masses).sum(dtype=np.float64))
        elastic = float(solver.energy_values.sum(dtype=np.float64))
        loss = float(arrays["loss"].sum())
    unit = body.scales.energy
    return Energies(
        work=unit * work, kinetic=0.5 * unit * kinetic, elastic=unit * elastic, broken=unit * loss, damped=unit * damped
    )


@dataclass(frozen=True, eq=False)
class Watched:
    """What the crack is looked for with.

    along: (n,) [mm] of the particles in the direction in which it is expected to grow; threshold: the damage from which
    a particle counts as beside it; horizon [mm]; rayleigh_speed [m/s]; volume [m³] of a particle, the mean one
    """

    along: Array
    threshold: float
    horizon: float
    rayleigh_speed: float
    volume: float


def watched(lattice: Lattice, along: Array) -> Watched:
    """On a lattice."""
    threshold = SPLIT * lattice.family.crossing / lattice.family.bonds
    return Watched(along, threshold, lattice.horizon * 1e3, lattice.rayleigh_speed, lattice.volume)


class Tip:
    """The crack's tip along one axis: the damaged particle that is farthest on, and how fast it gets on.

    The speed is that over the last horizon of growth.
    """

    def __init__(self, watched: Watched) -> None:
        self._along, self._threshold, self._horizon = watched.along, watched.threshold, watched.horizon
        self.passed: list[tuple[float, float]] = []
        """(time [us], position [mm]) each time it was farther."""

    def seen(self, damage: Array, time: float) -> float:
        """Position now, from ``damage: (n,)`` at ``time`` [us]; NaN where nothing is damaged."""
        damaged = damage >= self._threshold
        if not damaged.any():
            return float("nan")
        position = float(self._along[damaged].max())
        if not self.passed or position > self.passed[-1][1]:
            self.passed.append((time, position))
        return position

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
