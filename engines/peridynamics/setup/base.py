"""What is checked and worked out alike for all kinds of bonds: step, memory, loads, gauges, fields."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from engines.api import Array, FieldInfo, Finding, Remedy
from engines.api.charts import Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend.precision import FLOAT_TYPES
from engines.geometry.particles import Particles
from engines.peridynamics.body.filling import Filled
from engines.peridynamics.contact.contact import Contact
from engines.peridynamics.contact.limits import chatter
from engines.peridynamics.contact.rigid import Rigid
from engines.peridynamics.loading.loads import Loads, loads_on
from engines.peridynamics.loading.quasistatic import QuasiStaticSimulation
from engines.peridynamics.loading.relaxation import SHARE_OF_STABLE_STEP, held_fast
from engines.peridynamics.loading.sampling import sampled_too_seldom
from engines.peridynamics.loading.starting import start_velocities
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.material.mixture import Mixed
from engines.peridynamics.parameters import (
    Displacement,
    Gravity,
    Held,
    LayerRegion,
    PeridynamicParameters,
    Side,
    SideRegion,
    Stress,
)
from engines.peridynamics.setup.pace import Kind, seconds_per_step
from engines.peridynamics.step.simulation import Integration, PeridynamicSimulation
from engines.peridynamics.step.solver import Solver, decay_of
from engines.peridynamics.watch.balance import taken_names
from engines.peridynamics.watch.curve import LoadDisplacement, acting
from engines.peridynamics.watch.energies import LOOKED_WITH, Watched
from engines.peridynamics.watch.gauges import Gauges, gauges_on, names_of_loads
from engines.peridynamics.watch.strain.solid import Solid, elastic, fields_of
from engines.peridynamics.watch.strain.strains import strains_on

MEMORY_SHARE = 0.9
"""The part of a device's memory that a problem may take; the rest is the system's and the viewers'."""
SAFETY, SAFETY_RUBBING = 0.7, 0.45
"""Parts of the stable step that are taken. Energy is kept at both; what slips in places misses 2 % of it at 0.7."""

ACROSS: dict[Side, Side] = {
    "bottom": "top", "left": "right", "right": "left", "top": "bottom", "back": "front", "front": "back",
}  # fmt: skip


