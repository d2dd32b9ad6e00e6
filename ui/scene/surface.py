"""The boundary surface of a tetrahedral mesh, ready to be drawn: triangles, owners, vertices, normals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array, Selection
from engines.geometry.adjacency import boundary_faces, face_neighbours
from engines.geometry.mesh import TetMesh


@dataclass(frozen=True)
class Surface:
    """Triangles with the cells behind them.

    points:    (n, 3) float32 [mm]
    normals:   (n, 3) float32, unit, outward
    triangles: (m, 3) int32, counter-clockwise from outside
    owners:    (m,) int32, the cell that each triangle belongs to
    nodes:     (n,) int32, the mesh point of each vertex
    colours:   (n,) int32, row of the vertex's region in the sorted region ids. Vertices are doubled where regions
               meet, so that each is of one region and their colours stay crisp.
    """

    points: Array
    normals: Array
    triangles: Array
    owners: Array
    nodes: Array
    colours: Array


def surface(mesh: TetMesh) -> Surface:
    """The boundary of ``mesh`` with area-weighted vertex normals."""
    triangles, owners = boundary_faces(mesh.cells, face_neighbours(mesh.cells))
    return assemble(mesh, triangles, owners, point_normals(mesh.points, triangles))


def point_normals(points: Array, triangles: Array) -> Array:
    """Area-weighted unit normals at the points of a triangle mesh: (n_points, 3) float64 (zero off the mesh)."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    facet = np.cross(b - a, c - a)
    normals = np.stack(
        [np.bincount(triangles.ravel(), np.repeat(facet[:, k], 3), len(points)) for k in range(3)], axis=1
    )
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return normals / np.where(length > 0, length, 1.0)


def assemble(mesh: TetMesh, triangles: Array, owners: Array, normals: Array) -> Surface:
    """A drawable surface from triangles of mesh points; ``normals`` (n_points, 3) at the mesh points."""
    region_ids, region_rows = np.unique(mesh.regions, return_inverse=True)
    rows = np.repeat(region_rows[owners], 3)
    key = triangles.ravel().astype(np.int64) * len(region_ids) + rows
    vertices, corner = np.unique(key, return_inverse=True)
    nodes = vertices // len(region_ids)
    return Surface(
        points=mesh.points[nodes].astype(np.float32),
        normals=normals[nodes].astype(np.float32),
        triangles=corner.reshape(-1, 3).astype(np.int32),
        owners=owners,
        nodes=nodes.astype(np.int32),
        colours=(vertices % len(region_ids)).astype(np.int32),
    )


def cells_at(mesh: TetMesh, nodes: Array) -> Selection:
    """For each of ``nodes`` all the cells that touch it, as runs of a selection."""
    wanted = np.zeros(mesh.n_points, bool)
    wanted[nodes] = True
    # Few corners are on a surface; only those are sorted.
    corners = np.flatnonzero(wanted[mesh.cells.ravel()])
    point = mesh.cells.ravel()[corners]
    order = corners[np.argsort(point, kind="stable")]
    counts = np.bincount(point, minlength=mesh.n_points)
    starts = np.concatenate([[0], np.cumsum(counts)])
    lengths = counts[nodes]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    cells = order[np.repeat(starts[nodes], lengths) + within] // 4
    return Selection(cells.astype(np.int32), offsets.astype(np.int32))
