"""A Maxwell problem on a device.

Viewers see values at the centres of cells: E_c is the mean of the four edges of a cell along c, H_c of its two faces.
The means are taken on the device, as means over a selection's runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import (
    Array,
    Dab,
    FieldInfo,
    KernelTiming,
    KernelTraffic,
    NonFinite,
    Problem,
    Selection,
    SeriesInfo,
    Simulation,
)
from engines.api.charts import ChartData
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.tools import ToolResult
from engines.fdtd.grid.dimensions import ALL, Parts, per_length
from engines.fdtd.grid.yee import METRES, VACUUM_IMPEDANCE, VACUUM_PERMITTIVITY, Yee, around_center
from engines.fdtd.media.solids.painting import KEEP, Painter
from engines.fdtd.monitors.balance import Balance
from engines.fdtd.monitors.traffic import MONITORS
from engines.fdtd.sources.currents import Sources
from engines.fdtd.step.steps import YeeSteps
from engines.fdtd.step.traffic import STEPS
from engines.fdtd.watch.source_charts import SourceCharts
from engines.fdtd.watch.watcher import FieldWatcher
from engines.geometry.grid import Grid
from engines.watching import Watchers

SAMPLES_PER_PERIOD = 20
ADVICE_ON_POLES = "keep dispersive objects out of the CPML: choose the slowly absorbing layer for the faces they reach."
ADVICE = "use a smaller Courant number, and keep objects of very high permittivity out of the absorbing layers."
PARTS = {"E": ("Ex", "Ey", "Ez"), "H": ("Hx", "Hy", "Hz")}


ENERGIES = {"energy": "Field energy", "electric": "Electric energy", "magnetic": "Magnetic energy"}


class FdtdSimulation(Simulation):
    """cells: (nz, ny, nx) uint8 materials, for viewing; ``sample_steps`` resolves the shortest period driven.
    traffic: of the steps and of all that watches them
    still: charts that do not change during a run"""

    def __init__(
        self,
        backend: Backend,
        grid: Grid,
        yee: Yee,
        dt: float,
        steps: YeeSteps,
        sources: Sources,
        scale: float,
        cells: Array,
        fields: tuple[FieldInfo, ...],
        traffic: tuple[KernelTraffic, ...],
        period: float,
        watchers: Sequence[FieldWatcher] = (),
        there: Parts = ALL,
        still: SourceCharts | None = None,
        painter: Painter | None = None,
    ) -> None:
        self.geometry, self.dt, self.step = grid, dt, 0
        self.fields, self.traffic = fields, traffic
        self.sample_steps = max(1, round(period / dt / SAMPLES_PER_PERIOD))
        self._backend, self._yee, self._steps, self._sources, self._scale = backend, yee, steps, sources, scale
        self._cells = backend.array(cells)
        self._unwatched = 0  # steps since a watcher was given the fields: what these take is told per step
        self.watchers = Watchers(watchers)
        self.fields += self.watchers.fields
        self._names = {field: [name for name in PARTS[field] if name in there.names()] for field in PARTS}
        self._still = still
        drawn = still.charts if still else ()
        # results first: a window may have room for a few alone
        found = sorted(self.watchers.charts, key=lambda info: not info.comparable)
        self.charts = (*found, *drawn)
        per = f"J{per_length(yee, grid.length_unit)}"
        energies = [SeriesInfo(name, title, per) for name, title in ENERGIES.items()]
        self.series = (*energies, *self.watchers.series)
        self._painter = painter
        if painter is not None:
            self.brushes, self.keeps = (painter.brush,), KEEP

    def advance(self, steps: int) -> None:
        end = self.step + steps
        while self.step < end:
            self._advance(self.watchers.next_look(self.step, end) - self.step)
            if due := self.watchers.due(self.step):
                with self._backend.timed(MONITORS, launches=self._unwatched):
                    for watcher in due:
                        watcher.look(self.step)
                self._unwatched = 0

    def _advance(self, steps: int) -> None:
        values = self._scale * self._sources.table(self.step, steps, self.dt)
        with self._backend.timed(STEPS, launches=steps):
            self._steps.advance(values)
        self.step += steps
        self._unwatched += steps

    def chart(self, name: str) -> ChartData:
        if self._still is not None and any(info.name == name for info in self._still.charts):
            return self._still.chart(name)
        return self.watchers.chart(name)

    @property
    def finished(self) -> bool:
        return bool(self.ending)

    @property
    def ending(self) -> str:
        return self.watchers.ending

    def results(self) -> Mapping[str, Array]:
        return self.watchers.results()

    def files(self) -> Mapping[str, str]:
        return self.watchers.files()

    def synchronize(self) -> None:
        self._backend.synchronize()

    def select(self, selection: Selection) -> Any:
        return _Handle(self._backend, self._yee, selection)

    def gather(self, name: str, handle: Any) -> Array:
        if name == "material":
            return self._backend.gather(self._cells.reshape(-1), handle.cells())
        if watcher := self.watchers.of_field(name):
            return handle.means(watcher.gather(name, handle.elements, handle.made))
        if name in PARTS:
            parts = [self._component(part, handle, runs=False).astype(float) for part in self._names[name]]
            return handle.means(np.sqrt(sum(part**2 for part in parts)))
        return self._component(name, handle, runs=True)

    def _component(self, name: str, handle: _Handle, runs: bool) -> Array:
        field = self._steps.electric if name[0] == "E" else self._steps.magnetic
        axis = "xyz".index(name[1])
        values = self._backend.gather(field[axis].reshape(-1), handle.edges(name, runs))
        return values if name[0] == "E" else values / np.float32(VACUUM_IMPEDANCE)

    def field(self, name: str) -> Array:
        if name == "material":
            return self._backend.to_host(self._cells).reshape(-1).astype(np.float32)
        if watcher := self.watchers.of_field(name):
            return watcher.field(name)
        if name in PARTS:
            parts = [self.field(part).astype(float) for part in self._names[name]]
            return np.sqrt(sum(part**2 for part in parts)).astype(np.float32)
        axis = "xyz".index(name[1])
        values = self._backend.to_host((self._steps.electric if name[0] == "E" else self._steps.magnetic)[axis])
        nx, ny, nz = self._yee.counts
        mean = np.zeros((nz, ny, nx))
        offsets = around_center(name)
        for dx, dy, dz in offsets:
            mean += values[dz : dz + nz, dy : dy + ny, dx : dx + nx]
        unit = 1.0 if name[0] == "E" else VACUUM_IMPEDANCE
        return (mean / (len(offsets) * unit)).reshape(-1).astype(np.float32)

    def observe(self) -> Mapping[str, float]:
        """``½ε₀ Σ (ε_r E² + μ_r η₀²H²) ΔV`` [J]; E and H stand half a step apart. Of a dispersive material ε_r is that
        far above its poles, and what these hold, as motion and as displaced charge, is added to the electric energy."""
        with self._backend.active():
            electric, magnetic = self._steps.energy()
        metre = METRES[self.geometry.length_unit]
        factor = 0.5 * VACUUM_PERMITTIVITY * float(np.prod(self._yee.spacing)) * metre**3
        found = {
            "energy": factor * (electric + magnetic), "electric": factor * electric, "magnetic": factor * magnetic,
        }  # fmt: skip
        return found | self.watchers.observe()

    def set_control(self, name: str, value: Any) -> None:
        if name != "source_scale":
            raise ProblemError(f"'{name}' cannot change during a run: reset, change it, and run again.")
        if float(value) != self._scale and any(isinstance(watcher, Balance) for watcher in self.watchers):
            raise ProblemError(
                "R and T are parts of an incident wave that a run without objects has measured: reset, change the "
                "factor on the sources, and run again."
            )
        self._scale = float(value)

    def paint(self, dab: Dab) -> str | None:
        if self._painter is None:
            raise TypeError("there are no brushes for this problem")
        cells, places = self._painter.paint(dab)
        with self._backend.active():
            self._cells[cells] = self._backend.array(np.ascontiguousarray(self._painter.cells[cells]))
            self._steps.repaint(self._painter.media, places)
        return None

    def kept(self, problem: Problem) -> ToolResult | None:
        return None if self._painter is None else self._painter.kept(problem)

    def _restore_cells(self, cells: Array) -> None:
        if self._painter is None or (cells == self._painter.cells).all():
            return
        places = self._painter.put(cells)
        with self._backend.active():
            self._cells[...] = self._backend.array(cells)
            self._steps.repaint(self._painter.media, places)

    def state(self) -> dict[str, Array]:
        held = {name: self._backend.to_host(part) for name, part in self._parts().items()}
        if self._painter is not None:
            held["cells"] = self._painter.cells.copy()
        return {"step": np.array(self.step), "scale": np.array(self._scale), **held}

    def _parts(self) -> dict[str, Any]:
        found = self._steps.parts()
        for number, watcher in enumerate(self.watchers):
            found.update({f"monitor {number} {name}": part for name, part in watcher.parts().items()})
        return found

    def restore(self, state: Mapping[str, Array]) -> None:
        parts = self._parts()
        for name, part in parts.items():
            if name not in state or state[name].shape != part.shape:
                raise ValueError(f"'{name}' of another grid")
        for name, part in parts.items():
            with self._backend.active():
                part[...] = self._backend.array(state[name])
        if "cells" in state:
            self._restore_cells(state["cells"])
        self.step, self._scale = int(state["step"]), float(state["scale"])
        for watcher in self.watchers:
            watcher.restored(self.step)

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        for title, field in (("electric", self._steps.electric), ("magnetic", self._steps.magnetic)):
            place = self._backend.first_non_finite(field)
            if place is not None:
                _, k, j, i = np.unravel_index(place, (3, *self._yee.shape))
                nx, ny, nz = self._yee.counts
                cell = (min(int(k), nz - 1) * ny + min(int(j), ny - 1)) * nx + min(int(i), nx - 1)
                poles = any(name.endswith("poles") for name in self._steps.parts())
                return NonFinite(f"The {title} field", cell, ADVICE_ON_POLES if poles else ADVICE)
        return None

    def close(self) -> None:
        del self._steps, self._cells, self.watchers


class _Handle:
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
            return values.astype(np.float32)
        # NaN, where a field is not, stays in its own run
        absent = np.isnan(values)
        sums = np.concatenate([[0.0], np.cumsum(np.where(absent, 0.0, values))])
        gaps = np.concatenate([[0], np.cumsum(absent)])
        with np.errstate(invalid="ignore"):
            means = (sums[offsets[1:]] - sums[offsets[:-1]]) / np.diff(offsets)
        means[gaps[offsets[1:]] > gaps[offsets[:-1]]] = np.nan
        return means.astype(np.float32)
