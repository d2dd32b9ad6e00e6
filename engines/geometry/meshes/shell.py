"""The boundary of a mesh as triangles between vertices of its own, with the cells around each vertex."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.geometry.meshes.adjacency import boundary_faces, face_neighbours
from engines.geometry.meshes.mesh import TetMesh


@dataclass(frozen=True)
class Shell:
    """nodes: (v,), points of the mesh; points: (v, 3) [mm]; triangles: (t, 3) int32, against the clock from outside;
    the cells around vertex i are ``cells[offsets[i]:offsets[i+1]]``, int32."""

    nodes: Array
    points: Array
    triangles: Array
    cells: Array
    offsets: Array


def shell_of(mesh: TetMesh) -> Shell:
    """The boundary of ``mesh``; cells are numbered as in it."""
    triangles, _ = boundary_faces(mesh.cells, face_neighbours(mesh.cells))
    nodes, corners = np.unique(triangles, return_inverse=True)
    vertex = np.full(mesh.n_points, -1, np.int32)
    vertex[nodes] = np.arange(len(nodes), dtype=np.int32)
    of_corner = vertex[mesh.cells.ravel()]
    touching = np.flatnonzero(of_corner >= 0)
    touching = touching[np.argsort(of_corner[touching], kind="stable")]
    counts = np.bincount(of_corner[touching], minlength=len(nodes))
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    triangles = corners.reshape(-1, 3).astype(np.int32)
    return Shell(nodes, mesh.points[nodes], triangles, (touching // 4).astype(np.int32), offsets)
