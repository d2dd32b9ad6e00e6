"""Refine the mesh by 8, once or twice."""

from __future__ import annotations

import time

from pydantic import BaseModel

from engines.api import Problem, Progress, no_progress
from engines.api.charts import Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup, quantity
from engines.api.tools import Tool, ToolResult
from engines.backend.ceilings import machine
from engines.cardiac.tools.mesh_of import mesh_of
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.refinement import CELL_LIMIT, CHILDREN, refine, refined_size

MEMORY_SHARE = 0.6
"""Of the machine's memory, that a refinement may fill: the mesh before is still open, and so is the window."""


class RefineParameters(ParameterGroup):
    """How fine."""

    levels: int = quantity(1, "1", "How often every edge is halved: 8 times the cells once, 64 times twice", ge=1, le=2)


class RefineMesh(Tool):
    """Cuts every tetrahedron into eight."""

    id = "refine"
    title = "Refine the mesh"
    summary = (
        "Cuts every tetrahedron into eight, with its region, fibre and sheet. New points at the surface are midpoints "
        "of edges, so a curved surface keeps its facets; the largest stable time step becomes about four times smaller."
    )
    Parameters = RefineParameters

    def outlook(self, problem: Problem, parameters: BaseModel) -> str:
        assert isinstance(parameters, RefineParameters)
        cells, memory = refined_size(mesh_of(problem), parameters.levels)
        return f"{cells:,} cells; refining takes about {_size(memory)} of memory."

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        assert isinstance(parameters, RefineParameters)
        mesh, levels = mesh_of(problem), parameters.levels
        _require_room(mesh, levels, machine.memory_bytes())
        refined, started = mesh, time.perf_counter()
        for level in range(levels):
            refined = refine(refined, _part(progress, level, levels))
        seconds = time.perf_counter() - started
        facts = (
            Fact("Cells before", mesh.n_cells, "1"),
            Fact("Cells", refined.n_cells, "1"),
            Fact("Points", refined.n_points, "1"),
            Fact("Time", seconds, "s"),
        )
        return ToolResult(
            f"{mesh.n_cells:,} {'cell was' if mesh.n_cells == 1 else 'cells were'} cut into {refined.n_cells:,} on "
            f"{refined.n_points:,} points in {seconds:.1f} s; regions and fibres are those of the cells before.",
            facts,
            geometry=refined,
        )


def _part(progress: Progress, level: int, levels: int) -> Progress:
    return lambda text, fraction: progress(text, (level + fraction) / levels)


def _require_room(mesh: TetMesh, levels: int, memory: int) -> None:
    """Raises ProblemError where the refined mesh cannot be numbered or does not fit into ``memory`` (0: unknown)."""
    cells, needed = refined_size(mesh, levels)
    advice = "refine once" if levels > 1 else "take a coarser mesh"
    if cells > CELL_LIMIT * CHILDREN:
        raise ProblemError(f"The refined mesh would have {cells:,} cells, more than can be numbered: {advice}.")
    if memory and needed > MEMORY_SHARE * memory:
        raise ProblemError(
            f"The refined mesh would have {cells:,} cells and needs about {_size(needed)} on the way, and this machine "
            f"has {_size(memory)}: {advice}."
        )


def _size(count: float) -> str:
    return f"{count / 2**30:,.1f} GB" if count >= 2**30 else f"{max(count / 2**20, 1):,.0f} MB"
