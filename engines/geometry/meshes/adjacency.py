"""Which tetrahedra share a face.

Local face ``k`` of a tetrahedron is the one opposite its vertex ``k``. Faces are matched inside buckets of
equal smallest vertex: a counting sort instead of a comparison sort of all faces, so that ten million
tetrahedra take seconds and one extra int32 per face.
"""

from __future__ import annotations

import numba as nb
import numpy as np

from engines.api import Array, Selection
from engines.api.errors import MeshError
from engines.backend.fields.rows import extremes
from engines.backend.threads import in_parts
from engines.geometry.meshes.mesh import TetMesh

MANY = 1000
"""Faces at one point, of which each is compared with each: a point of a good mesh has some fifty."""
BOUNDARY = -1
"""What stands for "no neighbour" in :func:`face_neighbours`."""

_OTHER_VERTICES = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])


def face_neighbours(cells: Array) -> Array:
    """The cell across each face.

    ``cells``: (n_cells, 4) integer vertex indices. Returns (n_cells, 4) int32: ``[i, k]`` is the cell that
    shares the face of cell i opposite its vertex k, or :data:`BOUNDARY`.
    Raises MeshError if three or more cells share a face, or two cells have the same vertices.
    """
    cells = np.ascontiguousarray(cells, dtype=np.int32)
    if len(cells) == 0:
        return np.empty((0, 4), np.int32)
    lowest, highest = extremes(cells)
    if lowest < 0:
        cell = int(np.argmin(cells.min(axis=1)))
        raise MeshError(f"Cell {cell} has a negative vertex index; vertices are numbered from 0.")
    starts = _bucket_starts(cells, int(highest) + 1)
    faces = _fill_buckets(cells, starts)
    neighbours = np.full((len(cells), 4), BOUNDARY, np.int32)
    problem = max(_match(len(starts) - 1, cells, starts, faces, neighbours))
    for point in np.flatnonzero(np.diff(starts) > MANY):  # of few meshes: a sort compiles as long as all the rest
        problem = max(problem, _match_sorted(cells, faces[starts[point] : starts[point + 1]], neighbours))
    if problem >= 0:
        cell, k = divmod(int(problem), 4)
        corner = cells[cell, _OTHER_VERTICES[k]].tolist()
        if len(set(cells[cell].tolist())) < 4:
            raise MeshError(f"Cell {cell} uses a vertex twice; remove the cells without volume from the mesh.")
        raise MeshError(
            f"More than two cells share the face with vertices {corner} (one of them is cell {cell}); "
            "remove duplicate or overlapping cells from the mesh."
        )
    twin = _twin(neighbours)
    if twin >= 0:
        # two common faces: all four vertices in common
        values, counts = np.unique(neighbours[twin][neighbours[twin] >= 0], return_counts=True)
        other = int(values[counts > 1][0])
        raise MeshError(f"Cells {twin} and {other} have the same four vertices; remove one of them from the mesh.")
    return neighbours


def boundary_faces(cells: Array, neighbours: Array) -> tuple[Array, Array]:
    """Outer surface: ``(triangles, owners)``.

    triangles: (n, 3) int32 vertex indices, normals pointing outwards for positively oriented cells;
    owners: (n,) int32, the cell behind each triangle.
    """
    owner, k = np.nonzero(neighbours == BOUNDARY)
    # the vertex order of a positive tetrahedron seen from outside, for the face opposite each vertex
    outward = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
    triangles = cells[owner[:, None], outward[k]]
    return triangles.astype(np.int32), owner.astype(np.int32)


@nb.njit(cache=True, nogil=True, inline="always")
def _sorted_face(cells, cell, k):
    a = cells[cell, 1 if k == 0 else 0]
    b = cells[cell, 2 if k <= 1 else 1]
    c = cells[cell, 2 if k == 3 else 3]
    low, high = min(a, b, c), max(a, b, c)
    return low, a + b + c - low - high, high


@nb.njit(cache=True, nogil=True)
def _bucket_starts(cells, n_points):
    starts = np.zeros(n_points + 1, np.int64)
    for cell in range(len(cells)):
        for k in range(4):
            starts[_sorted_face(cells, cell, k)[0] + 1] += 1
    for point in range(n_points):
        starts[point + 1] += starts[point]
    return starts


@nb.njit(cache=True, nogil=True)
def _fill_buckets(cells, starts):
    """Face numbers ``4 * cell + k`` grouped by smallest vertex."""
    place = starts[:-1].copy()
    faces = np.empty(4 * len(cells), np.uint32)
    for cell in range(len(cells)):
        for k in range(4):
            point = _sorted_face(cells, cell, k)[0]
            faces[place[point]] = 4 * cell + k
            place[point] += 1
    return faces


@nb.njit(cache=True, nogil=True)
def _match_sorted(cells, faces, neighbours):
    """As :func:`_match` for the faces of one point, by their other two."""
    keys = np.empty(len(faces), np.int64)
    problem = np.int64(-1)
    for p in range(len(faces)):
        a, b, c = _sorted_face(cells, faces[p] // 4, faces[p] % 4)
        keys[p] = np.int64(b) << 32 | np.int64(c)
        if a == b or b == c:
            problem = np.int64(faces[p])
    order = np.argsort(keys, kind="mergesort")  # the other takes long over what is in some order already
    for p in range(len(faces) - 1):
        if keys[order[p]] == keys[order[p + 1]]:
            one, other = faces[order[p]], faces[order[p + 1]]
            if neighbours[one // 4, one % 4] != -1 or one // 4 == other // 4:
                problem = np.int64(other)
            neighbours[one // 4, one % 4] = other // 4
            neighbours[other // 4, other % 4] = one // 4
    return problem


@in_parts
@nb.njit(cache=True, nogil=True)
def _match(first, last, cells, starts, faces, neighbours):
    """Pair equal faces of the points from ``first`` to ``last`` that have no more than MANY; returns a face that a
    third cell shares or that is degenerate, else -1."""
    problem = np.int64(-1)
    for point in range(first, last):
        end, found = starts[point + 1], np.int64(-1)
        if end - starts[point] > MANY:
            continue
        for p in range(starts[point], end):
            cell_p, k_p = faces[p] // 4, faces[p] % 4
            a, b, c = _sorted_face(cells, cell_p, k_p)
            if a == b or b == c:
                found = np.int64(faces[p])
            for q in range(p + 1, end):
                cell_q, k_q = faces[q] // 4, faces[q] % 4
                _, e, f = _sorted_face(cells, cell_q, k_q)
                if e == b and f == c:
                    if neighbours[cell_p, k_p] != -1 or neighbours[cell_q, k_q] != -1 or cell_p == cell_q:
                        found = np.int64(faces[q])
                    neighbours[cell_p, k_p] = cell_q
                    neighbours[cell_q, k_q] = cell_p
        problem = max(problem, found)
    return problem


@nb.njit(cache=True, nogil=True)
def _twin(neighbours):
    """The first cell that has another one as neighbour twice, or -1."""
    for i in range(len(neighbours)):
        for k in range(3):
            for m in range(k + 1, 4):
                if neighbours[i, k] >= 0 and neighbours[i, k] == neighbours[i, m]:
                    return i
    return -1


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
    # a point of no cell has no value
    points = nodes.astype(np.int32) if (lengths > 0).all() else None
    return Selection(cells.astype(np.int32), offsets.astype(np.int32), points)
