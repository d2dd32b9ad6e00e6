"""A rectangular grid of cells in two or three dimensions, uniform or with lines of its own along each axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engines.api import Array


@dataclass(frozen=True, eq=False)
class Grid:
    """Values live at the centres of cells, which are of equal size unless ``lines`` are given.

    shape:   (ny, nx) or (nz, ny, nx), as arrays of values are indexed: x varies fastest
    spacing: cell size along x, y (and z), in ``length_unit``
    origin:  the corner of the grid with the lowest coordinates (not the centre of its first cell)
    lines:   where the walls of cells are along x, y (and z), (n + 1,) each, from the origin on; ``spacing`` is then the
             mean size (:func:`rectilinear`)

    Cells are numbered in C order of ``shape``. Two grids are equal only if they are the same object.
    """

    shape: tuple[int, ...]
    spacing: tuple[float, ...]
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    length_unit: str = "mm"
    lines: tuple[Array, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.shape) not in (2, 3) or len(self.spacing) != len(self.shape):
            raise ValueError(f"a grid has two or three dimensions and a spacing for each, not {self.shape}")

    @property
    def dimensions(self) -> int:
        return len(self.shape)

    @property
    def n_cells(self) -> int:
        return math.prod(self.shape)

    @property
    def counts(self) -> tuple[int, ...]:
        """Cells along x, y (and z)."""
        return self.shape[::-1]

    @property
    def lengths(self) -> tuple[float, ...]:
        """Size along x, y (and z) [length_unit]."""
        return tuple(n * h for n, h in zip(self.counts, self.spacing, strict=True))

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lowest and highest corner, (3,) each; a grid of two dimensions is flat in z."""
        low = np.array(self.origin, float)
        return low, low + np.array([*self.lengths, 0.0][:3])

    def centers(self, elements: Array) -> Array:
        """(n, 3) float64: where the centres of the cells ``elements: (n,)`` are [length_unit]."""
        indices = np.unravel_index(np.asarray(elements, np.int64), self.shape)[::-1]
        found = np.tile(np.array(self.origin, float), (len(indices[0]), 1))
        if self.lines is not None:
            for axis, (index, line) in enumerate(zip(indices, self.lines, strict=True)):
                found[:, axis] = 0.5 * (line[index] + line[index + 1])
            return found
        for axis, (index, spacing) in enumerate(zip(indices, self.spacing, strict=True)):
            found[:, axis] += (index + 0.5) * spacing
        return found

    def centers_along(self, axis: int) -> Array:
        """(n,) float64: where the centres of cells are along x, y or z [length_unit]."""
        if self.lines is not None:
            return np.asarray((self.lines[axis][1:] + self.lines[axis][:-1]) / 2)
        return np.asarray(self.origin[axis] + (np.arange(self.counts[axis]) + 0.5) * self.spacing[axis])

    def nearest(self, positions: Array) -> Array:
        """(n,) int64: the cell in which each of ``positions: (n, 3)`` [length_unit] is, or which is nearest to it."""
        places = np.atleast_2d(np.asarray(positions, float)) - np.array(self.origin, float)
        element = np.zeros(len(places), np.int64)
        for axis in reversed(range(self.dimensions)):
            if self.lines is None:
                index = np.floor(places[:, axis] / self.spacing[axis]).astype(np.int64)
            else:
                index = np.searchsorted(self.lines[axis] - self.origin[axis], places[:, axis], "right") - 1
            element = element * self.counts[axis] + np.clip(index, 0, self.counts[axis] - 1)
        return element

    @cached_property
    def raster(self) -> Grid:
        """This grid, or, where it has lines, one of equal cells over the same box for viewers: they are as small as
        the smallest, but at most :data:`MOST_RASTER` along a side."""
        if self.lines is None:
            return self
        counts = [
            min(round(length / float(np.diff(line).min())), max(n, MOST_RASTER))
            for length, line, n in zip(self.lengths, self.lines, self.counts, strict=True)
        ]
        while math.prod(counts) > MOST_CELLS:
            counts[counts.index(max(counts))] //= 2
        spacing = tuple(length / n for length, n in zip(self.lengths, counts, strict=True))
        return Grid(tuple(counts[::-1]), spacing, self.origin, self.length_unit)

    def under(self, elements: Array) -> Array:
        """(n,) int32: the cells in which the centres of cells of the ``raster`` are."""
        raster = self.raster
        if raster is self:
            return elements
        assert self.lines is not None
        indices = np.unravel_index(np.asarray(elements, np.int64), raster.shape)[::-1]
        found = np.zeros(len(elements), np.int64)
        for axis in reversed(range(self.dimensions)):
            centers = self.origin[axis] + (np.arange(raster.counts[axis]) + 0.5) * raster.spacing[axis]
            beneath = np.clip(np.searchsorted(self.lines[axis], centers, "right") - 1, 0, self.counts[axis] - 1)
            found = found * self.counts[axis] + beneath[indices[axis]]
        return found.astype(np.int32)


MOST_RASTER = 4096
MOST_CELLS = 2**31 - 1
"""Numbers of cells are int32 in selections."""


def rectilinear(lines: Sequence[Array], z: float = 0.0, length_unit: str = "mm") -> Grid:
    """A grid of these lines along x, y (and z); one of two dimensions lies at height ``z``."""
    kept = tuple(np.asarray(line, float) for line in lines)
    if any(line.ndim != 1 or len(line) < 2 or not (np.diff(line) > 0).all() for line in kept):
        raise ValueError("lines of a grid ascend, and there are two or more along each axis")
    shape = tuple(len(line) - 1 for line in reversed(kept))
    spacing = tuple(float(line[-1] - line[0]) / (len(line) - 1) for line in kept)
    origin = [*(float(line[0]) for line in kept), z][:3]
    return Grid(shape, spacing, (origin[0], origin[1], origin[2]), length_unit, kept)
