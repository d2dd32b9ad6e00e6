"""The cardiac engine: the monodomain equation on a tetrahedral mesh, with TT06 cells or those of a compiled model.

Method: cell-centred finite volumes in space (``diffusion/README.md``), Godunov splitting in time, forward
Euler for diffusion, lightweight Rush-Larsen for TT06 (``cells/README.md``), Rush-Larsen for others (``compiler``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import get_args

import numpy as np

from engines.api import Benchmark, Engine, Estimate, Finding, Problem, Progress, no_progress
from engines.backend.base import Backend
from engines.cardiac.cells.model import reaction_traffic
from engines.cardiac.cells.tt06 import ROWS
from engines.cardiac.choice import PRECISIONS, cell_findings, compiled_step, make_cells
from engines.cardiac.compiler.tissue import compiled_traffic
from engines.cardiac.diffusion import make_diffusion
from engines.cardiac.diffusion.ell import WIDTH
from engines.cardiac.diffusion.launcher import diffusion_traffic
from engines.cardiac.multirate import Multirate, make_groups
from engines.cardiac.multirate.groups import thinned
from engines.cardiac.observers.choice import make_observers
from engines.cardiac.operator import tissue_operator
from engines.cardiac.parameters import (
    REACTION_STEP_LIMIT,
    CardiacParameters,
    Numerics,
    Precision,
    RegionSetting,
    Sphere,
    Stimulus,
)
from engines.cardiac.parameters import CellType as CellTypeName
from engines.cardiac.simulation import CardiacSimulation, check_step, rounded_down
from engines.cardiac.speed import compiled_seconds, reaction_seconds
from engines.cardiac.stepping import Stepper, times
from engines.cardiac.stimulus import protocol
from engines.errors import ProblemError
from engines.geometry.box import box_mesh
from engines.geometry.mesh import TetMesh

WARM_SIDE = 7


class CardiacEngine(Engine):
    """Electrical activity of heart tissue: depolarisation fronts on a tetrahedral mesh."""

    id = "cardiac"
    title = "Cardiac monodomain"
    summary = "Action potentials that travel through heart tissue with fibres"
    time_unit = "ms"
    Parameters = CardiacParameters
    geometry_type = TetMesh

    def default_parameters(self, geometry: TetMesh) -> CardiacParameters:
        """Cell types by the regions' names, one stimulus at the lowest corner of the mesh, a step that is stable on it.

        The operator is assembled for the step's sake; building uses it again.
        """
        low, high = geometry.centroids.min(axis=0), geometry.centroids.max(axis=0)
        start = geometry.centroids[np.argmin(np.linalg.norm(geometry.centroids - low, axis=1))]
        radius = max(0.05 * float(np.linalg.norm(high - low)), 2.0 * float(geometry.volumes.max()) ** (1 / 3))
        x, y, z = (round(float(value), 3) for value in start)
        parameters = CardiacParameters(
            regions=[
                RegionSetting(region=name, cell_type=_type_by_name(name)) for name in geometry.region_names.values()
            ],
            stimuli=[Stimulus(name="S1", site=Sphere(center=(x, y, z), radius=round(radius, 3)))],
        )
        try:
            limit = tissue_operator(geometry, parameters).stable_step
        except ProblemError:
            return parameters  # a mesh that cannot run opens nevertheless; Run says what is wrong with it
        if parameters.numerics.step > limit:
            parameters.numerics.step = rounded_down(0.9 * limit, digits=2)
        return parameters

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        parameters, mesh = _checked(problem)
        operator = tissue_operator(mesh, parameters)
        numerics = parameters.numerics
        protocol(parameters.stimuli, parameters.tissue, mesh, numerics.step)
        size = np.dtype(PRECISIONS[numerics.precision]).itemsize
        compiled = compiled_step(parameters)
        diffusion = times(diffusion_traffic(mesh.n_cells, size), numerics.diffusion_substeps)
        if compiled is None:
            reaction, rows = reaction_traffic(mesh.n_cells, size), len(ROWS)
            per_cell = reaction_seconds(backend, PRECISIONS[numerics.precision])
        else:
            reaction, rows = compiled_traffic(compiled, mesh.n_cells), len(compiled.model.rows)
            per_cell = compiled_seconds(backend, compiled)
        reaction, share = times(reaction, numerics.reaction_substeps), 1.0 * numerics.reaction_substeps
        if numerics.multirate.on:
            share = numerics.multirate.expected_share(numerics.step)
            reaction = thinned(reaction, share, mesh.n_cells * size)
        seconds = diffusion.bytes / backend.ceilings().best + share * mesh.n_cells * per_cell
        return Estimate(
            memory_bytes=mesh.n_cells * (WIDTH * (4 + size) + (rows + 3) * size + 5),
            bytes_per_step=diffusion.bytes + reaction.bytes,
            step=numerics.step,
            stable_step=min(
                operator.stable_step * numerics.diffusion_substeps / parameters.conductivity_scale, REACTION_STEP_LIMIT
            ),
            seconds_per_simulated_unit=seconds / numerics.step,
            milestone=("beat", 1000.0),
            findings=_findings(mesh, parameters, operator.limited_cells),
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> CardiacSimulation:
        parameters, mesh = _checked(problem)
        numerics = parameters.numerics
        operator = tissue_operator(mesh, parameters, progress)
        stable_step = operator.stable_step * numerics.diffusion_substeps
        check_step(numerics.step, stable_step / parameters.conductivity_scale)
        progress("Placing stimuli", 0.8)
        plan = protocol(parameters.stimuli, parameters.tissue, mesh, numerics.step)
        progress(f"Moving {mesh.n_cells:,} cells to {backend.info.name}", 0.9)
        tissue = make_cells(backend, mesh, parameters, plan, operator.order)
        diffusion = make_diffusion(backend, operator.matrix, numerics.step, PRECISIONS[numerics.precision])
        substeps = numerics.diffusion_substeps, numerics.reaction_substeps
        groups = make_groups(backend, tissue, numerics.step, numerics.multirate) if numerics.multirate.on else None
        stepper = Stepper(backend, diffusion, tissue, plan, numerics.step, *substeps, groups)
        observers = make_observers(backend, mesh, operator.order, tissue, parameters)
        simulation = CardiacSimulation(backend, mesh, operator.order, stepper, tissue, stable_step, observers)
        simulation.set_control("conductivity_scale", parameters.conductivity_scale)
        progress("Ready", 1.0)
        return simulation

    def warm(self, backend: Backend) -> None:
        """One step of a small box in each precision, with and without multirate reaction."""
        for precision, multirate in product(get_args(Precision), (False, True)):
            problem = _BoxProblem(WARM_SIDE, precision, multirate)()
            self.estimate(problem, backend)
            simulation = self.build(problem, backend)
            simulation.advance(1)
            simulation.synchronize()
            simulation.close()

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        """Jittered boxes of tetrahedra at 0.5 mm with fibres, in both precisions."""
        problems = [
            _BoxProblem(side, precision)
            for side in map(_side, elements or (1_000_000, 10_000_000))
            for precision in get_args(Precision)
        ]
        return [
            Benchmark(f"{problem.n_cells:,} tetrahedra {problem.precision}", problem.n_cells, problem)
            for problem in problems
        ]


@dataclass(frozen=True)
class _BoxProblem:
    """A jittered box of ``side``³ cubes of 0.5 mm, six tetrahedra each, stimulated at a corner; made when called."""

    side: int
    precision: Precision
    multirate: bool = False

    @property
    def n_cells(self) -> int:
        return 6 * self.side**3

    def __call__(self) -> Problem:
        stimulus = Stimulus(name="corner", site=Sphere(center=(0, 0, 0), radius=1.5))
        numerics = Numerics(step=0.01, precision=self.precision, multirate=Multirate(on=self.multirate))
        return Problem(CardiacParameters(stimuli=[stimulus], numerics=numerics), _box(self.side))


def _side(size: int) -> int:
    """The cube with the number of tetrahedra nearest to ``size``; three cubes at least, for the stimulus to hit."""
    return max(3, round((size / 6) ** (1 / 3)))


@lru_cache(maxsize=1)  # both precisions of a size share the mesh and its operator
def _box(side: int) -> TetMesh:
    return box_mesh((side,) * 3, (0.5 * side,) * 3, jitter=0.2)


def _checked(problem: Problem) -> tuple[CardiacParameters, TetMesh]:
    if not isinstance(problem.geometry, TetMesh):
        raise ProblemError("The cardiac engine needs a tetrahedral mesh: open a mesh file first.")
    if not isinstance(problem.parameters, CardiacParameters):
        raise TypeError(f"parameters of the cardiac engine, not {type(problem.parameters).__name__}")
    numerics = problem.parameters.numerics
    if numerics.multirate.on and numerics.reaction_substeps > 1:
        raise ProblemError("Multirate reaction takes whole steps: set the reaction's substeps to 1, or turn it off.")
    return problem.parameters, problem.geometry


def _type_by_name(region: str) -> CellTypeName:
    name = region.lower()
    if "endo" in name:
        return "endo"
    return "M" if "mid" in name or name in ("m", "mcell") else "epi"


def _findings(mesh: TetMesh, parameters: CardiacParameters, limited: int) -> tuple[Finding, ...]:
    findings: list[Finding] = []
    findings += cell_findings(parameters)
    named = {setting.region for setting in parameters.regions}
    unnamed = sorted(set(mesh.region_names.values()) - named)
    if unnamed:
        findings.append(Finding(f"No cell type is set for {', '.join(unnamed)}: epicardial cells are used.", "info"))
    if mesh.fibres is None:
        findings.append(Finding("The mesh has no fibres: it conducts alike in all directions, as along fibres."))
    if not parameters.stimuli:
        findings.append(Finding("There is no stimulus: nothing will happen until one is added."))
    if limited:
        findings.append(
            Finding(
                f"{limited:,} of {mesh.n_cells:,} cells are badly shaped: their fluxes fall back towards two points, "
                "which is less accurate; run a mesh optimiser if it matters there."
            )
        )
    return tuple(findings)
