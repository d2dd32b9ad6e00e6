"""What a run of particles is watched by: energies, damage and the crack's tip, reduced on the device."""

from __future__ import annotations

from dataclasses import dataclass

from engines.api import Array
from engines.peridynamics.contact.contact import ContactEnergies
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.watch.totals.totals import Sums

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
    sums: Sums, unit: float, decay: float, too_much: float, contact: ContactEnergies = NO_CONTACT, brought: float = 0.0
) -> Energies:
    """Of sums at a moment in a ``unit`` of so many J.

    decay: of velocities in a step. too_much: work of the first half step that the kernels count and that was not done
    (``Gauges.first_work``). brought: [J] what the body had at the start, which counts as work.

    Kinetic is ½ v⁻·v⁺ with the velocities half a step before and after, for with it the balance of this integrator is
    exact while bonds are linear; ½ |v|² of the mean differs from it by ⅛ |a|², which is much of the energy of the
    shortest waves (0.25 % of the whole behind a crack at 0.7 of the stable step).
    """
    return Energies(
        work=unit * (sums.work + sums.ahead - too_much) + contact.work + brought,
        kinetic=0.5 * unit * sums.momentum_squares,
        elastic=unit * sums.elastic,
        broken=unit * sums.loss,
        damped=unit * (sums.damped + (1 - decay) / (1 + decay) * sums.rubbed),
        contact=contact.stored,
        friction=contact.friction,
    )


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
