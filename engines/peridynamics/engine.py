"""The peridynamics engine: bonds between particles, which break when they are stretched too far.

Method (Silling 2000; Silling and Askari 2005): the acceleration of a particle is the sum over its family of ``c s V
n/ρ``, s the stretch of a bond and n its direction now; a bond that was stretched beyond s₀ is gone. The family is a
fixed set of lattice points, the micromodulus c is that of the lattice, time goes on by velocity Verlet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np

from engines.api import (
    Array,
    Engine,
    Estimate,
    FieldInfo,
    Finding,
    Preset,
    Problem,
    Progress,
    Simulation,
    no_progress,
)
from engines.backend.base import Backend
from engines.charts import Inspection
from engines.errors import ProblemError
from engines.geometry.particles import Particles
from engines.peridynamics.body import bonded, filled, unbreakable
from engines.peridynamics.contact.contact import bytes_of as contact_bytes
from engines.peridynamics.contact.contact import contact_on
from engines.peridynamics.contact.limits import contact_step
from engines.peridynamics.contact.rigid import rigid_on
from engines.peridynamics.curve import LoadDisplacement
from engines.peridynamics.cutting import idle_notches
from engines.peridynamics.family import family
from engines.peridynamics.influence import INFLUENCES
from engines.peridynamics.instruments import Instruments, gauges_on
from engines.peridynamics.laws.calibration import calibrated
from engines.peridynamics.laws.preview import preview
from engines.peridynamics.layout import Layout
from engines.peridynamics.loads import loads_on
from engines.peridynamics.material import Lattice
from engines.peridynamics.measures import watched
from engines.peridynamics.mixture import mixed, stiffening
from engines.peridynamics.parameters import Displacement, Gravity, PeridynamicParameters, PlaneBody
from engines.peridynamics.placing import placement_of
from engines.peridynamics.presets import presets
from engines.peridynamics.quasistatic import QuasiStaticSimulation
from engines.peridynamics.relaxation import SHARE_OF_STABLE_STEP, held_fast
from engines.peridynamics.simulation import PeridynamicSimulation
from engines.peridynamics.solver import Discretised, bytes_of, decay_of, make_solver
from engines.peridynamics.surface import surface
from engines.placing import Placement

PRECISIONS = {"fp32": "float32", "fp64": "float64"}
MEMORY_SHARE = 0.9
"""The part of a device's memory that a problem may take; the rest is the system's and the viewers'."""
REACHES = {2: (2, 3, 4), 3: (2, 3)}
"""Horizons that the kernels are compiled for, in spacings, by dimensions."""

NEARLY_FIXED = 0.45
"""Poisson's ratio from which a solid that cannot widen counts as nearly incompressible."""


