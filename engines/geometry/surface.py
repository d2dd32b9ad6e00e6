"""The boundary of a tetrahedral mesh, as triangles for the viewport."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engines.api import Array, Selection
from engines.geometry.adjacency import boundary_faces, face_neighbours
from engines.geometry.mesh import TetMesh


@dataclass(frozen=True)
class BoundarySurface:
    """Triangles that belong to one cell only.

    vertices:  (k,) int32, their numbers in the mesh, ascending
    points:    (k, 3) float32 [mm]
    triangles: (m, 3) int32, numbers in ``vertices``, counterclockwise from outside
    cells:     (m,) int32, the cell behind each triangle
    """

    vertices: Array
    points: Array
    triangles: Array
    cells: Array

    @cached_property
    def triangle_normals(self) -> Array:
        """(m, 3) float32, outward, as long as the triangle's area [mm²]."""
        a, b, c = (self.points[self.triangles[:, k]] for k in range(3))
        return 0.5 * np.cross(b - a, c - a)

    @cached_property
    def normals(self) -> Array:
        """(k, 3) float32 outward unit vectors at the vertices, weighted by area."""
        total = np.stack(
            [
                np.bincount(self.triangles.ravel(), np.repeat(self.triangle_normals[:, axis], 3), len(self.vertices))
                for axis in range(3)
            ],
            axis=1,
        )
        length = np.linalg.norm(total, axis=1, keepdims=True)
        return (total / np.maximum(length, np.finfo(np.float32).tiny)).astype(np.float32)

    @cached_property
    def vertex_cells(self) -> Selection:
        """For each vertex the cells behind its triangles: gathering it gives smooth vertex values of a cell field."""
        owners = np.repeat(self.cells, 3)
        order = np.argsort(self.triangles.ravel(), kind="stable")
        counts = np.bincount(self.triangles.ravel(), minlength=len(self.vertices))
        return Selection(owners[order].astype(np.int32), np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))


def boundary_surface(mesh: TetMesh) -> BoundarySurface:
    """The boundary of ``mesh``; closed and oriented outwards. Raises MeshError where three cells share a face."""
    corners, owners = boundary_faces(mesh.cells, face_neighbours(mesh.cells))
    vertices, triangles = np.unique(corners, return_inverse=True)
    return BoundarySurface(
        vertices.astype(np.int32),
        mesh.points[vertices].astype(np.float32),
        triangles.reshape(-1, 3).astype(np.int32),
        owners,
    )
