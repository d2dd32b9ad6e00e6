"""What a problem must be to run at all, and the cell of its mesh that limits its time step."""

from __future__ import annotations

import numpy as np

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.tissue.operator import TissueOperator, VertexTissueOperator
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.quality import measure_quality


def checked(problem: Problem) -> tuple[CardiacParameters, TetMesh]:
    """Its parameters and mesh. Raises ProblemError for another geometry, and for settings that exclude each other."""
    if not isinstance(problem.geometry, TetMesh):
        raise ProblemError("The cardiac engine needs a tetrahedral mesh: open a mesh file first.")
    if not isinstance(problem.parameters, CardiacParameters):
        raise TypeError(f"parameters of the cardiac engine, not {type(problem.parameters).__name__}")
    numerics = problem.parameters.numerics
    if numerics.multirate.on and numerics.reaction_substeps > 1:
        raise ProblemError("Multirate reaction takes whole steps: set the reaction's substeps to 1, or turn it off.")
    return problem.parameters, problem.geometry


def worst_cell(mesh: TetMesh, operator: TissueOperator) -> str:
    """The cell that limits the step, in words; of a vertex, the worst-shaped cell around it."""
    cell = operator.worst_cell
    if isinstance(operator, VertexTissueOperator):
        around = np.flatnonzero((operator.sites.corners == cell).any(axis=1))
        cell = int(around[measure_quality(mesh.points, mesh.cells[around]).mean_ratio.argmin()])
    shape = float(measure_quality(mesh.points, mesh.cells[cell : cell + 1]).mean_ratio[0])
    x, y, z = mesh.centroids[cell]
    return f"cell {cell} at ({x:.3g}, {y:.3g}, {z:.3g}) mm with a mean ratio of {shape:.2g}, where 1 is regular"
