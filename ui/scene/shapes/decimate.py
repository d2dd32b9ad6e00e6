"""Fewer triangles for software renderers: edge collapses that keep a subset of the vertices.

Quadric error metrics (Garland and Heckbert 1997), collapsing a vertex into one of its neighbours, so that every
vertex left is a mesh point with cells around it, and values need no interpolation. Walls that are close but
not connected stay apart, which clustering in a grid would not ensure.
"""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np

from engines.api import Array
from engines.geometry.meshes.mesh import TetMesh
from ui.scene.shapes.surface import Surface, assemble


def coarse_surface(
    mesh: TetMesh, full: Surface, target: int, cancelled: Callable[[], bool] = lambda: False
) -> Surface | None:
    """A surface of about ``target`` triangles. None if ``cancelled`` said so on the way."""
    triangles = full.nodes[full.triangles]
    kept, rows = decimate(mesh.points, triangles, target, cancelled)
    if cancelled():
        return None
    return assemble(mesh, kept, full.owners[rows])


def decimate(
    points: Array, triangles: Array, target: int, cancelled: Callable[[], bool] = lambda: False
) -> tuple[Array, Array]:
    """Triangles (m, 3) int32 of the same points, m near ``target``, and the input row of each (m,) int64."""
    used, local = np.unique(triangles, return_inverse=True)
    position = np.ascontiguousarray(points[used], np.float64)
    faces = local.reshape(-1, 3).astype(np.int32)
    rows = np.arange(len(faces))
    quadrics = _quadrics(position, faces)
    while len(faces) > target and not cancelled():
        before = len(faces)
        first, second, cost = _candidates(position, faces, quadrics)
        order = np.argsort(cost, kind="stable")
        # Cheapest third only in each round: later rounds know the costs after the earlier collapses.
        order = order[: max(len(order) // 3, 16)]
        starts, incident = _incidence(faces, len(position))
        _collapse(position, faces, quadrics, first[order], second[order], starts, incident, before - target)
        alive = faces[:, 0] != faces[:, 1]
        faces, rows = np.ascontiguousarray(faces[alive]), rows[alive]
        if len(faces) > 0.995 * before:
            break
    return used[faces].astype(np.int32), rows


def _candidates(position: Array, faces: Array, quadrics: Array) -> tuple[Array, Array, Array]:
    """Edges as (vertex to remove, vertex to keep), the cheaper way round, and the cost of each."""
    edges = np.unique(np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    a, b = edges.T
    both = quadrics[a] + quadrics[b]
    cost_a, cost_b = _error(both, position[b]), _error(both, position[a])
    flip = cost_b < cost_a
    # A little of the length keeps triangles even where the surface is flat.
    length = np.sum((position[a] - position[b]) ** 2, axis=1)
    cost = np.minimum(cost_a, cost_b) + 1e-3 * length**2
    return np.where(flip, b, a), np.where(flip, a, b), cost


def _error(quadric: Array, at: Array) -> Array:
    homogeneous = np.concatenate([at, np.ones((len(at), 1))], axis=1)
    return np.einsum("ni,nij,nj->n", homogeneous, quadric, homogeneous)


def _quadrics(position: Array, faces: Array) -> Array:
    """(n, 4, 4): area-weighted squared distance to the planes around each vertex."""
    a, b, c = (position[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = normal / np.maximum(area, 1e-300)
    plane = np.concatenate([normal, -np.sum(normal * a, axis=1, keepdims=True)], axis=1)
    outer = area[:, :, None] * plane[:, :, None] * plane[:, None, :]
    total = np.zeros((len(position), 4, 4))
    for k in range(3):
        np.add.at(total, faces[:, k], outer)
    return total


def _incidence(faces: Array, count: int) -> tuple[Array, Array]:
    """Faces at each vertex: starts (count + 1,), rows."""
    order = np.argsort(faces.ravel(), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(faces.ravel(), minlength=count))])
    return starts, order // 3


@numba.njit(cache=True, nogil=True)
def _collapse(
    position: Array,
    faces: Array,
    quadrics: Array,
    remove: Array,
    keep: Array,
    starts: Array,
    incident: Array,
    budget: int,
) -> None:
    """Collapse edges in order where no neighbour was touched in this round, until ``budget`` faces are gone."""
    touched = np.zeros(len(position), np.bool_)
    gone = 0
    for e in range(len(remove)):
        if gone >= budget:
            return
        u, v = remove[e], keep[e]
        if touched[u] or touched[v] or not _allowed(position, faces, u, v, starts, incident):
            continue
        for i in range(starts[u], starts[u + 1]):
            face = incident[i]
            holds = False
            for k in range(3):
                touched[faces[face, k]] = True
                holds = holds or faces[face, k] == v
            if holds:
                faces[face, 0] = faces[face, 1] = faces[face, 2] = v
                gone += 1
            else:
                for k in range(3):
                    if faces[face, k] == u:
                        faces[face, k] = v
        for i in range(starts[v], starts[v + 1]):
            face = incident[i]
            for k in range(3):
                touched[faces[face, k]] = True
        touched[u] = True
        touched[v] = True
        quadrics[v] += quadrics[u]


@numba.njit(cache=True, nogil=True)
def _allowed(position: Array, faces: Array, u: int, v: int, starts: Array, incident: Array) -> bool:
    """No triangle turns over or gets thin, and the two ends share exactly two neighbours (the surface stays one)."""
    shared = 0
    for i in range(starts[u], starts[u + 1]):
        face = incident[i]
        a, b, c = faces[face, 0], faces[face, 1], faces[face, 2]
        if a == v or b == v or c == v:
            continue
        old = np.cross(position[b] - position[a], position[c] - position[a])
        pa = position[v] if a == u else position[a]
        pb = position[v] if b == u else position[b]
        pc = position[v] if c == u else position[c]
        new = np.cross(pb - pa, pc - pa)
        area_old, area_new = np.sqrt(np.sum(old * old)), np.sqrt(np.sum(new * new))
        longest = max(np.sum((pb - pa) ** 2), max(np.sum((pc - pb) ** 2), np.sum((pa - pc) ** 2)))
        if area_new < 0.12 * longest or np.sum(old * new) < 0.5 * area_old * area_new:
            return False
    neighbours = np.empty(64, np.int64)
    count = 0
    for i in range(starts[u], starts[u + 1]):
        for k in range(3):
            w = faces[incident[i], k]
            known = w == u
            for j in range(count):
                known = known or neighbours[j] == w
            if not known and count < 64:
                neighbours[count] = w
                count += 1
    for j in range(count):
        w = neighbours[j]
        if w == v:
            continue
        adjacent = False
        for i in range(starts[v], starts[v + 1]):
            for k in range(3):
                adjacent = adjacent or faces[incident[i], k] == w
        shared += adjacent
    return shared == 2
