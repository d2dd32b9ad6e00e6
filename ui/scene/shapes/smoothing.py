"""Smoothing of vertex values over a triangle mesh, for the edge of a front and for lines of equal value alone: what is
coloured stays as it is."""

from __future__ import annotations

import numpy as np
import scipy

from engines.api import Array

PASSES = 2
BEAT_WIDTHS = 15.0
"""Widths of a front between two that pass the same place: more than a front is long, less than any beat."""


def smoothing(triangles: Array, nodes: Array) -> scipy.sparse.csr_matrix:
    """(n, n) float32: each vertex becomes half itself, half the mean of its neighbours. Vertices of the same
    ``nodes`` entry (doubled at a region border) are one."""
    distinct, row = np.unique(nodes, return_inverse=True)
    corners = row[triangles]
    pairs = np.concatenate([corners[:, [k, k - 1]] for k in range(3)])
    shape = (len(distinct), len(distinct))
    near = scipy.sparse.csr_matrix((np.ones(len(pairs), np.float32), pairs.T), shape)
    near = near + near.T
    near.data[:] = 1.0
    counts = np.maximum(np.asarray(near.sum(axis=1)).ravel(), 1.0)
    blend = 0.5 * scipy.sparse.identity(len(distinct), np.float32) + 0.5 * scipy.sparse.diags(1 / counts) @ near
    alone = scipy.sparse.diags((np.asarray(near.sum(axis=1)).ravel() == 0).astype(np.float32) * 0.5)
    first = np.zeros(len(distinct), int)
    first[row[::-1]] = np.arange(len(nodes))[::-1]
    spread = scipy.sparse.csr_matrix((np.ones(len(nodes), np.float32), (np.arange(len(nodes)), row)))
    gather = scipy.sparse.csr_matrix(
        (np.ones(len(distinct), np.float32), (np.arange(len(distinct)), first)), (len(distinct), len(nodes))
    )
    return (spread @ (blend + alone) @ gather).astype(np.float32).tocsr()


def smoothed(operator: scipy.sparse.csr_matrix, values: Array) -> Array:
    """``values`` after a few passes; float32."""
    for _ in range(PASSES):
        values = operator @ values
    return np.ascontiguousarray(values, np.float32)


def smoothed_known(operator: scipy.sparse.csr_matrix, values: Array, known: Array) -> Array:
    """The same of those ``values`` that are ``known: (n,) bool``; they spread by a vertex each pass, beyond is zero."""
    weight, total = known.astype(np.float32), np.where(known, values, np.float32(0))
    for _ in range(PASSES):
        spread = operator @ weight
        total = np.divide(operator @ (total * weight), spread, out=np.zeros_like(total), where=spread > 0)
        weight = (spread > 0).astype(np.float32)
    return np.ascontiguousarray(total, np.float32)


def recurring(operator: scipy.sparse.csr_matrix, times: Array, time: float, width: float, expected: float) -> Array:
    """``times`` of a front, where a vertex that it passed a beat ago and comes to again now has ``expected``: else
    smoothing would mix the two beats."""
    old = times < time - BEAT_WIDTHS * width
    if not old.any():
        return times
    near = ((times > time - 2 * width) & (times <= time)).astype(np.float32)
    for _ in range(PASSES + 1):
        near = operator @ near
    return np.where(old & (near > 0), np.float32(expected), times)
