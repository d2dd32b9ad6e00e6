"""Refinement of a tetrahedral mesh by 8: every edge is halved.

Each tetrahedron gives four corner tetrahedra, similar to it, and an octahedron, which is cut into four along the
shortest of its three diagonals (S. Zhang, "Successive subdivisions of tetrahedra and multigrid methods on tetrahedral
meshes", Houston J. Math. 21, 1995: shapes do not degenerate under repetition). Neighbours halve the same edges and the
diagonals lie inside the cells, so the mesh stays conforming. New boundary points are midpoints of chords: a curved
surface keeps the facets that it had.
"""

from __future__ import annotations

from dataclasses import replace

import numba as nb
import numpy as np

from engines.api import Array, Progress, no_progress
from engines.api.errors import MeshError
from engines.geometry.meshes.edges import EDGES, number_edges
from engines.geometry.meshes.mesh import TetMesh

CHILDREN = 8
CELL_LIMIT = 2**31 // CHILDREN
"""Cells and points are numbered with 32 bits."""

_REFERENCE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
# Local points of a parent: 0..3 its vertices, 4..9 the midpoints of EDGES. Diagonals of the octahedron join the
# midpoints of opposite edges; round each run the other four, one next to the other.
_DIAGONALS = ((4, 9), (5, 8), (6, 7))
_RINGS = ((5, 7, 8, 6), (4, 7, 9, 6), (4, 8, 9, 5))


def _children() -> Array:
    """(3, 8, 4): local points of the children for each choice of the diagonal, all positively oriented."""
    midpoint = {pair: 4 + k for k, pair in enumerate(EDGES)}
    local = np.vstack([_REFERENCE, [_REFERENCE[list(pair)].mean(axis=0) for pair in EDGES]])
    corners = [[i if i == j else midpoint[min(i, j), max(i, j)] for j in range(4)] for i in range(4)]
    table = []
    for (a, b), ring in zip(_DIAGONALS, _RINGS, strict=True):
        table.append(corners + [[a, b, ring[k], ring[(k + 1) % 4]] for k in range(4)])
    children = np.array(table)
    for child in children.reshape(-1, 4):
        if np.linalg.det(local[child[1:]] - local[child[0]]) < 0:
            child[2:] = child[3:1:-1].copy()
    return children


_CHILDREN = _children()


def refined_size(mesh: TetMesh, levels: int = 1) -> tuple[int, int]:
    """``(cells, bytes)`` after ``levels`` refinements: the number of cells, and the memory at the peak of the last.

    A closed mesh has some 1.2 edges a cell (seven neighbours of five cells an edge); 1.5 is counted. Beside the new
    mesh the peak holds the mesh before, and the buckets and numbers of its edges.
    """
    before = mesh.n_cells * CHILDREN ** (levels - 1)
    vectors = sum(v is not None for v in (mesh.fibres, mesh.sheets))
    a_cell = 16 + 4 + 12 * vectors
    points = 24 * (mesh.n_points + 1.5 * mesh.n_cells * (CHILDREN**levels - 1) / (CHILDREN - 1))
    edges = before * (6 * 8 + 1.5 * (8 + 24))
    return before * CHILDREN, int(before * (CHILDREN + 1) * a_cell + points + edges)


def refine(mesh: TetMesh, progress: Progress = no_progress) -> TetMesh:
    """The mesh with each cell cut into :data:`CHILDREN`; regions, fibres and sheets are those of the parent.

    Children of cell i are cells 8i to 8i + 7, the corners first; the points that were there keep their numbers.
    Findings and quality, which name cells of the mesh before, are left out. Raises MeshError where there would be
    too many cells to number.
    """
    if mesh.n_cells > CELL_LIMIT or mesh.n_points + 2 * mesh.n_cells > 2**31:
        raise MeshError(
            f"The mesh has {mesh.n_cells:,} cells and cannot be refined: more than {CELL_LIMIT:,} have no numbers."
        )
    progress("Numbering the edges", 0.0)
    ends, of_cell = number_edges(mesh.cells, mesh.n_points)
    progress("Halving the edges", 0.4)
    points = np.empty((mesh.n_points + len(ends), 3))
    points[: mesh.n_points] = mesh.points
    _midpoints(mesh.points, ends, points[mesh.n_points :])
    del ends
    progress("Cutting the cells", 0.6)
    cells = np.empty((CHILDREN * mesh.n_cells, 4), np.int32)
    _cut(points, mesh.cells, of_cell, mesh.n_points, _CHILDREN, cells)
    del of_cell
    progress("Handing regions and fibres on", 0.9)
    refined = replace(
        mesh,
        points=points,
        cells=cells,
        regions=np.repeat(mesh.regions, CHILDREN),
        fibres=None if mesh.fibres is None else np.repeat(mesh.fibres, CHILDREN, axis=0),
        sheets=None if mesh.sheets is None else np.repeat(mesh.sheets, CHILDREN, axis=0),
        findings=(),
        quality="",
    )
    progress("Refined", 1.0)
    return refined


@nb.njit(cache=True, nogil=True)
def _midpoints(points, ends, out):
    for edge in range(len(ends)):
        for axis in range(3):
            out[edge, axis] = 0.5 * (points[ends[edge, 0], axis] + points[ends[edge, 1], axis])


@nb.njit(cache=True, nogil=True)
def _cut(points, cells, of_cell, n_points, children, out):
    local = np.empty(10, np.int64)
    diagonals = ((4, 9), (5, 8), (6, 7))
    for cell in range(len(cells)):
        for k in range(4):
            local[k] = cells[cell, k]
        for k in range(6):
            local[4 + k] = n_points + of_cell[cell, k]
        choice, shortest = 0, np.inf
        for d in range(3):
            a, b = local[diagonals[d][0]], local[diagonals[d][1]]
            square = 0.0
            for axis in range(3):
                square += (points[a, axis] - points[b, axis]) ** 2
            if square < shortest:
                choice, shortest = d, square
        for child in range(8):
            for k in range(4):
                out[8 * cell + child, k] = local[children[choice, child, k]]
