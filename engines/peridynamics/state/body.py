"""A body of the linear peridynamic solid, as its kernels take it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.peridynamics.body.bonded import Bonded
from engines.peridynamics.lattice.family import Family
from engines.peridynamics.lattice.solver import Discretised
from engines.peridynamics.state.material import StateLattice, influence


@dataclass(frozen=True, eq=False, kw_only=True)
class StateBody(Discretised):
    """stiffness_values, dilation_values: (size,) β and γ of each particle as in ``state.cu``; ``stiffness`` is β of a
    particle inside the body."""

    stiffness_values: Array
    dilation_values: Array


def state_body(bonds: Bonded, kind: Array, lattice: StateLattice, ratio: Array, step: float) -> StateBody:
    """kind: (size,) uint8; ratio: (size,) of ``Weights``; step [s]."""
    limit = (1 + lattice.critical_stretch) ** 2 - 1
    stiffness = lattice.stiffness(step)
    return StateBody(
        bonds.places, bonds.whole, kind, lattice.scales(step), bonds.layout, bonds.family, bonds.words, bonds.breakable,
        stiffness, limit, stiffness_values=stiffness * ratio, dilation_values=lattice.dilation(step) * ratio**2,
    )  # fmt: skip


def orbit_weights(family: Family) -> Array:
    """(orbits, 2) ω |ξ|² and ω of each mirror orbit, in the order of bits."""
    sizes = np.repeat((8, 4, 2), family.orbits)
    first = np.cumsum(sizes) - sizes
    omega = influence(family)[first]
    return np.stack([omega * family.lengths[first] ** 2, omega], axis=1)
