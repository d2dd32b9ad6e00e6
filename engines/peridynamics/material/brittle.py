"""What a linear brittle material is on a lattice: micromodulus, critical stretch, largest step, wave speeds.

Bond-based peridynamics fixes Poisson's ratio: 1/3 in plane stress, 1/4 in plane strain and in three dimensions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engines.api import Array
from engines.peridynamics.lattice.family import Family
from engines.peridynamics.material.influence import CONSTANT, Influence
from engines.peridynamics.step.scales import Scales

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
    influence: Influence = CONSTANT
    partial_volumes: bool = False
    lattice_crack: bool = False
    """Whether the critical stretch is that of the lattice's own crack along an axis, not of the continuous family."""
    trapping: float = 1.0
    """What a slow crack is said to take over the fracture energy of its bonds: these get so much less."""

    @property
    def weights(self) -> Array:
        """(bonds,) of each bit: the influence function times the part of the neighbour's volume that counts."""
        lengths = self.family.lengths
        found = self.influence.value(lengths / self.family.reach)
        return found * volume_parts(lengths, self.family.reach) if self.partial_volumes else found

    @property
    def crossing_share(self) -> float:
        """The part of a particle's bonds that a straight crack beside its row cuts."""
        carrying = self.weights > 0
        return float((carrying & (self.family.offsets[:, 1] > 0)).sum() / carrying.sum())

    @property
    def uniform(self) -> bool:
        """Whether all weights are 1."""
        return self.influence is CONSTANT and not self.partial_volumes

    @property
    def poisson_ratio(self) -> float:
        """Of the solid that this is."""
        return POISSON[self.formulation]

    @property
    def lame_ratio(self) -> float | None:
        """λ/μ, where it is free: bonds alone fix it."""
        return None

    @property
    def horizon(self) -> float:
        return self.family.reach * self.spacing

    @property
    def volume(self) -> float:
        """Of one particle [m³]."""
        return self.spacing**2 * self.thickness

    @property
    def continuum_micromodulus(self) -> float:
        """c [N/m⁶] of a body with a continuous family: 9E/πtδ³, 48E/5πtδ³ or 12E/πδ⁴ (Silling and Askari 2005), over
        what the influence function leaves of the energy of dilation."""
        part = self.influence.moment(self.family.dimensions) * (self.family.dimensions + 1)
        if self.formulation == "3D":
            return 12 * self.young / (math.pi * self.horizon**4) / part
        factor = 9 if self.formulation == "plane stress" else 48 / 5
        return factor * self.young / (math.pi * self.thickness * self.horizon**3) / part

    @property
    def lattice_ratio(self) -> float:
        """Energy of uniform dilation with the continuum's micromodulus: sum over the lattice over the integral."""
        reach, d = self.family.reach, self.family.dimensions
        directions = {1: 2.0, 2: 2 * math.pi, 3: 4 * math.pi}[d]
        total = float((self.weights * self.family.lengths).sum())
        return total / (directions * reach ** (d + 1) * self.influence.moment(d))

    @property
    def micromodulus(self) -> float:
        """c [N/m⁶] with which uniform dilation of the lattice has the energy of the elastic solid."""
        return self.continuum_micromodulus / self.lattice_ratio

    @property
    def stiffness_along_axis(self) -> float:
        """Young's modulus of the calibrated lattice along x over the wanted one: the lattice is not quite isotropic."""
        n = self.family.offsets[:, : self.family.dimensions] / self.family.lengths[:, None]
        weights = self.weights * self.family.lengths
        weights = weights / weights.sum()
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
    def crack_integral(self) -> float:
        """Σ c w |ξ| dV dV of the bonds across a unit of a plane [J/m²]: a crack takes this times the ∫ (1 − d) s ds
        of one bond.

        Of the continuous family ∫ c w |ξ| (ξ·n)₊ dV (Silling and Askari 2005, as an integral over bonds instead of
        over the distance from the plane), or what the lattice has across a plane between its rows.
        """
        d, reach = self.family.dimensions, self.family.reach
        if self.lattice_crack:
            over = np.maximum(self.family.offsets[:, 1], 0)  # rows from which a bond crosses the plane
            total = self.spacing * float((self.weights * self.family.lengths * over).sum())
            return self.micromodulus * self.volume**2 * total / (self.volume / self.spacing)
        across = math.pi if d == 3 else 2.0  # ∫ of the cosine over half of all directions
        thickness = 1.0 if d == 3 else self.thickness
        moment = self.influence.moment(d + 1) * (reach * self.spacing) ** (d + 2)
        return self.continuum_micromodulus * thickness * across * moment

    @property
    def bond_work(self) -> float:
        """∫ (1 − d) s ds of one bond, with which a crack takes the fracture energy."""
        return self.fracture_energy / self.trapping / self.crack_integral

    @property
    def critical_stretch(self) -> float:
        """s₀ at which a brittle bond breaks, so that a crack takes the fracture energy."""
        return math.sqrt(2 * self.bond_work)

    def stiffness(self, step: float) -> float:
        """``dt² c V/(ρ Δx)``: the sum of stretches becomes a change of displacement per step, in spacings."""
        return step**2 * self.micromodulus * self.volume / (self.density * self.spacing)

    def bond_stiffness(self, step: float) -> float:
        """As :meth:`stiffness`, of a bond inside the body."""
        return self.stiffness(step)

    @property
    def stable_step(self) -> float:
        """Largest stable step [s]: ``dt² (c V/ρ) λ <= 2``, λ that of :meth:`spread` of the whole family.

        A rigorous bound of the linear problem with any bonds broken, for each bond adds to the stiffness; by
        isotropy of the lattice it is √d larger than Silling and Askari's.
        """
        return math.sqrt(2 / (self.spread(np.ones(self.family.bonds, bool)) * self.stiffness(1.0)))

    def spread(self, bonds: Array) -> float:
        """Largest eigenvalue of ``Σ w n nᵀ/|ξ|`` over ``bonds: (bonds,) bool`` of the family; ξ in spacings."""
        lengths = self.family.lengths[bonds]
        n = self.family.offsets[bonds, : self.family.dimensions] / lengths[:, None]
        return float(np.linalg.eigvalsh((n.T * (self.weights[bonds] / lengths)) @ n)[-1])

    @property
    def surface_share(self) -> float:
        """Of the bound 4/dt² behind :attr:`stable_step`, the part that half a family has: a particle at a surface."""
        return self.spread(self.family.offsets[:, 1] >= 0) / self.spread(np.ones(self.family.bonds, bool))

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


def volume_parts(lengths: Array, reach: int) -> Array:
    """The part of a neighbour's volume that counts as within the horizon, 1 but for the last half spacing before it:
    (δ + Δx/2 − |ξ|)/Δx, from 1 to 1/2 (Parks et al. 2008, the algorithm of PDLAMMPS). lengths: in spacings."""
    return np.clip(reach + 0.5 - lengths, 0.0, 1.0)
