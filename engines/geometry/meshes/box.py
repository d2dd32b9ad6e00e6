"""Tetrahedral meshes of a box, for benchmarks, slabs and convergence studies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.geometry.meshes.mesh import TetMesh

# Kuhn's six tetrahedra of the unit cube: each walks from corner 000 to 111 along one order of the axes.
_AXIS_ORDERS = ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2))


def box_mesh(
    counts: Sequence[int],
    size: Sequence[float],
    *,
    jitter: float = 0.0,
    seed: int = 0,
    fibre: Sequence[float] | None = (1.0, 0.0, 0.0),
) -> TetMesh:
    """A box of ``counts`` cubes, each cut into six tetrahedra.

    ``size`` [mm]; ``jitter`` moves the inner points by up to that share of the spacing, uniformly, so
    that the mesh is no longer regular (0.2 keeps all tetrahedra positively oriented); ``fibre`` is the
    direction everywhere, None for an isotropic mesh. The region is called "tissue".
    """
    nx, ny, nz = counts
    spacing = np.asarray(size, float) / np.asarray(counts, float)
    grid = np.stack(np.meshgrid(*(np.arange(n + 1) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    points = grid * spacing
    if jitter:
        inner = ((grid > 0) & (grid < np.asarray(counts))).all(axis=1)
        shift = np.random.default_rng(seed).uniform(-jitter, jitter, (int(inner.sum()), 3))
        points[inner] += shift * spacing
    strides = np.array([(ny + 1) * (nz + 1), nz + 1, 1], np.int64)
    corner = np.stack(np.meshgrid(np.arange(nx), np.arange(ny), np.arange(nz), indexing="ij"), axis=-1)
    origin = (corner.reshape(-1, 3) @ strides).astype(np.int32)
    cells = np.empty((len(origin), 6, 4), np.int32)
    for k, order in enumerate(_AXIS_ORDERS):
        walk = np.concatenate([[0], np.cumsum(strides[list(order)])])
        if k >= 3:  # odd permutations are mirrored: swap two points to keep the orientation positive
            walk = walk[[0, 2, 1, 3]]
        cells[:, k, :] = origin[:, None] + walk.astype(np.int32)
    count = cells.shape[0] * 6
    return TetMesh(
        points=points,
        cells=cells.reshape(count, 4),
        regions=np.zeros(count, np.int32),
        region_names={0: "tissue"},
        fibres=_uniform(fibre, count),
    )


def _uniform(direction: Sequence[float] | None, count: int) -> Array | None:
    if direction is None:
        return None
    unit = np.asarray(direction, np.float32) / np.linalg.norm(direction)
    return np.tile(unit.astype(np.float32), (count, 1))
