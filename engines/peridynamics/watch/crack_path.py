"""The path of a crack as lines through the particles beside it, branches included.

Found from the damage of a moment alone: in each column of particles across the direction of growth, damaged particles
that touch make a group; its middle is joined to that of the nearest group of the column before.
"""

from __future__ import annotations

import numpy as np

from engines.api import Array, Lines

GAP = 1.5
"""Spacings between two particles of one group at most."""
STEP = 4.0
"""Spacings that the path may move across from one column to the next."""
MOST_SLICES = 7
"""Of a body, at equal distances from its front to its back."""


def crack_path(places: Array, displacements: Array, damaged: Array, axis: int, backward: bool, spacing: float) -> Lines:
    """``places, displacements: (n, 3)`` in one unit with ``spacing``; ``damaged: (n,)`` bool; the crack grows along
    ``axis``, ``backward`` against it. Slices of a body are looked at one by one."""
    rows = np.flatnonzero(damaged)
    column = _numbers(places[rows, axis] * (-1 if backward else 1), spacing)
    side, depth = {0: (1, 2), 1: (0, 2), 2: (1, 0)}[axis]
    slices = _numbers(places[rows, depth], spacing)
    if len(rows):
        last = _numbers(places[:, depth], spacing).max()
        looked_at = np.unique(np.linspace(0, last, min(MOST_SLICES, last + 1)).round())
        first = np.floor((places[rows, depth].min() - places[:, depth].min()) / spacing + 0.5)
        kept = np.isin(slices + first, looked_at)
        rows, column, slices = rows[kept], column[kept], slices[kept]
    if not len(rows):
        return Lines(np.zeros((0, 2, 3)), np.zeros((0, 2, 3)))
    across = places[rows, side]
    order = np.lexsort((across, column, slices))
    rows, column, slices, across = rows[order], column[order], slices[order], across[order]
    line = slices * (column.max() + 2) + column  # one number for each column of each slice
    begins = np.concatenate([[True], (np.diff(line) > 0) | (np.diff(across) > GAP * spacing)])
    starts = np.flatnonzero(begins)
    counts = np.diff(np.append(starts, len(rows)))[:, None]
    middles = np.add.reduceat(places[rows], starts) / counts
    moved = np.add.reduceat(displacements[rows], starts) / counts
    joined = _before(line[starts], middles[:, side], spacing)
    ends = np.flatnonzero(joined >= 0)
    pairs = np.stack([joined[ends], ends], axis=1)
    return Lines(_smooth(middles, pairs)[pairs], _smooth(moved, pairs)[pairs])


def _smooth(values: Array, pairs: Array) -> Array:
    """(g, 3): twice the mean with the neighbours along the path; ends and forks stay where they are."""
    for _ in range(2):
        sums, counts = np.zeros_like(values), np.zeros(len(values))
        for here, there in (pairs.T, pairs.T[::-1]):
            np.add.at(sums, here, values[there])
            np.add.at(counts, here, 1)
        between = (counts == 2)[:, None]
        values = np.where(between, (2 * values + sums) / 4, values)
    return values


def _numbers(places: Array, spacing: float) -> Array:
    """(n,) int64: columns of particles, from 0."""
    return np.asarray(np.floor((places - places.min(initial=np.inf)) / spacing + 0.5), np.int64)


def _before(line: Array, across: Array, spacing: float) -> Array:
    """(g,) the group of the column before that each is joined to, -1: none. Groups in the order of ``line``, then
    ``across``."""
    room = 4 * (np.ptp(across) + STEP * spacing) if len(across) else 1.0
    key, wanted = line * room + across, (line - 1) * room + across
    after = np.searchsorted(key, wanted)
    choices = np.stack([np.clip(after - 1, 0, len(key) - 1), np.clip(after, 0, len(key) - 1)])
    away = np.abs(key[choices] - wanted)
    nearest = np.argmin(away, axis=0)
    found = choices[nearest, np.arange(len(key))]
    return np.where(away[nearest, np.arange(len(key))] <= STEP * spacing, found, -1)
