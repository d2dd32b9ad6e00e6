"""The field at a point over time, and its spectrum.

Samples are kept on the device. When the buffer is full, every second one is dropped and the distance doubled, so a
trace reaches over the whole run, however long, at a memory known before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.fdtd.grid.yee import FREQUENCY_UNITS, PER_UNIT, TIME_UNITS, VACUUM_IMPEDANCE
from engines.fdtd.monitors.fourier import Surroundings
from engines.fdtd.monitors.sums.sums import POINTS
from engines.fdtd.parameters import TraceMonitor
from engines.fdtd.step.steps import YeeSteps
from engines.fdtd.watch.watcher import FieldWatcher

CAPACITY = 1 << 16
SAMPLES_PER_PERIOD = 10
FINER = 4
"""Points of the spectrum per 1/T."""


def trace_interval(monitor: TraceMonitor, around: Surroundings) -> int:
    """Steps between samples: ten in the shortest period of the sources, whose spectrum then lies below Nyquist's.
    Raises ProblemError for so many steps that it would not."""
    highest = max((waveform.highest_frequency for waveform in around.waveforms), default=0.0)
    if not highest:
        return monitor.every or 1
    chosen = max(1, int(1.0 / (SAMPLES_PER_PERIOD * highest * around.dt)))
    if monitor.every > 1 and monitor.every * around.dt * 2 * highest >= 1:
        raise ProblemError(
            f"Monitor '{monitor.name}' takes a sample every {monitor.every} steps, fewer than two in the shortest "
            f"period of the sources: use at most {chosen}, or 0 to have it chosen."
        )
    return monitor.every or chosen


def interpolation(monitor: TraceMonitor, around: Surroundings) -> tuple[Array, Array, Array]:
    """(electric: (count,), places: (count, 8), weights: (count, 8)) of the components. Raises ProblemError."""
    yee = around.yee
    for d, x in enumerate(monitor.place):
        nodes, axis = yee.nodes(d), around.axes[d]
        if yee.flat[d]:
            continue
        if not nodes[0] <= x <= nodes[-1]:
            raise ProblemError(
                f"Monitor '{monitor.name}' lies outside of the grid along {'xyz'[d]}: "
                f"place it between {nodes[0]:g} and {nodes[-1]:g}."
            )
        if not nodes[axis.clear[0]] <= x <= nodes[axis.clear[1]]:
            raise ProblemError(
                f"Monitor '{monitor.name}' lies in the absorbing layer of {'xyz'[d]}: "
                f"place it between {nodes[axis.clear[0]]:g} and {nodes[axis.clear[1]]:g}."
            )
    electric, places, weights = [], [], []
    for name in monitor.components:
        c = "xyz".index(name[1])
        ends = []
        for d, x in enumerate(monitor.place):
            on_halves = (d == c) == (name[0] == "E")
            period = float(np.ptp(yee.nodes(d))) if around.axes[d].wraps and on_halves else 0.0
            ends.append(_two(yee.halves(d) if on_halves else yee.nodes(d), x, period))
        electric.append(name[0] == "E")
        eight = [
            (yee.place(c, i, j, k), wx * wy * wz)
            for k, wz in ends[2] for j, wy in ends[1] for i, wx in ends[0]
        ]  # fmt: skip
        places.append([place for place, _ in eight])
        weights.append([weight for _, weight in eight])
    return np.array(electric, np.int32), np.array(places, np.int64), np.array(weights)


def _two(points: Array, x: float, period: float) -> list[tuple[int, float]]:
    """The two points around x and their weights; beyond the first or last one that one alone, or with the other end,
    which repeats after ``period``, where that is not 0."""
    if len(points) == 1:
        return [(0, 1.0), (0, 0.0)]
    if x <= points[0] or x >= points[-1]:
        first, last = 0, len(points) - 1
        if not period:
            return [(first if x <= points[0] else last, 1.0), (first, 0.0)]
        behind = (x - points[last]) % period  # from the last point on to the first of the next period
        part = float(behind / (points[first] + period - points[last]))
        return [(first, part), (last, 1.0 - part)]
    low = int(np.clip(np.searchsorted(points, x, "right") - 1, 0, len(points) - 2))
    part = float((x - points[low]) / (points[low + 1] - points[low]))
    return [(low, 1.0 - part), (low + 1, part)]


class TraceWatcher(FieldWatcher):
    """values: (CAPACITY, components) on the device; ``every`` doubles whenever they are full. ``points``: as of
    :func:`interpolation`, where they are others."""

    def __init__(
        self, number: int, monitor: TraceMonitor, around: Surroundings, backend: Backend, steps: YeeSteps,
        capacity: int = CAPACITY, points: tuple[Array, Array, Array] | None = None,
    ) -> None:  # fmt: skip
        self.monitor, self._around, self._backend, self._steps = monitor, around, backend, steps
        self._capacity, self._gather = capacity, POINTS.on(backend)
        self._base = self.every = trace_interval(monitor, around)
        self._highest = max((waveform.highest_frequency for waveform in around.waveforms), default=0.0)
        self._count = 0
        electric, places, weights = points or interpolation(monitor, around)
        self._electric, self._places = backend.array(electric), backend.array(places)
        self._weights = backend.array(weights.astype(steps.dtype))
        self._values = backend.array(np.zeros((capacity, len(places)), steps.dtype))
        unit = around.unit
        kinds = sorted({name[0] for name in monitor.components})
        time = TIME_UNITS[unit]
        self.charts = tuple(
            info
            for kind in kinds
            for info in (
                ChartInfo(
                    f"monitor_{number}_{kind}", f"{kind} at '{monitor.name}'", _unit(kind), x_title="Time", x_unit=time
                ),
                ChartInfo(
                    f"monitor_{number}_{kind}_spectrum", f"Spectrum of {kind} at '{monitor.name}'",
                    f"{_unit(kind)} {time}", x_title="Frequency", x_unit=FREQUENCY_UNITS[unit],
                ),
            )
        )  # fmt: skip

    def look(self, step: int) -> None:
        if self._count == self._capacity:
            with self._backend.active():
                # samples are at steps every, 2 every, …: the second, fourth … are kept
                self._values[: self._capacity // 2] = self._values[1 : 2 * (self._capacity // 2) : 2].copy()
            self.every *= 2
            self._count = self._capacity // 2
            if step % self.every:
                return
        self._gather(self._backend, self._steps, self._electric, self._places, self._weights, self._values[self._count])
        self._count += 1

    def restored(self, step: int) -> None:
        self.every = self._base
        while step // self.every > self._capacity:
            self.every *= 2
        self._count = step // self.every

    def series_of(self, name: str) -> tuple[Array, Array]:
        """(times [time unit], values [V/m or A/m]) of one component, H at its own time."""
        column = self.monitor.components.index(name)  # type: ignore[arg-type]  # a name that is not there is an error
        values = self._backend.to_host(self._values)[: self._count, column].astype(float)
        at = (np.arange(self._count) + 1.0) * self.every
        if name[0] == "H":
            return (at + 0.5) * self._around.dt, values / VACUUM_IMPEDANCE
        return at * self._around.dt, values

    def spectrum_of(self, name: str) -> tuple[Array, Array]:
        """(frequencies [1/time unit], |∫ field e^{iωt} dt|) up to where the sources have something to give."""
        _, values = self.series_of(name)
        if not len(values):
            return np.zeros(0), np.zeros(0)
        sample = self.every * self._around.dt
        size = FINER * len(values)
        frequencies = np.fft.rfftfreq(size, sample)
        shown = frequencies <= (self._around.content or frequencies[-1])
        return frequencies[shown], np.abs(np.fft.rfft(values, size))[shown] * sample

    def chart(self, name: str) -> ChartData:
        kind = name.split("_")[2]
        names: Sequence[str] = [each for each in self.monitor.components if each[0] == kind]
        if name.endswith("spectrum"):
            pairs = [(each, *self.spectrum_of(each)) for each in names]
            return ChartData(tuple(Curve(each, PER_UNIT * x, y) for each, x, y in pairs), note=self.note)
        return ChartData(tuple(Curve(each, *self.series_of(each), told=-1) for each in names), note=self.note)

    @property
    def note(self) -> str:
        """Whether so many samples were dropped that those left are too few for what the sources send."""
        if self.every * self._around.dt * 2 * self._highest < 1:
            return ""
        return (
            f"The run is so long that every {self.every:,}th step alone is kept, fewer than two in the shortest period "
            "of the sources: frequencies are not what they seem"
        )

    def parts(self) -> dict[str, Any]:
        return {"trace": self._values}

    def results(self) -> Mapping[str, Array]:
        name, unit = self.monitor.name, self._around.unit
        found: dict[str, Array] = {}
        for each in self.monitor.components:
            times, values = self.series_of(each)
            found[f"{name}/time of {each[0]} [{TIME_UNITS[unit]}]"] = times
            found[f"{name}/{each} [{_unit(each[0])}]"] = values
        return found


def _unit(kind: str) -> str:
    return "V/m" if kind == "E" else "A/m"
