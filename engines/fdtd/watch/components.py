"""E, H and their components as viewers see them, at the centres of cells.

E_c is the mean of the four edges of a cell along c, H_c of its two faces. The means are taken on the device, as means
over a selection's runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from engines.api import Array, Selection
from engines.api.device import Backend
from engines.fdtd.grid.dimensions import Parts
from engines.fdtd.grid.yee import VACUUM_IMPEDANCE, Yee, around_center
from engines.fdtd.step.steps import Fields

PARTS = {"E": ("Ex", "Ey", "Ez"), "H": ("Hx", "Hy", "Hz")}


class Components:
    """Of the fields of ``steps``, which has the components ``there``; E in V/m, H in A/m."""

    def __init__(self, backend: Backend, yee: Yee, steps: Fields, there: Parts) -> None:
        self._backend, self._yee, self._steps = backend, yee, steps
        self._names = {field: [name for name in PARTS[field] if name in there.names()] for field in PARTS}

    def gather_later(self, name: str, selected: Selected) -> Callable[[], Array]:
        """Means over the selection's runs."""
        if name not in PARTS:
            return self._component(name, selected, runs=True)
        begun = [self._component(part, selected, runs=False) for part in self._names[name]]
        return lambda: selected.means(np.sqrt(sum(found().astype(float) ** 2 for found in begun)))

    def _component(self, name: str, selected: Selected, runs: bool) -> Callable[[], Array]:
        field = self._steps.electric if name[0] == "E" else self._steps.magnetic
        found = self._backend.gather_later(field["xyz".index(name[1])].reshape(-1), selected.edges(name, runs))
        return found if name[0] == "E" else lambda: found() / np.float32(VACUUM_IMPEDANCE)

    def on_device(self, name: str) -> Any:
        """(cells,) in the precision of the run, on the device; inside ``backend.active``."""
        if name in PARTS:
            length: Any = reduce(lambda one, other: np.hypot(one, other), map(self.on_device, self._names[name]))
            return abs(length)  # squares would leave float32
        values = (self._steps.electric if name[0] == "E" else self._steps.magnetic)["xyz".index(name[1])]
        nx, ny, nz = self._yee.counts
        offsets = around_center(name)
        parts = [values[dz : dz + nz, dy : dy + ny, dx : dx + nx] for dx, dy, dz in offsets]
        unit = 1.0 if name[0] == "E" else VACUUM_IMPEDANCE
        return (sum(parts[1:], parts[0]) * values.dtype.type(1 / (len(offsets) * unit))).reshape(-1)

    def field(self, name: str) -> Array:
        """(cells,) float32."""
        if name in PARTS:
            parts = [self.field(part).astype(float) for part in self._names[name]]
            return as_float32(np.sqrt(sum(part**2 for part in parts)))
        axis = "xyz".index(name[1])
        values = self._backend.to_host((self._steps.electric if name[0] == "E" else self._steps.magnetic)[axis])
        nx, ny, nz = self._yee.counts
        mean = np.zeros((nz, ny, nx))
        offsets = around_center(name)
        for dx, dy, dz in offsets:
            mean += values[dz : dz + nz, dy : dy + ny, dx : dx + nx]
        unit = 1.0 if name[0] == "E" else VACUUM_IMPEDANCE
        return as_float32((mean / (len(offsets) * unit)).reshape(-1))


class Selected:
    """A selection of cells; the places of a component are put on the device when somebody asks for it."""

    def __init__(self, backend: Backend, yee: Yee, selection: Selection) -> None:
        self._backend, self._yee = backend, yee
        elements = np.asarray(selection.elements, np.int64)
        if elements.size and (elements.min() < 0 or elements.max() >= yee.cells):
            raise ValueError(f"the selection reaches beyond the {yee.cells} cells")
        self._selection, self.elements = selection, elements
        self.made: dict[Any, Any] = {}

    def cells(self) -> Any:
        if "cells" not in self.made:
            self.made["cells"] = self._backend.select(self._selection)
        return self.made["cells"]

    def edges(self, name: str, runs: bool) -> Any:
        """Places of a component around the centres, in runs of one cell each or (``runs``) those of the selection."""
        offsets = self._selection.offsets if runs else None
        key = name, offsets is None
        if key not in self.made:
            nx, ny, _ = self._yee.counts
            elements = np.asarray(self._selection.elements, np.int64)
            k, rest = np.divmod(elements, nx * ny)
            j, i = np.divmod(rest, nx)
            around = around_center(name)
            places = np.empty((len(elements), len(around)), np.int32)
            for n, (dx, dy, dz) in enumerate(around):
                places[:, n] = self._yee.place(0, i + dx, j + dy, k + dz)
            ends = np.arange(len(elements) + 1) if offsets is None else np.asarray(offsets)
            self.made[key] = self._backend.select(Selection(places.reshape(-1), (ends * len(around)).astype(np.int32)))
        return self.made[key]

    def means(self, values: Array) -> Array:
        """Of values of the cells over the selection's runs, float32."""
        offsets = self._selection.offsets
        if offsets is None:
            return as_float32(values)
        counts = np.diff(offsets)
        full, means = counts > 0, np.full(len(counts), np.nan)
        # NaN, where a field is not, and infinity stay in their own runs
        means[full] = np.add.reduceat(values[: offsets[-1]], offsets[:-1][full]) / counts[full]
        return as_float32(means)


def as_float32(values: Array) -> Array:
    """What is too large is infinity, of which ``Simulation.beyond`` tells."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32)
