"""The elastic solids that stress is told by, and the fields of strain and stress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engines.api import Array, FieldInfo
from engines.peridynamics.material.brittle import Formulation
from engines.peridynamics.watch.strain.rows import Found

COMPONENTS = ("xx", "yy", "zz", "yz", "xz", "xy")
ROWS = {(f"stress_{row.name}" if row >= Found.XX else row.name).lower(): int(row) for row in Found}
"""Fields and where they are in what the kernels find."""


class Elastic(NamedTuple):
    """lame: λ that is told in the plane or in space; shear: μ; through: the stress across a plate over the trace of the
    strain (λ in space). [MPa]"""

    lame: float
    shear: float
    through: float


def elastic(formulation: Formulation, young: float, poisson: float) -> Elastic:
    """young [Pa]."""
    young = young * 1e-6
    shear = young / (2 * (1 + poisson))
    if formulation == "plane stress":
        return Elastic(young * poisson / (1 - poisson**2), shear, 0.0)
    lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    return Elastic(lame, shear, lame)


@dataclass(frozen=True, eq=False)
class Solid:
    """materials: of the body, and further ones as they are numbered. Of state-based solids, which have a dilatation of
    their own, dilation: (size,) d/m_i, and influence: (bonds,); None for others."""

    materials: Sequence[Elastic]
    dilation: Array | None = None
    influence: Array | None = None

    @property
    def constants(self) -> Array:
        """(materials, Elasticity) float64."""
        return np.array(self.materials, float)

    @property
    def rows(self) -> int:
        """How many of ``ROWS`` there are always."""
        return Found.DILATATION if self.dilation is None else Found.XX


def fields_of(solid: Solid, stretch: float, dimensions: int) -> tuple[FieldInfo, ...]:
    """Ranges are those of a bar whose bonds are at the critical ``stretch``; principal stresses are of the plane in a
    plate."""
    strongest = max(solid.materials, key=lambda each: each.shear)
    strength = float(f"{2 * strongest.shear * stretch:.2g}")
    limit = float(f"{stretch:.2g}")
    found = [
        FieldInfo("strain", "Largest principal strain", "", "cell", (0.0, limit), "inferno"),
        FieldInfo("von_mises", "Von Mises stress", "MPa", "cell", (0.0, strength), "inferno"),
        FieldInfo("mean_stress", "Mean stress", "MPa", "cell", (-strength / 2, strength / 2), "diverging"),
    ]
    if solid.dilation is not None:
        found.append(FieldInfo("dilatation", "Dilatation", "", "cell", (-limit, limit), "diverging"))
    titles = {"largest": "Largest principal stress", "smallest": "Smallest principal stress"}
    titles |= {each: f"Stress σ{each}" for each in COMPONENTS if dimensions == 3 or "z" not in each}
    for name, title in titles.items():
        found.append(FieldInfo(f"stress_{name}", title, "MPa", "cell", (-strength, strength), "diverging"))
    return tuple(found)
