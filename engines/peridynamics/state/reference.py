"""The linear peridynamic solid, slowly and obviously: a list of bonds in float64 NumPy, in lattice units."""

from __future__ import annotations

import numpy as np

from engines.api import Array


class StateReference:
    """Particles at ``cells: (n, d)``, bonds between ``pairs: (m, 2)`` of them; those of ``weak: (m,)`` can break.

    stiffness, dilation: (n,) β and γ of each particle; lengths in spacings, velocities in spacings per step, ω = 1/|ξ|.
    """

    def __init__(
        self, cells: Array, pairs: Array, weak: Array, stiffness: Array, dilation: Array, critical_stretch: float
    ) -> None:
        self.cells, self.pairs, self.weak = np.asarray(cells, float), pairs, weak
        self.stiffness, self.dilation, self.critical_stretch = stiffness, dilation, critical_stretch
        self.u, self.v = np.zeros_like(self.cells), np.zeros_like(self.cells)
        self.intact = np.ones(len(pairs), bool)
        self.loss = self.damped = 0.0
        """Energy of half a step before that went with broken bonds, and that damping has taken."""

    def stretches(self) -> tuple[Array, Array, Array]:
        """(m,) stretch, (m, d) direction from the first end to the second, (m,) length at rest."""
        i, j = self.pairs.T
        at_rest = self.cells[j] - self.cells[i]
        bond = at_rest + self.u[j] - self.u[i]
        length, now = np.linalg.norm(at_rest, axis=1), np.linalg.norm(bond, axis=1)
        return (now - length) / length, bond / now[:, None], length

    def sums(self) -> Array:
        """(n,) Σ ω |ξ| e of the intact bonds of each particle: m/d times the dilatation."""
        stretch, _, length = self.stretches()
        mine = length * stretch * self.intact
        return np.asarray(sum(np.bincount(end, mine, len(self.cells)) for end in self.pairs.T))

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
        total = np.zeros_like(self.u)
        np.add.at(total, self.pairs[:, 0], force)
        np.add.at(total, self.pairs[:, 1], -force)
        return total

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
