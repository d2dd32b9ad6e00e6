"""Monitors of a problem on slabs: each rank sums what lies in its own planes, and rank 0 makes charts and results of
all sums, as they are made on one rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engines.api import Array, Finding, Selection
from engines.api.abilities import Axes
from engines.api.charts import ChartData
from engines.api.device import Backend
from engines.api.simulation.ranks import Share
from engines.fdtd.grid.yee import Yee
from engines.fdtd.monitors.decay import DecayWatcher
from engines.fdtd.monitors.plans import FluxPlan, Incident, MonitorPlans, VolumePlan
from engines.fdtd.monitors.settling import SettlingWatcher
from engines.fdtd.monitors.sums.blocks import Block
from engines.fdtd.monitors.sums.sums import padded
from engines.fdtd.monitors.trace import interpolation
from engines.fdtd.parameters import TraceMonitor
from engines.fdtd.ports.watcher import PortsWatcher
from engines.fdtd.ranks.cut import CutYee
from engines.fdtd.watch.components import Selected
from engines.fdtd.watch.source_charts import SourceCharts
from engines.fdtd.watch.watcher import FieldWatcher, named_parts
from engines.watching import Watchers

EVERYWHERE = (DecayWatcher, SettlingWatcher, PortsWatcher)
"""See the same on all ranks."""
NOTHING = Block(True, 0, (0, 0, 0), (1, 1, 1))
"""What a rank sums where nothing of a monitor lies in its planes; nobody asks for it."""


@dataclass(frozen=True)
class CutPlans:
    """``plans`` of a slab; shares of what their watchers keep, by the names of these and of the monitors."""

    plans: MonitorPlans
    shares: Mapping[tuple[str, str], Share]
    values: Mapping[str, Array]
    """Which of a monitor's values are this rank's, by its name."""

    def incident(self, incident: Incident | None) -> Incident | None:
        """``incident`` with the sums of this rank."""
        if incident is None:
            return None
        sums = {}
        for name, found in incident.sums.items():
            mine = self.values[name]
            own = np.zeros((*found.shape[:2], padded(max(1, len(mine)))), found.dtype)
            own[..., : len(mine)] = found[..., mine]
            sums[name] = own
        return replace(incident, sums=sums)


def cut_plans(plans: MonitorPlans, cut: CutYee) -> CutPlans:
    found: list[TraceMonitor | FluxPlan | VolumePlan] = []
    shares: dict[tuple[str, str], Share] = {}
    values: dict[str, Array] = {}
    points = {}
    for each in plans.plans:
        if isinstance(each, TraceMonitor):
            points[each.name], mine = cut.points(interpolation(each, plans.around))
            shares[each.name, "trace"] = Share(1, len(each.components), np.arange(len(each.components)), mine)
            found.append(each)
            continue
        name = each.plan.name
        blocks, mine = cut.blocks(each.plan.blocks)
        size = padded(sum(block.size for block in blocks) or NOTHING.size)
        places = np.append(mine, np.full(size - len(mine), -1))
        whole = padded(sum(block.size for block in each.plan.blocks))
        for part, axis in (("sums", 2), ("samples", 1)):
            shares[name, part] = Share(axis, whole, places, np.arange(len(mine)))
        values[name] = mine
        found.append(replace(each, plan=replace(each.plan, blocks=tuple(blocks or [NOTHING]), yee=cut.yee)))
    return CutPlans(replace(plans, plans=tuple(found), points=points), shares, values)


class Summing(FieldWatcher):
    """What a rank has of a watcher: it looks, and has nothing to say."""

    def __init__(self, watcher: FieldWatcher) -> None:
        self.fields, self.series, self.charts = watcher.fields, watcher.series, watcher.charts
        self.fixes_sources = watcher.fixes_sources
        self._watcher = watcher

    @property
    def every(self) -> int:  # type: ignore[override]  # it may change
        return self._watcher.every

    def look(self, step: int) -> None:
        self._watcher.look(step)

    def restored(self, step: int) -> None:
        self._watcher.restored(step)

    def parts(self) -> dict[str, Any]:
        return self._watcher.parts()


def of_rank(watchers: Sequence[FieldWatcher]) -> list[FieldWatcher]:
    return [each if isinstance(each, EVERYWHERE) else Summing(each) for each in watchers]


class SeenFromAll:
    """What watchers on rank 0 make of the sums of all ranks, which they are given as parts of a state."""

    def __init__(self, backend: Backend, yee: Yee, watchers: Sequence[FieldWatcher], still: SourceCharts) -> None:
        self._backend, self._yee, self._still = backend, yee, still
        self.watchers = Watchers(watchers)
        self.fields = self.watchers.fields

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parts of a state that they need."""
        return ("step", *self._parts())

    def _parts(self) -> dict[str, Any]:
        return named_parts(self.watchers)

    def restore(self, state: Mapping[str, Array]) -> None:
        for name, part in self._parts().items():
            part[...] = state[name]
        for watcher in self.watchers:
            watcher.restored(int(state["step"]))

    def chart(self, name: str) -> ChartData:
        if any(info.name == name for info in self._still.charts):
            return self._still.chart(name)
        return self.watchers.chart(name)

    def field(self, name: str) -> Array:
        watcher = self.watchers.of_field(name)
        assert watcher is not None
        return watcher.field(name)

    def select(self, selection: Selection) -> Selected:
        return Selected(self._backend, self._yee, selection)

    def gather(self, name: str, handle: Selected) -> Array:
        watcher = self.watchers.of_field(name)
        assert watcher is not None
        return handle.means(watcher.gather(name, handle.elements, handle.made))

    def noticed(self) -> Sequence[Finding]:
        """But for what the ranks themselves notice."""
        return tuple(
            finding for each in self.watchers if not isinstance(each, EVERYWHERE) for finding in each.noticed()
        )

    def results(self) -> Mapping[str, Array]:
        return self.watchers.results()

    def result_axes(self) -> Mapping[str, Axes]:
        return self.watchers.axes()

    def files(self) -> Mapping[str, str]:
        return self.watchers.files()
