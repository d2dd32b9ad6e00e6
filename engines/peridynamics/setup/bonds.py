"""Bond-based bodies on a lattice: laws, materials, surfaces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engines.api import Array, Finding
from engines.api.charts import Fact
from engines.api.errors import ProblemError
from engines.backend.twins import pick
from engines.peridynamics.body.bonded import Bonded
from engines.peridynamics.lattice.family import family
from engines.peridynamics.lattice.solver import LATTICE_SOLVER, Discretised, bytes_of
from engines.peridynamics.material.bars import UNCORRECTED
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.material.influence import INFLUENCES
from engines.peridynamics.material.laws.calibration import calibrated
from engines.peridynamics.material.mixture import mixed, stiffening
from engines.peridynamics.material.surface import surface
from engines.peridynamics.parameters import PeridynamicParameters, PlaneBody
from engines.peridynamics.setup.lattice import LatticeSetup, dimensions_of
from engines.peridynamics.setup.pace import Kind
from engines.peridynamics.setup.toughness import slow_crack


def lattice_of(parameters: PeridynamicParameters) -> Lattice:
    """Of the body's own material. Raises ProblemError."""
    return slow_crack(lattice_as_chosen(parameters), parameters)


def lattice_as_chosen(parameters: PeridynamicParameters) -> Lattice:
    """As :func:`lattice_of`, without what a slow crack is held up by."""
    body, material, spacing = parameters.body, parameters.material, parameters.bonds.spacing * 1e-3
    return Lattice(
        family(dimensions_of(parameters), parameters.bonds.reach),
        body.formulation if isinstance(body, PlaneBody) else "3D",
        material.young * 1e9,
        material.density,
        material.fracture_energy,
        spacing,
        body.thickness * 1e-3 if isinstance(body, PlaneBody) else spacing,
        INFLUENCES[parameters.bonds.influence],
        parameters.bonds.partial_volumes,
        parameters.bonds.crack == "lattice",
    )


class BondSetup(LatticeSetup):
    """Each bond is a spring of its own."""

    solvers = LATTICE_SOLVER

    def _lattice(self) -> Lattice:
        return lattice_of(self.parameters)

    def _prepare(self) -> None:
        parameters, lattice = self.parameters, self.lattice
        try:
            self.law = calibrated(parameters.material.law, lattice)
        except ProblemError as error:
            raise ProblemError(str(error), ("material", "law", *error.place)) from None
        self.mixed = mixed(parameters, self.body, lattice)
        self.surface = surface(self.body, lattice, self.surface_power) if parameters.bonds.surface_correction else None
        self.limit = lattice.stable_step
        if self.mixed:
            self.limit /= np.sqrt(stiffening(self.mixed.mixture))
        if self.surface:
            self.limit /= np.sqrt(max(1.0, self.surface.stiffening))

    @property
    def surface_power(self) -> float:
        if not self.parameters.bonds.surface_correction:
            return UNCORRECTED
        return super().surface_power

    @property
    def _surface_share(self) -> float:
        return 1.0 if self.surface else super()._surface_share

    @property
    def _lightest(self) -> float:
        return float(self.mixed.mixture.lightness.max()) if self.mixed else 1.0

    def _bytes(self) -> int:
        mixed, paired = (
            self.mixed is not None,
            bool(self.mixed or self.surface) and pick(self.backend, cpu=True, cuda=False),
        )
        return bytes_of(
            self.layout, self.lattice.family, self.value_bytes, paired, self.law.code is not None,
            mixed or self.surface is not None,
        )  # fmt: skip

    def _values_per_step(self) -> int:
        return 4 * self.body.dimensions

    @property
    def kind(self) -> Kind:
        """The slowest of what it has."""
        if self.law.code:
            return "softening"
        if self.mixed:
            return "mixed"
        if self.surface:
            return "corrected"
        return "plain" if self.lattice.uniform else "influence"

    def _on_lattice(self, bonds: Bonded, kind: Array) -> Discretised:
        lattice, mixed = self.lattice, self.mixed
        mixture = mixed.mixture.placed(bonds.places, bonds.layout.size) if mixed else None
        return Discretised(
            bonds.places, bonds.whole, kind, lattice.scales(self.step), bonds.layout, bonds.family, bonds.words,
            bonds.breakable, lattice.stiffness(self.step), (1 + self.law.elastic_limit) ** 2 - 1,
            None if lattice.uniform else lattice.weights, mixture,
            self.surface.half_shares if self.surface else None, self.law.law(), mixed.laws if mixed else None,
        )  # fmt: skip

    @property
    def facts(self) -> tuple[Fact, ...]:
        softening = (
            Fact("Stretch from which bonds soften", self.law.elastic_limit, ""),
            Fact("Stretch at which bonds are gone", self.law.failure, ""),
        )
        return (*super().facts, *(softening if self.law.code else ()))

    def _more_findings(self) -> list[Finding]:
        own = [replace(finding, place=("material", "law")) for finding in self.law.findings]
        return [*own, *(self.mixed.findings if self.mixed else ()), *super()._more_findings()]
