"""A uniform rectangular grid of cells in two or three dimensions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engines.api import Array


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells of equal size; values live at their centres.

    shape:   (ny, nx) or (nz, ny, nx), as arrays of values are indexed: x varies fastest
    spacing: cell size along x, y (and z), in ``length_unit``
    origin:  the corner of the grid with the lowest coordinates (not the centre of its first cell)

    Cells are numbered in C order of ``shape``. Two grids are equal only if they are the same object.
    """

    shape: tuple[int, ...]
    spacing: tuple[float, ...]
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    length_unit: str = "mm"

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
        for axis, (index, spacing) in enumerate(zip(indices, self.spacing, strict=True)):
            found[:, axis] += (index + 0.5) * spacing
        return found

    def nearest(self, positions: Array) -> Array:
        """(n,) int64: the cell whose centre is nearest to each of ``positions: (n, 3)`` [length_unit]."""
        places = np.atleast_2d(np.asarray(positions, float)) - np.array(self.origin, float)
        element = np.zeros(len(places), np.int64)
        for axis in reversed(range(self.dimensions)):
            index = np.floor(places[:, axis] / self.spacing[axis]).astype(np.int64)
            element = element * self.counts[axis] + np.clip(index, 0, self.counts[axis] - 1)
        return element
