"""Subpixel smoothing: the permittivity of edges near interfaces that do not follow cell walls.

The field of an edge stands for a voxel of one cell's size around its middle. With the means over the voxel and the unit
normal n of the interface in it, the edge along axis c gets (Farjadpour et al., doi 10.1364/OL.31.002972; Kottke et al.,
doi 10.1103/PhysRevE.77.036611)

    1/ε = n_c² ⟨1/ε⟩ + (1 − n_c²)/⟨ε⟩

which is the diagonal of their inverse tensor; its off-diagonal terms, which couple D of one axis to E of another, stand
at nodes (:mod:`nodes`, :mod:`tensor`).

Means are of points on a lattice that repeats in each cell, so that every voxel, wherever between cells, holds the same
number; only cells beside an interface are sampled. n is the direction of the first moment of ε in a ball of a cell's
radius. Values between materials are rounded to 13 significant bits (2⁻¹³ of the value), so that there are at most 4,096
per octave. Edges whose voxel touches a conductor, a lossy or a dispersive material keep the mean over four cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from engines.api import Array
from engines.backend.threads import parallel_region, usable_cores
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Medium, SmoothedEdges
from engines.fdtd.media.smoothing import kernels as kernels
from engines.fdtd.media.smoothing.nodes import node_terms
from engines.fdtd.media.solids.shapes import Shape

POINTS = 128
GENERATOR = (1, 9, 41)
"""Of the rank-1 lattice of POINTS points whose shortest vector is longest (0.21 of a cell)."""
CHUNK = 8192
"""Cells that are sampled at once: 25 MB of points."""


def smoothed_edges(
    yee: Yee, axes: Sequence[Axis], cells: Array, media: Sequence[Medium], solids: Sequence[tuple[int, Shape]]
) -> SmoothedEdges:
    """cells: (nz, ny, nx) uint8 materials; solids: (material, shape), of which later ones lie over earlier ones."""
    wraps, walls = np.array([axis.wraps for axis in axes]), np.array([axis.walls for axis in axes])
    nz, ny, _ = cells.shape
    starts = np.zeros(nz * ny + 1, np.int64)
    with parallel_region():
        kernels.find_mixed(cells, wraps, starts, np.zeros(0, np.int32))
        np.cumsum(starts, out=starts)
        found = np.zeros(starts[-1], np.int32)
        if not found.size:
            return SmoothedEdges(np.zeros(0, np.int64), np.zeros(0))
        kernels.find_mixed(cells, wraps, starts, found)
    rows = np.repeat(np.arange(nz * ny), np.diff(starts))
    samples = _sampled(yee, rows // ny, rows % ny, found, solids)
    stencil = _stencil()
    eps = np.array([[medium.along(axis)[0] for axis in range(3)] for medium in media]).round(12)
    allowed = np.array([medium.smooth for medium in media])
    sizes = np.ones((3, max(yee.counts)))
    for d, count in enumerate(yee.counts):
        sizes[d, :count] = np.diff(yee.nodes(d)) / yee.smallest
    filled = kernels.Filled(cells, samples, eps, allowed, sizes, wraps)
    offsets = np.zeros(nz + 2, np.int64)

    def edges(places: Array, values: Array) -> None:
        kernels.effective_edges(filled, stencil, starts, found, walls, yee.row, offsets, places, values)

    with parallel_region():
        edges(np.zeros(0, np.int64), np.zeros(0))
        np.cumsum(offsets, out=offsets)
        places, values = np.zeros(offsets[-1], np.int64), np.zeros(offsets[-1])
        if places.size:
            edges(places, values)
    known = np.isfinite(values)
    mixed = (rows // ny, rows % ny, found.astype(np.int64))
    return SmoothedEdges(places[known], values[known], node_terms(yee, axes, cells, media, mixed, samples, _lattice()))


def _lattice() -> Array:
    """(POINTS, 3) in the unit cell."""
    return np.asarray((np.outer(np.arange(POINTS) + 0.5, GENERATOR) / POINTS) % 1.0)


def _sampled(yee: Yee, k: Array, j: Array, i: Array, solids: Sequence[tuple[int, Shape]]) -> Array:
    """(cells, POINTS) uint8: materials at the points of the cells (k, j, i)."""
    samples = np.zeros((len(i), POINTS), np.uint8)
    lattice = _lattice()
    nodes = [
        np.full(2, yee.nodes(axis).mean()) if yee.flat[axis] else yee.nodes(axis) for axis in range(3)
    ]  # what is flat is a cut

    def sample(first: int) -> None:
        part = slice(first, first + CHUNK)
        at = [each[part] for each in (i, j, k)]
        low = np.stack([x[n] for x, n in zip(nodes, at, strict=True)])
        high = np.stack([x[n + 1] for x, n in zip(nodes, at, strict=True)])
        points = low[:, :, None] + (high - low)[:, :, None] * lattice.T[:, None, :]  # (3, cells, points)
        for material, shape in solids:
            touched = np.all(
                [(low[d] <= shape.high[d]) & (high[d] >= shape.low[d]) for d in range(3)], axis=0
            )  # fmt: skip
            if touched.all():
                inside = shape.contains(points.reshape(3, -1).T).reshape(-1, POINTS)
                samples[part][inside] = material
            elif touched.any():
                inside = shape.contains(points[:, touched].reshape(3, -1).T).reshape(-1, POINTS)
                chosen = samples[part][touched]
                chosen[inside] = material
                samples[part][touched] = chosen

    with ThreadPoolExecutor(usable_cores()) as pool:
        list(pool.map(sample, range(0, len(i), CHUNK)))
    return samples


@cache
def _stencil() -> kernels.Stencil:
    """Distances are in cells along each axis; the ball's weight falls as 1 − r²: the moment's direction is then that of
    the normal of any plane, and depends little on single points."""
    lattice = _lattice()
    boxes = np.zeros((3, 12, 3), np.int64)
    ranges = {name: np.zeros((3, 12, 2), np.int64) for name in ("voxel", "ball")}
    points: dict[str, list[Array]] = {"voxel": [], "ball": []}
    weights: list[Array] = []
    for c in range(3):
        steps = [(-1, 0, 1) if d == c else (-1, 0) for d in range(3)]
        around = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 3)
        around = around[np.argsort(np.abs(around[:, c]), kind="stable")]  # the cells of the voxel first
        for q, box in enumerate(around):
            away = box + lattice - 0.5 * (np.arange(3) == c)
            squared = (away**2).sum(axis=1)
            chosen = {"voxel": (away >= -0.5).all(axis=1) & (away < 0.5).all(axis=1), "ball": squared < 1}
            boxes[c, q] = box
            for name, taken in chosen.items():
                before = sum(map(len, points[name]))
                points[name].append(np.flatnonzero(taken))
                ranges[name][c, q] = before, before + taken.sum()
            ball = points["ball"][-1]
            weights.append(away[ball] * (1 - squared[ball])[:, None])
    joined = np.concatenate(weights)
    for c in range(3):
        # what is the same everywhere has no moment
        first, last = ranges["ball"][c, 0, 0], ranges["ball"][c, -1, 1]
        joined[first:last] -= joined[first:last].mean(axis=0)
    return kernels.Stencil(
        boxes, ranges["voxel"], np.concatenate(points["voxel"]), ranges["ball"], np.concatenate(points["ball"]), joined
    )
