"""The boundary surface of a tetrahedral mesh, ready to be drawn: triangles, owners, vertices, normals."""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np

from engines.api import Array
from engines.geometry.meshes.adjacency import boundary_faces, face_neighbours
from engines.geometry.meshes.mesh import TetMesh

CREASE = 40.0
"""Triangles that meet at a larger angle [degrees] than this have an edge between them."""


@dataclass(frozen=True)
class Surface:
    """Triangles with the cells behind them.

    points:    (n, 3) float32 [mm]
    normals:   (n, 3) float32, unit, outward
    triangles: (m, 3) int32, counter-clockwise from outside
    owners:    (m,) int32, the cell that each triangle belongs to
    nodes:     (n,) int32, the mesh point of each vertex
    colours:   (n,) int32, row of the vertex's region in the sorted region ids

    Vertices are doubled where regions meet and along sharp edges, so each has one region and one normal.
    """

    points: Array
    normals: Array
    triangles: Array
    owners: Array
    nodes: Array
    colours: Array


def surface(mesh: TetMesh) -> Surface:
    """The boundary of ``mesh``."""
    triangles, owners = boundary_faces(mesh.cells, face_neighbours(mesh.cells))
    return assemble(mesh, triangles, owners)


def assemble(mesh: TetMesh, triangles: Array, owners: Array) -> Surface:
    """A drawable surface from triangles of mesh points."""
    region_ids, region_rows = np.unique(mesh.regions, return_inverse=True)
    normals = corner_normals(mesh.points, triangles).reshape(-1, 3)
    # Corners share a vertex where point, region and normal agree; ten bits a component tell normals apart by 0.1°.
    ten_bits = np.rint((normals + 1.0) * 511.0).astype(np.int64)
    rows = np.repeat(region_rows[owners], 3)
    key = triangles.ravel().astype(np.int64) * len(region_ids) + rows
    for component in range(3):
        key = (key << 10) + ten_bits[:, component]
    _, first, corner = np.unique(key, return_index=True, return_inverse=True)
    nodes = triangles.ravel()[first]
    return Surface(
        points=mesh.points[nodes].astype(np.float32),
        normals=normals[first],
        triangles=corner.reshape(-1, 3).astype(np.int32),
        owners=owners,
        nodes=nodes.astype(np.int32),
        colours=rows[first].astype(np.int32),
    )


def corner_normals(points: Array, triangles: Array) -> Array:
    """Unit normals at the corners of triangles, (m, 3, 3) float32: area-weighted over the triangles around the point
    that turn by less than CREASE from this one, so that round bodies look round and boxes have edges."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    facets = np.cross(b - a, c - a)
    order = np.argsort(triangles.ravel(), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(triangles.ravel(), minlength=len(points)))])
    # Here, for in a kernel a sum along an axis compiles 0.6 s longer, half of it for the text of an error.
    lengths = np.sqrt((facets**2).sum(axis=1))
    return _corner_normals(facets, lengths, order // 3, order % 3, starts, float(np.cos(np.deg2rad(CREASE))))


@numba.njit(cache=True, nogil=True)
def _corner_normals(facets: Array, length: Array, face: Array, corner: Array, starts: Array, least: float) -> Array:
    result = np.zeros((len(facets), 3, 3), np.float32)
    for point in range(len(starts) - 1):
        for i in range(starts[point], starts[point + 1]):
            f = face[i]
            x, y, z = 0.0, 0.0, 0.0
            for j in range(starts[point], starts[point + 1]):
                g = face[j]
                along = facets[f, 0] * facets[g, 0] + facets[f, 1] * facets[g, 1] + facets[f, 2] * facets[g, 2]
                if along >= least * length[f] * length[g]:
                    x, y, z = x + facets[g, 0], y + facets[g, 1], z + facets[g, 2]
            size = np.sqrt(x * x + y * y + z * z)
            if size > 0.0:
                result[f, corner[i], 0] = x / size
                result[f, corner[i], 1] = y / size
                result[f, corner[i], 2] = z / size
    return result
