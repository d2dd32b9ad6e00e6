"""Contact, slowly and obviously: float64 NumPy, all particles against all, in lattice units."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.peridynamics.contact.rigid import Rigid
from engines.peridynamics.contact.rows import STICK, ShapeRow
from engines.peridynamics.contact.shapes import Solid
from engines.peridynamics.lattice.reference import Reference


def met(now: Array, before: Array) -> Array:
    """The depth that the force is of: where a spring begins or ends within a step the work of the forces at its ends is
    wrong by ½ S |now · before|, which is given back at the end of it."""
    share = np.where((now > 0) != (before > 0), np.abs(now * before) / np.maximum(np.abs(now - before), 1e-300), 0.0)
    return np.asarray(np.maximum(now, 0.0) - 0.5 * share)


class ReferenceContact:
    """Penetrators and, with ``stiffness``, particles that repel each other within ``radius``; acts on ``bonds`` after
    each of its steps."""

    def __init__(self, bonds: Reference, rigid: Rigid, stiffness: float = 0.0, radius: float = 0.95) -> None:
        self.bonds, self.rigid, self.stiffness, self.radius = bonds, rigid, stiffness, radius
        self.places, self.velocities = rigid.places + rigid.velocities, rigid.velocities.copy()
        self.forces = np.zeros_like(self.places)
        self.potential = self.repelled = self.slid = self.work = 0.0
        """Of penetrators and of particles now, lost to friction and done by penetrators so far."""
        self._steps = 0
        self._rubbed = np.zeros((len(rigid.shapes), len(bonds.u), 3))
        """What friction gave in the step before."""
        self._later = 0.0

    def step(self) -> None:
        """Find what is added to the velocities of the particles; let free penetrators go on."""
        self._steps += 1
        d = self.bonds.u.shape[1]
        before = self.bonds.u.copy()
        kick = self._repulsion() if self.stiffness else np.zeros_like(before)
        self.potential = 0.0
        held = self.bonds.v
        self.bonds.pushes = kick / self.bonds.mass
        self.slid += self._later - 0.5 * float((self._rubbed.sum(axis=0)[:, :d] * held).sum())
        self._later = 0.0
        path = self.rigid.path(self._steps - 1, 1)[0]
        for number, shape in enumerate(self.rigid.shapes):
            stiffness, friction, ratio = shape[ShapeRow.STIFFNESS : ShapeRow.RATIO + 1]
            place = self.places[number] if ratio else path[number, :3]
            velocity = self.velocities[number].copy() if ratio else path[number, 3:6]
            points, moving = np.zeros((len(before), 3)), np.zeros((len(before), 3))
            points[:, :d], moving[:, :d] = self.bonds.places + before, self.bonds.v
            axis, sizes = np.split(shape[ShapeRow.AXIS : ShapeRow.STIFFNESS], 2)
            solid = Solid(int(shape[ShapeRow.KIND]), place, axis, sizes, d)
            distance, out = solid.distance(points)
            depth = np.maximum(0.5 - distance, 0.0)
            relative = moving - velocity
            away = (relative * out).sum(axis=1)
            push = stiffness * met(0.5 - distance, 0.5 - distance + away)
            sliding = relative - away[:, None] * out
            last = self._rubbed[number] - (self._rubbed[number] * out).sum(axis=1)[:, None] * out
            sticking = last - STICK * self.bonds.mass * sliding
            needed = np.linalg.norm(sticking, axis=1)
            slips = np.minimum(1.0, friction * np.maximum(push, 0.0) / np.where(needed > 0, needed, 1.0))
            friction_on = slips[:, None] * sticking
            self._rubbed[number] = friction_on
            given = push[:, None] * out + friction_on
            self.bonds.pushes += given[:, :d] / self.bonds.mass
            force = -given.sum(axis=0)
            after = velocity + ratio * force if ratio else path[number, 6:]
            self.forces[number] = force
            self.velocities[number] = after
            self.places[number] = place + after
            self.potential += 0.5 * float((stiffness * depth**2).sum())
            taken = friction_on.sum(axis=0)
            self.slid += 0.5 * float(taken @ velocity - (friction_on[:, :d] * held).sum())
            self._later += 0.5 * float(taken @ after)
            self.work -= float(force @ (velocity + after)) / 2

    def _repulsion(self) -> Array:
        """(n, d) spacings per step."""
        now = self.bonds.places + self.bonds.u
        apart = now[None] - now[:, None]
        length = np.linalg.norm(apart, axis=2)
        bonded = np.eye(len(now), dtype=bool)
        i, j = self.bonds.pairs[self.bonds.intact].T
        bonded[i, j] = bonded[j, i] = True
        closer = np.where(bonded, 0.0, np.maximum(self.radius - length, 0.0))
        self.repelled = 0.25 * self.stiffness * float((closer**2).sum())
        moving = self.bonds.v[None] - self.bonds.v[:, None]
        grown = (moving * apart).sum(axis=2) / np.where(bonded, 1.0, length)
        depth = np.where(bonded, 0.0, met(self.radius - length, self.radius - length + grown))
        force = self.stiffness * depth / np.where(bonded, 1.0, length)
        return np.asarray(-(force[:, :, None] * apart).sum(axis=1))
