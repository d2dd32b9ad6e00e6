"""The peridynamics engine: bonds between particles, which break when they are stretched too far.

Method (Silling 2000; Silling and Askari 2005): the acceleration of a particle is the sum over its family of ``c s V
n/ρ``, s the stretch of a bond and n its direction now; a bond that was stretched beyond s₀ is gone. The family is a
fixed set of lattice points, the micromodulus c is that of the lattice, time goes on by velocity Verlet.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np

from engines.api import (
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
from engines.charts import Fact
from engines.errors import ProblemError
from engines.geometry.particles import Particles
from engines.peridynamics.body import bonded, filled
from engines.peridynamics.family import family
from engines.peridynamics.layout import Layout
from engines.peridynamics.loads import loads_on
from engines.peridynamics.material import POISSON, Lattice
from engines.peridynamics.measures import watched
from engines.peridynamics.parameters import PeridynamicParameters, Plate, Stress
from engines.peridynamics.presets import presets
from engines.peridynamics.simulation import PeridynamicSimulation
from engines.peridynamics.solver import Discretised, bytes_of, make_solver

PRECISIONS = {"fp32": "float32", "fp64": "float64"}
MEMORY_SHARE = 0.9
"""The part of a device's memory that a problem may take; the rest is the system's and the viewers'."""
REACHES = {2: (2, 3, 4), 3: (2, 3)}
"""Horizons that the kernels are compiled for, in spacings, by dimensions."""


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

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        setup = _Setup(problem, backend)
        moved = setup.bytes_per_step
        return Estimate(
            memory_bytes=setup.memory,
            bytes_per_step=moved,
            step=setup.step * 1e6,
            stable_step=setup.limit * 1e6,
            seconds_per_simulated_unit=moved / backend.ceilings().best / (setup.step * 1e6),
            findings=setup.findings,
            facts=setup.facts,
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        progress("Cutting the bonds", 0.0)
        setup = _Setup(problem, backend)
        simulation = setup.build(lambda: progress(f"Moving the bonds to {backend.info.name}", 0.5))
        progress("Ready", 1.0)
        return simulation

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


class _Setup:
    """A problem checked and ready to build. Raises ProblemError."""

    def __init__(self, problem: Problem, backend: Backend) -> None:
        self.parameters = parameters = _checked(problem)
        self.backend, self.precision = backend, PRECISIONS[parameters.numerics.precision]
        body, reach = parameters.body, parameters.bonds.reach
        dimensions = 2 if isinstance(body, Plate) else 3
        if reach < 2:
            raise ProblemError("A horizon below 2 spacings gives cracks no direction of their own: use 2 or 3.")
        if reach not in REACHES[dimensions]:
            raise ProblemError(
                f"A horizon of {reach} spacings is not offered here: use {max(REACHES[dimensions])} at most."
            )
        self.body = filled(parameters)
        kin, material = family(dimensions, reach), parameters.material
        spacing = parameters.bonds.spacing * 1e-3
        self.lattice = Lattice(
            kin,
            body.formulation if isinstance(body, Plate) else "3D",
            material.young * 1e9,
            material.density,
            material.fracture_energy,
            spacing,
            body.thickness * 1e-3 if isinstance(body, Plate) else spacing,
        )
        self.layout = Layout(self.body.counts, reach, dimensions)
        value_bytes = np.dtype(self.precision).itemsize
        self.memory = bytes_of(self.layout, kin, value_bytes)
        available = backend.info.memory_bytes
        if available and self.memory > MEMORY_SHARE * available:
            raise ProblemError(
                f"This body needs {self.memory / 2**30:,.1f} GB, and {backend.info.name} has "
                f"{available / 2**30:,.1f} GB: use a greater spacing."
            )
        self.bytes_per_step = len(self.body.cells) * (4 * dimensions * value_bytes + 12 * kin.words + 1)
        self.limit = self.lattice.stable_step
        self.step = self._chosen_step()
        self.loads = loads_on(self.body, parameters.loads, self.step, spacing, material.density)
        axis = "xyz".index(parameters.growth[1])
        if axis >= dimensions:
            raise ProblemError("A crack in a plate does not grow along z: choose x or y.")
        self.along = self.body.centers[:, axis] * (1 if parameters.growth[0] == "+" else -1)
        self.findings = self._findings()

    def _chosen_step(self) -> float:
        numerics = self.parameters.numerics
        if numerics.step is None:
            return numerics.safety * self.limit
        step = numerics.step * 1e-6
        if step > self.limit * (1 + 1e-12):
            raise ProblemError(
                f"The time step of {numerics.step:g} us is above the stable limit of this lattice: "
                f"use at most {np.floor(self.limit * 1e10) / 1e4:g} us.",
                ("numerics", "step"),
            )
        return step

    def _findings(self) -> tuple[Finding, ...]:
        found = []
        if not self.parameters.loads:
            found.append(Finding("Nothing loads the body: it will stay as it is."))
        return tuple(found)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What tells whether the lattice is fit for its purpose."""
        lattice = self.lattice
        return (
            Fact("Horizon", lattice.horizon * 1e3, "mm"),
            Fact("Horizon over spacing", lattice.family.reach, ""),
            Fact("Critical stretch of a bond", lattice.critical_stretch, ""),
            Fact("Poisson's ratio", POISSON[lattice.formulation], ""),
            Fact("Stiffness along the axes: error", 100 * (lattice.stiffness_along_axis - 1), "%"),
            Fact("Step over the largest stable one", self.step / self.limit, ""),
            Fact("Rayleigh speed", lattice.rayleigh_speed, "m/s"),
        )

    def build(self, moving: Any) -> PeridynamicSimulation:
        bonds = bonded(self.parameters, self.body)
        kind = np.zeros(bonds.layout.size, np.uint8)
        kind[bonds.places] = self.loads.kind
        limit = (1 + self.lattice.critical_stretch) ** 2 - 1
        discretised = Discretised(
            bonds.places, bonds.whole, kind, self.lattice.scales(self.step), bonds.layout, bonds.family, bonds.words,
            bonds.breakable, self.lattice.stiffness(self.step), limit,
        )  # fmt: skip
        moving()
        return PeridynamicSimulation(
            self.backend,
            self.body.geometry,
            make_solver(self.backend, discretised, self.precision),
            self.loads,
            self.parameters.numerics.integrator == "velocity Verlet",
            watched(self.lattice, self.along),
            self._fields(),
        )

    def _fields(self) -> tuple[FieldInfo, ...]:
        """Ranges are those of bonds at the critical stretch."""
        lattice = self.lattice
        stretch = lattice.critical_stretch
        length = max(self.body.counts) * lattice.spacing
        moved = 0.5 * stretch * length
        for load in self.parameters.loads:
            if not isinstance(load, Stress) and load.kind == "displacement":
                moved = max(moved, *(abs(value or 0.0) * 1e-3 for value in (load.x, load.y, load.z)))
        wave = float(np.sqrt(lattice.young / lattice.density))
        damage = 1.4 * lattice.family.crossing / lattice.family.bonds
        return (
            FieldInfo("damage", "Damage", "", "cell", (0.0, _rounded(damage)), "damage"),
            FieldInfo("displacement", "Displacement", "um", "cell", (0.0, _rounded(moved * 1e6))),
            FieldInfo("velocity", "Velocity", "m/s", "cell", (0.0, _rounded(stretch * wave * 2))),
            FieldInfo(
                "energy", "Energy density", "J/m³", "cell", (0.0, _rounded(0.5 * lattice.young * stretch**2)), "inferno"
            ),
        )


def _rounded(value: float) -> float:
    return float(f"{value:.2g}")
