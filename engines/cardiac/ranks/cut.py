"""The rows of a tissue in parts of little communication, and one part as a matrix of its own.

METIS parts a graph whose nodes are windows of :data:`WINDOW` rows, stretches of the Hilbert curve, weighted by the
bytes that a step moves for them; edges weigh as many entries as join two windows. In a box of 900,000 cells 2 to 8 such
parts send 8 to 22 % more values than parts of single cells, and METIS's own measure of volume 15 to 29 % more still.

A part has whole slices of the matrix, each as it is: with its entries in their order and as wide. So every sum has the
order that it has on one rank, which a slice's width has a say in too, and the bits are the same. Slices stand in the
order of the whole: first the *interior*, which reads own rows alone, then the *separator*; its *ghosts*, the rows of
other ranks that it reads, stand behind the voltage's padding, those of one neighbour side by side. A neighbour is sent
what it reads and nothing else. The whole's last slice, where it is not full, is the last of its part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from engines.api import Array, Progress, no_progress
from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Ranks
from engines.cardiac.cells.tt06 import padded_size
from engines.cardiac.diffusion.sliced import SLICE, WINDOW, SlicedMatrix
from engines.geometry.meshes.ordering import graph_parts

IMBALANCE = 1.01
"""The heaviest part by the mean. The thesis (§4.5) has 1.03, which sends a fifth less in a box of 900,000 cells on two
ranks; but what is sent is hidden, and what a rank has more to do is not."""
ROW_BYTES, ENTRY_BYTES = 165, 6
"""Moved in a step in float32: states of a cell of TT06 with both voltages, and an entry of the matrix."""
FEWEST = 4
"""Windows of a rank, for METIS to have a choice."""
CHUNK = 1024
"""Windows whose edges are counted at once."""


@dataclass(frozen=True)
class OwnRows:
    """A rank's part of ``whole`` rows.

    rows: (n,) which they are, in their order here; ``interior`` of them come first
    matrix: theirs, whose columns are places here; ``n_padded …`` are ghosts
    sent: own rows that each neighbour reads, by its rank; received: where in a voltage what it sends stands
    leader: the rank that has row 0
    """

    whole: int
    rows: Array
    interior: int
    matrix: SlicedMatrix
    sent: Mapping[int, Array]
    received: Mapping[int, slice]
    ghost_rows: Array
    leader: int

    @property
    def ghosts(self) -> int:
        return len(self.ghost_rows)

    @property
    def groups(self) -> Array:
        """(n_groups,) which slices of the whole it has, the groups of cells that react together."""
        return np.asarray(self.rows[::SLICE] // SLICE)

    @cached_property
    def _place(self) -> Array:
        return _places(self.whole, self.rows, self.ghost_rows)

    def own(self, values: Array) -> Array:
        """Its columns of ``values: (…, whole)``."""
        return np.ascontiguousarray(values[..., self.rows])

    def here(self, rows: Array) -> tuple[Any, Array]:
        """Which of these rows of the whole are its own, and their places."""
        found = self._place[rows]
        which = np.flatnonzero((found >= 0) & (found < len(self.rows)))
        return which, found[which]

    def columns(self, rows: Array) -> Array:
        """Places of rows of the whole, ghosts too; −1 elsewhere."""
        return np.asarray(self._place[rows])


def own_rows(
    matrix: SlicedMatrix, ranks: Ranks, noun: str = "cells", progress: Progress = no_progress
) -> OwnRows:  # fmt: skip
    """The part of ``ranks.rank``; all ranks ask together, each with the whole matrix. Raises ProblemError for a mesh
    too small for so many, and where METIS is missing."""
    windows = -(-matrix.n_rows // WINDOW)
    owner, failure = np.zeros(0, np.int32), None
    if windows >= FEWEST * ranks.size:
        if ranks.rank == 0:  # one METIS's, whoever else has another
            progress(f"Splitting {matrix.n_rows:,} {noun} into {ranks.size} parts", 0.75)
            try:
                owner = window_parts(matrix, ranks.size)
            except ProblemError as error:  # raised once the others no longer wait
                failure = error
        progress(f"Waiting until the other ranks have assembled {matrix.n_rows:,} {noun}", 0.78)
        owner = ranks.gathered(owner)[0]
    if failure is not None:
        raise failure
    if len(np.unique(owner)) < ranks.size:
        raise ProblemError(
            f"A mesh of {matrix.n_rows:,} {noun} cannot be shared by {ranks.size} ranks, of which each takes "
            f"{FEWEST * WINDOW:,} or more: use at most {max(1, windows // FEWEST)}."
        )
    return part_of(matrix, owner, ranks.rank)


def window_parts(matrix: SlicedMatrix, parts: int) -> Array:
    """(windows,) int32: the part of each window of rows."""
    windows = -(-matrix.n_rows // WINDOW)
    first_slices = np.minimum(np.arange(0, windows + 1) * (WINDOW // SLICE), len(matrix.starts) - 1)
    ends = matrix.starts[first_slices]
    graph = []
    for first in range(0, windows, CHUNK):
        last = min(first + CHUNK, windows)
        columns = matrix.columns[ends[first] : ends[last]] // WINDOW
        of = np.repeat(np.arange(last - first), np.diff(ends[first : last + 1]))
        ones = np.ones(len(columns), np.int32)
        graph.append(scipy.sparse.csr_matrix((ones, (of, columns)), shape=(last - first, windows)))
    joined = scipy.sparse.vstack(graph).tocsr()
    joined = (joined + joined.T).tocsr()
    joined.setdiag(0)
    joined.eliminate_zeros()
    rows = np.minimum(WINDOW, matrix.n_rows - WINDOW * np.arange(windows))
    weights = (ROW_BYTES * rows + ENTRY_BYTES * np.diff(ends)).astype(np.int32)
    starts, adjacent, shared = (each.astype(np.int32) for each in (joined.indptr, joined.indices, joined.data))
    return graph_parts(starts, adjacent, parts, IMBALANCE, weights, shared)


def part_of(matrix: SlicedMatrix, owner: Array, rank: int) -> OwnRows:
    """The rows of ``rank``, where ``owner: (windows,)`` has each window."""
    n, starts = matrix.n_rows, matrix.starts
    owner = owner.astype(np.int16)
    of_row = np.repeat(owner, WINDOW)[:n]
    of_slice = of_row[::SLICE]
    crossing = np.flatnonzero(np.repeat(of_slice, np.diff(starts)) != of_row[matrix.columns])
    reader = np.searchsorted(starts, crossing, side="right") - 1
    read = matrix.columns[crossing]

    mine = np.flatnonzero(of_slice == rank)
    here = of_slice[reader] == rank
    at_the_end = mine[(mine == len(of_slice) - 1) & (n % SLICE > 0)]
    separator = np.union1d(reader[here], at_the_end)
    slices = np.concatenate([np.setdiff1d(mine, separator, assume_unique=True), separator])
    rows = (SLICE * slices[:, None] + np.arange(SLICE)).ravel()
    rows = rows[rows < n].astype(np.int32)

    ghosts = np.unique(read[here])
    ghosts = ghosts[np.argsort(of_row[ghosts], kind="stable")]
    place = _places(n, rows, ghosts)
    neighbours, counts = np.unique(of_row[ghosts], return_counts=True)
    ends = padded_size(len(rows)) + np.concatenate([[0], np.cumsum(counts)])
    received = {int(s): slice(int(ends[k]), int(ends[k + 1])) for k, s in enumerate(neighbours)}
    asked = of_row[read] == rank
    readers = of_slice[reader[asked]]
    sent = {int(s): place[np.unique(read[asked][readers == s])] for s in np.unique(readers)}

    widths = np.diff(starts)[slices]
    own_starts = np.concatenate([[0], np.cumsum(widths)])
    entries = np.repeat(starts[slices] - own_starts[:-1], widths) + np.arange(own_starts[-1])
    own = SlicedMatrix(len(rows), own_starts, place[matrix.columns[entries]], matrix.weights[entries])
    interior = min(SLICE * (len(slices) - len(separator)), len(rows))
    return OwnRows(n, rows, interior, own, sent, received, ghosts, int(owner[0]))


def _places(whole: int, rows: Array, ghosts: Array) -> Array:
    """(whole,) int32 where rows stand in a part with these rows and ghosts; −1: nowhere."""
    place = np.full(whole, -1, np.int32)
    place[rows] = np.arange(len(rows))
    place[ghosts] = padded_size(len(rows)) + np.arange(len(ghosts))
    return place
