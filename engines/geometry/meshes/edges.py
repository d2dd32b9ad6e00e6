"""The edges of a tetrahedral mesh, each numbered once.

Edges are matched inside buckets of equal lower vertex by marks, not by sorting: linear in the number of cells,
whatever the degree of a vertex.
"""

from __future__ import annotations

import numba as nb
import numpy as np

from engines.api import Array

EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
"""Local edges of a tetrahedron, by its vertices."""


def number_edges(cells: Array, n_points: int) -> tuple[Array, Array]:
    """``(ends, of_cell)``: the edges, and which of them are those of each cell.

    cells: (n_cells, 4) vertex indices. ends: (n_edges, 2) int32, the lower vertex first, edges in ascending order of
    it; of_cell: (n_cells, 6) int32, in the order of :data:`EDGES`.
    """
    cells = np.ascontiguousarray(cells, dtype=np.int32)
    starts, slots = _buckets(cells, n_points)
    of_cell = np.empty((len(cells), 6), np.int32)
    count = _number(cells, starts, slots, of_cell)
    return _ends(cells, of_cell, count), of_cell


@nb.njit(cache=True, nogil=True)
def _buckets(cells, n_points):
    """Edge slots ``6 * cell + edge`` grouped by lower vertex: a counting sort."""
    starts = np.zeros(n_points + 1, np.int64)
    for cell in range(len(cells)):
        for i in range(3):
            for j in range(i + 1, 4):
                starts[min(cells[cell, i], cells[cell, j]) + 1] += 1
    for point in range(n_points):
        starts[point + 1] += starts[point]
    place = starts[:-1].copy()
    slots = np.empty(6 * len(cells), np.uint32)
    for cell in range(len(cells)):
        edge = 0
        for i in range(3):
            for j in range(i + 1, 4):
                point = min(cells[cell, i], cells[cell, j])
                slots[place[point]] = 6 * cell + edge
                place[point] += 1
                edge += 1
    return starts, slots


@nb.njit(cache=True, nogil=True)
def _number(cells, starts, slots, of_cell):
    """Fill ``of_cell``; returns the number of edges."""
    first = np.array([0, 0, 0, 1, 1, 2])
    second = np.array([1, 2, 3, 2, 3, 3])
    number = np.empty(len(starts) - 1, np.int32)  # of the edge from the bucket's vertex to this one,
    marked = np.full(len(starts) - 1, -1, np.int32)  # if its mark is that vertex
    count = 0
    for point in range(len(starts) - 1):
        for slot in slots[starts[point] : starts[point + 1]]:
            cell, edge = slot // 6, slot % 6
            other = max(cells[cell, first[edge]], cells[cell, second[edge]])
            if marked[other] != point:
                marked[other] = point
                number[other] = count
                count += 1
            of_cell[cell, edge] = number[other]
    return count


@nb.njit(cache=True, nogil=True)
def _ends(cells, of_cell, count):
    ends = np.empty((count, 2), np.int32)
    for cell in range(len(cells)):
        edge = 0
        for i in range(3):
            for j in range(i + 1, 4):
                a, b = cells[cell, i], cells[cell, j]
                ends[of_cell[cell, edge], 0] = min(a, b)
                ends[of_cell[cell, edge], 1] = max(a, b)
                edge += 1
    return ends
