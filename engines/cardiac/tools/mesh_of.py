"""The mesh that a tool works on."""

from __future__ import annotations

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.geometry.meshes.mesh import TetMesh


def mesh_of(problem: Problem) -> TetMesh:
    """The problem's mesh. Raises ProblemError where it has none."""
    if not isinstance(problem.geometry, TetMesh):
        raise ProblemError("This tool works on a tetrahedral mesh: open a mesh file first.")
    return problem.geometry
