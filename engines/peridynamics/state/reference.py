"""The linear peridynamic solid, slowly and obviously: a list of bonds in float64 NumPy, in lattice units."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.peridynamics.step.reference import BondList


class StateReference(BondList):
    """Particles at ``cells: (n, d)``, bonds between ``pairs: (m, 2)`` of them; those of ``weak: (m,)`` can break.

    stiffness, dilation: (n,) β and γ of each particle; lengths in spacings, velocities in spacings per step, ω = 1/|ξ|.
    """

    def __init__(
        self, cells: Array, pairs: Array, weak: Array, stiffness: Array, dilation: Array, critical_stretch: float
    ) -> None:
        super().__init__(cells, pairs, weak)
        self.stiffness, self.dilation, self.critical_stretch = stiffness, dilation, critical_stretch
        """loss, damped: energy of half a step before that went with broken bonds, and that damping has taken."""

    def sums(self) -> Array:
        """(n,) Σ ω |ξ| e of the intact bonds of each particle: m/d times the dilatation."""
        stretch, _, length = self.stretches()
        mine = length * stretch * self.intact
        return np.asarray(sum(np.bincount(end, mine, len(self.places)) for end in self.pairs.T))

    def energy(self) -> float:
        """½ Σ γ S² + ½ Σ (β_i + β_j) ω e²."""
        stretch, _, length = self.stretches()
        bonds = self.stiffness[self.pairs].sum(axis=1) * length * stretch**2
        return 0.5 * float((self.dilation * self.sums() ** 2).sum() + bonds[self.intact].sum())

    def pull(self) -> Array:
        """(n, d) force on each particle."""
        stretch, direction, _ = self.stretches()
        state = self.dilation * self.sums()
        size = self.stiffness[self.pairs].sum(axis=1) * stretch + state[self.pairs].sum(axis=1)
        force = (size * self.intact)[:, None] * direction
        return self.pulled(force)

    def step(
        self, kick: float, acceleration: Array, held: Array, displacement: Array, velocity: Array, decay: float = 1.0
    ) -> None:
        """Break what is stretched too far, then one step; the loads are (n, d) each."""
        breaking = self.intact & self.weak & (self.stretches()[0] > self.critical_stretch)
        if breaking.any():
            energy, power = self.energy(), float((self.v * self.pull()).sum())
            self.intact &= ~breaking
            self.loss += energy - self.energy() + 0.5 * (power - float((self.v * self.pull()).sum()))
        before = self.v
        free = decay * self.v + kick * (self.pull() + acceleration)
        self.v = np.where(held, velocity, free)
        self.damped += 0.5 * (1 - decay) / (1 + decay) * float((((before + self.v) ** 2)[~held]).sum())
        self.u = np.where(held, displacement, self.u + self.v)