class Setup(ABC):
    """A problem checked and ready to build; making one raises ProblemError.

    A kind of bonds sets in :meth:`_discretise`: body; lattice, the numbers of the material (of irregular points: those
    of a lattice with the same horizon); spacing and thickness [m]; limit [s], the largest stable step; memory;
    bytes_per_step; bonds, each counted at both ends.
    """

    body: Filled
    lattice: Lattice
    spacing: float
    limit: float
    memory: int
    bytes_per_step: int
    bonds: float
    mixed: Mixed | None = None
    """Where there are several materials."""
    stands_for = "lattice"
    """What has the limit, in a sentence."""

    def __init__(self, parameters: PeridynamicParameters, backend: Backend) -> None:
        self.parameters, self.backend = parameters, backend
        self.precision = FLOAT_TYPES[parameters.numerics.precision]
        self.value_bytes = np.dtype(self.precision).itemsize
        self._discretise()
        available = backend.info.memory_bytes * backend.parts
        if available and self.memory > MEMORY_SHARE * available:
            raise ProblemError(
                f"This body needs {self.memory / 2**30:,.1f} GB, and {backend.info.name} has "
                f"{available / 2**30:,.1f} GB: use fewer particles."
            )
        self.step = self._chosen_step()
        self.loads = self._loads()
        self.gauges = gauges_on(self.body, parameters.measuring.gauges, taken_names() | names_of_loads(self.loads))
        self.curve = self._curve()
        self._check_loads()
        self.velocities = start_velocities(parameters.start, self.body.centers, self.body.dimensions)
        """(n, d) [m/s] at the start, None where the body is at rest."""
        self.axis, self.backward = "xyz".index(parameters.growth[1]), parameters.growth[0] == "-"
        if self.axis >= self.body.dimensions:
            raise ProblemError("A crack in a plate does not grow along z: choose x or y.", ("growth",))
        self.along = self.body.centers[:, self.axis] * (-1 if self.backward else 1)
        """(n,) [mm] of the particles, the way that the crack is expected to grow."""

    # What kinds of bonds differ in.

    @abstractmethod
    def _discretise(self) -> None: ...

    @abstractmethod
    def _solver(self) -> Solver: ...

    @property
    @abstractmethod
    def facts(self) -> tuple[Fact, ...]:
        """What tells whether the bonds are fit for their purpose."""

    @property
    def kind(self) -> Kind:
        """What a step takes as long as."""
        return "plain"

    @property
    @abstractmethod
    def watched(self) -> Watched: ...

    def _solid(self) -> Solid:
        """That stress is told by."""
        materials, lattice = (self.parameters.material, *self.parameters.materials), self.lattice
        return Solid([elastic(lattice.formulation, each.young * 1e9, lattice.poisson_ratio) for each in materials])

    def _contact(self, solver: Solver) -> Contact | None:
        return None

    @property
    def _rigid(self) -> Rigid | None:
        """The penetrators, where there are any."""
        return None

    def _curve(self) -> LoadDisplacement | None:
        wanted, centers = self.parameters.measuring.curve, self.body.centers
        middle = 0.5 * (centers.min(axis=0) + centers.max(axis=0))
        found = acting(self.loads, self._rigid, middle, wanted)
        return None if found is None else LoadDisplacement(found, self.gauges, wanted)

    def _more_findings(self) -> list[Finding]:
        return []

    def _loads(self) -> Loads:
        density, volume = self.lattice.density, self.watched_volume
        return loads_on(self.body, self.parameters.loads, self.step, self.spacing, density, volume, self._heaviness)

    @property
    def _heaviness(self) -> Array | None:
        """(n,) the density of each particle over that of the body's own material; None where all are equal."""
        if self.mixed is None or (self.mixed.mixture.lightness == 1).all():
            return None
        return np.asarray(1 / self.mixed.mixture.lightness[self.mixed.mixture.material])

    @property
    def watched_volume(self) -> float:
        """[m³] of a particle, the mean one."""
        return self.lattice.volume

    # What they have in common.

    def _bytes_beside(self, size: int, words: int) -> int:
        """Device memory of ``size`` places with so many words of bonds, beside that of a solver and of contact."""
        parameters, dimensions = self.parameters, self.body.dimensions
        looked_with, more = LOOKED_WITH, 0
        if parameters.contact.kind != "none" or parameters.penetrators:  # what contact pushes
            looked_with += dimensions
        if parameters.numerics.quasi_static:  # masks, loads and what was seen last; nothing that breaks
            more = 4 * dimensions * self.value_bytes + 4 * words
            looked_with = max(looked_with, 5 * dimensions)  # forces out of balance
        return size * (looked_with * self.value_bytes + more)

    def _chosen_step(self) -> float:
        numerics = self.parameters.numerics
        if numerics.quasi_static:
            return SHARE_OF_STABLE_STEP * self.limit
        if numerics.step is None:
            rubbing = any(each.friction for each in self.parameters.penetrators)
            return (numerics.safety or (SAFETY_RUBBING if rubbing else SAFETY)) * self.limit
        step = numerics.step * 1e-6
        if step > self.limit * (1 + 1e-12):
            raise ProblemError(
                f"The time step of {numerics.step:g} µs is above the stable limit of this {self.stands_for}: "
                f"use at most {np.floor(self.limit * 1e10) / 1e4:g} µs"
                f"{', or a softer contact' if self.stands_for == 'contact' else ''}.",
                ("numerics", "step"),
            )
        return step

    def _check_loads(self) -> None:
        loads, quasi_static = self.parameters.loads, self.parameters.numerics.quasi_static
        if quasi_static and (self.parameters.penetrators or self.parameters.contact.kind != "none"):
            raise ProblemError(
                "Slow loading knows no contact: take penetrators and contact of particles away, or calculate in time.",
                ("numerics", "integrator"),
            )
        if quasi_static and self.parameters.start.kind != "at rest":
            raise ProblemError(
                "Slow loading starts at rest: let the body be at rest, or calculate in time.", ("start",)
            )
        if quasi_static and not held_fast(self.loads, self.body.centers):
            raise ProblemError(
                "Nothing keeps the body from moving away or turning, so slow loading has no end: hold particles in "
                "every direction with displacements of 0.",
                ("loads",),
                self._hold_a_side(),
            )
        for place, load in enumerate(loads):
            moves = isinstance(load, Displacement) and any((load.x, load.y, load.z))
            if moves and load.history.kind == "sudden" and not quasi_static:
                raise ProblemError(
                    "A displacement that is there suddenly tears the particles out: give it a history.",
                    ("loads", place),
                )

    def _hold_a_side(self) -> Remedy:
        """That across from the first side with a load, or another that has none."""
        regions = [load if isinstance(load, Stress) else load.region for load in self.parameters.loads
                   if not isinstance(load, Gravity)]  # fmt: skip
        loaded = [region.side for region in regions if isinstance(region, Stress | SideRegion | LayerRegion)]
        sides = ACROSS if self.body.dimensions == 3 else dict(list(ACROSS.items())[:4])
        choice = [*(ACROSS[side] for side in loaded[:1]), *sides]
        side = next((side for side in choice if side not in loaded), "bottom")
        held = Displacement(region=SideRegion(side=side), x=0.0, y=0.0, z=0.0)
        loads = [*self.parameters.loads, held]
        return Remedy(f"Hold the {side}", {("loads",): [load.model_dump(mode="json") for load in loads]})

    @property
    def _of_waves(self) -> tuple[Fact, ...]:
        if self.parameters.numerics.quasi_static:
            return ()
        return (
            Fact("Step over the largest stable one", self.step / self.limit, ""),
            Fact("Rayleigh speed", self.lattice.rayleigh_speed, "m/s"),
        )

    @property
    def seconds_per_step(self) -> float:
        touching = bool(self.parameters.penetrators) or self.parameters.contact.kind != "none"
        return seconds_per_step(
            self.backend, self.bytes_per_step, self.bonds, self.value_bytes, self.body.dimensions, self.kind, touching
        )

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What its owner should know before a run."""
        found = [*self._more_findings(), *chatter(self.parameters)]
        if not self.parameters.numerics.quasi_static:
            found += sampled_too_seldom(self.loads, self.parameters.numerics.integrator == "velocity Verlet")
        holding = all(isinstance(each, Held) and not any((each.x, each.y, each.z)) for each in self.parameters.loads)
        if holding and not self.parameters.penetrators and self.velocities is None:
            found.append(Finding("Nothing loads the body: it will stay as it is.", place=("loads",)))
        for number in self.loads.borne():
            told = (
                f"Load {number + 1} pushes only particles that are held along it: it moves nothing, and what holds "
                "them bears it. Let them go along it, or take the load away."
            )
            found.append(Finding(told, place=("loads", number)))
        if self._heaviness is None and not self.parameters.penetrators and (axes := self.loads.unbalanced()):
            along = " and ".join("xyz"[axis] for axis in axes)
            told = (
                f"The loads push the body along {along}, where nothing holds it: it moves away as a whole. Make loads "
                "across from each other equal, or hold a side."
            )
            found.append(Finding(told, "info", ("loads",), self._hold_a_side()))
        return tuple(found)

    def build(self, moving: Callable[[], None]) -> PeridynamicSimulation:
        """On the device; ``moving`` is called before anything is moved there."""
        moving()
        return self.simulation_of(self._solver(), self.body.geometry)

    def simulation_of(self, solver: Solver, geometry: Particles) -> PeridynamicSimulation:
        """``geometry``: of the particles that the solver has."""
        numerics, curve = self.parameters.numerics, self.curve
        watched = replace(self.watched, along=solver.own.part_of(self.along))
        self._set_going(solver)
        gauges = Gauges(solver, self.loads, self.gauges)
        solid = self._solid()
        if solid.dilation is not None:
            solid = replace(solid, dilation=solver.own.placed(solid.dilation))
        strains = strains_on(solver, solid)
        given = self.backend, geometry, solver, self.loads
        if numerics.quasi_static:
            return QuasiStaticSimulation(*given, watched, self._fields(), gauges, curve, strains, numerics.relaxation)
        return PeridynamicSimulation(
            *given,
            Integration(numerics.integrator == "velocity Verlet", decay_of(numerics.damping, self.step)),
            watched,
            self._fields(),
            gauges,
            curve,
            strains,
            self._contact(solver),
        )

    def _set_going(self, solver: Solver) -> None:
        """Give particles the velocities of the start; loads say how those that they hold move."""
        if self.velocities is None:
            return
        moving = self.backend.to_host(solver.arrays["v"])
        for axis, values in enumerate(solver.own.part_of(self.velocities).T):
            free = solver.own.part_of(~self.loads.held(axis))
            moving[axis, solver.body.places[free]] = values[free] / solver.body.scales.velocity
        solver.arrays["v"] = self.backend.array(moving)

    def _fields(self) -> tuple[FieldInfo, ...]:
        """Ranges are those of bonds at the critical stretch; how far a body goes is not known."""
        lattice, stretch = self.lattice, self.lattice.critical_stretch
        moved = 0.5 * stretch * float(np.ptp(self.body.centers, axis=0).max()) * 1e-3
        for load in self.parameters.loads:
            if isinstance(load, Displacement):
                moved = max(moved, *(abs(value or 0.0) * 1e-3 for value in (load.x, load.y, load.z)))
        moved = _rounded(moved * 1e6)
        wave = float(np.sqrt(lattice.young / lattice.density))
        fastest = stretch * wave * 2
        if self.velocities is not None:
            fastest = max(fastest, 1.2 * float(np.linalg.norm(self.velocities, axis=1).max()))
        density = 0.5 * lattice.young * stretch**2
        return (
            FieldInfo("damage", "Damage", "", "cell", (0.0, _rounded(1.4 * lattice.crossing_share)), "damage"),
            FieldInfo("displacement", "Displacement", "um", "cell", (0.0, moved), guessed=True, anchored=True),
            FieldInfo("velocity", "Velocity", "m/s", "cell", (0.0, _rounded(fastest))),
            FieldInfo("energy", "Energy density", "J/m³", "cell", (0.0, _rounded(density)), "inferno"),
            *fields_of(self._solid(), stretch, self.body.dimensions),
            *(
                FieldInfo(
                    f"displacement_{axis}",
                    f"Displacement along {axis}",
                    "um",
                    "cell",
                    (-moved, moved),
                    "diverging",
                    guessed=True,
                    anchored=True,
                )
                for axis in "xyz"[: self.body.dimensions]
            ),
        )


def _rounded(value: float) -> float:
    return float(f"{value:.2g}")
