"""The cut of a plane through a tetrahedral mesh: triangles, and for each vertex the cells whose mean it shows."""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np

from engines.api import Array, Selection
from engines.geometry.meshes.mesh import TetMesh

EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]], np.int32)


@dataclass(frozen=True)
class Cut:
    """points: (n, 3) float32 [mm]; triangles: (m, 3) int32; owners: (m,) int32 cells; cells: runs for each vertex."""

    points: Array
    triangles: Array
    owners: Array
    cells: Selection


def cut(mesh: TetMesh, origin: Array, normal: Array) -> Cut:
    """Marching tetrahedra. The triangles face the side that ``normal`` points to."""
    height = (mesh.points - np.asarray(origin)) @ np.asarray(normal, float)
    # A point exactly on the plane counts as above it, so that no cell is cut through a corner alone.
    keys, owners = march(mesh.cells, height, EDGES)
    edges, place = np.unique(keys, return_inverse=True)
    low, high = edges // mesh.n_points, edges % mesh.n_points
    share = (height[low] / (height[low] - height[high]))[:, None]
    points = mesh.points[low] * (1 - share) + mesh.points[high] * share
    triangles = place.reshape(-1, 3).astype(np.int32)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    turned = np.einsum("ij,j->i", np.cross(b - a, c - a), np.asarray(normal, float)) < 0
    triangles[turned] = triangles[turned][:, ::-1]
    # A vertex lies on an edge; the cells around that edge are the cut cells that made a corner there.
    pairs = np.unique(place.astype(np.int64) * mesh.n_cells + np.repeat(owners, 3))
    offsets = np.searchsorted(pairs, np.arange(len(edges) + 1, dtype=np.int64) * mesh.n_cells)
    selection = Selection((pairs % mesh.n_cells).astype(np.int32), offsets.astype(np.int32))
    return Cut(points.astype(np.float32), triangles, owners, selection)


@numba.njit(cache=True, nogil=True)
def march(cells: Array, height: Array, edges: Array) -> tuple[Array, Array]:
    """Marching tetrahedra: where ``height: (n_points,)`` goes through zero; what is not below counts as above.

    Corners of all cut triangles as edge keys (3 m,) int64 (low point * n + high point), owners (m,) int32."""
    n = np.int64(len(height))
    count = 0
    for cell in range(len(cells)):
        above = 0
        for k in range(4):
            above += height[cells[cell, k]] >= 0
        count += (above == 1 or above == 3) + 2 * (above == 2)
    keys = np.empty(3 * count, np.int64)
    owners = np.empty(count, np.int32)
    crossing = np.empty(4, np.int64)
    m = 0
    for cell in range(len(cells)):
        above = 0
        for k in range(4):
            above += height[cells[cell, k]] >= 0
        if above == 0 or above == 4:
            continue
        found = 0
        for e in range(6):
            p, q = np.int64(cells[cell, edges[e, 0]]), np.int64(cells[cell, edges[e, 1]])
            if (height[p] >= 0) != (height[q] >= 0):
                crossing[found] = min(p, q) * n + max(p, q)
                found += 1
        keys[3 * m], keys[3 * m + 1], keys[3 * m + 2] = crossing[0], crossing[1], crossing[2]
        owners[m] = cell
        m += 1
        if found == 4:
            # In the order of the edges, 0 and 3 are opposite corners of the quadrilateral.
            keys[3 * m], keys[3 * m + 1], keys[3 * m + 2] = crossing[1], crossing[2], crossing[3]
            owners[m] = cell
            m += 1
    return keys, owners
