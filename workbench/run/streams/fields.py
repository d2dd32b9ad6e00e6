"""Whole fields: every interval and at the end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engines.api import Array, FieldInfo, Simulation, SimulationInfo
from engines.api.errors import ProblemError, nearest_told
from engines.geometry.meshes.mesh import TetMesh
from engines.recording import FieldSeries
from workbench.export.formats import written_fields
from workbench.export.moments.igb import Igb
from workbench.export.moments.series import Series
from workbench.export.moments.sink import Sink
from workbench.export.moments.vtkhdf import VtkHdf
from workbench.run.earlier import TOLERANCE
from workbench.run.streams.stream import Job, in_turn


class FieldStream:
    """Takes the moments that ``series`` asks for to the sink of its format.

    A run that was ended between two moments has written the one at which it ended: resumed, it forgets that again.
    """

    def __init__(self, info: SimulationInfo, series: FieldSeries, folder: Path, resumed_at: float | None) -> None:
        self._dt, self._interval = info.dt, series.interval
        self._sink = open_sink(info, series, folder, info.time_unit)
        self._gathered: list[tuple[int, float, Mapping[str, Array]]] = []
        self._last = -1
        if resumed_at is None:
            self._sink.make()
            return
        steps = [round(time / self._dt) for time in self._sink.times() if time <= resumed_at * (1 + TOLERANCE)]
        if steps and self.next_step(steps[-1] - 1) != steps[-1]:
            steps.pop()
        self._sink.keep(len(steps))
        self._last = steps[-1] if steps else -1

    def next_step(self, after: int) -> int | None:
        """The step nearest to the first multiple of the interval that comes after ``after``."""
        if not self._interval:
            return None
        if self._interval <= self._dt:
            return after + 1
        index = max(0, int(after * self._dt / self._interval) - 1)
        while (step := round(index * self._interval / self._dt)) <= after:
            index += 1
        return step

    def look(self, simulation: Simulation) -> None:
        if simulation.step != self._last:
            self._last = simulation.step
            self._gathered.append((simulation.step, simulation.time, self._sink.take(simulation)))

    def written(self, everything: bool = False) -> Job | None:
        if not self._gathered:
            return None
        gathered, self._gathered = self._gathered, []

        def write() -> None:
            for moment in gathered:
                self._sink.append(*moment)

        return write

    def ended(self, simulation: Simulation, finite: bool) -> Job:
        """What is no longer a number is not worth what came before."""
        if finite and (not self._sink.regular or not self._interval):
            self.look(simulation)
        rest = self.written(everything=True)
        return in_turn(rest, self._sink.last(simulation) if finite else None)

    def sync(self) -> None:
        self._sink.sync()

    def close(self) -> None: ...


def chosen_fields(run: Simulation | SimulationInfo, series: FieldSeries) -> tuple[FieldInfo, ...]:
    """Those that ``series`` names, or all. Raises ProblemError where it names one that there is not."""
    fields = written_fields(run)
    known = [each.name for each in fields]
    for index, name in enumerate(series.names):
        if name not in known:
            raise ProblemError(
                f"There is no field '{name}' to be written{nearest_told(name, known)}: {', '.join(known)} are there.",
                ("recording", "fields", "names", index),
            )
    return tuple(each for each in fields if not series.names or each.name in series.names)


def open_sink(run: Simulation | SimulationInfo, series: FieldSeries, folder: Path, unit: str) -> Sink:
    """Of a run's geometry and fields; ``unit``: of time. Raises ProblemError."""
    fields = chosen_fields(run, series)
    form: str = series.format
    if form == "vtkhdf":
        return VtkHdf(folder, run.geometry, fields, series.precision)
    if form == "igb" and isinstance(run.geometry, TetMesh):
        return Igb(folder, run.geometry, fields, series.interval, unit, series.precision)
    return Series(folder, run.geometry, fields, series.precision, run.dt)
