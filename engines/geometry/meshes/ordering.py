"""Numbering cells so that neighbours lie close together in memory, and splitting them into parts.

An order is a permutation ``order: (n_cells,) int32``: new cell ``i`` is old cell ``order[i]``.
"""

from __future__ import annotations

import numba as nb
import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.backend.fields.rows import ascending, taken
from engines.backend.threads import in_parts
from engines.geometry.meshes.adjacency import BOUNDARY
from engines.geometry.meshes.shapes import extent


def hilbert_order(points: Array, bits: int = 16) -> Array:
    """Order along a three-dimensional Hilbert curve through the points' bounding cube.

    points: (n, 3), e.g. centroids. ``bits`` per axis (at most 20); points in the same small cube keep their order.
    """
    if not 1 <= bits <= 20:
        raise ProblemError(f"A Hilbert curve of {bits} bits per axis cannot be numbered in 64 bits; use 1 to 20.")
    points = np.asarray(points, np.float64)
    if len(points) == 0:
        return np.empty(0, np.int32)
    low, high = extent(points)
    scale = (2**bits - 1) / (float((high - low).max()) or 1.0)
    keys = np.empty(len(points), np.uint64)
    _hilbert_keys(len(points), np.ascontiguousarray(points), low, scale, bits, keys)
    return ascending(keys)


def partition(neighbours: Array, parts: int, imbalance: float = 1.03) -> Array:
    """The part of each cell, (n_cells,) int32, by METIS: few faces cut, sizes within ``imbalance`` of the mean.

    neighbours: (n_cells, 4) from :func:`engines.geometry.meshes.adjacency.face_neighbours`.
    Raises ProblemError for fewer than one part or more parts than cells, and where METIS is not installed.
    """
    n = len(neighbours)
    if not 1 <= parts <= max(n, 1):
        raise ProblemError(f"{n} cells cannot be split into {parts} parts; ask for 1 to {n}.")
    return np.zeros(n, np.int32) if parts == 1 else graph_parts(*_csr(neighbours), parts, imbalance)


def graph_parts(
    starts: Array,
    adjacent: Array,
    parts: int,
    imbalance: float = 1.03,
    node_weights: Array | None = None,
    edge_weights: Array | None = None,
) -> Array:
    """The part of each node of a symmetric graph, (n,) int32, by METIS: the edges that are cut weigh little, nodes of
    each part within ``imbalance`` of the mean. Node i has the edges ``adjacent[starts[i]:starts[i + 1]]``; weights are
    integers above zero. Raises ProblemError where METIS is not installed."""
    try:
        import pymetis  # has no wheel for Windows, where everything but parts works without it
    except ImportError:
        raise ProblemError("Splitting a mesh into parts needs METIS: install the package 'pymetis'.") from None
    # METIS counts the load imbalance in thousandths above one
    options = pymetis.Options(ufactor=max(1, round(1000 * (imbalance - 1))), seed=1)
    cut = pymetis.part_graph(
        parts,
        adjacency=pymetis.CSRAdjacency(starts, adjacent),
        vweights=node_weights,
        eweights=edge_weights,
        recursive=False,
        options=options,
    )
    return np.asarray(cut[1], np.int32)


def renumber(neighbours: Array, order: Array) -> Array:
    """Neighbours of the reordered cells, in the new numbering."""
    place = np.empty(len(order) + 1, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    place[-1] = BOUNDARY  # index -1, the boundary, stays what it is
    return taken(place, taken(neighbours, order).reshape(-1)).reshape(-1, neighbours.shape[1])


def _csr(neighbours: Array) -> tuple[Array, Array]:
    inside = neighbours >= 0
    starts = np.zeros(len(neighbours) + 1, np.int32)
    np.cumsum(inside.sum(axis=1), out=starts[1:])
    return starts, np.ascontiguousarray(neighbours[inside], dtype=np.int32)


@in_parts
@nb.njit(cache=True, nogil=True)
def _hilbert_keys(first, last, points, low, scale, bits, keys):
    """keys: (n,) uint64, positions on the curve; J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707
    (2004)."""
    x = np.empty(3, np.uint32)
    for i in range(first, last):
        for a in range(3):
            x[a] = np.uint32((points[i, a] - low[a]) * scale)
        q = np.uint32(1) << np.uint32(bits - 1)
        while q > 1:
            p = np.uint32(q - 1)
            for a in range(3):
                if x[a] & q:
                    x[0] ^= p
                else:
                    t = (x[0] ^ x[a]) & p
                    x[0] ^= t
                    x[a] ^= t
            q = np.uint32(q >> 1)
        x[1] ^= x[0]
        x[2] ^= x[1]
        t = np.uint32(0)
        q = np.uint32(1) << np.uint32(bits - 1)
        while q > 1:
            if x[2] & q:
                t ^= np.uint32(q - 1)
            q = np.uint32(q >> 1)
        key = np.uint64(0)
        for b in range(bits - 1, -1, -1):
            for a in range(3):
                key = (key << np.uint64(1)) | np.uint64(((x[a] ^ t) >> np.uint32(b)) & np.uint32(1))
        keys[i] = key
