"""When cells were first activated; of their latest beat when they were activated and repolarised, APD and voltages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, KernelTraffic
from engines.cardiac.cells.tissue import Tissue
from engines.cardiac.cells.tt06_tissue import NOT_ACTIVATED
from engines.cardiac.tissue.silent import Silent
from engines.cardiac.watch.kernels import MapArrays, WatcherKernels
from engines.cardiac.watch.watcher import NEVER, Snapshot, TissueWatcher

WAITING = -1e30
"""Level of a cell that is in no beat (``maps.cu``)."""
NO_PEAK = -1000.0
"""Peak and resting voltage [mV] of a cell that had no beat."""
NONE = "no beat yet"
ACTIVATION, LATEST_ACTIVATION = "activation", "latest_activation"
ARRAYS = len(MapArrays._fields)
_ROW = {
    "rest": MapArrays._fields.index("rest"),
    "peak": MapArrays._fields.index("peak"),
    LATEST_ACTIVATION: MapArrays._fields.index("activation"),
    "repolarisation": MapArrays._fields.index("repolarisation"),
    "apd": MapArrays._fields.index("duration"),
    "cycle_length": MapArrays._fields.index("cycle"),
}


def maps_fields(level: float) -> tuple[FieldInfo, ...]:
    """The fields of maps whose beats end at ``level`` % repolarisation."""

    def times(name: str, title: str, low: float, high: float, missing_title: str) -> FieldInfo:
        return FieldInfo(
            name, title, "ms", "cell", (low, high), summary=True, missing=NOT_ACTIVATED, missing_title=missing_title
        )

    def voltages(name: str, title: str, values: tuple[float, float]) -> FieldInfo:
        return FieldInfo(name, title, "mV", "cell", values, summary=True, missing=NO_PEAK, missing_title=NONE)

    return (
        times(LATEST_ACTIVATION, "Latest activation", 0.0, 60.0, "not yet"),
        times("repolarisation", "Repolarisation time", 200.0, 400.0, "not yet"),
        times("apd", f"APD{level:g}", 200.0, 360.0, NONE),
        times("cycle_length", "Cycle length", 100.0, 1000.0, "no second beat yet"),
        voltages("peak", "Peak voltage", (0.0, 50.0)),
        voltages("rest", "Resting voltage", (-90.0, -70.0)),
    )


def maps_traffic(n_cells: int, value_bytes: int, every: int) -> KernelTraffic:
    """Of a look at which nothing happens, spread over the steps between two: beats touch the other arrays twice."""
    look = KernelTraffic("maps", n_cells * 3 * value_bytes, n_cells * value_bytes, 0)
    return look.spread(every)


class FirstActivation(TissueWatcher):
    """The kernels of the cells note it by themselves, also of those in a scar that fire on their own: what these have
    noted while they were scar is taken back before anybody sees it."""

    every = NEVER
    fields = (
        FieldInfo(
            ACTIVATION, "Activation time", "ms", "cell", (0.0, 60.0), "viridis", summary=True, missing=NOT_ACTIVATED
        ),
    )

    def __init__(self, tissue: Tissue, silent: Silent) -> None:
        self._backend, self._times, self._silent = tissue.backend, tissue.activation, silent
        self._own = self._times[: tissue.n_cells]
        self._hold()

    def _hold(self) -> None:
        """Those that are scar now, and were not activated before they were."""
        cells = self._silent.cells
        with self._backend.active():
            self._held = None if cells is None else cells[self._own[cells] < 0]

    def _take_back(self) -> None:
        if self._held is not None:
            with self._backend.active():
                self._own[self._held] = NOT_ACTIVATED

    def conduct(self, changed: Array, left: Array) -> None:
        self._take_back()
        self._silent.conduct(changed, left)
        self._hold()

    def look(self, moment: Snapshot) -> None:
        """The kernels look."""

    def values(self, field: str) -> Any:
        self._take_back()
        return self._times

    def state(self) -> dict[str, Array]:
        self._take_back()
        return {ACTIVATION: self._backend.to_host(self._own)}

    def restore(self, state: Mapping[str, Array]) -> None:
        self._own[:] = self._backend.array(np.ascontiguousarray(state[ACTIVATION][: len(self._own)]))
        self._hold()


class Maps(TissueWatcher):
    """Times are linear between two looks ``since`` ms apart; ``level``: percent of repolarisation that ends a beat;
    ``silent``: cells that have none."""

    def __init__(
        self, kernels: WatcherKernels, n_padded: int, threshold: float, level: float, every: int, since: float,
        silent: Silent,
    ) -> None:  # fmt: skip
        self._kernels, self._threshold, self._fraction = kernels, threshold, level / 100.0
        self._since, self.every = since, every
        self.fields = maps_fields(level)
        never = (NOT_ACTIVATED,) * 4
        self._start = np.array(MapArrays(np.nan, WAITING, np.inf, NO_PEAK, *never, 0.0, NO_PEAK), kernels.dtype)
        self._n_padded = n_padded
        self._rows = kernels.backend.array(self._anew())
        self._arrays = MapArrays(*self._rows)
        self.of_cells = MapArrays(*self._rows[:, : kernels.n_cells])
        """Without the padding behind the cells, for whoever makes more of them."""
        self._silent = silent

    @property
    def conducting(self) -> int:
        """How many cells are no scar."""
        return self._silent.conducting

    def conduct(self, changed: Array, left: Array) -> None:
        self._silent.conduct(changed, left)
        with self._kernels.backend.active():
            self._silence()

    def _silence(self) -> None:
        """Cells of a scar are in no beat, and begin none at the next look: there was nothing before it."""
        cells = self._silent.cells
        if cells is not None:
            self._arrays.before[cells], self._arrays.level[cells] = np.nan, WAITING

    def look(self, moment: Snapshot) -> None:
        self._silence()
        self._kernels.look_maps(moment.voltage, self._arrays, self._threshold, self._fraction, moment.time, self._since)

    def values(self, field: str) -> Any:
        return self._rows[_ROW[field]]

    def state(self) -> dict[str, Array]:
        return {"maps": self._kernels.backend.to_host(self._rows[:, : self._kernels.n_cells])}  # the rest is no tissue

    def restore(self, state: Mapping[str, Array]) -> None:
        n, rows = self._kernels.n_cells, self._anew()
        if "maps" in state:  # of earlier versions the first arrays
            rows[: len(state["maps"]), :n] = state["maps"][:, :n]
            if len(state["maps"]) < ARRAYS:  # they had one array for both
                kept = MapArrays(*rows)
                kept.rest[:] = np.where(kept.peak == NO_PEAK, NO_PEAK, kept.low)
        self._rows[:, :n] = self._kernels.backend.array(np.ascontiguousarray(rows[:, :n]))

    def _anew(self) -> Array:
        return np.repeat(self._start[:, None], self._n_padded, axis=1)
