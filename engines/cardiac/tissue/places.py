"""Where on the device the elements stand that viewers, probes and files name: the cells of the mesh."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, Selection
from engines.api.device import Backend
from engines.cardiac.p1.sites import VertexSites
from engines.cardiac.tissue.operator import TissueOperator, VertexTissueOperator

CHUNK = 1_000_000
"""Cells of a whole field that are gathered at once: 16 MB of places."""


class Places(ABC):
    """``order: (n,)``: the site that stands at each place."""

    def __init__(self, backend: Backend, order: Array) -> None:
        self._backend, self._order = backend, order
        self._place = np.empty(len(order), np.int32)
        self._place[order] = np.arange(len(order), dtype=np.int32)

    def __len__(self) -> int:
        return len(self._order)

    @abstractmethod
    def select(self, selection: Selection) -> Any:
        """The handle of a selection of cells of the mesh."""

    @abstractmethod
    def gather_later(self, info: FieldInfo, values: Any, handle: Any) -> Callable[[], Array]:
        """(m,) float32: ``values: (n_padded,)`` of a field on the device at what was selected."""

    @abstractmethod
    def whole(self, info: FieldInfo, values: Any) -> Array:
        """(mesh.n_cells,) in the mesh's numbering: float64 of what cells hold in float64, else float32."""

    def on_device(self, values: Any) -> Any | None:
        """(mesh.n_cells,) in the mesh's numbering, on the device; None where cells are means of their vertices."""
        return None

    @abstractmethod
    def cell(self, place: int) -> int:
        """A cell of the mesh at this place."""


class CellPlaces(Places):
    """Each site is a cell."""

    def select(self, selection: Selection) -> Any:
        return self._backend.select(Selection(self._place[selection.elements], selection.offsets))

    def gather_later(self, info: FieldInfo, values: Any, handle: Any) -> Callable[[], Array]:
        return self._backend.gather_later(values, handle, missing=info.missing)

    def whole(self, info: FieldInfo, values: Any) -> Array:
        found = self._backend.to_host(values)[: len(self._order)]
        ordered = np.empty(len(self._order), np.float64 if found.dtype == np.float64 else np.float32)
        ordered[self._order] = found
        return ordered

    def on_device(self, values: Any) -> Any:
        with self._backend.active():
            return values[self._backend.array(np.asarray(self._place, np.int64))]

    def cell(self, place: int) -> int:
        return int(self._order[place])


class VertexPlaces(Places):
    """Each site is a vertex. A cell has the mean of its four, without those that miss; runs of cells are runs of their
    vertices, or one vertex where the selection says that it means the cells around it. Angles have the direction of the
    mean of unit vectors."""

    def __init__(self, backend: Backend, order: Array, sites: VertexSites) -> None:
        super().__init__(backend, order)
        self._sites = sites

    def select(self, selection: Selection) -> Any:
        sites = self._sites.selection(selection)
        return self._backend.select(Selection(self._place[sites.elements], sites.offsets))

    def gather_later(self, info: FieldInfo, values: Any, handle: Any) -> Callable[[], Array]:
        if not info.cyclic:
            return self._backend.gather_later(values, handle, missing=info.missing)
        low, high = info.range
        turn = (high - low) / (2 * np.pi)
        with self._backend.active():
            angles = (values - low) / turn
            parts = np.sin(angles), np.cos(angles)
        begun = [self._backend.gather_later(part, handle) for part in parts]

        def gathered() -> Array:
            sine, cosine = (found() for found in begun)
            return np.asarray(low + turn * (np.arctan2(sine, cosine) % (2 * np.pi)), np.float32)

        return gathered

    def whole(self, info: FieldInfo, values: Any) -> Array:
        n_cells = len(self._sites.corners)
        found = np.empty(n_cells, np.float32)
        for first in range(0, n_cells, CHUNK):
            cells = np.arange(first, min(first + CHUNK, n_cells), dtype=np.int32)
            found[cells] = self.gather_later(info, values, self.select(Selection(cells)))()
        return found

    def cell(self, place: int) -> int:
        return self._sites.a_cell_at(int(self._order[place]))


def make_places(backend: Backend, operator: TissueOperator) -> Places:
    if isinstance(operator, VertexTissueOperator):
        return VertexPlaces(backend, operator.order, operator.sites)
    return CellPlaces(backend, operator.order)
