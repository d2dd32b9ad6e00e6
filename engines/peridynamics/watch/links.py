"""The bonds of one particle as lines: those that hold with their stretch, and those that are gone."""

from __future__ import annotations

import numpy as np

from engines.api import Array, Selection
from engines.api.charts import Links
from engines.peridynamics.lattice.family import WORD
from engines.peridynamics.lattice.solver import Discretised
from engines.peridynamics.step.solver import Solver


def links_of(solver: Solver, positions: Array, element: int, unit: float) -> Links | None:
    """Bonds on a lattice of a particle of its own to the neighbours there are; ``positions: (n, 3)`` of its own, and
    ``unit`` is a spacing in their unit. None where bonds are not on a lattice."""
    body, backend, arrays = solver.body, solver.backend, solver.arrays
    if not isinstance(body, Discretised) or "words" not in arrays:
        return None
    here = int(body.places[element])
    offsets, there = body.family.offsets, here + body.layout.steps(body.family.offsets)
    places, positions = solver.own.around(body.places, positions)
    neighbour = np.minimum(np.searchsorted(places, there), len(places) - 1)
    exists = places[neighbour] == there
    bits, neighbour = np.flatnonzero(exists), neighbour[exists]
    with backend.active():
        words = np.asarray(backend.to_host(arrays["words"][:, here]), np.uint32)
    holds = (words[bits // WORD] >> (bits % WORD).astype(np.uint32)) & 1 > 0
    looked_at = np.concatenate([[here], places[neighbour]]).astype(np.int32)
    moved = np.zeros((len(looked_at), 3))
    moved[:, : body.dimensions] = backend.gather(arrays["u"].T, backend.select(Selection(looked_at)))
    eta, xi = moved[1:] - moved[0], offsets[bits].astype(float)
    p = (eta * (2 * xi + eta)).sum(axis=1) / (xi * xi).sum(axis=1)
    stretch = np.where(holds, p / (np.sqrt(1 + p) + 1), np.nan)
    critical = np.sqrt(1 + body.limit) - 1
    ends = np.stack([np.full(len(neighbour), np.searchsorted(places, here)), neighbour], axis=1)
    displacements = np.stack([np.broadcast_to(moved[0], eta.shape), moved[1:]], axis=1) * unit
    return Links("Bond stretch", "", (-critical, critical), positions[ends], stretch, displacements)
