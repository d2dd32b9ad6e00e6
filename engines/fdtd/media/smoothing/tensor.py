"""Off-diagonal terms of smoothed permittivities: what curl H of one axis does to E of another near slanted interfaces.

Node by node, 1/ε of an interface with normal n has the terms ξ_ab = n_a n_b (⟨1/ε⟩ − 1/⟨ε⟩) beside the diagonal that
:mod:`smoothing` gives to edges (Kottke et al., doi 10.1103/PhysRevE.77.036611). The two edges of a node along a and
the two along b are coupled by ξ_ab in pairs, alike in both directions (Werner and Cary, doi
10.1016/j.jcp.2007.05.008; Bauer et al., doi 10.1016/j.jcp.2010.12.005), so that D·E is a sum over the eight corners at
each node:

    Σ V_corner (D_x, D_y, D_z) ξ (D_x, D_y, D_z)ᵀ,   V_corner: of the eighth of a cell

It is positive if ξ of each corner is, and so the step is stable. Terms of nodes are made smaller where an eigenvalue
would lie below LEAST of the smallest 1/ε, or above MOST of the largest, for which the step is smaller.

As all that is coupled is without loss, E takes ``c Δt/Δ Σ weight · curl H`` more, before its pass, from H alone: a
sparse matrix from H to E.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
import scipy

from engines.api import Array
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee

LEAST, MOST = 0.1, 1.1
STEP = MOST**-0.5
"""Of the step that the diagonal alone allows. With MOST 1.1 no term of a rod of ε 4 is cut, with 1.05 a part are."""
CUTS = np.linspace(0.9, 0.0, 10)
"""What is tried of the terms of a node, one after the other."""
PAIRS = ((1, 2), (2, 0), (0, 1))
"""The axes of the three terms."""


@dataclass(frozen=True)
class NodeTerms:
    """nodes: (n, 3) int64 along x, y, z; terms: (n, 3) ξ_yz, ξ_zx, ξ_xy."""

    nodes: Array
    terms: Array


class Coupling:
    """``E[targets] += Σ weights · H[places]``; targets: (n,) int64; places, weights: (width, n), padded with weight 0.

    nodes: (m, 3) along x, y, z; terms: (m, 3) as in :class:`NodeTerms`, times ``courant``

    ids: (3, nz + 1, ny + 1, row); inverse: 1/ε of each number, 0 of all but lossless dielectrics; parts: the components
    of E along x, y, z that there are; courant: c Δt/Δ
    """

    def __init__(
        self, yee: Yee, axes: Sequence[Axis], found: NodeTerms, ids: Array, inverse: Array,
        parts: tuple[bool, bool, bool], courant: float,
    ) -> None:  # fmt: skip
        self._yee, self._axes = yee, axes
        kept = np.ones(len(found.nodes), bool)
        for axis, at in zip(axes, found.nodes.T, strict=True):
            low, high = (1, axis.n - 1) if axis.phase else axis.clear  # Bloch faces would turn what crosses them
            kept &= (at >= low) & (at <= high)
        self.nodes = found.nodes[kept]
        self._edges = [[self._edge(c, side) for side in (0, 1)] for c in range(3)]
        flat = ids.reshape(-1)
        diagonals = [[inverse[flat[place]] for place, _ in pair] for pair in self._edges]
        self._plain = [
            [there & part & (value > 0) for (_, there), value in zip(pair, values, strict=True)]
            for pair, values, part in zip(self._edges, diagonals, parts, strict=True)
        ]
        known = inverse[inverse > 0]
        self.terms = courant * _bounded(
            found.terms[kept], diagonals, self._plain, LEAST * float(known.min()), MOST * float(known.max())
        )
        self.targets, starts, places, weights = self._rows()
        width = int(np.diff(starts).max(initial=0))
        self.places = np.zeros((width, len(self.targets)), np.int64)
        self.weights = np.zeros((width, len(self.targets)))
        self._put(np.arange(len(self.targets)), starts, places, weights)

    def drop(self, block: tuple[slice, slice, slice]) -> None:
        """Edges in a block of places along z, y, x are not coupled any more: ``weights`` change."""
        inside = np.ones(len(self.nodes), bool)
        for d, span in enumerate(block[::-1]):
            at = self.nodes[:, d]
            inside &= (at >= span.start - 1) & (at <= span.stop)
            if self._axes[d].wraps:  # the first and the last node are beside each other
                inside |= (at == 0) & (span.stop >= self._axes[d].n)
        self.terms[inside] = 0.0
        targets, starts, places, weights = self._rows()
        self.weights[...] = 0.0
        self._put(np.searchsorted(self.targets, targets), starts, places, weights)

    def cut(self, of_targets: Callable[[Array], tuple[Array, Array]], of_places: Callable[[Array], Array]) -> Coupling:
        """The same of a part of the grid: where its edges are there, and which are; where places of H are there."""
        targets, there = of_targets(self.targets)
        kept = np.flatnonzero(there)
        kept = kept[np.argsort(targets[kept])]
        found = copy(self)
        found.targets, found.places, found.weights = (
            targets[kept],
            of_places(self.places[:, kept]),
            self.weights[:, kept],
        )
        return found

    def _edge(self, c: int, side: int) -> tuple[Array, Array]:
        """Places of the edges along c before (0) and behind (1) the nodes, and which there are."""
        at, n = list(self.nodes.T), self._axes[c].n
        at[c] = at[c] + side - 1
        if self._axes[c].wraps:
            at[c] = at[c] % n
        there = (at[c] >= 0) & (at[c] < n)
        at[c] = np.clip(at[c], 0, n - 1)
        return self._place(c, at), there

    def _put(self, columns: Array, starts: Array, places: Array, weights: Array) -> None:
        counts = np.diff(starts)
        column = np.repeat(columns, counts)
        row = np.arange(len(places)) - np.repeat(starts[:-1], counts)
        self.places[row, column], self.weights[row, column] = places, weights

    def _rows(self) -> tuple[Array, Array, Array, Array]:
        """(targets, starts, places, weights) of the matrix from H to E, row by row in ascending order."""
        none = np.zeros(0, np.int64)
        if not self.terms.any():
            return none, np.zeros(1, np.int64), none, np.zeros(0)
        into, of, shares = [none], [none], [np.zeros(0)]
        for number, pair in enumerate(PAIRS):
            for a, b in (pair, pair[::-1]):
                sizes = self._yee.sizes(b)
                around = self._yee.around(b, self._axes[b].wraps)[self.nodes[:, b]]
                for side_a in (0, 1):
                    for side_b in (0, 1):
                        kept = self._plain[a][side_a] & self._plain[b][side_b] & (self.terms[:, number] != 0)
                        half = (self.nodes[:, b] + side_b - 1) % self._axes[b].n
                        share = self.terms[:, number] * sizes[half] / (4 * around)
                        into.append(self._edges[a][side_a][0][kept])
                        of.append(self._edges[b][side_b][0][kept])
                        shares.append(share[kept])
        if not sum(map(len, into)):
            return none, np.zeros(1, np.int64), none, np.zeros(0)
        edges, columns = np.unique(np.concatenate(of), return_inverse=True)
        targets, rows = np.unique(np.concatenate(into), return_inverse=True)
        mixing = scipy.sparse.coo_array(
            (np.concatenate(shares), (rows, columns)), shape=(len(targets), len(edges))
        ).tocsr()  # fmt: skip
        places, curls = self._curls(edges)
        found = (mixing @ curls).tocsr()
        found.sort_indices()
        twin_of, at = self._twins(targets)
        found = found[twin_of]
        order = np.argsort(at)
        found = found[order]
        return at[order], found.indptr.astype(np.int64), places[found.indices], found.data

    def _place(self, component: int, at: Sequence[Array]) -> Array:
        nz, ny, row = self._yee.shape
        return np.asarray(((component * nz + at[2]) * ny + at[1]) * row + at[0])

    def _indices(self, edges: Array) -> tuple[Array, list[Array]]:
        nz, ny, row = self._yee.shape
        component, k, j, i = np.unravel_index(edges, (3, nz, ny, row))
        return component, [i, j, k]

    def _curls(self, edges: Array) -> tuple[Array, scipy.sparse.csr_array]:
        """Places of H, and the matrix (edges, places) of curl H."""
        component, index = self._indices(edges)
        rows, places, values = [], [], []
        for b in range(3):
            chosen = np.flatnonzero(component == b)
            here = [each[chosen] for each in index]
            for d, sign in (((b + 1) % 3, 1), ((b + 2) % 3, -1)):
                axis, node = self._axes[d], here[d]
                for beside, way in ((0, 1), (-1, -1)):
                    at = list(here)
                    at[d] = node + beside
                    if axis.wraps:
                        at[d] = at[d] % axis.n
                    kept = (at[d] >= 0) & (at[d] < axis.n) & (axis.inverse_e[node] != 0)
                    rows.append(chosen[kept])
                    places.append(self._place(3 - b - d, at)[kept])
                    values.append(sign * way * axis.inverse_e[node][kept])
        there, columns = np.unique(np.concatenate(places), return_inverse=True)
        matrix = scipy.sparse.coo_array(
            (np.concatenate(values), (np.concatenate(rows), columns)), shape=(len(edges), len(there))
        )  # fmt: skip
        return there, matrix.tocsr()

    def _twins(self, targets: Array) -> tuple[Array, Array]:
        """(numbers, places): the targets once more where node n of a periodic axis is node 0."""
        numbers, places = np.arange(len(targets)), targets
        _, ny, row = self._yee.shape
        for d, (axis, stride) in enumerate(zip(self._axes, (1, row, ny * row), strict=True)):
            if axis.wraps:
                component, index = self._indices(places)
                first = (index[d] == 0) & (component != d)
                numbers = np.concatenate([numbers, numbers[first]])
                places = np.concatenate([places, places[first] + stride * axis.n])
        return numbers, places


def _bounded(
    terms: Array, diagonals: Sequence[Sequence[Array]], plain: Sequence[Sequence[Array]], least: float, most: float
) -> Array:
    """Terms (n, 3), smaller where ξ of a corner has an eigenvalue out of ``least`` … ``most``."""
    middle = 0.5 * (least + most)
    known = []
    for pair, there in zip(diagonals, plain, strict=True):
        # what is not there is not coupled: any value within the bounds stands for it
        known.append([np.where(ok, np.clip(x, least, most), middle) for x, ok in zip(pair, there, strict=True)])
    share = np.ones(len(terms))
    for next_share in CUTS:
        wrong = np.zeros(len(terms), bool)
        for corner in np.ndindex(2, 2, 2):
            x = np.stack([known[c][side] for c, side in enumerate(corner)])
            off = (share[:, None] * terms).T
            wrong |= ~_positive(x - least, off) | ~_positive(most - x, -off)
        share[wrong] = next_share
    return terms * share[:, None]


def _positive(x: Array, off: Array) -> Array:
    """(n,) whether matrices with diagonals ``x`` (3, n) and terms yz, zx, xy (3, n) have no negative eigenvalue."""
    second = x[0] * x[1] - off[2] ** 2
    third = x[0] * x[1] * x[2] + 2 * off[0] * off[1] * off[2] - (x * off**2).sum(axis=0)
    pairs = np.stack([x[(d + 1) % 3] * x[(d + 2) % 3] - off[d] ** 2 for d in range(3)]).min(axis=0)
    return np.asarray((x.min(axis=0) >= 0) & (second >= 0) & (pairs >= 0) & (third >= 0))
