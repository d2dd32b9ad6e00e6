"""The peridynamics engine: solids that break, as particles joined by bonds. Each part has its room, named here.

**What is solved** (Silling 2000; Silling and Askari 2005). The acceleration of a particle is the sum over its family,
the particles within a horizon δ, of ``c s V n/ρ``: s is the stretch of a bond, n its direction now, V the volume at its
other end. No derivative in space appears, so a crack needs no rule of its own: a bond that was stretched beyond s₀ is
gone, or carries less and less by a law, and the others take what it bore.

**How it is discretised** (``parameters`` to ``setup``, on the host).

1. ``body``: a shape is filled with particles; notches cut the bonds that cross them.
2. ``material``: the micromodulus c and s₀ from modulus and fracture energy, by sums over the family that a particle
   really has; several materials, influence functions, surfaces whose families are cut short, laws of softening.
3. Bonds of one of three kinds, each with its kernels, their twins and a slow reference: ``lattice`` (a family is a
   fixed set of offsets, a bit for each bond), ``state`` (the linear peridynamic solid, of any Poisson's ratio) and
   ``cloud`` (irregular points, with lists of neighbours and a weight for each bond).
4. ``loading``: forces, held particles and velocities at the start, as tables of each step.
5. On several ranks (``ranks``) each has a slab of a lattice, and what a horizon beyond its ends is displaced by.
6. The step in time is the largest stable one of the lattice or of contact, times a safety.

**A step** (``step``; on a lattice all of 1 to 4 in one pass, ``lattice/bonds.cu``). Time goes on by velocity Verlet as
one kick and one drift.

1. (1 + s)² − 1 of each bond from the displacements; what is beyond its limit breaks, and its energy is lost.
2. The forces of bonds that hold, summed in mirror orbits, so that a symmetric body stays symmetric to the last bit.
3. v = decay v + kick a; loads push particles or hold them to their own way.
4. u = u + v; the work of loads and what damping took is kept of each particle.
5. ``contact``: penetrators and pieces that meet again change v, between steps.

Loaded slowly (``loading/relaxation.py``), the same step leads each load to rest, and bonds break at rest only.

**What is seen** (``watch``): energies, gauges, load and displacement, the crack's path, strain and stress, measured on
the device when somebody looks.

**What it costs**: 8 D + 8 operations a bond in D dimensions, and of each particle u, v and bits once: arithmetic, far
more than memory (``setup/pace.py``; figures in README.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engines.api import Benchmark, Engine, Estimate, Problem, Progress, Simulation, no_progress
from engines.api.charts import Inspection
from engines.api.device import Backend
from engines.api.lab import LabTable, Study
from engines.api.placing import Placement
from engines.api.simulation.ranks import Part, Ranks
from engines.api.tools import Tool
from engines.api.verification import VerificationCase
from engines.backend.pace import small_pace, structure_of
from engines.geometry.particles import Particles
from engines.geometry.reading import SUFFIXES
from engines.peridynamics.body.filling import filled
from engines.peridynamics.cloud.files import check_points
from engines.peridynamics.lab.benchmarks import benchmarks
from engines.peridynamics.material.laws.preview import preview
from engines.peridynamics.parameters import PeridynamicParameters, PointBody
from engines.peridynamics.placing.placement import placement_of
from engines.peridynamics.ranks.part import part_of
from engines.peridynamics.setup.base import Setup
from engines.peridynamics.setup.bonds import lattice_of
from engines.peridynamics.setup.cloud import geometry_of as cloud_geometry
from engines.peridynamics.setup.imported import SURFACE, of_body
from engines.peridynamics.setup.theory import setup_of
from engines.peridynamics.step.warm import run_through, small_problems
from engines.ranks.facts import memory_facts


class PeridynamicsEngine(Engine):
    """Plates and blocks of brittle solids with notches and loads."""

    id = "peridynamics"
    title = "Fracture"
    summary = "Bond-based peridynamics: draw a notch, load the body, and watch the crack run and branch"
    time_unit = "us"
    Parameters = PeridynamicParameters
    geometry_type = None
    bodies = (SURFACE, *SUFFIXES)

    def default_parameters(self, geometry: Any) -> PeridynamicParameters:
        return PeridynamicParameters()

    def of_body(self, path: Path, length_unit: str) -> PeridynamicParameters:
        return of_body(path, length_unit)

    def geometry_of(self, problem: Problem) -> Particles:
        parameters = _checked(problem)
        if isinstance(parameters.body, PointBody):
            return cloud_geometry(parameters)
        return filled(parameters).geometry

    def time_unit_of(self, parameters: Any) -> str:
        return "iterations" if parameters.numerics.quasi_static else self.time_unit

    def check_file(self, path: Path, kind: str) -> bool:
        if kind == "mesh or table":
            check_points(path)
        return kind == "mesh or table"

    def ends(self, problem: Problem) -> bool:
        return _checked(problem).numerics.quasi_static

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        setup = _setup(problem, backend)
        moved = setup.bytes_per_step
        key = __name__, structure_of(setup.parameters), moved, setup.memory
        seconds = small_pace(backend, key, lambda: self.build(problem, backend), setup.memory, setup.seconds_per_step)
        facts = (*setup.facts, *memory_facts(setup.memory, backend.parts))
        if setup.parameters.numerics.quasi_static:
            return Estimate(setup.memory, moved, 1.0, None, seconds, findings=setup.findings, facts=facts)
        return Estimate(
            memory_bytes=setup.memory,
            bytes_per_step=moved,
            step=setup.step * 1e6,
            stable_step=setup.limit * 1e6,
            seconds_per_simulated_unit=seconds / (setup.step * 1e6),
            findings=setup.findings,
            facts=facts,
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        progress("Cutting the bonds", 0.0)
        setup = _setup(problem, backend)
        simulation = setup.build(lambda: progress(f"Moving the bonds to {backend.info.name}", 0.5))
        progress("Ready", 1.0)
        return simulation

    def build_part(self, problem: Problem, backend: Backend, ranks: Ranks, progress: Progress = no_progress) -> Part:
        progress("Cutting the bonds", 0.0)
        return part_of(_setup(problem, backend), ranks, progress)

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

    def verification(self) -> Sequence[VerificationCase]:
        from engines.peridynamics.verification.cases import CASES  # run seldom

        return CASES

    def tools(self) -> Sequence[Tool]:
        from engines.peridynamics.tools.fitting import FitToMeasurement  # it builds simulations

        return (FitToMeasurement(),)

    def warm(self, backend: Backend) -> None:
        for problem in small_problems():
            run_through(_setup(problem, backend).build(lambda: None))


def _checked(problem: Problem) -> PeridynamicParameters:
    if not isinstance(problem.parameters, PeridynamicParameters):
        raise TypeError(f"parameters of the peridynamics engine, not {type(problem.parameters).__name__}")
    return problem.parameters


def _setup(problem: Problem, backend: Backend) -> Setup:
    """Raises ProblemError."""
    return setup_of(_checked(problem), backend)
