"""The boundary of a tetrahedral mesh, as triangles for the viewport."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit

from engines.api import Array, Selection
from engines.geometry.mesh import TetMesh

FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]], np.int32)
"""Corners of the face opposite to each corner, counterclockwise from outside in a positively oriented cell."""


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


@njit(cache=True, nogil=True)
def _single_faces(cells: Array, faces: Array, n_points: int) -> Array:
    """(n_cells, 4) bool: the faces that no other cell has.

    Faces are sorted into buckets by their smallest point; within a bucket (some twenty faces) each is compared with
    the others. Linear in the number of cells, where sorting all faces is not.
    """
    n = len(cells)
    start = np.zeros(n_points + 1, np.int64)
    key = np.empty((4 * n, 3), np.int32)
    for i in range(n):
        for f in range(4):
            a, b, c = cells[i, faces[f, 0]], cells[i, faces[f, 1]], cells[i, faces[f, 2]]
            low, high = min(a, b, c), max(a, b, c)
            row = key[4 * i + f]
            row[0], row[1], row[2] = low, a ^ b ^ c ^ low ^ high, high
            start[low + 1] += 1
    for p in range(n_points):
        start[p + 1] += start[p]
    fill = start[:-1].copy()
    bucket = np.empty(4 * n, np.int64)
    for k in range(4 * n):
        bucket[fill[key[k, 0]]] = k
        fill[key[k, 0]] += 1
    single = np.ones((n, 4), np.bool_)
    for p in range(n_points):
        for i in range(start[p], start[p + 1]):
            k = bucket[i]
            for j in range(i + 1, start[p + 1]):
                other = bucket[j]
                if key[k, 1] == key[other, 1] and key[k, 2] == key[other, 2]:
                    single[k // 4, k % 4] = False
                    single[other // 4, other % 4] = False
    return single


def boundary_surface(mesh: TetMesh) -> BoundarySurface:
    """The boundary of ``mesh``; closed and oriented outwards."""
    cells = np.ascontiguousarray(mesh.cells, np.int32)
    owners, faces = np.nonzero(_single_faces(cells, FACES, mesh.n_points))
    corners = cells[owners[:, None], FACES[faces]]
    vertices, triangles = np.unique(corners, return_inverse=True)
    return BoundarySurface(
        vertices.astype(np.int32),
        mesh.points[vertices].astype(np.float32),
        triangles.reshape(-1, 3).astype(np.int32),
        owners.astype(np.int32),
    )
