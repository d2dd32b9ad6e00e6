"""What bond-based and state-based bodies on a lattice have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.api.charts import Fact
from engines.api.errors import ProblemError
from engines.backend.twins import Twins
from engines.peridynamics.body.bonded import Bonded, bonded, unbreakable
from engines.peridynamics.body.cutting import idle_notches, notches_on_rows
from engines.peridynamics.body.filling import Place, extent_of, filled, frame_of, straight_along
from engines.peridynamics.contact.contact import Contact, contact_on
from engines.peridynamics.contact.contact import bytes_of as contact_bytes
from engines.peridynamics.contact.limits import contact_step
from engines.peridynamics.contact.rigid import Rigid, rigid_on
from engines.peridynamics.lattice.family import family
from engines.peridynamics.lattice.layout import Layout
from engines.peridynamics.lattice.solver import Discretised, LatticeSolver, Slab
from engines.peridynamics.loading.loads import Loads
from engines.peridynamics.material.bars import DILATION, UNCORRECTED, power_in_tension, surface_effect
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.material.influence import INFLUENCES
from engines.peridynamics.parameters import PeridynamicParameters, PlaneBody, PointBody
from engines.peridynamics.setup.base import Setup
from engines.peridynamics.setup.toughness import told_of_slow_cracks
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.energies import Watched, watched
from engines.quantities import percent

BLURRED, TOLD_BLURRED = 0.87, 0.11
"""With b = 0.87 horizons over a hole's radius the largest stress beside it is b/(1 + b) too low: 29, 18, 13 and 4 %
were found with 6, 12, 20 and 40 spacings of radius and a horizon of 3 (plates 12 radii wide, Howland's 3.09 of 1930).
And b from which it is said."""
THIN, VERY_THIN = 0.02, 0.1
"""Parts of Young's modulus that surfaces may change before it is said, and before it is a warning."""
COARSE, FINE = 0.05, 3
"""Part of Young's modulus along the axes that is told of, where the horizon has fewer spacings than the second."""
REACHES = {2: (2, 3, 4), 3: (2, 3)}
"""Horizons that the kernels are compiled for, in spacings, by dimensions."""


def dimensions_of(parameters: PeridynamicParameters) -> int:
    return 2 if isinstance(parameters.body, PlaneBody) else 3


class LatticeSetup(Setup):
    """On a lattice; a kind of bonds gives the lattice, the solver and how much of what they need."""

    def _discretise(self) -> None:
        parameters, reach = self.parameters, self.parameters.bonds.reach
        dimensions = dimensions_of(parameters)
        if reach < 2:
            raise ProblemError(
                "A horizon below 2 spacings gives cracks no direction of their own: use 2 or 3.", ("bonds", "reach")
            )
        if reach not in REACHES[dimensions]:
            raise ProblemError(
                f"A horizon of {reach} spacings is not offered here: use {max(REACHES[dimensions])} at most.",
                ("bonds", "reach"),
            )
        self.body = filled(parameters)
        self.lattice = self._lattice()
        self.spacing = self.lattice.spacing
        self.layout = Layout(self.body.counts, reach, dimensions)
        self._prepare()
        kin, size, particles = self.lattice.family, self.layout.size, len(self.body.cells)
        self.memory = self._bytes() + contact_bytes(parameters, particles, size, dimensions, self.value_bytes)
        self.memory += self._bytes_beside(size, kin.words)
        self.bytes_per_step = particles * (self._values_per_step() * self.value_bytes + 12 * kin.words + 1)
        self.bonds = particles * kin.bonds
        touching = contact_step(parameters, self.lattice, self.limit, self._surface_share, self._lightest)
        if touching < self.limit:
            self.limit, self.stands_for = touching, "contact"
        unbreakable(parameters, self.body)  # says now, not when bonds are cut, if a region holds nothing

    @abstractmethod
    def _lattice(self) -> Lattice: ...

    @abstractmethod
    def _prepare(self) -> None:
        """Sets limit."""

    @property
    def _surface_share(self) -> float:
        """See :func:`contact_step`."""
        return self.lattice.surface_share

    @property
    def _lightest(self) -> float:
        """The density of the body's own material over the least one."""
        return 1.0

    @abstractmethod
    def _bytes(self) -> int: ...

    @abstractmethod
    def _values_per_step(self) -> int:
        """Numbers of a particle that a step reads and writes."""

    solvers: Twins[Any]
    """What opens a solver of :meth:`discretised`."""

    @abstractmethod
    def _on_lattice(self, bonds: Bonded, kind: Array) -> Discretised:
        """``kind``: (size,)"""

    def _loads(self) -> Loads:
        self.rigid = rigid_on(self.body, self.parameters.penetrators, self.lattice, self.step)
        return super()._loads()

    @property
    def _rigid(self) -> Rigid | None:
        return self.rigid if self.rigid.solids else None

    def _solver(self) -> Solver:
        return self.solver_of(self.discretised())

    def solver_of(self, body: Discretised, slab: Slab | None = None) -> LatticeSolver:
        """On the device; of a slab of the body if one is given, which ``body`` is then."""
        found: LatticeSolver = self.solvers.open(self.backend, body, self.precision, slab)
        return found

    def discretised(self) -> Discretised:
        """The body as a solver takes it."""
        return self._on_lattice(*self._bonds_and_kinds())

    def _bonds_and_kinds(self) -> tuple[Bonded, Array]:
        bonds = bonded(self.parameters, self.body, self.lattice.weights)
        placed = np.zeros(bonds.layout.size, np.uint8)
        placed[bonds.places] = self.loads.kind
        return bonds, placed

    def _contact(self, solver: Solver) -> Contact | None:
        assert isinstance(solver, LatticeSolver)
        return contact_on(solver, solver.body, self.body, self.parameters, self.rigid, self.lattice)

    @property
    def watched(self) -> Watched:
        return watched(self.lattice, self.axis, self.backward, self.along)

    @property
    def facts(self) -> tuple[Fact, ...]:
        lattice = self.lattice
        return (
            Fact("Horizon", lattice.horizon * 1e3, "mm"),
            Fact("Horizon over spacing", lattice.family.reach, ""),
            Fact("Critical stretch of a bond", lattice.critical_stretch, ""),
            Fact("Poisson's ratio", lattice.poisson_ratio, ""),
            Fact("Stiffness along the axes: error", 100 * (lattice.stiffness_along_axis - 1), "%"),
            *self._of_waves,
        )

    def _more_findings(self) -> list[Finding]:
        sentence = "Notch {} cuts no bond: move it into the body, or make it longer."
        idle = idle_notches(self.parameters)
        found = [Finding(sentence.format(number + 1), place=("notches", number)) for number in idle]
        for number, (changes, way) in notches_on_rows(self.parameters).items():
            if number not in idle:
                found.append(_on_a_row(number, changes, way))
        return [
            *found,
            *told_of_slow_cracks(self.lattice, self.parameters),
            *self._coarse(),
            *self._rounded(),
            *self._thin(),
            *self._blurred(),
        ]

    def _coarse(self) -> Iterator[Finding]:
        """That a family of few bonds is stiffer along the axes than between them, and what is closer."""
        lattice, bonds = self.lattice, self.parameters.bonds
        wrong = lattice.stiffness_along_axis - 1
        if bonds.reach >= FINE or abs(wrong) < COARSE:
            return
        finer = replace(lattice, family=family(lattice.family.dimensions, FINE))
        changes: dict[tuple[str | int, ...], Any] = {("bonds", "reach"): FINE}
        way = f"a horizon of {FINE} spacings"
        if abs(finer.stiffness_along_axis - 1) >= COARSE and bonds.theory == "bond-based":
            finer = replace(finer, influence=INFLUENCES["triangular"])
            changes["bonds", "influence"] = "triangular"
            way += " and triangular influence"
        then = finer.stiffness_along_axis - 1
        yield Finding(
            f"A horizon of {bonds.reach} spacings makes the body {_too_stiff(wrong)} in tension along the axes: "
            f"{way} would make it {_too_stiff(then)}.",
            place=("bonds", "reach"),
            remedy=Remedy(f"Use {way}", changes) if abs(then) < COARSE else None,
            distorts=True,
        )

    def _rounded(self) -> Iterator[Finding]:
        """That whole rows of particles make the body wider or narrower than it was given."""
        body, spacing = self.parameters.body, self.parameters.bonds.spacing
        assert not isinstance(body, PointBody)
        low, high = extent_of(body)
        sides, rows = high - low, frame_of(self.parameters).counts
        wrong = [
            rows[axis] * spacing / sides[axis] - 1 if straight else 0.0
            for axis, straight in enumerate(straight_along(body))
        ]
        axis = int(np.argmax(np.abs(wrong)))
        if abs(wrong[axis]) < THIN:
            return
        finer = float(f"{sides[axis] / np.ceil(sides[axis] / spacing):.4g}")
        yield Finding(
            f"Along {'xyz'[axis]} the body is {sides[axis]:.4g} mm, and {rows[axis]} rows of particles are "
            f"{rows[axis] * spacing:.4g} mm: loads across it are {100 * wrong[axis]:+.2g} % off.",
            "warning" if abs(wrong[axis]) > VERY_THIN else "info",
            ("bonds", "spacing"),
            Remedy(f"Use a spacing of {finer:g} mm", {("bonds", "spacing"): finer}),
        )

    def _blurred(self) -> Iterator[Finding]:
        """That stress beside a small hole is told too low, for strain is a mean over a horizon (``watch/strain``)."""
        spacing, reach = self.parameters.bonds.spacing, self.lattice.family.reach
        radii = {
            number: radius
            for number, hole in enumerate(getattr(self.parameters.body, "holes", ()))
            if (radius := getattr(hole, "radius", 0.0)) > 0
        }
        if not radii:
            return
        number, radius = min(radii.items(), key=lambda each: each[1])
        blurred = BLURRED * reach * spacing / radius
        if blurred < TOLD_BLURRED:
            return
        finer = 10 ** np.floor(np.log10(spacing * TOLD_BLURRED / blurred) - 1)
        finer = float(f"{finer * np.floor(spacing * TOLD_BLURRED / blurred / finer):.2g}")
        yield Finding(
            f"Hole {number + 1} has a radius of {radius / spacing:.2g} spacings, and strain is a mean over a horizon: "
            f"the largest stress beside it is told about {percent(blurred / (1 + blurred))} too low. Forces of "
            "bonds, and cracks with them, are not.",
            "info",
            ("bonds", "spacing"),
            Remedy(f"Use a spacing of {finer:g} mm", {("bonds", "spacing"): finer}),
        )

    @property
    def surface_power(self) -> float:
        """Of what a family lacks at a surface, by which its bonds are stiffer (``material/bars.py``)."""
        if self.parameters.bonds.surfaces == "tension":
            return power_in_tension(self.lattice)
        return DILATION

    def _thin(self) -> Iterator[Finding]:
        """That a body is of another stiffness for its surfaces are so large a part of it."""
        if self.parameters.bonds.surfaces == "tension" and self.surface_power != UNCORRECTED:
            return
        *across, longest = sorted(self.body.counts[: self.body.dimensions])
        effect = surface_effect(self.lattice, self.surface_power)
        wrong = effect * sum(1 / count for count in across) / len(across)
        if abs(wrong) < THIN:
            return
        of_both = (1 + wrong) * self.lattice.stiffness_along_axis - 1
        along = "xyz"[self.body.counts.index(longest)]
        changes: dict[tuple[str | int, ...], Any] = {("bonds", "surfaces"): "tension"}
        if self.parameters.bonds.theory == "bond-based":
            changes[("bonds", "surface_correction")] = True
        yield Finding(
            f"The body is {' by '.join(map(str, across))} particles across, and its surfaces make it about "
            f"{_too_stiff(wrong)} in tension along {along}: with what the lattice itself does to Young's modulus, "
            f"{100 * of_both:+.2g} %.",
            "warning" if abs(wrong) > VERY_THIN else "info",
            ("bonds", "surfaces"),
            Remedy("Correct surfaces for tension", changes),
        )


def _too_stiff(wrong: float) -> str:
    return f"{percent(abs(wrong))} too {'stiff' if wrong > 0 else 'soft'}"


def _on_a_row(number: int, changes: dict[Place, tuple[float, ...]], way: Array) -> Finding:
    moved = ", ".join(f"{part:+.4g} mm along {axis}" for axis, part in zip("xyz", way, strict=True) if part)
    return Finding(
        f"Notch {number + 1} lies on a row of particles and is taken as if it were beside it ({moved}): a body that is "
        "the same on both sides of the row breaks otherwise on them. For a cut in the middle give the body an even "
        "number of rows.",
        place=("notches", number),
        remedy=Remedy("Draw it between the rows", changes),
    )
