"""Bars without end on a lattice, pulled along a row: how stiff they are when so many particles lie across them.

Particles at the sides of a body lack bonds, or have stiffer ones than inside (state-based forces, and the correction of
surfaces), so that a thin body has another modulus than the solid: an error that falls with one over the number of
particles across. The factor of a bond may be any power of what a family lacks; the power with which tension along a
surface is right is found here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import scipy

from engines.api import Array
from engines.peridynamics.material.brittle import Lattice, volume_parts
from engines.peridynamics.state.material import StateLattice, influence, weighted_volume

UNCORRECTED, DILATION = 0.0, 1.0
"""Powers of what a family lacks: none, and that by which a dilation is right."""
ACROSS = {2: 10, 3: 6}
"""Particles across the bars that surfaces are judged by, in dimensions."""


@dataclass(frozen=True)
class Pulled:
    """young: over the wanted modulus (that of the plane in plane strain); poisson: the ratio of the plane."""

    young: float
    poisson: float


def pulled(lattice: Lattice, across: int, power: float) -> Pulled:
    """A strip of so many rows, or in space a square bar of as many rows as layers, in the balance that has the least
    energy; ``power`` as in the module."""
    return _pulled(_plain(lattice), across, power)


def surface_effect(lattice: Lattice, power: float) -> float:
    """Of a bar n particles wide: n times the part by which it is stiffer than the lattice is along its rows."""
    return _surface_effect(_plain(lattice), power)


def power_in_tension(lattice: Lattice) -> float:
    """The power with which bars are as stiff as the lattice is along its rows."""
    return _power_in_tension(_plain(lattice))


def _plain(lattice: Lattice) -> Lattice:
    """Of moduli and lengths of one: what the numbers here depend on."""
    made = replace(lattice, young=1.0, density=1.0, fracture_energy=1.0, spacing=1.0, thickness=1.0, trapping=1.0)
    return replace(made, constraint=1.0) if isinstance(made, StateLattice) else made


@lru_cache(maxsize=64)
def _surface_effect(lattice: Lattice, power: float) -> float:
    across = ACROSS[lattice.family.dimensions]
    return across * (_pulled(lattice, across, power).young / lattice.stiffness_along_axis - 1)


@lru_cache(maxsize=64)
def _power_in_tension(lattice: Lattice) -> float:
    found: float = scipy.optimize.brentq(lambda power: _surface_effect(lattice, power), 0.0, 1.0, xtol=1e-4)
    return found


@lru_cache(maxsize=256)
def _pulled(lattice: Lattice, across: int, power: float) -> Pulled:
    bars = _section(lattice, across)
    stiffness, pull, energy = bars.balance(power)
    moved = -np.linalg.lstsq(stiffness, pull, rcond=1e-12)[0]
    poisson = lattice.poisson_ratio
    wanted = 1 / (1 - poisson**2) if lattice.formulation == "plane strain" else 1.0
    rows = moved[: bars.particles].reshape(across, -1).mean(axis=1)
    narrowed = -float(np.polyfit(np.arange(across), rows, 1)[0])
    return Pulled(float(energy + pull @ moved) / bars.particles / wanted, narrowed)


@lru_cache(maxsize=4)
def _section(lattice: Lattice, across: int) -> _Section:
    return _Section(lattice, across)


class _Section:
    """The particles of a section and their bonds, each from both of its ends: to another particle of the section or its
    image along x. ``e = along + ways @ u`` of a bond, for a stretch along x of 1; u: all y, then in space all z."""

    def __init__(self, lattice: Lattice, across: int) -> None:
        self.lattice, kin = lattice, lattice.family
        space = kin.dimensions == 3
        cells = np.indices((across, across if space else 1)).reshape(2, -1).T
        self.particles = len(cells)
        number = np.full((across + 2 * kin.reach, across + 2 * kin.reach), -1)
        number[cells[:, 0] + kin.reach, cells[:, 1] + kin.reach] = np.arange(self.particles)
        there = cells[:, None] + kin.offsets[:, 1:] + kin.reach
        other = number[there[..., 0], there[..., 1]]
        self.first, self.bit = np.nonzero(other >= 0)
        second = other[self.first, self.bit]
        offsets, lengths = kin.offsets[self.bit], kin.lengths[self.bit]
        self.along = offsets[:, 0] ** 2 / lengths
        self.second = second
        self.ways = np.zeros((len(second), self.particles * (2 if space else 1)))
        each = np.arange(len(second))
        for axis in range(1, kin.dimensions):
            part = offsets[:, axis] / lengths
            np.add.at(self.ways, (each, (axis - 1) * self.particles + second), part)
            np.add.at(self.ways, (each, (axis - 1) * self.particles + self.first), -part)

    def balance(self, power: float) -> tuple[Array, Array, float]:
        """Twice the energy of a length of one is u·K u + 2 f·u + e: (K, f, e)."""
        lattice, kin, bit = self.lattice, self.lattice.family, self.bit
        if not isinstance(lattice, StateLattice):
            parts = volume_parts(kin.lengths, kin.reach) if lattice.partial_volumes else np.ones(kin.bonds)
            shares = self._sums(parts[bit]) / parts.sum()
            factor = 2 / (shares[self.first] ** power + shares[self.second] ** power)
            stiffness = 0.5 * lattice.micromodulus * (lattice.weights / kin.lengths)[bit] * factor
            return self._quadratic(stiffness)
        omega, lengths = influence(kin)[bit], kin.lengths[bit]
        ratio = (weighted_volume(kin) / self._sums(omega * lengths**2)) ** power
        scale = lattice.density * lattice.spacing**2  # of a step of 1 s
        dilation = lattice.dilation(1.0) * scale * ratio**2
        found = self._quadratic(lattice.stiffness(1.0) * scale * ratio[self.first] * omega)
        grown = np.zeros((self.particles, self.ways.shape[1]))
        np.add.at(grown, self.first, (omega * lengths)[:, None] * self.ways)
        pulled_along = self._sums(omega * lengths * self.along)
        return (
            found[0] + grown.T @ (dilation[:, None] * grown),
            found[1] + grown.T @ (dilation * pulled_along),
            found[2] + float((dilation * pulled_along**2).sum()),
        )

    def _sums(self, values: Array) -> Array:
        """Over the bonds of each particle."""
        return np.bincount(self.first, values, self.particles)

    def _quadratic(self, stiffness: Array) -> tuple[Array, Array, float]:
        weighted = stiffness[:, None] * self.ways
        return self.ways.T @ weighted, weighted.T @ self.along, float((stiffness * self.along**2).sum())
