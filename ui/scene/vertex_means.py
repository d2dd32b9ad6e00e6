"""Means over the cells at each vertex: asked of the device where possible, taken here where values may be missing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numba
import numpy as np

from engines.api import Array, FieldInfo, Selection

NO_DATA = np.float32(3.0e38)
"""Marks a vertex without a value in what goes to the graphics card."""


@dataclass(frozen=True)
class VertexMeans:
    """Vertices and the cells whose mean they show; ``cells`` has offsets, one run for each vertex."""

    cells: Selection

    @cached_property
    def _distinct(self) -> tuple[Array, Array]:
        elements, place = np.unique(self.cells.elements, return_inverse=True)
        return elements.astype(np.int32), place.astype(np.int32)

    def selection(self, field: FieldInfo) -> Selection:
        """What to ask of a simulation. A mean that mixes values with "not yet" says nothing, so fields with a
        ``missing`` value are asked for cell by cell and reduced in :meth:`reduce`."""
        return self.cells if field.missing is None else Selection(self._distinct[0])

    def reduce(self, field: FieldInfo, values: Array) -> Array:
        """One float32 for each vertex from the answer to :meth:`selection`; NO_DATA where all cells miss."""
        scalars = magnitude(values)
        if field.missing is None:
            return np.where(np.isfinite(scalars), scalars, NO_DATA)
        assert self.cells.offsets is not None
        return _mean_of_present(scalars, self._distinct[1], self.cells.offsets, np.float32(field.missing))

    def reduce_whole(self, field: FieldInfo, values: Array) -> Array:
        """The same from a whole field in the geometry's numbering."""
        assert self.cells.offsets is not None
        scalars = magnitude(values)
        missing = np.float32(np.nan if field.missing is None else field.missing)
        return _mean_of_present(scalars, self.cells.elements, self.cells.offsets, missing)


def magnitude(values: Array) -> Array:
    """Scalars as they are, vectors by length; float32."""
    flat = values if values.ndim == 1 else np.linalg.norm(values, axis=1)
    return np.ascontiguousarray(flat, np.float32)


@numba.njit(cache=True, nogil=True)
def _mean_of_present(values: Array, place: Array, offsets: Array, missing: float) -> Array:
    result = np.empty(len(offsets) - 1, np.float32)
    for vertex in range(len(result)):
        total, count = 0.0, 0
        for k in range(offsets[vertex], offsets[vertex + 1]):
            value = values[place[k]]
            if np.isfinite(value) and value != missing:
                total += value
                count += 1
        result[vertex] = total / count if count else NO_DATA
    return result
