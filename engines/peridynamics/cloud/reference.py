"""Irregular points, slowly and obviously: a list of bonds in float64 NumPy, in mean distances and steps."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.peridynamics.step.reference import BondList


class CloudReference(BondList):
    """Particles at ``places: (n, d)`` of ``masses: (n,)``, bonds of weight k: (m,) between ``pairs: (m, 2)`` of them;
    those of ``weak: (m,)`` can break. K and the critical stretch s₀ as in the kernels."""

    def __init__(
        self, places: Array, masses: Array, pairs: Array, weights: Array, weak: Array, stiffness: float, stretch: float
    ) -> None:
        super().__init__(places, pairs, weak)
        self.masses, self.weights = masses, weights
        self.stiffness, self.critical_stretch = stiffness, stretch
        self.work = 0.0

    @property
    def elastic(self) -> float:
        """½ K Σ k |ξ|² s² over the bonds that hold."""
        stretch, _, length = self.stretches()
        return 0.5 * self.stiffness * float((self.weights * (length * stretch) ** 2)[self.intact].sum())

    def force(self) -> Array:
        """(n, d) K Σ k |ξ| s n of the intact bonds of each particle."""
        stretch, direction, length = self.stretches()
        force = (self.stiffness * self.weights * length * stretch * self.intact)[:, None] * direction
        return self.pulled(force)

    def step(
        self, kick: float, acceleration: Array, held: Array, displacement: Array, velocity: Array, decay: float = 1.0
    ) -> None:
        """Break what is stretched too far, then one step; the loads are (n, d) each."""
        stretch, direction, length = self.stretches()
        breaking = self.intact & self.weak & (stretch > self.critical_stretch)
        apart = (direction * (self.v[self.pairs[:, 0]] - self.v[self.pairs[:, 1]])).sum(axis=1)
        lost = self.weights * ((length * stretch) ** 2 + length * stretch * apart)
        self.loss += 0.5 * self.stiffness * float(lost[breaking].sum())
        self.intact &= ~breaking
        before, mass = self.v, self.masses[:, None]
        pull = self.force() / mass
        self.v = np.where(held, velocity, decay * before + kick * (pull + acceleration))
        acting = np.where(held, self.v - before - pull, acceleration)
        self.work += 0.5 * float((mass * acting * (before + self.v)).sum())
        self.damped += 0.5 * (1 - decay) / (1 + decay) * float((mass * (before + self.v) ** 2)[~held].sum())
        self.u = np.where(held, displacement, self.u + self.v)
