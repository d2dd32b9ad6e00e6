"""The front inside the wall of a mesh: the surface where a field crosses a level, of the places where it just did.

Values are means over the cells at each point, taken on the device; the surface is found on the host by marching
tetrahedra. A mesh of more cells than a view has time for is made coarse: points are drawn together in a lattice, and
the cells that are left between four different points of it march.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engines.api import Array, Selection
from engines.geometry.meshes.adjacency import cells_at
from engines.geometry.meshes.mesh import CHUNK, TetMesh
from ui.scene.shapes.cut import EDGES, march

MOST_CELLS = 200_000
"""That a graphics card's machine marches through."""
FEW_CELLS = 60_000
"""The same where the processor draws, too."""
RECENT_WIDTHS = 5.0
"""The front passed at most so many of its widths ago; what crosses the level later is the other end of the wave."""
CELLS_OF_A_CUBE = 6
ROUNDS = 8


@dataclass(frozen=True)
class Inside:
    """points: (n, 3) float64 [mm]; cells: (m, 4) int32; around: the cells whose mean stands at each point, as runs."""

    points: Array
    cells: Array
    around: Selection

    @cached_property
    def some(self) -> Selection:
        """Two of these cells for each point (2 n), whose times are asked for: a mean over cells of which some have been
        reached again and some not says nothing."""
        assert self.around.offsets is not None
        begin, end = self.around.offsets[:-1], self.around.offsets[1:]
        last = np.maximum(len(self.around.elements) - 1, 0)  # points without cells are in nobody's way
        pairs = np.stack([np.minimum(begin, last), np.minimum((begin + end) // 2, last)], axis=1)
        return Selection(self.around.elements[pairs.ravel()])


@dataclass(frozen=True)
class FrontSurface:
    """points, normals: (n, 3) float32; triangles: (m, 3) int32, facing where the field is above the level."""

    points: Array
    normals: Array
    triangles: Array


def inside_of(mesh: TetMesh, most: int) -> Inside:
    """What to march through: the mesh itself, or about ``most`` cells that stand for it."""
    if mesh.n_cells <= most:
        return Inside(mesh.points, mesh.cells, cells_at(mesh, np.arange(mesh.n_points)))
    width = (CELLS_OF_A_CUBE * float(mesh.volumes.sum()) / most) ** (1 / 3)
    for _ in range(ROUNDS):
        place = _lattice(mesh.points, width)
        cells = _between_four(mesh.cells, place)
        if len(cells) <= most:
            break
        width *= 1.05 * (len(cells) / most) ** (1 / 3)
    points, nodes = _stand_ins(mesh.points, place)
    return Inside(points, cells, cells_at(mesh, nodes))


def front_surface(inside: Inside, levels: Array, times: Array, since: float) -> FrontSurface:
    """Where ``levels: (n,)``, the field less its level, cross zero in cells with one of ``times: (2 n,)``, those of
    :attr:`Inside.some`, after ``since``."""
    recent = _near(times.reshape(-1, 2).max(axis=1) >= since, inside.cells)
    return crossing(inside, levels, recent)


def crossing(inside: Inside, levels: Array, wanted: Array | None = None) -> FrontSurface:
    """Where ``levels: (n,)`` cross zero in cells with one of the points that are ``wanted: (n,)``, or in all of them.

    Cells with a point without a value (NaN) have no part in it.
    """
    keys, owners = march(inside.cells, levels, EDGES)
    edges, corners = np.unique(keys, return_inverse=True)
    low, high = edges // len(levels), edges % len(levels)
    with np.errstate(invalid="ignore"):  # next to points without a value, whose triangles go below
        share = (levels[low] / (levels[low] - levels[high]))[:, None]
        points = inside.points[low] * (1 - share) + inside.points[high] * share
    triangles = corners.reshape(-1, 3)
    around = inside.cells[owners]
    kept = np.isfinite(levels)[around].all(axis=1)
    if wanted is not None:
        kept &= wanted[around].any(axis=1)
    triangles, owners = triangles[kept], owners[kept]
    used, triangles = np.unique(triangles, return_inverse=True)
    triangles = triangles.reshape(-1, 3).astype(np.int32)
    points = points[used]
    facets = np.cross(
        points[triangles[:, 1]] - points[triangles[:, 0]], points[triangles[:, 2]] - points[triangles[:, 0]]
    )
    turned = np.einsum("ij,ij->i", facets, _upwards(inside, levels, owners)) < 0
    triangles[turned] = triangles[turned][:, ::-1]
    facets[turned] *= -1
    normals = np.stack(
        [np.bincount(triangles.ravel(), np.repeat(facets[:, k], 3), len(points)) for k in range(3)], axis=1
    )
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    return FrontSurface(points.astype(np.float32), normals.astype(np.float32), triangles)


def _near(points: Array, cells: Array) -> Array:
    """(n,) bool: these points and those that share a cell with one of them."""
    near = points.copy()
    near[cells[points[cells].any(axis=1)]] = True
    return near


def _upwards(inside: Inside, levels: Array, cells: Array) -> Array:
    """(len(cells), 3): from the points of a cell below zero to those that are not."""
    corners = inside.cells[cells]
    above = levels[corners] >= 0
    weights = above / np.maximum(above.sum(axis=1, keepdims=True), 1)
    weights = weights - ~above / np.maximum((~above).sum(axis=1, keepdims=True), 1)
    return np.einsum("ij,ijk->ik", weights, inside.points[corners])


def _lattice(points: Array, width: float) -> Array:
    """(n_points,) int32: which box of a lattice each point is in, numbered without gaps."""
    box = ((points - points.min(axis=0)) / width).astype(np.int64)
    counts = box.max(axis=0) + 1
    _, place = np.unique((box[:, 0] * counts[1] + box[:, 1]) * counts[2] + box[:, 2], return_inverse=True)
    return place.astype(np.int32)


def _between_four(cells: Array, place: Array) -> Array:
    """(m, 4) int32: the cells whose points are in four different boxes, each once."""
    found = [np.zeros((0, 4), np.int32)]
    for begin in range(0, len(cells), CHUNK):
        corners = np.sort(place[cells[begin : begin + CHUNK]], axis=1)
        apart = (np.diff(corners, axis=1) > 0).all(axis=1)
        found.append(np.unique(corners[apart], axis=0))
    return np.unique(np.concatenate(found), axis=0).astype(np.int32)


def _stand_ins(points: Array, place: Array) -> tuple[Array, Array]:
    """The middle of the points in each box, and the point nearest to it."""
    counts = np.bincount(place)
    middles = np.stack([np.bincount(place, points[:, k]) for k in range(3)], axis=1) / counts[:, None]
    away = points - middles[place]
    order = np.lexsort((np.einsum("ij,ij->i", away, away), place))
    firsts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return middles, order[firsts].astype(np.int32)
