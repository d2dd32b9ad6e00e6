"""The whole protocol of many cells, solved again whenever the current factor moves.

The cells stand on the device with their start beside them; a solution is a copy of the start and one launch, two where
the first guess of how long the protocol takes was far off. The time step is the problem's own or, where that would
take longer than a frame, a multiple of it; where even that does not reach the end, the beginning is shown. On a slow
device a sample of the cells stands for all: the title of the voltage says how many.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array, Problem
from engines.api.charts import ChartData, ChartInfo, Curve, Forecast
from engines.api.device import Backend
from engines.backend.precision import FLOAT_TYPES
from engines.backend.timing import best_seconds
from engines.battery.cells.ageing import ageing_of
from engines.battery.cells.step.cells import CELLS
from engines.battery.parameter_sets.constants import REFERENCE_TEMPERATURE
from engines.battery.parameters import BatteryParameters, parameters_of
from engines.battery.protocol.durations import DRIVES, guessed_seconds
from engines.battery.protocol.plan import Plan, cycle_of, instructions, step_of
from engines.battery.protocol.steps import parse
from engines.battery.setup.cell import parameter_set_of
from engines.battery.setup.ensemble import sample
from engines.battery.step.cell_rows import Row
from engines.battery.watch.bands import bands, means

POINTS = 256
"""Rows of the traces: a curve has at least half of these points, unless there are fewer steps."""
BUDGET_SECONDS = 0.007
"""What the launch may take: of a frame of 16 ms, for the bands and the copies need some too."""
FEW_CELLS, LEAST_CELLS = 200, 50
"""Cells of which a band looks like that of many, and of which it is still one."""
MOST_CELLS = 20_000
"""Cells beyond which a band does not change any more and its percentiles take longer than the cells."""
CALIBRATION_STEPS = 50
MULTIPLES = sorted({1, 3} | {k << n for n in range(12) for k in (2, 3)})
"""Of the problem's time step: few, so that a moving factor seldom needs another plan."""
MARGIN = 1.1
"""The horizon over the guess of the duration."""
RESOLVED = 20
"""Time steps in the shortest step of a protocol, where they are longer than the problem's own."""
KELVIN = 273.15


