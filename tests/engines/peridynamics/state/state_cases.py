"""What the tests of the linear peridynamic solid share."""

from __future__ import annotations

import numpy as np

from engines.peridynamics.body.bonded import bonded, filled
from engines.peridynamics.lattice.family import family
from engines.peridynamics.loading.loads import Loads, loads_on
from engines.peridynamics.material.brittle import Formulation
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.state.body import StateBody, state_body
from engines.peridynamics.state.material import StateLattice, bulk_constraint
from engines.peridynamics.state.weights import weights

BARE = {"bonds": {"spacing": 1.0}, "notches": [], "loads": [], "unbreakable": []}


def lattice(dimensions: int, formulation: Formulation, poisson: float, constraint: float | None = None) -> StateLattice:
    kin = family(dimensions, 3)
    constraint = constraint or bulk_constraint(kin)
    return StateLattice(kin, formulation, 72e9, 2440.0, 3.8, 1e-3, 1e-3, poisson=poisson, constraint=constraint)


def made_of(
    given: PeridynamicParameters, poisson: float, plane: Formulation = "plane stress", fracture_energy: float = 3.8,
    share: float = 0.5,
) -> tuple[StateBody, Loads, StateLattice]:  # fmt: skip
    """share: of the stable step."""
    body = filled(given)
    bonds, heavy = bonded(given, body), weights(body, 3)
    formulation = "3D" if body.dimensions == 3 else plane
    solid = StateLattice(
        bonds.family,
        formulation,
        72e9,
        2440.0,
        fracture_energy,
        1e-3,
        1e-3,
        poisson=poisson,
        constraint=heavy.constraint,
    )
    dt = share * solid.stable_step
    loads = loads_on(body, given.loads, dt, 1e-3, 2440.0)
    kind = np.zeros(bonds.layout.size, np.uint8)
    kind[bonds.places] = loads.kind
    return state_body(bonds, kind, solid, heavy.ratio, dt), loads, solid
