"""The linear peridynamic solid on a lattice: its two constants, critical stretch, largest step, wave speeds.

With d dimensions, θ the dilatation, λ and μ Lamé's constants (in plane stress λ of the plane, Eν/(1 − ν²)), ω the
influence 1/|ξ| and m = Σ ω|ξ|² V, the energy density of Silling et al. (2007), written without the deviator,

    W = ½ (λ − μ) θ² + d(d + 2) μ/(2m) Σ ω e² V,    θ = (d/m) Σ ω |ξ| e V

so that it is that of bond-based peridynamics where λ = μ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.peridynamics.lattice.family import Family
from engines.peridynamics.material.brittle import Lattice


def influence(family: Family) -> Array:
    """(bonds,) ω of each bond, lengths in spacings."""
    return np.asarray(1 / family.lengths)


def weighted_volume(family: Family) -> float:
    """m = Σ ω |ξ|² of a whole family, in spacings."""
    return float((influence(family) * family.lengths**2).sum())


def bulk_constraint(family: Family) -> float:
    """Largest eigenvalue of ``2 Σ ω n nᵀ`` of a whole family."""
    return 2 * float(np.linalg.eigvalsh(_spread(family))[-1])


def _spread(family: Family) -> Array:
    n = family.offsets[:, : family.dimensions] / family.lengths[:, None]
    return np.asarray((n.T * influence(family)) @ n)


@dataclass(frozen=True, kw_only=True)
class StateLattice(Lattice):
    """poisson: Poisson's ratio. constraint: the largest eigenvalue of ``Σ_j (m/m_i + m/m_j) ω n nᵀ`` over the particles
    i of the body (``weights.py``), ``bulk_constraint`` inside of it."""

    poisson: float
    constraint: float

    @property
    def poisson_ratio(self) -> float:
        return self.poisson

    @property
    def shear_modulus(self) -> float:
        """μ [Pa]"""
        return self.young / (2 * (1 + self.poisson))

    @property
    def lame(self) -> float:
        """λ [Pa], that of the plane in plane stress."""
        if self.formulation == "plane stress":
            return self.young * self.poisson / (1 - self.poisson**2)
        return self.young * self.poisson / ((1 + self.poisson) * (1 - 2 * self.poisson))

    @property
    def lame_ratio(self) -> float | None:
        return self.lame / self.shear_modulus

    @property
    def bulk_modulus(self) -> float:
        """κ [Pa] of a dilation in all d dimensions: λ + 2μ/d."""
        return self.lame + 2 * self.shear_modulus / self.family.dimensions

    @property
    def critical_stretch(self) -> float:
        """s₀ (Madenci and Oterkus 2014, chapter 6): G₀/s₀²δ = 3μ + (3/4)⁴(κ − 5μ/3) in space and 6μ/π + 16(κ − 2μ)/9π²
        in the plane. Where κ is that of bond-based peridynamics this is Silling and Askari's."""
        shear, bulk = self.shear_modulus, self.bulk_modulus
        if self.formulation == "3D":
            modulus = 3 * shear + (3 / 4) ** 4 * (bulk - 5 * shear / 3)
        else:
            modulus = 6 * shear / math.pi + 16 * (bulk - 2 * shear) / (9 * math.pi**2)
        return math.sqrt(self.fracture_energy / self.trapping / (modulus * self.horizon))

    def scaled(self, modulus: float, step: float) -> float:
        """``modulus dt²/(ρ Δx²)``: a modulus [Pa] in the units of a device."""
        return modulus * step**2 / (self.density * self.spacing**2)

    def stiffness(self, step: float) -> float:
        """β = d(d + 2) μ/m of a particle inside the body: both ends' make up a bond's."""
        d = self.family.dimensions
        return self.scaled(d * (d + 2) * self.shear_modulus / weighted_volume(self.family), step)

    def bond_stiffness(self, step: float) -> float:
        return 2 * self.stiffness(step)

    @property
    def surface_share(self) -> float:
        """All of it: bonds at a surface are stiffer, for the weighted volume there is smaller."""
        return 1.0

    def dilation(self, step: float) -> float:
        """γ = (λ − μ)(d/m)² of a particle inside the body."""
        factor = (self.family.dimensions / weighted_volume(self.family)) ** 2
        return self.scaled((self.lame - self.shear_modulus) * factor, step)

    @property
    def stable_step(self) -> float:
        """Largest stable step [s], a rigorous bound of the linear problem with any bonds broken.

        By Cauchy's inequality the dilatation's energy is at most γm/β of that of the bonds, for each of which
        ``(n·(u_j − u_i))² <= 2 (n·u_i)² + 2 (n·u_j)²``: dt² 2(β + max(γ, 0) m) constraint <= 4.
        """
        stiffness = self.stiffness(1.0) + max(self.dilation(1.0), 0.0) * weighted_volume(self.family)
        return math.sqrt(2 / (stiffness * self.constraint))

    def frequencies(self, waves: Array) -> Array:
        """(n, d) squares of the angular frequencies [1/s²] of plane waves in an endless lattice; waves: (n, d)
        wave vectors [1/spacing]."""
        d, weights = self.family.dimensions, influence(self.family)
        offsets = self.family.offsets[:, :d].astype(float)
        n = offsets / self.family.lengths[:, None]
        phases = waves @ offsets.T
        bonds = np.einsum("wb,bk,bl->wkl", (1 - np.cos(phases)) * weights, n, n)
        spread = (np.sin(phases) * weights) @ offsets
        matrices = 2 * self.stiffness(1.0) * bonds + self.dilation(1.0) * spread[:, :, None] * spread[:, None]
        return np.asarray(np.linalg.eigvalsh(matrices))

    @property
    def shear_ratios(self) -> tuple[float, float]:
        """Shear modulus for shear along the axes and at 45° to them over μ; in the mean over all directions it is 1."""
        d, weights = self.family.dimensions, influence(self.family) * self.family.lengths**2
        n = self.family.offsets[:, :d] / self.family.lengths[:, None]
        weights = weights / weights.sum()
        along = float((weights * n[:, 0] ** 4).sum())
        across = float((weights * (n[:, 0] * n[:, 1]) ** 2).sum())
        return d * (d + 2) * across, d * (d + 2) * (along - across) / 2

    def _pulled(self, shear: float) -> tuple[float, float]:
        """Young's modulus [Pa] and Poisson's ratio of tension along x with C11 − C12 = 2 ``shear``; those of the plane
        in two dimensions."""
        bulk = self.bulk_modulus
        if self.family.dimensions == 3:
            return 9 * bulk * shear / (3 * bulk + shear), (3 * bulk - 2 * shear) / (2 * (3 * bulk + shear))
        return 4 * bulk * shear / (bulk + shear), (bulk - shear) / (bulk + shear)

    @property
    def stiffness_along_axis(self) -> float:
        """Young's modulus of the lattice along x over the wanted one (in plane strain E/(1 − ν²) of the plane)."""
        shear = self.shear_modulus
        return self._pulled(self.shear_ratios[1] * shear)[0] / self._pulled(shear)[0]

    @property
    def poisson_along_axis(self) -> float:
        """Poisson's ratio of the lattice in tension along x (in plane strain that of the plane, ν/(1 − ν))."""
        return self._pulled(self.shear_ratios[1] * self.shear_modulus)[1]

    @property
    def rayleigh_speed(self) -> float:
        """Speed of surface waves [m/s], by Viktorov's fit to within 0.5 % (for 0 <= ν < 0.5)."""
        shear = math.sqrt(self.shear_modulus / self.density)
        effective = self.poisson / (1 + self.poisson) if self.formulation == "plane stress" else self.poisson
        return shear * (0.862 + 1.14 * effective) / (1 + effective)
