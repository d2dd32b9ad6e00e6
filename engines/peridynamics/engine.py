"""The peridynamics engine: bonds between particles, which break when they are stretched too far.

Method (Silling 2000; Silling and Askari 2005): the acceleration of a particle is the sum over its family of ``c s V
n/ρ``, s the stretch of a bond and n its direction now; a bond that was stretched beyond s₀ is gone. The family is a
fixed set of lattice points, the micromodulus c is that of the lattice, time goes on by velocity Verlet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engines.api import Benchmark, Engine, Estimate, Problem, Progress, Simulation, no_progress
from engines.api.charts import Inspection
from engines.api.device import Backend
from engines.api.lab import Study
from engines.api.lab_tables import LabTable
from engines.api.placing import Placement
from engines.api.tools import Tool
from engines.geometry.particles import Particles
from engines.peridynamics.body.filling import filled
from engines.peridynamics.lab.benchmarks import benchmarks
from engines.peridynamics.material.laws.preview import preview
from engines.peridynamics.parameters import PeridynamicParameters, PointBody
from engines.peridynamics.placing.placement import placement_of
from engines.peridynamics.setup.base import Setup
from engines.peridynamics.setup.bonds import lattice_of
from engines.peridynamics.setup.cloud import geometry_of as cloud_geometry
from engines.peridynamics.setup.theory import setup_of


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
        parameters = _checked(problem)
        if isinstance(parameters.body, PointBody):
            return cloud_geometry(parameters)
        return filled(parameters).geometry

    def time_unit_of(self, parameters: Any) -> str:
        return "iterations" if parameters.numerics.quasi_static else self.time_unit

    def ends(self, problem: Problem) -> bool:
        return _checked(problem).numerics.quasi_static

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        setup = _setup(problem, backend)
        moved, seconds = setup.bytes_per_step, setup.seconds_per_step
        if setup.parameters.numerics.quasi_static:
            return Estimate(setup.memory, moved, 1.0, None, seconds, findings=setup.findings, facts=setup.facts)
        return Estimate(
            memory_bytes=setup.memory,
            bytes_per_step=moved,
            step=setup.step * 1e6,
            stable_step=setup.limit * 1e6,
            seconds_per_simulated_unit=seconds / (setup.step * 1e6),
            findings=setup.findings,
            facts=setup.facts,
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        progress("Cutting the bonds", 0.0)
        setup = _setup(problem, backend)
        simulation = setup.build(lambda: progress(f"Moving the bonds to {backend.info.name}", 0.5))
        progress("Ready", 1.0)
        return simulation

    def placed(self, problem: Problem) -> Placement | None:
        parameters = _checked(problem)
        return None if isinstance(parameters.body, PointBody) else placement_of(parameters)

    def previews(self, problem: Problem) -> Mapping[tuple[str | int, ...], Inspection]:
        parameters = _checked(problem)
        if isinstance(parameters.body, PointBody):
            return {}
        return {("material", "law"): preview(parameters.material.law, lattice_of(parameters))}

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        return benchmarks(elements)

    def studies(self) -> Sequence[Study]:
        from engines.peridynamics.lab.studies import studies  # measured seldom

        return studies()

    def tables(self) -> Sequence[LabTable]:
        from engines.peridynamics.lab.tables import tables  # measured seldom

        return tables()

    def tools(self) -> Sequence[Tool]:
        from engines.peridynamics.tools.fitting import FitToMeasurement  # it builds simulations

        return (FitToMeasurement(),)

    def warm(self, backend: Backend) -> None:
        """A few steps of a small plate and a small block."""
        bodies: list[dict[str, Any]] = [
            {"kind": "plate", "size_x": 16, "size_y": 12},
            {"kind": "block", "size_x": 12, "size_y": 8, "size_z": 6},
        ]
        for body in bodies:
            given = {"body": body, "notches": [{"start": (0, 6), "end": (8, 6)}]}
            touching = {"penetrators": [{}], "contact": {"kind": "repulsion"}}
            self._warmed({**given, **touching, "bonds": {"spacing": 1.0}}, backend)
            self._warmed({**given, "bonds": {"spacing": 1.0, "theory": "state-based"}}, backend)

    def _warmed(self, given: Any, backend: Backend) -> None:
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


def _setup(problem: Problem, backend: Backend) -> Setup:
    """Raises ProblemError."""
    return setup_of(_checked(problem), backend)
