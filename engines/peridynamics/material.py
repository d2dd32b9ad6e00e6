"""What a linear brittle material is on a lattice: micromodulus, critical stretch, largest step, wave speeds.

Bond-based peridynamics fixes Poisson's ratio: 1/3 in plane stress, 1/4 in plane strain and in three dimensions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engines.peridynamics.family import Family
from engines.peridynamics.scales import Scales

Formulation = Literal["plane stress", "plane strain", "3D"]
POISSON: dict[Formulation, float] = {"plane stress": 1 / 3, "plane strain": 1 / 4, "3D": 1 / 4}


@dataclass(frozen=True)
class Lattice:
    """A material on a lattice. young [Pa], density [kg/m³], fracture_energy [J/m²], spacing and thickness [m]."""

    family: Family
    formulation: Formulation
    young: float
    density: float
    fracture_energy: float
    spacing: float
    thickness: float

    @property
    def poisson_ratio(self) -> float:
        """Of the solid that this is."""
        return POISSON[self.formulation]

    @property
    def horizon(self) -> float:
        return self.family.reach * self.spacing

    @property
    def volume(self) -> float:
        """Of one particle [m³]."""
        return self.spacing**2 * self.thickness

    @property
    def continuum_micromodulus(self) -> float:
        """c [N/m⁶] of a body with a continuous family: 9E/πtδ³, 48E/5πtδ³ or 12E/πδ⁴ (Silling and Askari 2005)."""
        if self.formulation == "3D":
            return 12 * self.young / (math.pi * self.horizon**4)
        factor = 9 if self.formulation == "plane stress" else 48 / 5
        return factor * self.young / (math.pi * self.thickness * self.horizon**3)

    @property
    def lattice_ratio(self) -> float:
        """Energy of uniform dilation with the continuum's micromodulus: sum over the lattice over the integral."""
        reach, total = self.family.reach, float(self.family.lengths.sum())
        return total / (math.pi * reach**4 if self.family.dimensions == 3 else 2 * math.pi * reach**3 / 3)

    @property
    def micromodulus(self) -> float:
        """c [N/m⁶] with which uniform dilation of the lattice has the energy of the elastic solid."""
        return self.continuum_micromodulus / self.lattice_ratio

    @property
    def stiffness_along_axis(self) -> float:
        """Young's modulus of the calibrated lattice along x over the wanted one: the lattice is not quite isotropic."""
        n = self.family.offsets[:, : self.family.dimensions] / self.family.lengths[:, None]
        weights = self.family.lengths / self.family.lengths.sum()
        along, across = float((weights * n[:, 0] ** 4).sum()), float((weights * (n[:, 0] * n[:, 1]) ** 2).sum())
        # sums of n_i n_j n_k n_l; Cauchy's relations make the shear constant equal to the mixed one
        dilation = along + (self.family.dimensions - 1) * across
        poisson = POISSON[self.formulation]
        if self.formulation == "3D":
            young, wanted = along - 2 * across**2 / (along + across), (1 - 2 * poisson) * dilation
        elif self.formulation == "plane stress":
            young, wanted = along - across**2 / along, (1 - poisson) * dilation
        else:  # the plane's own modulus E/(1 − ν²)
            young, wanted = along - across**2 / along, (1 - poisson / (1 - poisson)) * dilation
        return young / wanted

    @property
    def critical_stretch(self) -> float:
        """s₀ at which a bond breaks, so that a crack takes the fracture energy (continuous family)."""
        ratio = self.fracture_energy / (self.young * self.horizon)
        if self.formulation == "3D":
            return math.sqrt(5 / 6 * ratio)
        return math.sqrt((4 * math.pi / 9 if self.formulation == "plane stress" else 5 * math.pi / 12) * ratio)

    def stiffness(self, step: float) -> float:
        """``dt² c V/(ρ Δx)``: the sum of stretches becomes a change of displacement per step, in spacings."""
        return step**2 * self.micromodulus * self.volume / (self.density * self.spacing)

    @property
    def stable_step(self) -> float:
        """Largest stable step [s]: ``dt² (c V/ρ) λ <= 2``, λ the largest eigenvalue of ``Σ n nᵀ/|ξ|``.

        A rigorous bound of the linear problem with any bonds broken, for each bond adds to the stiffness; by
        isotropy of the lattice it is √d larger than Silling and Askari's.
        """
        lengths = self.family.lengths
        n = self.family.offsets[:, : self.family.dimensions] / lengths[:, None]
        largest = float(np.linalg.eigvalsh((n.T / lengths) @ n)[-1])
        return math.sqrt(2 / (largest * self.stiffness(1.0)))

    @property
    def rayleigh_speed(self) -> float:
        """Speed of surface waves [m/s], by Viktorov's fit to within 0.5 %."""
        poisson = POISSON[self.formulation]
        shear = math.sqrt(self.young / (2 * (1 + poisson) * self.density))
        effective = poisson / (1 + poisson) if self.formulation == "plane stress" else poisson
        return shear * (0.862 + 1.14 * effective) / (1 + effective)

    def scales(self, step: float) -> Scales:
        """Of steps of so many seconds."""
        return Scales(self.spacing, step, self.density * self.volume)
