"""The surface in a box of samples where their values cross a level: one vertex in each cube that it passes, in the
middle of where the cube's edges cross it (surface nets: Gibson 1998), and a quadrilateral around each of those edges.

Where the surface leaves the box it stays open.
"""

from __future__ import annotations

import numba
import numpy as np

from engines.api import Array
from ui.scene.shapes.inside import FrontSurface


def level_surface(values: Array, level: float, axes: tuple[Array, Array, Array], most: int) -> FrontSurface:
    """Where ``values: (nz, ny, nx) float32`` are ``level``; ``axes``: where the samples are along x, y, z. What is no
    number counts as below. Of more than ``most`` triangles it is found among every second of the samples."""
    values = np.array(values, np.float32, order="C")  # one kind of array, for which the kernel is compiled
    points, triangles = _net(values, np.float32(level))
    while len(triangles) > most and min(values.shape) > 2:  # noise, or a surface that fills the box
        axes = (axes[0][::2], axes[1][::2], axes[2][::2])
        values = np.ascontiguousarray(values[::2, ::2, ::2])
        points, triangles = _net(values, np.float32(level))
    placed = np.empty_like(points)
    for k, along in enumerate(axes):
        placed[:, k] = np.interp(points[:, k], np.arange(len(along)), along)
    return FrontSurface(placed, _normals(placed, triangles), triangles)


@numba.njit(cache=True, nogil=True)
def _net(values: Array, level: float) -> tuple[Array, Array]:
    """Vertices (n, 3) float32 by the number of the sample along x, y, z, and triangles (m, 3) int32."""
    nz, ny, nx = values.shape
    vertex = np.full((nz, ny, nx), -1, np.int32)
    count, quads = 0, 0
    for z in range(nz):
        for y in range(ny):
            for x in range(nx):
                here = values[z, y, x] >= level
                cube = False
                if z < nz - 1 and y < ny - 1 and x < nx - 1:
                    for corner in range(1, 8):
                        there = values[z + (corner >> 2), y + (corner >> 1 & 1), x + (corner & 1)] >= level
                        cube = cube or there != here
                if cube:
                    vertex[z, y, x] = count
                    count += 1
                quads += x < nx - 1 and y > 0 and z > 0 and (values[z, y, min(x + 1, nx - 1)] >= level) != here
                quads += y < ny - 1 and x > 0 and z > 0 and (values[z, min(y + 1, ny - 1), x] >= level) != here
                quads += z < nz - 1 and x > 0 and y > 0 and (values[min(z + 1, nz - 1), y, x] >= level) != here
    points = np.empty((count, 3), np.float32)
    triangles = np.empty((2 * quads, 3), np.int32)
    m = 0
    for z in range(nz):
        for y in range(ny):
            for x in range(nx):
                if vertex[z, y, x] >= 0:
                    _middle(values, level, z, y, x, points[vertex[z, y, x]])
                here = values[z, y, x] >= level
                for axis in range(3):  # along z, y, x
                    dz, dy, dx = int(axis == 0), int(axis == 1), int(axis == 2)
                    if z + dz >= nz or y + dy >= ny or x + dx >= nx:
                        continue
                    if (values[z + dz, y + dy, x + dx] >= level) == here:
                        continue
                    # The four cubes around this edge, in the order that faces what is above.
                    uz, uy, ux = (1, 0, 0) if axis == 2 else (0, 1, 0) if axis == 0 else (0, 0, 1)
                    vz, vy, vx = (1, 0, 0) if axis == 1 else (0, 1, 0) if axis == 2 else (0, 0, 1)
                    if not here:
                        uz, uy, ux, vz, vy, vx = vz, vy, vx, uz, uy, ux
                    if z - uz - vz < 0 or y - uy - vy < 0 or x - ux - vx < 0:
                        continue
                    a, b = vertex[z, y, x], vertex[z - uz, y - uy, x - ux]
                    c, d = vertex[z - uz - vz, y - uy - vy, x - ux - vx], vertex[z - vz, y - vy, x - vx]
                    if a < 0 or b < 0 or c < 0 or d < 0:
                        continue
                    triangles[m, 0], triangles[m, 1], triangles[m, 2] = a, b, c
                    triangles[m + 1, 0], triangles[m + 1, 1], triangles[m + 1, 2] = a, c, d
                    m += 2
    return points, triangles[:m]


@numba.njit(cache=True, nogil=True)
def _middle(values: Array, level: float, z: int, y: int, x: int, point: Array) -> None:
    """Of the places where the edges of a cube cross the level."""
    found = 0
    point[:] = 0
    for corner in range(8):
        cz, cy, cx = corner >> 2, corner >> 1 & 1, corner & 1
        one = values[z + cz, y + cy, x + cx]
        for axis in range(3):
            ez, ey, ex = int(axis == 0), int(axis == 1), int(axis == 2)
            if cz + ez > 1 or cy + ey > 1 or cx + ex > 1:
                continue
            other = values[z + cz + ez, y + cy + ey, x + cx + ex]
            if (one >= level) != (other >= level):
                share = (level - one) / (other - one)
                if not 0.0 <= share <= 1.0:  # one of them is no number, or infinite: the surface is at the other
                    share = 1.0 if np.isfinite(other) else 0.0
                point[0] += x + cx + share * ex
                point[1] += y + cy + share * ey
                point[2] += z + cz + share * ez
                found += 1
    point /= found


@numba.njit(cache=True, nogil=True)
def _normals(points: Array, triangles: Array) -> Array:
    """(n, 3) float32: means over the triangles at each vertex, by their areas."""
    normals = np.zeros_like(points)
    facet = np.empty(3, np.float32)
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            facet[k] = (points[b, i] - points[a, i]) * (points[c, j] - points[a, j]) - (points[b, j] - points[a, j]) * (
                points[c, i] - points[a, i]
            )
        for k in range(3):
            normals[a, k] += facet[k]
            normals[b, k] += facet[k]
            normals[c, k] += facet[k]
    for v in range(len(points)):
        size = np.sqrt(normals[v, 0] ** 2 + normals[v, 1] ** 2 + normals[v, 2] ** 2)
        if size > 0:
            normals[v] /= size
    return normals
