"""Off-diagonal terms of 1/ε at nodes near interfaces: n_a n_b (⟨1/ε⟩ − 1/⟨ε⟩) of the voxel around a node.

The eight cells around a node hold its voxel and, for the normal n, a ball of a cell's radius, with the points of
:mod:`smoothing`. Nodes whose voxel touches a conductor, a loss, a dispersive or an anisotropic material have no terms.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Medium
from engines.fdtd.media.smoothing.tensor import PAIRS, NodeTerms

CHUNK = 8192
LEAST_MOMENT = 1e-3
"""As in :mod:`kernels`."""


def node_terms(
    yee: Yee, axes: Sequence[Axis], cells: Array, media: Sequence[Medium], mixed: tuple[Array, Array, Array],
    samples: Array, lattice: Array,
) -> NodeTerms:  # fmt: skip
    """cells: (nz, ny, nx) materials; mixed: z, y, x of the cells that are sampled, in ascending order; samples:
    (cells, points) materials; lattice: (points, 3) in the unit cell."""
    eps = np.array([medium.permittivity for medium in media])
    allowed = np.array([medium.smooth and medium.permittivities is None for medium in media])
    flat_cells = np.ravel_multi_index(mixed, cells.shape)
    nodes = _nodes(yee, axes, mixed)
    parts = [
        _terms(yee, axes, cells, eps, allowed, flat_cells, samples, lattice, nodes[first : first + CHUNK])
        for first in range(0, len(nodes), CHUNK)
    ]
    found = np.concatenate([np.zeros((0, 3)), *parts])
    some = found.any(axis=1)
    return NodeTerms(nodes[some], found[some])


def _nodes(yee: Yee, axes: Sequence[Axis], mixed: tuple[Array, Array, Array]) -> Array:
    """(n, 3) along x, y, z: the corners of the cells, each once; node n of a periodic axis is node 0."""
    shape = tuple(n + 1 for n in yee.counts)
    found = []
    for corner in np.ndindex(2, 2, 2):
        at = [mixed[2 - d] + corner[d] for d in range(3)]
        for d, axis in enumerate(axes):
            if axis.wraps:
                at[d] = at[d] % axis.n
        found.append(np.unique(np.ravel_multi_index(at, shape)))
    return np.stack(np.unravel_index(np.unique(np.concatenate(found)), shape), axis=1)


def _terms(
    yee: Yee, axes: Sequence[Axis], cells: Array, eps: Array, allowed: Array, flat_cells: Array, samples: Array,
    lattice: Array, nodes: Array,
) -> Array:  # fmt: skip
    """(n, 3) of these nodes, zeros where there are none."""
    boxes = np.array(list(np.ndindex(2, 2, 2))) - 1
    count, points = len(nodes), len(lattice)
    there, known = np.ones((count, 8), bool), np.empty((count, 8, points), np.uint8)
    volumes, sizes = np.ones((count, 8)), np.empty((count, 3, 2))
    for b, box in enumerate(boxes):
        at = []
        for d, axis in enumerate(axes):
            index = nodes[:, d] + box[d]
            if axis.wraps:
                index = index % axis.n
            there[:, b] &= (index >= 0) & (index < axis.n)
            index = np.clip(index, 0, axis.n - 1)
            sizes[:, d, box[d] + 1] = yee.sizes(d)[index]
            volumes[:, b] *= sizes[:, d, box[d] + 1]
            at.append(index)
        cell = np.ravel_multi_index(at[::-1], cells.shape)
        slot = np.searchsorted(flat_cells, cell)
        sampled = (slot < len(flat_cells)) & (flat_cells[np.minimum(slot, len(flat_cells) - 1)] == cell)
        known[:, b] = np.where(sampled[:, None], samples[np.where(sampled, slot, 0)], cells.reshape(-1)[cell][:, None])
    # each point of the lattice lies in the voxel once: in the cells before the node if beyond their middle
    away = boxes[:, None, :] + lattice
    voxel = ((away >= -0.5) & (away < 0.5)).all(axis=2)
    weights = np.where(there, volumes, 0.0)[:, :, None] * voxel
    weights /= weights.sum(axis=(1, 2), keepdims=True)
    value = eps[known]
    mean, inverse = (weights * value).sum(axis=(1, 2)), (weights / value).sum(axis=(1, 2))
    used = weights > 0
    good = (allowed[known] | ~used).all(axis=(1, 2))
    least = np.where(used, 1 / value, np.inf).min(axis=(1, 2))
    most = np.where(used, 1 / value, 0.0).max(axis=(1, 2))
    squared = (away**2).sum(axis=2)
    ball = np.where(squared < 1, 1 - squared, 0.0)[:, :, None] * away
    ball -= np.where(squared < 1, 1.0, 0.0)[:, :, None] * ball.sum(axis=(0, 1)) / (squared < 1).sum()
    moment = np.einsum("nbp,nb,bpd->nd", value, there.astype(float), ball, optimize=True)
    for d, axis in enumerate(axes):
        wall = (nodes[:, d] == 0) | (nodes[:, d] == axis.n)
        if yee.flat[d]:
            moment[:, d] = 0.0
        elif not axis.wraps:
            moment[wall, d] = 0.0
    moment /= sizes.mean(axis=2)
    size = np.linalg.norm(moment, axis=1)
    sure = size * sizes.min(axis=(1, 2)) > LEAST_MOMENT / least
    normal = moment / np.where(size > 0, size, 1.0)[:, None]
    strength = np.where(good & sure & (most > least), inverse - 1 / mean, 0.0)
    return np.stack([strength * normal[:, a] * normal[:, b] for a, b in PAIRS], axis=1)
