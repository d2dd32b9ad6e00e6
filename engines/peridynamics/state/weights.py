"""Weighted volumes of the particles of a body, notches aside: near its surface a family is not whole."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engines.api import Array
from engines.peridynamics.body.bonded import Filled
from engines.peridynamics.lattice.family import family
from engines.peridynamics.lattice.layout import Layout
from engines.peridynamics.state.material import bulk_constraint, influence, weighted_volume

BATCH = 1 << 18
"""Particles whose tensors are made at a time."""


@dataclass(frozen=True, eq=False)
class Weights:
    """ratio: (size,) float64, m of a whole family over m_i of each particle, or a power of it, 0 where there is none;
    constraint as in ``StateLattice``."""

    ratio: Array
    constraint: float


@lru_cache(maxsize=4)
def weights(body: Filled, reach: int, power: float = 1.0) -> Weights:
    """The same object for the same body and power."""
    kin = family(body.dimensions, reach)
    layout = Layout(body.counts, reach, body.dimensions)
    places, steps = layout.places(body.cells), layout.steps(kin.offsets)
    omega, d = influence(kin), body.dimensions
    inside = slice(int(places[0]), int(places[-1]) + 1)
    exists = np.zeros(layout.size)
    exists[places] = 1
    volume = np.zeros(inside.stop - inside.start)
    for weight, length, step in zip(omega, kin.lengths, steps, strict=True):
        volume += weight * length**2 * exists[inside.start + step : inside.stop + step]
    ratio = np.zeros(layout.size)
    np.divide(weighted_volume(kin), volume, out=ratio[inside], where=(volume > 0) & (exists[inside] > 0))
    ratio **= power
    ratio[exists == 0] = 0
    special = (exists > 0) & (np.abs(ratio - 1) > 1e-9)
    near = np.zeros(len(volume), bool)
    for step in steps:
        near |= special[inside.start + step : inside.stop + step]
    near &= exists[inside] > 0
    found = inside.start + np.flatnonzero(near)
    n = kin.offsets[:, :d] / kin.lengths[:, None]
    tensors = omega[:, None, None] * n[:, :, None] * n[:, None]
    constraint = bulk_constraint(kin)
    for first in range(0, len(found), BATCH):
        at = found[first : first + BATCH]
        total = np.zeros((len(at), d, d))
        for tensor, step in zip(tensors, steps, strict=True):
            total += (exists[at + step] * (ratio[at] + ratio[at + step]))[:, None, None] * tensor
        constraint = max(constraint, float(np.linalg.eigvalsh(total)[:, -1].max()))
    return Weights(ratio, constraint)
