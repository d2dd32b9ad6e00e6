"""A flat picture of a grid in space: the whole of a grid of two dimensions, or a slice through one of three."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.geometry.grid import Grid
from ui.scene.shapes.sampling import Sampling, sampling

AXES = "xyz"


@dataclass(frozen=True)
class Sheet:
    """Samples of one layer of cells across ``axis`` (0, 1, 2); its columns run along the first of the other two axes,
    its rows along the second. A ``detail`` lies over another sheet and shows a part of it better."""

    axis: int
    sampling: Sampling
    detail: bool = False

    @property
    def name(self) -> str:
        return f"{AXES[self.axis]} detail" if self.detail else AXES[self.axis]

    @property
    def along(self) -> tuple[int, int]:
        """The axes of columns and rows."""
        return ((1, 2), (0, 2), (0, 1))[self.axis]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of samples."""
        columns, rows = (self.sampling.counts[axis] for axis in self.along)
        return rows, columns

    @property
    def span(self) -> tuple[float, float]:
        """Columns and rows in full: the last sample of each may stand for fewer cells than the others."""
        s = self.sampling
        u, v = ((s.high[axis] - s.low[axis]) / s.strides[axis] for axis in self.along)
        return u, v

    def place(self, grid: Grid) -> tuple[Array, Array, Array]:
        """A corner, and the two edges that begin there, (3,) each."""
        spacing = np.array([*grid.spacing, 0.0][:3])
        corner = np.array(grid.origin, float) + spacing * np.array(self.sampling.low)
        corner[self.axis] += spacing[self.axis] / 2  # through the centres of its cells
        edges = np.zeros((2, 3))
        for edge, axis in zip(edges, self.along, strict=True):
            edge[axis] = spacing[axis] * (self.sampling.high[axis] - self.sampling.low[axis])
        return corner, edges[0], edges[1]

    def meet(self, grid: Grid, origin: Array, direction: Array) -> float | None:
        """How far along a ray the sheet is; None if the ray misses it."""
        corner, across, up = self.place(grid)
        if abs(direction[self.axis]) < 1e-12:
            return None
        distance = float((corner - origin)[self.axis] / direction[self.axis])
        offset = origin + distance * direction - corner
        inside = all(0 <= offset[axis] <= edge[axis] for axis, edge in zip(self.along, (across, up), strict=True))
        return distance if distance > 0 and inside else None


def image(grid: Grid, most: int, means: bool) -> Sheet:
    """A grid of two dimensions."""
    nx, ny = grid.counts
    return Sheet(2, sampling(grid, (0, 0, 0), (nx, ny, 1), most, means))


def detail(grid: Grid, window: tuple[int, int, int, int], most: int, means: bool) -> Sheet:
    """A part of a grid of two dimensions: cells from (x, y) to (x, y)."""
    left, bottom, right, top = window
    return Sheet(2, sampling(grid, (left, bottom, 0), (right, top, 1), most, means), True)


def slices(grid: Grid, places: tuple[float, float, float], most: int, means: bool) -> tuple[Sheet, ...]:
    """Three slices across x, y and z at these parts of the sides."""
    sheets = []
    for axis, index in enumerate(layers_at(grid, places)):
        low, high = [0, 0, 0], list(grid.counts)
        low[axis], high[axis] = index, index + 1
        box = (low[0], low[1], low[2]), (high[0], high[1], high[2])
        sheets.append(Sheet(axis, sampling(grid, *box, most, means)))
    return tuple(sheets)


def layers_at(grid: Grid, places: tuple[float, float, float]) -> tuple[int, ...]:
    """The layers of cells at parts of the sides."""
    return tuple(
        int(np.clip(int(place * count), 0, count - 1)) for place, count in zip(places, grid.counts, strict=True)
    )
