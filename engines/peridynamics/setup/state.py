"""State-based bodies on a lattice."""

from __future__ import annotations

from dataclasses import replace

from engines.api import Array, Finding, Remedy
from engines.api.errors import ProblemError
from engines.peridynamics.body.bonded import Bonded
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.setup.bonds import lattice_as_chosen
from engines.peridynamics.setup.lattice import LatticeSetup
from engines.peridynamics.setup.pace import Kind
from engines.peridynamics.setup.toughness import slow_crack
from engines.peridynamics.state.body import StateBody, state_body
from engines.peridynamics.state.material import StateLattice, influence, weighted_volume
from engines.peridynamics.state.solver import STATE_SOLVER, state_bytes_of
from engines.peridynamics.state.weights import Weights, weights
from engines.peridynamics.watch.strain.solid import Solid

NEARLY_FIXED = 0.45
"""Poisson's ratio from which a solid that cannot widen counts as nearly incompressible."""


class StateSetup(LatticeSetup):
    """The linear peridynamic solid: brittle, one material, influence 1/|ξ|."""

    lattice: StateLattice
    solvers = STATE_SOLVER

    def _lattice(self) -> StateLattice:
        parameters = self.parameters
        bonds, plain = parameters.bonds, "is for bond-based bodies: choose them, or"
        if parameters.material.law.kind != "brittle":
            raise ProblemError(f"Softening {plain} the brittle law.", ("material", "law"))
        if parameters.materials:
            raise ProblemError(f"A second material {plain} take it away.", ("materials",))
        if bonds.weighted or bonds.crack == "lattice":
            raise ProblemError(
                f"What weighs bonds {plain} constant influence, whole volumes and no surface correction.", ("bonds",)
            )
        made: Lattice = lattice_as_chosen(parameters)
        self.lattice = StateLattice(
            made.family, made.formulation, made.young, made.density, made.fracture_energy, made.spacing, made.thickness,
            poisson=parameters.material.poisson, constraint=1.0,
        )  # fmt: skip
        return slow_crack(replace(self.lattice, constraint=self._weights.constraint), parameters)

    @property
    def _weights(self) -> Weights:
        return weights(self.body, self.parameters.bonds.reach, self.surface_power)

    @property
    def kind(self) -> Kind:
        return "state-based"

    def _prepare(self) -> None:
        self.limit = self.lattice.stable_step

    def _bytes(self) -> int:
        return state_bytes_of(self.layout, self.lattice.family, self.value_bytes)

    def _values_per_step(self) -> int:
        return 5 * self.body.dimensions + 4

    def _solid(self) -> Solid:
        kin = self.lattice.family
        ratio = weights(self.body, kin.reach).ratio
        dilation = self.body.dimensions / weighted_volume(kin) * ratio
        return replace(super()._solid(), dilation=dilation, influence=influence(kin))

    def _on_lattice(self, bonds: Bonded, kind: Array) -> StateBody:
        return state_body(bonds, kind, self.lattice, self._weights.ratio, self.step)

    def _more_findings(self) -> list[Finding]:
        found, lattice = list[Finding](), self.lattice
        if lattice.formulation != "plane stress" and lattice.poisson > NEARLY_FIXED:
            found.append(
                Finding(
                    f"At a Poisson's ratio of {lattice.poisson:g} the volume hardly changes: steps become short and "
                    f"the lattice too stiff; {NEARLY_FIXED:g} or less is safe.",
                    place=("material", "poisson"),
                    remedy=Remedy(f"Make Poisson's ratio {NEARLY_FIXED:g}", {("material", "poisson"): NEARLY_FIXED}),
                )
            )
        return [*found, *super()._more_findings()]
