"""Several materials in one body: what the bonds of each pair of them are, on a lattice and between points."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import ProblemError
from engines.peridynamics.body.bonded import Filled, chosen
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.material.laws.calibration import Calibrated, calibrated
from engines.peridynamics.parameters import PeridynamicParameters

MOST_MATERIALS = 16
"""As the kernels' traits have bits for."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """Several materials. material: (size,) uint8, or (n,) before particles have places; stiffness, limit: (M, M)
    symmetric, of bonds of each pair: K over that of the body, and the limit of p; lightness: (M,) the mass that the
    body counts in over a particle's."""

    material: Array
    stiffness: Array
    limit: Array
    lightness: Array

    def placed(self, places: Array, size: int) -> Mixture:
        """With the particles at ``places: (n,)`` of ``size``."""
        material = np.zeros(size, np.uint8)
        material[places] = self.material
        return replace(self, material=material)


@dataclass(frozen=True, eq=False)
class Mixed:
    """Materials of the particles in the order of the geometry, and the parameters of the law of each pair, (M, M, p);
    None where bonds are brittle. ``findings`` are of the laws of the materials beside the body's."""

    mixture: Mixture
    laws: Array | None
    findings: tuple[Finding, ...] = ()


def mixed(parameters: PeridynamicParameters, body: Filled, lattice: Lattice) -> Mixed | None:
    """None for one material alone. ``lattice`` is that of the body's material, number 0, or, of points, one of the same
    horizon.

    A bond between two materials is two halves in series, so its stiffness is the harmonic mean of both; it breaks
    with the lower of both fracture energies. Interfaces change both by factors. Raises ProblemError.
    """
    if not parameters.materials:
        if parameters.interfaces:
            raise ProblemError(
                "An interface joins two materials: add a material, or take the interface away.", ("interfaces", 0)
            )
        return None
    count = 1 + len(parameters.materials)
    if count > MOST_MATERIALS:
        raise ProblemError(f"A body may have {MOST_MATERIALS} materials: this one has {count}.", ("materials",))
    material = np.zeros(len(body.cells), np.uint8)
    for number, each in enumerate(parameters.materials):
        material[chosen(each.region, body, ("materials", number, "region"))] = number + 1
    given = (parameters.material, *parameters.materials)
    lattices = [
        replace(lattice, young=each.young * 1e9, density=each.density, fracture_energy=each.fracture_energy)
        for each in given
    ]
    stiff = np.array([each.micromodulus for each in lattices])
    tough = np.array([each.fracture_energy for each in lattices])
    stiffness = 2 / (1 / stiff[:, None] + 1 / stiff[None]) / stiff[0]
    energy = np.minimum(tough[:, None], tough[None])
    for number, interface in enumerate(parameters.interfaces):
        first, second = interface.first, interface.second
        if max(first, second) >= count:
            raise ProblemError(
                f"An interface names material {max(first, second)}: the last one is {count - 1}.",
                ("interfaces", number),
            )
        if first == second:
            raise ProblemError(
                "An interface joins two different materials: change one of its numbers.", ("interfaces", number)
            )
        stiffness[[first, second], [second, first]] *= interface.stiffness
        energy[[first, second], [second, first]] *= interface.fracture_energy
    each_pair = itertools.product(range(count), repeat=2)
    laws = {
        (i, j): _law(
            parameters,
            replace(lattice, young=lattice.young * stiffness[i, j], fracture_energy=energy[i, j]),
            min(i, j, key=lambda one: float(tough[one])),
        )
        for i, j in each_pair
    }
    codes = {law.code.key if law.code else "" for law in laws.values()}
    if len(codes) > 1:
        raise ProblemError(
            "The bonds of a body follow laws of one kind: give all materials the same law, with numbers of their own.",
            ("materials",),
        )
    limits = np.array([law.elastic_limit for law in laws.values()]).reshape(count, count)
    lightness = lattice.density / np.array([each.density for each in lattices])
    mixture = Mixture(material, stiffness, (1 + limits) ** 2 - 1, lightness)
    numbers = np.array([law.parameters for law in laws.values()]).reshape(count, count, -1)
    findings = tuple(
        replace(finding, place=("materials", number - 1, "law"))
        for number in range(1, count)
        for finding in laws[number, number].findings
    )
    return Mixed(mixture, None if codes == {""} else numbers, findings)


def _law(parameters: PeridynamicParameters, lattice: Lattice, number: int) -> Calibrated:
    """Of the bonds of a pair whose own ``lattice`` this is: the law of material ``number``, the weaker one."""
    try:
        return calibrated((parameters.material, *parameters.materials)[number].law, lattice)
    except ProblemError as error:
        place = ("material",) if number == 0 else ("materials", number - 1)
        raise ProblemError(str(error), (*place, "law", *error.place)) from None


def stiffening(mixture: Mixture) -> float:
    """The stiffest bond over the mass of its end, over that of the body's material: bounds the stable step."""
    return float((mixture.stiffness.max(axis=1) * mixture.lightness).max())
