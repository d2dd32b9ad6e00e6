"""Which cells of a grid stand for a box of cells, so that no more is asked of a run than a view can show.

A box is cut into blocks of ``strides`` cells. A block is shown by the mean of its cells while the grid is small
enough to list them all (:data:`MEANS_CELLS`); of larger grids, and of fields where a value may be missing, the cell in
the middle of each block is shown, and the status bar says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np

from engines.api import Array, Selection
from engines.geometry.grid import Grid

MEANS_CELLS = 4_000_000
"""Their list takes 16 MB on the device, and reading them all 16 MB a frame."""
LONGEST_SIDE = 4096
"""Samples along a side at most: what every graphics card takes as a texture."""

Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Sampling:
    """Cells ``low`` (included) to ``high`` (excluded) along x, y, z, in blocks of ``strides``; a grid of two
    dimensions has one cell along z."""

    low: Triple
    high: Triple
    strides: Triple
    means: bool = False

    @property
    def counts(self) -> Triple:
        """Samples along x, y, z."""
        sides = zip(self.low, self.high, self.strides, strict=True)
        x, y, z = (-((low - high) // stride) for low, high, stride in sides)
        return x, y, z

    @property
    def fill(self) -> Array:
        """How many samples fill the box along x, y, z: the last one may stand for fewer cells than the others."""
        return (np.array(self.high) - np.array(self.low)) / np.array(self.strides)

    @property
    def size(self) -> int:
        x, y, z = self.counts
        return x * y * z

    def selection(self, grid: Grid) -> Selection:
        """What to ask of a simulation: a value for each block, x fastest, then y, then z.

        The box is one of the grid's raster; the answer is in the numbers of the grid itself.
        """
        nx, ny = grid.raster.counts[:2]
        if self.means:
            low, high, strides = (np.array(triple, np.int64) for triple in (self.low, self.high, self.strides))
            elements, offsets = _blocks(low, high, strides, np.array(self.counts, np.int64), nx, ny)
            return Selection(grid.under(elements), offsets)
        x, y, z = (
            np.minimum(low + stride * np.arange(count) + stride // 2, high - 1)
            for low, high, stride, count in zip(self.low, self.high, self.strides, self.counts, strict=True)
        )
        elements = (z[:, None, None] * ny + y[:, None]) * nx + x
        return Selection(grid.under(elements.ravel().astype(np.int32)))

    def of_whole(self, grid: Grid, values: Array) -> Array:
        """The answer to :meth:`selection` taken from a whole field: (size,) or (size, components)."""
        selection = self.selection(grid)
        taken = values[selection.elements].astype(np.float32)
        if selection.offsets is None:
            return taken
        runs = np.add.reduceat(taken, selection.offsets[:-1], axis=0)
        return runs / np.diff(selection.offsets).reshape(-1, *([1] * (taken.ndim - 1))).astype(np.float32)


def sampling(grid: Grid, low: Triple, high: Triple, most: int, means: bool) -> Sampling:
    """Blocks as nearly square (cubic) as can be, of which there are at most ``most``; ``means`` if there is room."""
    spacing = np.array([*grid.spacing, max(grid.spacing)][:3])
    cells = np.array(high) - np.array(low)
    factor = 1
    while True:
        strides = np.clip(np.rint(factor * spacing.min() / spacing), 1, cells).astype(int)
        counts = -(-cells // strides)
        if counts.prod() <= most and counts.max() <= LONGEST_SIDE:
            break
        factor += 1
    x, y, z = (int(stride) for stride in strides)
    averaged = means and x * y * z > 1 and int(cells.prod()) <= MEANS_CELLS
    return Sampling(low, high, (x, y, z), averaged)


@numba.njit(cache=True, nogil=True)
def _blocks(low: Array, high: Array, strides: Array, counts: Array, nx: int, ny: int) -> tuple[Array, Array]:
    """All cells, block by block, and where each block begins."""
    cells = high - low
    elements = np.empty(cells[0] * cells[1] * cells[2], np.int32)
    offsets = np.empty(counts[0] * counts[1] * counts[2] + 1, np.int32)
    taken, block = 0, 0
    offsets[0] = 0
    for k in range(counts[2]):
        for j in range(counts[1]):
            for i in range(counts[0]):
                for z in range(low[2] + k * strides[2], min(low[2] + (k + 1) * strides[2], high[2])):
                    for y in range(low[1] + j * strides[1], min(low[1] + (j + 1) * strides[1], high[1])):
                        for x in range(low[0] + i * strides[0], min(low[0] + (i + 1) * strides[0], high[0])):
                            elements[taken] = (z * ny + y) * nx + x
                            taken += 1
                block += 1
                offsets[block] = taken
    return elements, offsets
