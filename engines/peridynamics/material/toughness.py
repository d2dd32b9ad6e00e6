"""What a slow brittle crack takes on a lattice, over the fracture energy that bonds are set to.

A crack that comes to a lattice has to stretch the next bond to its limit before it can go on, and is held between
rows until then (lattice trapping: Thomson, Hsieh and Rana 1971). What it needs then is above the energy of the bonds
that it breaks; the rest goes into waves. A crack that runs needs less than one that starts.

The figures are the largest energy release rate while a straight crack passes a spacing of a long clamped strip, found
bond by bond with linear bonds and direct solutions of all particles' balance (``verification/trapping.py``), divided
by the fracture energy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engines.peridynamics.material.brittle import Lattice


class Trapping(NamedTuple):
    """rows: of a crack along the rows of particles; diagonal: at 45° to them, where that is known."""

    rows: float
    diagonal: float | None = None


BOND_BASED: dict[tuple[int, int], Trapping] = {
    (2, 2): Trapping(1.85),
    (2, 3): Trapping(1.45, 1.5),
    (2, 4): Trapping(1.22),
    (3, 2): Trapping(1.7),
    (3, 3): Trapping(1.24),
}
"""By dimensions and reach: constant influence, whole volumes."""
INFLUENCED: dict[tuple[str, int, int], Trapping] = {
    ("triangular", 2, 3): Trapping(1.54),
    ("normal", 2, 3): Trapping(1.63),
    ("quartic", 2, 3): Trapping(1.64),
}
"""By the influence function besides."""
STATE_BASED: dict[tuple[int, int], tuple[tuple[float, float], ...]] = {
    (2, 2): ((0.25, 1.57), (0.67, 1.75), (1.0, 1.85), (1.5, 1.97), (2.0, 2.1), (4.0, 2.4)),
    (2, 3): ((0.22, 1.19), (0.5, 1.29), (0.67, 1.35), (1.0, 1.45), (4 / 3, 1.9), (2.0, 1.95), (4.0, 2.4), (9.0, 3.2)),
    (3, 2): ((1.0, 1.7),),
    (3, 3): ((1.0, 1.24), (4.0, 1.43)),
}
"""Along the rows, by λ/μ: it grows with Poisson's ratio. From 2 on with a reach of 3 pieces break off, and a
direct solution ends: these are of runs from rest to rest, 10 %."""
LEAST, MOST = 1.2, 3.2
"""Of all these."""
BEYOND = 0.02
"""Of λ/μ, to either side of what is known."""


def trapping_of(lattice: Lattice) -> Trapping | None:
    """Of a brittle crack inside of it; None where it is not known."""
    key = lattice.family.dimensions, lattice.family.reach
    ratio = lattice.lame_ratio
    if ratio is None:
        if lattice.partial_volumes:
            return None
        return BOND_BASED.get(key) if lattice.uniform else INFLUENCED.get((lattice.influence.name, *key))
    known = np.array(STATE_BASED.get(key, ()))
    if not len(known) or not known[0, 0] - BEYOND <= ratio <= known[-1, 0] + BEYOND:
        return None
    return Trapping(float(np.interp(ratio, known[:, 0], known[:, 1])))