class CellForecast(Forecast):
    """Voltage (mean, 5th and 95th percentile), current and, with heat, temperature. ``cells`` and ``most_steps``
    are found by measuring where they are not given."""

    def __init__(
        self, problem: Problem, backend: Backend, *, cells: int | None = None, most_steps: int | None = None
    ) -> None:
        parameters = parameters_of(problem)
        self._parameters, self._backend = parameters, backend
        self._set = parameter_set_of(parameters)
        n = parameters.ensemble.cells
        self._scalars = sample(self._set, parameters.ensemble.distributions, n, parameters.ensemble.seed)
        self._steps = parse(parameters.protocol)
        self._cycle = cycle_of(parameters)
        self._plans: dict[float, Plan] = {}
        self._most_steps = POINTS if most_steps is None else most_steps
        if cells is not None:
            self._place(min(n, cells))
        for count in (MOST_CELLS, FEW_CELLS, LEAST_CELLS) if cells is None else ():
            if not hasattr(self, "_cells") or count < self._cells.n_cells:
                self._place(min(n, count))
            if self._step_seconds() * POINTS <= BUDGET_SECONDS:
                break
        if most_steps is None:
            self._most_steps = max(POINTS, int(BUDGET_SECONDS / self._step_seconds()))
            self._plans.clear()
            self._placed = 0.0
        self._traces = self._cells.new_traces(POINTS)
        self.charts = _charts(parameters, self._cells.n_cells)

    def _place(self, cells: int) -> None:
        parameters = self._parameters
        plan = self._plan(step_of(parameters))
        scalars = {name: values[:cells] for name, values in self._scalars.items()}
        resistance = np.full(cells, self._set.values()["contact_resistance"])
        self._cells = CELLS.open(
            self._backend,
            self._set,
            plan.instructions,
            step_of(parameters),
            {"contact_resistance": resistance, **scalars},
            electrolyte=parameters.model == "SPMe",
            thermal=parameters.thermal == "lumped",
            precision=FLOAT_TYPES[parameters.numerics.precision],
            drive=plan.drive,
            ageing=ageing_of(parameters),
        )
        self._placed = step_of(parameters)  # the time step of the plan that is on the device
        self._start = self._backend.array(self._backend.to_host(self._cells.state))

    def _step_seconds(self) -> float:
        """Seconds of a step of all cells, the better of two launches after one that compiles."""
        return best_seconds(self._backend, lambda: self._cells.advance(0, CALIBRATION_STEPS)) / CALIBRATION_STEPS

    def solve(self, controls: Mapping[str, Any]) -> Mapping[str, ChartData]:
        factor = float(controls.get("current_factor", self._parameters.current_factor))
        guess, shortest = self._durations(factor)
        times, ended = self._run(factor, guess * MARGIN, shortest)
        if ended is not None and ended < guess / 3 and len(times) > 1:
            times, ended = self._run(factor, ended * MARGIN, shortest)
        elif ended is None and times[-1] >= guess:
            times, ended = self._run(factor, guess * 3, shortest)
        return self._curves(times, ended)

    def _plan(self, dt: float) -> Plan:
        """As much of the protocol as can be reached: an instruction takes a step at least."""
        if dt not in self._plans:
            drive = None if self._cycle is None else self._cycle.per_step(dt)
            power = self._cycle is not None and self._cycle.kind == "power"
            most = self._most_steps + 1
            once = instructions(self._steps[:most], self._set, dt, drive, power)
            times = min(self._parameters.cycles, math.ceil(most / len(once)))
            self._plans[dt] = Plan((once * times)[:most], drive)
        return self._plans[dt]

    def _durations(self, factor: float) -> tuple[float, float]:
        """(how long the protocol takes, or more than can be shown; how long its shortest step) [s]."""
        dt = step_of(self._parameters)
        total, shortest = 0.0, math.inf
        for step, time in guessed_seconds(self._plan(dt).instructions, self._set, dt, factor):
            total += time
            if time > 0:
                shortest = min(shortest, dt if step.kind in DRIVES else time)
            if total > self._most_steps * max(dt, shortest / RESOLVED) * 2:
                break
        return max(total, dt), shortest if shortest < math.inf else dt

    def _run(self, factor: float, horizon: float, shortest: float) -> tuple[Array, float | None]:
        """(times [s] of the rows of the traces, the latest end of a cell or None where one goes on)."""
        own = step_of(self._parameters)
        wanted, most = horizon / (own * self._most_steps), shortest / (RESOLVED * own)
        dt = own * next((each for each in MULTIPLES if each >= wanted or 2 * each > most), MULTIPLES[-1])
        steps = min(self._most_steps, max(1, math.ceil(horizon / dt)))
        every = math.ceil(steps / POINTS)
        rows = math.ceil(steps / every)
        cells = self._cells
        if self._placed != dt:
            plan = self._plan(dt)
            self._placed = cells.dt = dt
            cells.set_protocol(plan.instructions, plan.drive)
        cells.factor = factor
        with self._backend.active():
            cells.state[:] = self._start
            cells.advance(0, rows * every, self._traces, every)
            ends = cells.state[int(Row.ENDED), : cells.n_cells]
            first, last = float(ends.min()), float(ends.max())
        return dt * every * np.arange(1, rows + 1), last if first >= 0 else None

    def _curves(self, times: Array, ended: float | None) -> dict[str, ChartData]:
        cells, n = self._cells, self._cells.n_cells
        rows = len(times)
        found = bands(self._backend, self._traces[0, :rows], n)
        last = float(self._backend.to_host(cells.state[int(Row.VOLTAGE), :1])[0])
        start = self._backend.to_host(self._start[int(Row.VOLTAGE)])[:n].astype(float)
        enough = found.count >= 0.5 * n  # beyond, the mean is that of a few strong cells
        kept = np.flatnonzero(enough)
        x = np.concatenate([[0.0], times[kept]])
        mean, low, high = (each[kept] for each in (found.mean, found.low, found.high))
        first = np.percentile(start, (5, 95))
        mean = np.concatenate([[start.mean()], mean])
        low, high = np.concatenate([first[:1], low]), np.concatenate([first[1:], high])
        if ended is not None and n == 1:
            dt = cells.dt
            whole = math.ceil(ended / dt - 1e-6) * dt  # the end of the step in which it ended, of which the voltage is
            if cells.electrolyte and len(cells.exhausted()):
                whole = ended  # that step was cut short
            before = x < ended
            mean = np.append(mean[before], np.interp(ended, [x[before][-1], whole], [mean[before][-1], last]))
            x = np.append(x[before], ended)
        banded = n > 1
        title = "Forecast" if n == self._parameters.ensemble.cells else f"Forecast of {n:,} cells"
        title += "" if ended is not None else f", the first {times[-1] / 3600:.3g} h"
        voltage = Curve(title, x, mean, low=low if banded else None, high=high if banded else None)
        charts = {"voltage": ChartData((voltage,))}
        for plane, info in enumerate(self.charts[1:], 1):
            y = means(self._backend, self._traces[plane, :rows], n)[kept]
            if info.name == "temperature":
                y = y + REFERENCE_TEMPERATURE - KELVIN
            charts[info.name] = ChartData((Curve(title, times[kept], y),))
        return charts

    def close(self) -> None:
        del self._cells, self._start, self._traces


def _charts(parameters: BatteryParameters, cells: int) -> tuple[ChartInfo, ...]:
    n = parameters.ensemble.cells
    of = f", forecast of {cells:,} of {n:,} cells" if cells < n else ""
    return (
        ChartInfo(
            "voltage", f"Terminal voltage{of}", "V", ("voltage",), (("voltage_p05", "voltage_p95"),), comparable=True
        ),
        ChartInfo("current", "Current", "A", ("current",)),
        *((ChartInfo("temperature", "Temperature", "°C", ("temperature",)),) if parameters.thermal == "lumped" else ()),
    )
