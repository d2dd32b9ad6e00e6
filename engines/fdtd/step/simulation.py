"""A Maxwell problem on a device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from engines.api import (
    Array,
    Dab,
    FieldInfo,
    Finding,
    KernelTiming,
    KernelTraffic,
    NonFinite,
    Problem,
    Selection,
    SeriesInfo,
    Simulation,
)
from engines.api.abilities import Axes, Underneath
from engines.api.charts import ChartData
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.tools import ToolResult
from engines.backend.fields.beyond import wrong_in
from engines.fdtd.grid.dimensions import ALL, Parts, per_length
from engines.fdtd.grid.yee import METRES, VACUUM_PERMITTIVITY, Yee
from engines.fdtd.media.solids.painting import KEEP, Block, Painter
from engines.fdtd.monitors.settling import SettlingWatcher, noted
from engines.fdtd.monitors.traffic import MONITORS
from engines.fdtd.ports.touchstone import commented
from engines.fdtd.sources.currents import Sources
from engines.fdtd.step.steps import YeeSteps
from engines.fdtd.step.traffic import STEPS
from engines.fdtd.watch.components import Components, Selected
from engines.fdtd.watch.fields import vectors_of
from engines.fdtd.watch.permittivity import INDEX, PERMITTIVITY, Permittivity
from engines.fdtd.watch.source_charts import SourceCharts
from engines.fdtd.watch.watcher import FieldWatcher, named_parts
from engines.geometry.grid import Grid
from engines.watching import Watchers

SAMPLES_PER_PERIOD = 20
ADVICE_ON_POLES = "keep dispersive objects out of the CPML: choose the slowly absorbing layer for the faces they reach."
ADVICE = "use a smaller Courant number, and keep objects of very high permittivity out of the absorbing layers."
ENERGIES = {"energy": "Field energy", "electric": "Electric energy", "magnetic": "Magnetic energy"}


class FdtdSimulation(Simulation):
    """scale: of all sources; cells: (nz, ny, nx) uint8 materials, for viewing
    period: the shortest driven [the engine's time], which ``sample_steps`` resolves
    traffic: of the steps and of all that watches them
    still: charts that do not change during a run"""

    below = 0
    """Planes of the fields that are not this one's (of the slab below, where several ranks share a grid)."""

    def __init__(
        self,
        backend: Backend,
        grid: Grid,
        yee: Yee,
        dt: float,
        steps: YeeSteps,
        sources: Sources,
        *,
        scale: float,
        cells: Array,
        fields: tuple[FieldInfo, ...],
        traffic: tuple[KernelTraffic, ...],
        period: float,
        watchers: Sequence[FieldWatcher] = (),
        there: Parts = ALL,
        still: SourceCharts | None = None,
        painter: Painter | None = None,
        permittivity: Permittivity | None = None,
    ) -> None:
        self.geometry, self.dt, self.step = grid, dt, 0
        self.fields, self.traffic, self.vectors = fields, traffic, vectors_of(there)
        self.sample_steps = max(1, round(period / dt / SAMPLES_PER_PERIOD))
        self._backend, self._yee, self._steps, self._sources, self._scale = backend, yee, steps, sources, scale
        self._cells = backend.array(cells)
        self._painted = 0  # times
        self._unwatched = 0  # steps since a watcher was given the fields: what these take is told per step
        self.watchers = Watchers(watchers)
        self.fields += self.watchers.fields
        self._shown = Components(backend, yee, steps, there)
        self._still = still
        drawn = still.charts if still else ()
        # results first: a window may have room for a few alone
        found = sorted(self.watchers.charts, key=lambda info: not info.comparable)
        self.charts = (*found, *drawn)
        per = f"J{per_length(yee, grid.length_unit)}"
        energies = [SeriesInfo(name, title, per) for name, title in ENERGIES.items()]
        self.series = (*energies, *self.watchers.series)
        self._painter, self._permittivity = painter, permittivity
        if painter is not None:
            self.brushes, self.keeps = (painter.brush,), KEEP

    def advance(self, steps: int) -> None:
        end = self.step + steps
        while self.step < end and not self.finished:  # it ends where it was looked at, however many steps are asked for
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

    def seen_by_watchers(self) -> Watchers[FieldWatcher]:
        """The watchers, with what they have found in the whole grid."""
        return self.watchers

    def chart(self, name: str) -> ChartData:
        if self._still is not None and any(info.name == name for info in self._still.charts):
            return self._still.chart(name)
        return noted(self.watchers.chart(name), partial(self.note, name))

    def note(self, name: str, shown: bool) -> str:
        """Whether a chart of a watcher is right yet; ``shown``: it has curves."""
        settling = next((each for each in self.watchers if isinstance(each, SettlingWatcher)), None)
        info = next((each for each in self.watchers.charts if each.name == name), None)
        return "" if settling is None or info is None else settling.note(info, shown, self.step)

    @property
    def finished(self) -> bool:
        return bool(self.ending)

    @property
    def done(self) -> float | None:
        return self.watchers.done

    @property
    def ending(self) -> str:
        return self.watchers.ending

    def noticed(self) -> Sequence[Finding]:
        return self.watchers.noticed()

    def results(self) -> Mapping[str, Array]:
        return self.watchers.results()

    def result_axes(self) -> Mapping[str, Axes]:
        return self.watchers.axes()

    def files(self) -> Mapping[str, str]:
        return commented(self.watchers.files(), self.noticed())

    def synchronize(self) -> None:
        self._backend.synchronize()

    def select(self, selection: Selection) -> Any:
        return Selected(self._backend, self._yee, selection)

    def gather(self, name: str, handle: Any) -> Array:
        return self.gather_later(name, handle)()

    def gather_later(self, name: str, handle: Any) -> Callable[[], Array]:
        if name == "material":
            return self._backend.gather_later(self._cells.reshape(-1), handle.cells())
        if name in (INDEX, PERMITTIVITY):
            return partial(handle.means, self._in_media(name, handle))
        if watcher := self.watchers.of_field(name):
            return partial(handle.means, watcher.gather(name, handle.elements, handle.made))
        return self._shown.gather_later(name, handle)

    def _in_media(self, name: str, handle: Selected) -> Array:
        """Found once for a selection and what is painted."""
        assert self._permittivity is not None
        if (name, self._painted) not in handle.made:
            handle.made[name, self._painted] = self._permittivity.at(name, handle.elements)
        found: Array = handle.made[name, self._painted]
        return found

    def field(self, name: str) -> Array:
        if name == "material":
            return self._backend.to_host(self._cells).reshape(-1).astype(np.float32)
        if name in (INDEX, PERMITTIVITY):
            assert self._permittivity is not None
            return self._permittivity.everywhere(name)
        if watcher := self.watchers.of_field(name):
            return watcher.field(name)
        return self._shown.field(name)

    def on_device(self, name: str) -> Any | None:
        if self.watchers.of_field(name) or name in (INDEX, PERMITTIVITY):
            return None
        with self._backend.active():
            return self._cells.reshape(-1).copy() if name == "material" else self._shown.on_device(name)

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
        if float(value) != self._scale and any(watcher.fixes_sources for watcher in self.watchers):
            raise ProblemError(
                "R, T and cross-sections are parts of an incident wave that was known before the run: reset, change "
                "the factor on the sources, and run again."
            )
        self._scale = float(value)

    def paint(self, dab: Dab) -> str | None:
        if self._painter is None:
            raise TypeError("there are no brushes for this problem")
        self._repaint(*self._painter.paint(dab))
        return None

    def underneath(self, dab: Dab, first: bool) -> Underneath | None:
        return None if self._painter is None else self._painter.underneath(dab)

    def put_back(self, under: Underneath) -> None:
        assert self._painter is not None
        self._repaint(*self._painter.put_back(under))

    def _repaint(self, cells: Block, places: Block) -> None:
        assert self._painter is not None
        self._painted += 1
        with self._backend.active():
            self._show(cells)
            self._steps.repaint(self._painter.media, places)

    def _show(self, cells: Block) -> None:
        """What is painted in a block of cells is seen."""
        assert self._painter is not None
        self._cells[cells] = self._backend.array(np.ascontiguousarray(self._painter.cells[cells]))

    def kept(self, problem: Problem) -> ToolResult | None:
        return None if self._painter is None else self._painter.kept(problem)

    def _restore_cells(self, cells: Array) -> None:
        if self._painter is None or (cells == self._painter.cells).all():
            return
        places = self._painter.put(cells)
        self._painted += 1
        with self._backend.active():
            self._show((slice(0, len(cells)), slice(None), slice(None)))
            self._steps.repaint(self._painter.media, places)

    def state(self) -> dict[str, Array]:
        held = {name: self._backend.to_host(part) for name, part in self._parts().items()}
        if self._painter is not None:
            held["cells"] = self._painter.cells.copy()
        return {"step": np.array(self.step), "scale": np.array(self._scale), **held}

    def _parts(self) -> dict[str, Any]:
        return self._steps.parts() | named_parts(self.watchers)

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
        self.step, self._scale, self.beyond = int(state["step"]), float(state["scale"]), None
        for watcher in self.watchers:
            watcher.restored(self.step)

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        before = self.beyond
        for title, field, size in (("electric", self._steps.electric, 3**0.5), ("magnetic", self._steps.magnetic, 1.0)):
            advice = ADVICE_ON_POLES if any(name.endswith("poles") for name in self._steps.parts()) else ADVICE
            element = partial(self._cell_at, field.shape)
            found = wrong_in(self, self._backend, f"The {title} field", field, advice, unit=size, element=element)
            if found is not None:
                return found
            if size > 1 and self.beyond is not before and not np.isinf(self._shown.field("E")).any():
                self.beyond = before  # |E| is as large only where all of its components are
        return None

    def _cell_at(self, shape: Sequence[int], place: int) -> int:
        """The cell at a place in a field of this shape."""
        _, k, j, i = np.unravel_index(place, shape)
        nx, ny, nz = self._yee.counts
        return (min(max(int(k) - self.below, 0), nz - 1) * ny + min(int(j), ny - 1)) * nx + min(int(i), nx - 1)

    def close(self) -> None:
        del self._steps, self._shown, self._cells, self.watchers
