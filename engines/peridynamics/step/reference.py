"""What the references share: bonds as a list between particles, slowly and obviously, in float64 NumPy."""

from __future__ import annotations

import numpy as np

from engines.api import Array


class BondList:
    """Particles at ``places: (n, d)``, bonds between ``pairs: (m, 2)`` of them; those of ``weak: (m,)`` can break."""

    def __init__(self, places: Array, pairs: Array, weak: Array) -> None:
        self.places, self.pairs, self.weak = np.asarray(places, float), pairs, weak
        self.u, self.v = np.zeros_like(self.places), np.zeros_like(self.places)
        self.intact = np.ones(len(pairs), bool)
        self.loss = self.damped = 0.0

    def stretches(self) -> tuple[Array, Array, Array]:
        """(m,) stretch, (m, d) direction from the first end to the second, (m,) length at rest."""
        i, j = self.pairs.T
        at_rest = self.places[j] - self.places[i]
        bond = at_rest + self.u[j] - self.u[i]
        length, now = np.linalg.norm(at_rest, axis=1), np.linalg.norm(bond, axis=1)
        return (now - length) / length, bond / now[:, None], length

    def pulled(self, force: Array) -> Array:
        """(n, d) on each particle; force: (m, d) of each bond on its first end."""
        total = np.zeros_like(self.u)
        np.add.at(total, self.pairs[:, 0], force)
        np.add.at(total, self.pairs[:, 1], -force)
        return total
