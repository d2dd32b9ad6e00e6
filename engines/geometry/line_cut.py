"""A straight line through a geometry: which elements its points take their values from, and with what weights.

Grids are interpolated linearly between the centres of cells, tetrahedra by barycentric coordinates between their
corners (a corner has the mean of the cells around it, or the value that stands there); a particle gives its own value,
or, where a field has one for each of its shells, that of the shell in which a point lies. Where values may not be mixed
(names, angles, times that have not come) each point takes that of the element it is in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, Selection
from engines.api.errors import ProblemError
from engines.geometry.grid import Grid
from engines.geometry.meshes.adjacency import cells_at
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.particles import Particles

POINTS = 201
"""Along a line through tetrahedra."""
LEAST, MOST = 101, 2001
"""Points along a line through a grid, of which each cell that it crosses has two, and through particles."""
MOST_ASKED = 1_000_000
"""Points that a person may ask for: some hundred megabytes."""
LONGEST_VECTOR = 3
"""Components of a field that are a vector, whose length is shown; more are the shells of a particle."""
GAP = 2.0
"""Radii from the centre of a particle: those of a cloud of points are half a mean distance."""
INSIDE = -1e-9
"""Barycentric coordinates down to this are within a cell: those of a point on a face are zero but for rounding."""
BLOCK = 1 << 22
"""Pairs of a point and a candidate that are looked at at once."""


@dataclass(frozen=True, eq=False)
class LineCut:
    """Of m points along a line: their ``distance: (m,)`` from its start, and which results of ``selection`` they mix:
    ``rows: (m, k)`` int with ``weights: (m, k)``, NaN outside of the geometry.

    ``depth: (m,)`` is how far from the centre of its particle, in radii, a point lies; None: no particles.
    """

    distance: Array
    selection: Selection
    rows: Array
    weights: Array
    depth: Array | None = None

    def values(self, gathered: Array) -> Array:
        """(m,) float64 of what :meth:`~engines.api.Simulation.gather` gave for ``selection``; vectors by length."""
        found = np.asarray(gathered, float)
        if found.ndim == 2 and found.shape[1] > LONGEST_VECTOR and self.depth is not None:
            shells = np.minimum((self.depth * found.shape[1]).astype(int), found.shape[1] - 1)
            return np.asarray(found[self.rows[:, 0], shells] * self.weights[:, 0])
        mixed = np.einsum("mk,mk...->m...", self.weights, found[self.rows])
        return mixed if mixed.ndim == 1 else np.asarray(np.linalg.norm(mixed, axis=1))


def line_through(
    geometry: Any, info: FieldInfo, start: Sequence[float], end: Sequence[float], count: int | None = None
) -> LineCut:
    """:func:`line_cut` as suits a field."""
    mixed, shells = not info.names and not info.cyclic and info.missing is None, info.components > LONGEST_VECTOR
    return line_cut(geometry, start, end, count=count, mixed=mixed, shells=shells)


def line_cut(
    geometry: Any,
    start: Sequence[float],
    end: Sequence[float],
    *,
    count: int | None = None,
    mixed: bool = True,
    shells: bool = False,
) -> LineCut:
    """From ``start`` to ``end`` [the geometry's unit of length] in ``count`` points (None: what resolves the elements).

    ``mixed``: values may be interpolated; ``shells``: those of a particle are of its shells.
    Raises ProblemError for a line without length, or one that meets nothing.
    """
    a, b = np.zeros(3), np.zeros(3)
    a[: len(start)], b[: len(end)] = start, end
    if isinstance(geometry, Grid) and geometry.dimensions == 2:
        a[2] = b[2] = geometry.origin[2]
    length = float(np.linalg.norm(b - a))
    if not length > 0 or not math.isfinite(length):
        raise ProblemError("A line needs two different points.")
    if count is not None and count < 2:
        raise ProblemError(f"A line of {count} points has no values along it: take 2 or more.")
    if count is not None and count > MOST_ASKED:
        raise ProblemError(f"A line has at most {MOST_ASKED:,} points, not {count:,}: take fewer.")
    share = np.linspace(0.0, 1.0, count or _count(geometry, length))
    points, distance = a + share[:, None] * (b - a), share * length
    if isinstance(geometry, Grid):
        found = _through_grid(geometry, points, distance, mixed)
    elif isinstance(geometry, TetMesh):
        found = _through_cells(geometry, points, distance, mixed)
    elif isinstance(geometry, Particles):
        found = _through_particles(geometry, points, distance, shells)
    else:
        raise ProblemError(f"There are no lines through a {type(geometry).__name__}.")
    if not np.isfinite(found.weights).all(axis=1).any():
        low, high = (", ".join(f"{x:.6g}" for x in corner) for corner in geometry.bounds)
        raise ProblemError(
            f"The line meets nothing: the geometry lies between ({low}) and ({high}) {geometry.length_unit}."
        )
    return found


def _count(geometry: Any, length: float) -> int:
    if isinstance(geometry, TetMesh):
        return POINTS
    size = min(geometry.spacing) if isinstance(geometry, Grid) else float(geometry.radii.min())
    return int(min(max(LEAST, 2 * math.ceil(length / size) + 1), MOST))


def _through_grid(grid: Grid, points: Array, distance: Array, mixed: bool) -> LineCut:
    """Between the outermost centres and the walls values are those of the outermost cells."""
    axes = range(grid.dimensions)
    low, high = grid.bounds
    slack = 1e-9 * (high - low)
    inside = ((points >= low - slack) & (points <= high + slack))[:, : grid.dimensions].all(axis=1)
    outside = np.where(inside, 0.0, np.nan)[:, None]
    if not mixed:
        return _of_elements(grid.nearest(points), distance, outside)
    lower, shares = [], []
    centers: Array
    for axis in axes:
        centers = grid.centers_along(axis)
        place = np.interp(points[:, axis], centers, np.arange(len(centers)))
        first = np.clip(np.floor(place).astype(np.int64), 0, max(0, len(centers) - 2))
        lower.append(first)
        shares.append(place - first)
    elements: list[Array] = []
    weights: list[Array] = []
    for corner in product((0, 1), repeat=grid.dimensions):
        index = [np.minimum(lower[axis] + corner[axis], grid.counts[axis] - 1) for axis in axes]
        elements.append(np.ravel_multi_index(tuple(index[::-1]), grid.shape))
        weights.append(np.prod([shares[axis] if corner[axis] else 1 - shares[axis] for axis in axes], axis=0))
    used, rows = np.unique(np.stack(elements, axis=1), return_inverse=True)
    weight = np.stack(weights, axis=1) + outside
    return LineCut(distance, Selection(used.astype(np.int32)), rows.reshape(weight.shape), weight)


def _through_cells(mesh: TetMesh, points: Array, distance: Array, mixed: bool) -> LineCut:
    """Points in no cell (a cavity) have no value."""
    cell, weights = _in_cells(mesh, points)
    outside = np.where(cell >= 0, 0.0, np.nan)[:, None]
    if not mixed:
        return _of_elements(np.maximum(cell, 0), distance, outside)
    nodes, rows = np.unique(mesh.cells[np.maximum(cell, 0)], return_inverse=True)
    return LineCut(distance, cells_at(mesh, nodes), rows.reshape(len(points), 4), weights + outside)


def _in_cells(mesh: TetMesh, points: Array) -> tuple[Array, Array]:
    """(m,) the cell that each point is in, -1: none; (m, 4) its barycentric coordinates there."""
    near = _near_line(mesh.centroids, _reach(mesh), points)
    corners = mesh.points[mesh.cells[near]]
    cell, weights = np.full(len(points), -1), np.zeros((len(points), 4))
    if not len(near):
        return cell, weights
    inverse = np.linalg.inv((corners[:, 1:] - corners[:, :1]).transpose(0, 2, 1))
    block = max(1, BLOCK // len(near))
    for first in range(0, len(points), block):
        offsets = points[first : first + block, None] - corners[None, :, 0]
        three = np.einsum("cij,pcj->pci", inverse, offsets)
        four = np.concatenate([1 - three.sum(axis=2, keepdims=True), three], axis=2)
        best = four.min(axis=2).argmax(axis=1)  # of two that share a face, either
        chosen = four[np.arange(len(best)), best]
        inside = chosen.min(axis=1) >= INSIDE
        cell[first : first + block] = np.where(inside, near[best], -1)
        weights[first : first + block] = chosen
    return cell, weights


def _reach(mesh: TetMesh) -> Array:
    """(n_cells,) how far a cell reaches from its centroid."""
    corners = mesh.points[mesh.cells] - mesh.centroids[:, None]
    return np.asarray(np.sqrt(np.einsum("nij,nij->ni", corners, corners).max(axis=1)))


def _near_line(centers: Array, reach: Array, points: Array) -> Array:
    """The elements that a line, which runs straight from the first to the last of ``points``, may meet."""
    a, along = points[0], points[-1] - points[0]
    offsets = centers - a
    share = np.clip(offsets @ along / (along @ along), 0.0, 1.0)
    away = offsets - share[:, None] * along
    return np.flatnonzero(np.einsum("ij,ij->i", away, away) <= (reach * (1 + 1e-9)) ** 2)


def _through_particles(particles: Particles, points: Array, distance: Array, shells: bool) -> LineCut:
    """Shells are met inside of particles alone. Else the nearest particle tells, up to ``GAP`` of its radii away: one
    beside a hole has no say in it."""
    radii, lattice = np.asarray(particles.radii, float), particles.cells is not None
    most = (1.0 if shells or lattice else GAP) + 1e-6
    near = _near_line(particles.positions, (math.sqrt(3) if lattice else most) * radii, points)
    element, depth = np.zeros(len(points), np.int64), np.full(len(points), np.inf)
    block = max(1, BLOCK // max(1, len(near)))
    flat = lattice and np.ptp(particles.positions[:, 2]) == 0  # the height of squares does not count
    for first in range(0, len(points) if len(near) else 0, block):
        offsets = (points[first : first + block, None] - particles.positions[near]) / radii[near, None]
        offsets = np.abs(offsets[:, :, :2] if flat else offsets)
        size = offsets.max(axis=2) if lattice else np.linalg.norm(offsets, axis=2)
        best = size.argmin(axis=1)
        element[first : first + block] = near[best]
        depth[first : first + block] = size[np.arange(len(best)), best]
    outside = np.where(depth <= most, 0.0, np.nan)[:, None]
    if not shells:
        return _of_elements(element, distance, outside)
    used, rows = np.unique(element, return_inverse=True)
    within = np.where(depth <= most, np.minimum(depth, 1.0), 0.0)
    return LineCut(distance, Selection(used.astype(np.int32)), rows.reshape(-1, 1), 1.0 + outside, within)


def _of_elements(elements: Array, distance: Array, outside: Array) -> LineCut:
    """Each point with the value of one element; the points in one are one, in their middle."""
    begins = np.flatnonzero(np.diff(elements, prepend=-1) | np.diff(np.isnan(outside[:, 0]), prepend=False))
    counts = np.diff(np.append(begins, len(elements)))
    middle = np.add.reduceat(distance, begins) / counts
    used, rows = np.unique(elements[begins], return_inverse=True)
    return LineCut(middle, Selection(used.astype(np.int32)), rows.reshape(-1, 1), 1.0 + outside[begins])
