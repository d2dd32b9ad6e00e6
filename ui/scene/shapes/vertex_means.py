"""Means over the cells at each vertex: asked of the device where possible, taken here where values may be missing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numba
import numpy as np

from engines.api import Array, FieldInfo, Selection

NO_DATA = 3.0e38
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
        ``missing`` value are asked for cell by cell and reduced in :meth:`reduce`; so are angles."""
        return self.cells if not _by_cell(field) else Selection(self._distinct[0])

    def reduce(self, field: FieldInfo, values: Array) -> Array:
        """One float32 for each vertex from the answer to :meth:`selection`; NO_DATA where all cells miss."""
        scalars = magnitude(values)
        if field.cyclic:
            return self._mean_angle(field, scalars)
        if field.missing is None:
            return np.where(np.isfinite(scalars), scalars, np.float32(NO_DATA))
        return _mean(scalars, self._distinct[1], self._offsets, float(np.float32(field.missing)), NO_DATA)

    def reduce_front(self, field: FieldInfo, values: Array, expected: float, beat: float = np.inf) -> Array:
        """Front times at the vertices, where cells that the front has not reached count with ``expected``, a time
        soon to come. The front then moves smoothly through the cells around a vertex instead of jumping. Cells that
        are ``beat`` behind others around their vertex were reached by the front before, and not yet by this one."""
        if field.missing is None:
            return self.reduce(field, values)
        missing = float(np.float32(field.missing))
        return _mean(magnitude(values), self._distinct[1], self._offsets, missing, expected, True, beat)

    def of_whole(self, field: FieldInfo, values: Array) -> Array:
        """The answer to :meth:`selection` taken from a whole field in the geometry's numbering."""
        if not _by_cell(field):
            return _mean(magnitude(values), self.cells.elements, self._offsets, np.nan, NO_DATA)
        return values[self._distinct[0]]

    def of_all(self, values: Array) -> Array:
        """What a simulation answers to ``cells``, taken from a whole field."""
        return _mean(magnitude(values), self.cells.elements, self._offsets, np.nan, np.nan)

    def _mean_angle(self, field: FieldInfo, values: Array) -> Array:
        """The direction of the mean of unit vectors, in the field's range."""
        low, high = field.range
        turn = (high - low) / (2 * np.pi)
        parts = (part((values - low) / turn) for part in (np.sin, np.cos))
        sine, cosine = (_mean(part, self._distinct[1], self._offsets, np.nan, NO_DATA) for part in parts)
        angle = low + turn * (np.arctan2(sine, cosine) % (2 * np.pi))
        return np.where(sine < NO_DATA / 2, angle, NO_DATA).astype(np.float32)

    @property
    def _offsets(self) -> Array:
        assert self.cells.offsets is not None
        return self.cells.offsets


def _by_cell(field: FieldInfo) -> bool:
    """Whether the device's plain mean would mix what does not mix."""
    return field.missing is not None or field.cyclic


def magnitude(values: Array) -> Array:
    """Scalars as they are, vectors by length; float32."""
    flat = values if values.ndim == 1 else np.linalg.norm(values, axis=1)
    return np.ascontiguousarray(flat, np.float32)


@numba.njit(cache=True, nogil=True)
def _mean(
    values: Array,
    place: Array,
    offsets: Array,
    missing: float,
    stand_in: float,
    mix: bool = False,
    beat: float = np.inf,
) -> Array:
    """Means over the runs ``place[offsets[i]:offsets[i + 1]]`` of the values that are there; ``stand_in`` where none
    is, or (``mix``) in the place of each that is not, or is more than ``beat`` below the largest of its run."""
    result = np.empty(len(offsets) - 1, np.float32)
    for vertex in range(len(result)):
        total, count, oldest = 0.0, 0, -np.inf
        if mix and beat < np.inf:
            for k in range(offsets[vertex], offsets[vertex + 1]):
                value = values[place[k]]
                if np.isfinite(value) and value != missing and value - beat > oldest:
                    oldest = value - beat
        for k in range(offsets[vertex], offsets[vertex + 1]):
            value = values[place[k]]
            if np.isfinite(value) and value != missing and value >= oldest:
                total += value
                count += 1
            elif mix:
                total += stand_in
                count += 1
        result[vertex] = total / count if count else stand_in
    return result
