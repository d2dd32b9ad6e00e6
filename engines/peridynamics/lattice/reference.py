"""Peridynamics, slowly and obviously: a list of bonds in float64 NumPy, in lattice units."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engines.api import Array
from engines.peridynamics.step.reference import BondList


class Reference(BondList):
    """Particles at ``cells: (n, d)`` lattice points, bonds between ``pairs: (m, 2)`` of them; those of ``weak: (m,)``
    can break. K and the critical stretch s₀ as in the kernels; lengths in spacings, velocities in spacings per
    step.

    weights: (m,) what the stiffness of each bond is multiplied with; critical_stretch: one or (m,); mass: (n,) of the
    particles; law: (s, d) to the damage, all (m,), of bonds that soften beyond the critical stretch."""

    def __init__(
        self,
        cells: Array,
        pairs: Array,
        weak: Array,
        stiffness: float,
        critical_stretch: float | Array,
        weights: Array | float = 1.0,
        mass: Array | float = 1.0,
        law: Callable[[Array, Array], Array] | None = None,
    ) -> None:
        super().__init__(cells, pairs, weak)
        self.stiffness, self.critical_stretch = stiffness, critical_stretch
        self.pushes = np.zeros_like(self.places)
        """What others add to velocities in a step."""
        self.weights = np.broadcast_to(np.asarray(weights, float), len(pairs))
        self.mass = np.broadcast_to(np.asarray(mass, float), len(cells))[:, None]
        self.law = law
        self.damage = np.zeros(len(pairs))
        """loss: Σ w (|ξ| s² + 2 s n·v) over both ends of all bonds that broke, or of the part that they lost: their
        energy half a step before; damped: what damping has taken, for particles of mass 1."""

    def pull(self) -> Array:
        """(n, d) Σ w (1 − d) s n of the intact bonds of each particle; closed cracks have no damage."""
        stretch, direction, _ = self.stretches()
        left = self.intact * np.where(stretch > 0, 1 - self.damage, 1.0)
        force = (self.weights * stretch * left)[:, None] * direction
        return self.pulled(force)

    def step(
        self, kick: float, acceleration: Array, held: Array, displacement: Array, velocity: Array, decay: float = 1.0
    ) -> None:
        """Break what is stretched too far, then one step; the loads are (n, d) each."""
        stretch, direction, length = self.stretches()
        asked = self.intact & self.weak & ((stretch > self.critical_stretch) | (self.damage > 0) & (stretch > 0))
        damage = np.ones(len(stretch))
        if self.law is not None:
            damage = np.clip(self.law(np.maximum(stretch, 1e-30), self.damage), self.damage, 1.0)
        damage = np.where(asked, damage, self.damage)
        apart = (direction * (self.v[self.pairs[:, 0]] - self.v[self.pairs[:, 1]])).sum(axis=1)
        energy = self.weights * (length * stretch**2 + stretch * apart)
        self.loss += 2 * float((energy * (damage - self.damage)).sum())
        self.damage = damage
        self.intact &= damage < 1
        before = self.v
        forces = self.stiffness * self.pull() + acceleration
        free = decay * self.v + kick * (self.pushes + forces / self.mass)
        self.v = np.where(held, velocity, free)
        self.damped += 0.5 * (1 - decay) / (1 + decay) * float(((self.mass * (before + self.v) ** 2)[~held]).sum())
        self.u = np.where(held, displacement, self.u + self.v)


def bonds_of(cells: Array, reach: int) -> Array:
    """(m, 2) all pairs of lattice points ``cells: (n, d)`` within ``reach`` spacings."""
    apart = ((cells[:, None] - cells[None]) ** 2).sum(axis=2)
    first, second = np.nonzero((apart > 0) & (apart <= reach * reach))
    return np.stack([first, second], axis=1)[first < second]