class PeridynamicsEngine(Engine):
    """Plates and blocks of brittle solids with notches and loads."""

    id = "peridynamics"
    title = "Fracture"
    summary = "Bond-based peridynamics: draw a notch, load the body, and watch the crack run and branch"
    time_unit = "us"
    Parameters = PeridynamicParameters
    geometry_type = None

    def default_parameters(self, geometry: Any) -> PeridynamicParameters:
        return PeridynamicParameters()

    def geometry_of(self, problem: Problem) -> Particles:
        return filled(_checked(problem)).geometry

    def time_unit_of(self, parameters: Any) -> str:
        return "iterations" if parameters.numerics.quasi_static else self.time_unit

    def ends(self, problem: Problem) -> bool:
        return _checked(problem).numerics.quasi_static

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        setup = _Setup(problem, backend)
        moved = setup.bytes_per_step
        if setup.parameters.numerics.quasi_static:
            seconds = moved / backend.ceilings().best
            return Estimate(setup.memory, moved, 1.0, None, seconds, findings=setup.findings)
        return Estimate(
            memory_bytes=setup.memory,
            bytes_per_step=moved,
            step=setup.step * 1e6,
            stable_step=setup.limit * 1e6,
            seconds_per_simulated_unit=moved / backend.ceilings().best / (setup.step * 1e6),
            findings=setup.findings,
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        progress("Cutting the bonds", 0.0)
        setup = _Setup(problem, backend)
        simulation = setup.build(lambda: progress(f"Moving the bonds to {backend.info.name}", 0.5))
        progress("Ready", 1.0)
        return simulation

    def placed(self, problem: Problem) -> Placement:
        return placement_of(_checked(problem))

    def previews(self, problem: Problem) -> Mapping[tuple[str | int, ...], Inspection]:
        parameters = _checked(problem)
        return {("material", "law"): preview(parameters.material.law, _lattice(parameters))}

    def presets(self) -> Sequence[Preset]:
        return presets(resources.files("engines.peridynamics").joinpath("presets"))

    def warm(self, backend: Backend) -> None:
        """A few steps of a small plate and a small block."""
        bodies: list[dict[str, Any]] = [
            {"kind": "plate", "size_x": 16, "size_y": 12},
            {"kind": "block", "size_x": 12, "size_y": 8, "size_z": 6},
        ]
        for body in bodies:
            given = {"body": body, "bonds": {"spacing": 1.0}, "notches": [{"start": (0, 6), "end": (8, 6)}]}
            given |= {"penetrators": [{}], "contact": {"kind": "repulsion"}}
            simulation = self.build(Problem(PeridynamicParameters.model_validate(given)), backend)
            simulation.advance(2)
            simulation.observe()
            for info in simulation.fields:
                simulation.field(info.name)
            simulation.synchronize()
            simulation.close()


def _checked(problem: Problem) -> PeridynamicParameters:
    if not isinstance(problem.parameters, PeridynamicParameters):
        raise TypeError(f"parameters of the peridynamics engine, not {type(problem.parameters).__name__}")
    return problem.parameters


def _lattice(parameters: PeridynamicParameters) -> Lattice:
    body, material, spacing = parameters.body, parameters.material, parameters.bonds.spacing * 1e-3
    plane = isinstance(body, PlaneBody)
    return Lattice(
        family(2 if plane else 3, parameters.bonds.reach),
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


class _Setup:
    """A problem checked and ready to build. Raises ProblemError."""

    def __init__(self, problem: Problem, backend: Backend) -> None:
        self.parameters = parameters = _checked(problem)
        self.backend, self.precision = backend, PRECISIONS[parameters.numerics.precision]
        body, reach = parameters.body, parameters.bonds.reach
        dimensions = 2 if isinstance(body, PlaneBody) else 3
        if reach < 2:
            raise ProblemError("A horizon below 2 spacings gives cracks no direction of their own: use 2 or 3.")
        if reach not in REACHES[dimensions]:
            raise ProblemError(
                f"A horizon of {reach} spacings is not offered here: use {max(REACHES[dimensions])} at most."
            )
        self.body = filled(parameters)
        self.lattice = _lattice(parameters)
        kin, material, spacing = self.lattice.family, parameters.material, self.lattice.spacing
        try:
            self.law = calibrated(material.law, self.lattice)
        except ProblemError as error:
            raise ProblemError(str(error), ("material", "law", *error.place)) from None
        self.mixture = mixed(parameters, self.body, self.lattice)
        self.surface = surface(self.body, self.lattice) if parameters.bonds.surface_correction else None
        self.layout = Layout(self.body.counts, reach, dimensions)
        value_bytes = np.dtype(self.precision).itemsize
        differ = self.mixture is not None or self.surface is not None
        softens = self.law.code is not None
        self.memory = bytes_of(self.layout, kin, value_bytes, differ and backend.id == "cpu", softens)
        self.memory += contact_bytes(parameters, len(self.body.cells), self.layout.size, dimensions, value_bytes)
        if parameters.numerics.quasi_static:  # masks, loads and what was seen last; nothing that breaks
            self.memory += self.layout.size * (4 * dimensions * value_bytes + 4 * kin.words + value_bytes)
        available = backend.info.memory_bytes
        if available and self.memory > MEMORY_SHARE * available:
            raise ProblemError(
                f"This body needs {self.memory / 2**30:,.1f} GB, and {backend.info.name} has "
                f"{available / 2**30:,.1f} GB: use a greater spacing."
            )
        values = 5 * dimensions + 4 if state_based else 4 * dimensions
        self.bytes_per_step = len(self.body.cells) * (values * value_bytes + 12 * kin.words + 1)
        self.limit = self.lattice.stable_step
        if self.mixture is not None:
            self.limit /= np.sqrt(stiffening(self.mixture.mixture))
        if self.surface is not None:
            self.limit /= np.sqrt(max(1.0, self.surface.stiffening))
        self.limit = min(self.limit, contact_step(parameters, self.lattice))
        self.step = self._chosen_step()
        unbreakable(parameters, self.body)  # says now, not when bonds are cut, if a region holds nothing
        self.rigid = rigid_on(self.body, parameters.penetrators, self.lattice, self.step)
        self.loads = loads_on(self.body, parameters.loads, self.step, spacing, material.density, self.lattice.volume)
        self.gauges = gauges_on(self.body, parameters.measuring.gauges, QuasiStaticSimulation.taken_names())
        self.curve = LoadDisplacement(self.loads, self.gauges, parameters.measuring.curve) if parameters.loads else None
        self._check_loads()
        axis = "xyz".index(parameters.growth[1])
        if axis >= dimensions:
            raise ProblemError("A crack in a plate does not grow along z: choose x or y.")
        self.along = self.body.centers[:, axis] * (1 if parameters.growth[0] == "+" else -1)
        self.findings = self._findings()

    def _lattice(self, dimensions: int, reach: int) -> Lattice:
        body, material = self.parameters.body, self.parameters.material
        spacing = self.parameters.bonds.spacing * 1e-3
        given = (
            family(dimensions, reach),
            body.formulation if isinstance(body, Plate) else "3D",
            material.young * 1e9,
            material.density,
            material.fracture_energy,
            spacing,
            body.thickness * 1e-3 if isinstance(body, Plate) else spacing,
        )
        if self.parameters.bonds.theory == "bond-based":
            return Lattice(*given)
        return StateLattice(*given, material.poisson, weights(self.body, reach).constraint)

    def _chosen_step(self) -> float:
        numerics = self.parameters.numerics
        if numerics.quasi_static:
            return SHARE_OF_STABLE_STEP * self.limit
        if numerics.step is None:
            return numerics.safety * self.limit
        step = numerics.step * 1e-6
        if step > self.limit * (1 + 1e-12):
            contact = self.limit < self.lattice.stable_step
            what, softer = ("contact", ", or a softer contact") if contact else ("lattice", "")
            raise ProblemError(
                f"The time step of {numerics.step:g} us is above the stable limit of this {what}: "
                f"use at most {np.floor(self.limit * 1e10) / 1e4:g} us{softer}.",
                ("numerics", "step"),
            )
        return step

    def _check_loads(self) -> None:
        loads, quasi_static = self.parameters.loads, self.parameters.numerics.quasi_static
        if quasi_static and (self.parameters.penetrators or self.parameters.contact.kind != "none"):
            raise ProblemError(
                "Slow loading knows no contact: take penetrators and contact of particles away, or calculate in time.",
                ("numerics", "quasi_static"),
            )
        if self.mixture and not (self.mixture.mixture.lightness == 1).all():
            others: list[tuple[str | int, ...]] = [
                ("loads", place) for place, load in enumerate(loads) if isinstance(load, Gravity)
            ]
            others += [("penetrators",)] * bool(self.parameters.penetrators)
            others += [("contact",)] * (self.parameters.contact.kind != "none")
            if others:
                raise ProblemError(
                    "Gravity and contact are for bodies of one density: give all materials the same.", others[0]
                )
        if quasi_static and not held_fast(self.loads, self.body.centers):
            raise ProblemError(
                "Nothing keeps the body from moving away or turning, so slow loading has no end: hold particles in "
                "every direction with displacements of 0.",
                ("loads",),
            )
        for place, load in enumerate(loads):
            moves = isinstance(load, Displacement) and any((load.x, load.y, load.z))
            if moves and load.history.kind == "sudden" and not quasi_static:
                raise ProblemError(
                    "A displacement that is there suddenly tears the particles out: give it a history.",
                    ("loads", place),
                )

    def _findings(self) -> tuple[Finding, ...]:
        lattice, law = self.lattice, self.law
        ends = f"break at a stretch of {law.failure:.3g}" if np.isfinite(law.failure) else "never break"
        softens = f"soften from a stretch of {law.elastic_limit:.3g} on and " if law.code else ""
        said = (
            f"Poisson's ratio is {POISSON[lattice.formulation]:.4g} ({lattice.formulation}); bonds {softens}"
            f"{ends}; the lattice is {abs(lattice.stiffness_along_axis - 1):.1%} "
            f"{'stiffer' if lattice.stiffness_along_axis > 1 else 'softer'} along its axes."
        )
        found = [Finding(said, "info"), *self.law.findings]
        if not self.parameters.loads and not self.parameters.penetrators:
            found.append(Finding("Nothing loads the body: it will stay as it is."))
        for number in idle_notches(self.parameters):
            found.append(Finding(f"Notch {number + 1} cuts no bond: move it into the body, or make it longer."))
        return tuple(found)

    def build(self, moving: Any) -> PeridynamicSimulation:
        bonds = bonded(self.parameters, self.body, self.lattice.weights)
        kind = np.zeros(bonds.layout.size, np.uint8)
        kind[bonds.places] = self.loads.kind
        limit = (1 + self.law.elastic_limit) ** 2 - 1
        mixed = self.mixture
        discretised = Discretised(
            bonds.places, bonds.whole, kind, self.lattice.scales(self.step), bonds.layout, bonds.family, bonds.words,
            bonds.breakable, self.lattice.stiffness(self.step), limit,
            None if self.lattice.uniform else self.lattice.weights, mixed.mixture if mixed else None,
            self.surface.half_shares if self.surface else None, self.law.law(), mixed.laws if mixed else None,
        )  # fmt: skip
        moving()
        solver = make_solver(self.backend, discretised, self.precision)
        numerics, curve = self.parameters.numerics, self.curve
        instruments = Instruments(solver, self.loads, self.gauges)
        if numerics.quasi_static:
            return QuasiStaticSimulation(
                self.backend, self.body.geometry, solver, self.loads, watched(self.lattice, self.along), self._fields(),
                instruments, curve, numerics.relaxation,
            )  # fmt: skip
        return PeridynamicSimulation(
            self.backend,
            self.body.geometry,
            solver,
            self.loads,
            numerics.integrator == "velocity Verlet",
            watched(self.lattice, self.along),
            self._fields(),
            decay_of(numerics.damping, self.step),
            instruments,
            curve,
            contact_on(solver, discretised, self.body, self.parameters, self.rigid, self.lattice),
        )

    def _solver(self, bonds: Bonded, kind: Array) -> Solver:
        lattice = self.lattice
        if isinstance(lattice, StateLattice):
            ratio = weights(self.body, bonds.family.reach).ratio
            solid = state_body(bonds, kind, lattice, ratio, self.step)
            return make_state_solver(self.backend, solid, self.precision)
        limit = (1 + lattice.critical_stretch) ** 2 - 1
        discretised = Discretised(
            bonds.places, bonds.whole, kind, lattice.scales(self.step), bonds.layout, bonds.family, bonds.words,
            bonds.breakable, lattice.stiffness(self.step), limit,
        )  # fmt: skip
        return make_solver(self.backend, discretised, self.precision)

    def _fields(self) -> tuple[FieldInfo, ...]:
        """Ranges are those of bonds at the critical stretch."""
        lattice = self.lattice
        stretch = lattice.critical_stretch
        length = max(self.body.counts) * lattice.spacing
        moved = 0.5 * stretch * length
        for load in self.parameters.loads:
            if isinstance(load, Displacement):
                moved = max(moved, *(abs(value or 0.0) * 1e-3 for value in (load.x, load.y, load.z)))
        wave = float(np.sqrt(lattice.young / lattice.density))
        return (
            FieldInfo("damage", "Damage", "", "cell", (0.0, _rounded(1.4 * lattice.crossing_share))),
            FieldInfo("displacement", "Displacement", "um", "cell", (0.0, _rounded(moved * 1e6))),
            FieldInfo("velocity", "Velocity", "m/s", "cell", (0.0, _rounded(stretch * wave * 2))),
            FieldInfo(
                "energy", "Energy density", "J/m³", "cell", (0.0, _rounded(0.5 * lattice.young * stretch**2)), "inferno"
            ),
        )


def _rounded(value: float) -> float:
    return float(f"{value:.2g}")
