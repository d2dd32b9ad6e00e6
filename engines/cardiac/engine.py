"""The cardiac engine: the monodomain equation on a tetrahedral mesh, with TT06 cells or those of a compiled model.

Method: cell-centred finite volumes (``diffusion/README.md``) or vertex-centred linear elements (``p1``) in space,
Godunov splitting in time, forward Euler for diffusion, lightweight Rush-Larsen for TT06 (``cells/README.md``),
for others the scheme that suits them (``compiler``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Benchmark, Engine, Estimate, Finding, Problem, Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.lab_tables import LabTable
from engines.api.tools import Tool
from engines.cardiac.cells.tt06 import ROWS
from engines.cardiac.cells.tt06_tissue import reaction_traffic
from engines.cardiac.compiler.tissue import compiled_traffic
from engines.cardiac.diffusion.forward_euler import DIFFUSION, DIFFUSION_TYPES, expected_traffic
from engines.cardiac.lab.benchmarks import box_benchmarks, small_boxes
from engines.cardiac.multirate.groups import GROUPS, thinned
from engines.cardiac.parameters import (
    CardiacParameters,
    RegionSetting,
    Sphere,
    Stimulus,
)
from engines.cardiac.parameters import CellType as CellTypeName
from engines.cardiac.setup.cells import (
    REACTION_TYPES,
    cell_findings,
    check_quiet_step,
    compiled_step,
    make_cells,
    step_limit,
)
from engines.cardiac.setup.speed import compiled_seconds, reaction_seconds
from engines.cardiac.step.brushes import Brushes
from engines.cardiac.step.simulation import CardiacSimulation, check_reaction_step, check_step, rounded_down
from engines.cardiac.step.stepping import Stepper, times
from engines.cardiac.stimulus.protocol import protocol, told_times
from engines.cardiac.stimulus.touch import TouchProtocol
from engines.cardiac.tissue.operator import CellOperator, TissueOperator, VertexTissueOperator, tissue_operator
from engines.cardiac.watch.recording import Recording
from engines.cardiac.watch.watchers import open_watchers, watchers_memory, watchers_traffic
from engines.geometry.mesh import TetMesh
from engines.geometry.quality import measure_quality


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
        sites = operator.sites
        protocol(parameters.stimuli, parameters.tissue, sites, numerics.step)
        size = np.dtype(REACTION_TYPES[numerics.precision]).itemsize
        matrix, precision = operator.matrix, DIFFUSION_TYPES[numerics.precision]
        whole = expected_traffic(backend, matrix, precision)
        diffusion = times(whole, numerics.diffusion_substeps)
        compiled = compiled_step(parameters)
        if compiled is None:
            reaction, rows = reaction_traffic(sites.n_cells, size), len(ROWS)
            per_cell = reaction_seconds(backend, REACTION_TYPES[numerics.precision])
        else:
            reaction, rows = compiled_traffic(compiled, sites.n_cells), len(compiled.model.rows)
            per_cell = compiled_seconds(backend, compiled)
        reaction, share = times(reaction, numerics.reaction_substeps), 1.0 * numerics.reaction_substeps
        if numerics.multirate.on:
            share = numerics.multirate.expected_share(numerics.step)
            reaction = thinned(reaction, share, sites.n_cells * size)
        seconds = diffusion.bytes / backend.ceilings().best + share * sites.n_cells * per_cell
        return Estimate(
            memory_bytes=whole.bytes
            + sites.n_cells * ((rows + 1) * size + 5)
            + watchers_memory(parameters, sites, size),
            bytes_per_step=diffusion.bytes
            + reaction.bytes
            + sum(each.bytes for each in watchers_traffic(parameters, sites, size)),
            step=numerics.step,
            stable_step=min(
                operator.stable_step * numerics.diffusion_substeps / parameters.conductivity_scale,
                step_limit(parameters) * numerics.reaction_substeps,
            ),
            seconds_per_simulated_unit=seconds / numerics.step,
            milestone=("beat", 1000.0),
            findings=_findings(mesh, parameters, operator),
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> CardiacSimulation:
        parameters, mesh = _checked(problem)
        numerics = parameters.numerics
        operator = tissue_operator(mesh, parameters, progress)
        stable_step = operator.stable_step * numerics.diffusion_substeps
        check_reaction_step(numerics.step, step_limit(parameters) * numerics.reaction_substeps)
        check_quiet_step(parameters)
        check_step(numerics.step, stable_step / parameters.conductivity_scale, worst_cell(mesh, operator))
        progress("Placing stimuli", 0.8)
        plan = TouchProtocol(protocol(parameters.stimuli, parameters.tissue, operator.sites, numerics.step))
        progress(f"Moving {operator.sites.n_cells:,} {operator.noun} to {backend.info.name}", 0.9)
        tissue = make_cells(backend, operator.sites, parameters, plan, operator.order, progress)
        diffusion = DIFFUSION.open(backend, operator.matrix, numerics.step, DIFFUSION_TYPES[numerics.precision])
        substeps = numerics.diffusion_substeps, numerics.reaction_substeps
        groups = GROUPS.open(backend, tissue, numerics.step, numerics.multirate) if numerics.multirate.on else None
        stepper = Stepper(backend, diffusion, tissue, plan, numerics.step, *substeps, groups)
        watchers = open_watchers(backend, mesh, operator, tissue, parameters)
        brushes = Brushes(backend, mesh, parameters, operator, plan, tissue, diffusion, groups, watchers)
        simulation = CardiacSimulation(backend, mesh, operator, stepper, tissue, substeps[0], brushes, watchers)
        simulation.set_control("conductivity_scale", parameters.conductivity_scale)
        progress("Ready", 1.0)
        return simulation

    def tools(self) -> Sequence[Tool]:
        from engines.cardiac.tools.tools import TOOLS  # they build simulations with this engine

        return TOOLS

    def tables(self) -> Sequence[LabTable]:
        from engines.cardiac.lab.tables import TABLES  # measured seldom

        return TABLES

    def warm(self, backend: Backend) -> None:
        """One step of a small box in each precision, with all that is recorded, and on vertices; and what tools run."""
        for box in small_boxes():
            problem = Problem(box.parameters().model_copy(update={"recording": Recording(phase=True)}), box().geometry)
            self.estimate(problem, backend)
            simulation = self.build(problem, backend)
            simulation.advance(1)
            simulation.field("phase")
            simulation.close()
        if backend.info.kind == "cpu":
            from engines.cardiac.tools.tools import warm_tools

            warm_tools(problem, backend)

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        """Jittered boxes of tetrahedra at 0.5 mm with fibres, in every precision; the first once more on vertices."""
        return box_benchmarks(elements)


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


def worst_cell(mesh: TetMesh, operator: TissueOperator) -> str:
    """The cell that limits the step, in words; of a vertex, the worst-shaped cell around it."""
    cell = operator.worst_cell
    if isinstance(operator, VertexTissueOperator):
        around = np.flatnonzero((operator.sites.corners == cell).any(axis=1))
        cell = int(around[measure_quality(mesh.points, mesh.cells[around]).mean_ratio.argmin()])
    shape = float(measure_quality(mesh.points, mesh.cells[cell : cell + 1]).mean_ratio[0])
    x, y, z = mesh.centroids[cell]
    return f"cell {cell} at ({x:.3g}, {y:.3g}, {z:.3g}) mm with a mean ratio of {shape:.2g}, where 1 is regular"


def _findings(mesh: TetMesh, parameters: CardiacParameters, operator: TissueOperator) -> tuple[Finding, ...]:
    findings: list[Finding] = []
    findings += cell_findings(parameters)
    named = [setting.region for setting in parameters.regions]
    twice = sorted({region for region in named if named.count(region) > 1})
    if twice:
        findings.append(Finding(f"More than one setting is for {', '.join(twice)}: the last one counts."))
    unnamed = sorted(set(mesh.region_names.values()) - set(named))
    if unnamed:
        findings.append(Finding(f"No cell type is set for {', '.join(unnamed)}: epicardial cells are used.", "info"))
    if mesh.fibres is None:
        findings.append(Finding("The mesh has no fibres: it conducts alike in all directions, as along fibres."))
    if not parameters.stimuli:
        findings.append(Finding("There is no stimulus: nothing will happen until one is added."))
    if times := told_times(parameters.stimuli, parameters.tissue, parameters.numerics.step):
        findings.append(Finding(times, "info"))
    if len(operator.pieces) > 1:
        sizes = ", ".join(f"{size:,}" for size in operator.pieces[:5]) + (", …" if len(operator.pieces) > 5 else "")
        findings.append(
            Finding(
                f"The conducting tissue is in {len(operator.pieces):,} pieces, of {sizes} {operator.noun}: a wave does "
                "not cross between them. Stimulate each, or join the mesh."
            )
        )
    if isinstance(operator, VertexTissueOperator):
        vertices = operator.sites.n_cells
        findings.append(
            Finding(
                f"{vertices:,} vertices are unknowns instead of {mesh.n_cells:,} cells, "
                f"{mesh.n_cells / vertices:.1f} times fewer.",
                "info",
            )
        )
    limited = operator.limited_cells if isinstance(operator, CellOperator) else 0
    if limited:
        findings.append(
            Finding(
                f"{limited:,} of {mesh.n_cells:,} cells are badly shaped: their fluxes fall back towards two points, "
                "which is less accurate; run a mesh optimiser if it matters there."
            )
        )
    return tuple(findings)
