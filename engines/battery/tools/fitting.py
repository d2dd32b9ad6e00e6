"""The tool: numbers of a cell so that its voltage under the protocol is the measured one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic import BaseModel

from engines.api import Array, Problem, Progress, no_progress
from engines.api.charts import ChartData, ChartInfo, Curve, Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError, placed_at
from engines.api.parameters import ParameterGroup, quantity
from engines.api.tools import Tool, ToolResult
from engines.backend.precision import FLOAT_TYPES
from engines.battery.cells.ageing import ageing_of
from engines.battery.cells.step.cells import CELLS
from engines.battery.parameter_sets.changes import LABELS, Change
from engines.battery.parameters import BatteryParameters, parameters_of
from engines.battery.parameters.ensemble import DifferingName
from engines.battery.protocol.drive_cycles import MOST_STEPS
from engines.battery.protocol.plan import plan_of, step_of
from engines.battery.setup.cell import parameter_set_of
from engines.battery.step.cell_rows import Row
from engines.least_squares import Search
from engines.tables.files import read_table

DIGITS = 4
AROUND = 3.0
"""Over and under the present value: the range that is offered."""
ROUNDS = 4
"""Steps of least squares at the end, at most. Grids come first: where a step of the protocol ends earlier or later the
voltage jumps, and misfits of such cells have valleys of their own."""
MOST_RUNS = 100_000
"""Of the grid: cells of one launch."""
MOST_NUMBERS = 1 << 26
"""Steps times cells of which voltages are kept at a time."""
LATE = 0.05
"""Of the points, that may come after the end of the protocol."""
CHART = ChartInfo("voltage", "Terminal voltage", "V", x_title="Time", x_unit="s")


class Number(ParameterGroup):
    """A number of the cell, and between what it is looked for."""

    name: DifferingName = quantity("negative_diffusivity", "", "Which number of the parameter set", labels=LABELS)
    low: float = quantity(1e-14, "", "The smallest value, in the unit that stands beside the name", title="From")
    high: float = quantity(1e-13, "", "The largest value", title="To")


class FitParameters(ParameterGroup):
    """What was measured, and what is looked for."""

    measured: str = quantity("", "", "CSV of time [s] and voltage [V]", title="Measured voltage", file="table")
    numbers: list[Number] = quantity([Number()], "", "Numbers that are looked for", min_length=1, max_length=4)
    candidates: int = quantity(9, "1", "Values of each number that are tried at a time", ge=3, le=1000)
    zooms: int = quantity(3, "1", "How often as many are tried around the best", ge=0, le=10)


class FitToDischarge(Tool):
    """Least squares over cells that differ: all candidates of a round are one launch."""

    id = "fit"
    title = "Fit to a measured voltage"
    summary = (
        "Finds diffusivities, resistances or other numbers of the cell with which its voltage under the protocol is "
        "what was measured."
    )
    Parameters = FitParameters

    def defaults(self, problem: Problem) -> FitParameters:
        values = parameter_set_of(_cells(problem)).values()
        present = values[Number().name]
        low, high = (float(f"{present * factor:.2g}") for factor in (1 / AROUND, AROUND))
        return FitParameters(numbers=[Number(low=low, high=high)])

    def outlook(self, problem: Problem, parameters: BaseModel) -> str:
        asked = _checked(parameters)
        _cells(problem)
        return f"{asked.candidates ** len(asked.numbers):,} cells at once, {asked.zooms} times more around the best"

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        asked, battery = _checked(parameters), _cells(problem)
        with placed_at("measured"):
            times, voltages = read_table(asked.measured, "measured voltage", ("time", "voltage"), ("s", "V")).T
        if times[0] < 0:
            raise ProblemError(
                "The measured voltage begins before the protocol does: count time from 0.", ("measured",)
            )
        if (steps := times[-1] / step_of(battery)) > MOST_STEPS:
            raise ProblemError(
                f"The measured voltage goes on to {times[-1]:.4g} s, which is {steps:.2g} time steps: count its time "
                "from 0, or say its unit in the heading (time [ms]).",
                ("measured",),
            )
        runs = _Runs(battery, asked.numbers, times, voltages, backend, progress, asked.zooms)
        search = Search(runs)
        search.grid(len(asked.numbers), asked.candidates)
        if not np.isfinite(search.misfit):
            raise ProblemError("No cell with these numbers can follow the protocol: change their ranges.", ("numbers",))
        reach = 1 / (asked.candidates - 1)
        for _ in range(asked.zooms):
            reach = search.zoom(asked.candidates, reach)
        search.refine(ROUNDS, reach)
        runs(search.best[None])
        late = int((times > runs.ends[0] + step_of(battery)).sum())
        values = [float(f"{value:.{DIGITS}g}") for value in runs.values(search.best)]
        names = [number.name for number in asked.numbers]
        facts = [Fact(LABELS[name], value, "") for name, value in zip(names, values, strict=True)]
        worst = float(np.abs(search.residuals).max())
        facts += [Fact("Root mean square", 1e3 * search.misfit, "mV"), Fact("Largest difference", 1e3 * worst, "mV")]
        told = ", ".join(
            f"{LABELS[name].partition(' [')[0]} {value:g}" for name, value in zip(names, values, strict=True)
        )
        curves = (Curve("Measured", times, voltages), Curve("Fit", times, voltages + search.residuals))
        return ToolResult(
            f"{told}: {1e3 * search.misfit:.3g} mV root mean square over {len(times)} points, at most "
            f"{1e3 * worst:.3g} mV; {len(search.tried):,} cells were calculated.{_at_an_end(search.best, names)}"
            f"{_after_its_end(late, len(times), runs.ends[0])}",
            tuple(facts),
            ((CHART, ChartData(curves)),),
            parameters=_changed(battery, dict(zip(names, values, strict=True))),
        )


@dataclass
class _Runs:
    """(m, p) coordinates in the unit cube → (m, points) voltages less the measured ones [V]."""

    battery: BatteryParameters
    numbers: Sequence[Number]
    times: Array
    voltages: Array
    backend: Backend
    progress: Progress
    zooms: int
    ends: Array = field(default_factory=lambda: np.zeros(0))
    """(m,) when the protocol was over [s], or the last point, of the cells that were calculated last."""
    _done: int = 0

    def __post_init__(self) -> None:
        self._set = parameter_set_of(self.battery)
        self._dt = step_of(self.battery)
        self._steps = max(1, int(np.ceil(self.times[-1] / self._dt)))

    def values(self, point: Array) -> list[float]:
        """Positive numbers go by factors, others evenly."""
        found = []
        for x, each in zip(point, self.numbers, strict=True):
            geometric = each.low > 0
            found.append(each.low * (each.high / each.low) ** x if geometric else each.low + x * (each.high - each.low))
        return found

    def __call__(self, points: Array) -> Array:
        self.progress(f"{len(points):,} cells", min(1.0, self._done / (1 + self.zooms + 2 * ROUNDS)))
        self._done += 1
        most = max(1, MOST_NUMBERS // self._steps)
        parts = [self._residuals(points[first : first + most]) for first in range(0, len(points), most)]
        return np.concatenate(parts)

    def _residuals(self, points: Array) -> Array:
        battery = self.battery
        wanted = np.array([self.values(point) for point in points])
        plan = plan_of(battery, self._set)
        cells = CELLS.open(
            self.backend, self._set, plan.instructions, self._dt,
            {number.name: wanted[:, k] for k, number in enumerate(self.numbers)},
            electrolyte=battery.model == "SPMe",
            thermal=battery.thermal == "lumped",
            precision=FLOAT_TYPES[battery.numerics.precision],
            drive=plan.drive,
            ageing=ageing_of(battery),
        )  # fmt: skip
        cells.factor = battery.current_factor
        start = self.backend.to_host(cells.state[int(Row.VOLTAGE)])[: len(points)]
        trace = cells.new_trace(self._steps)
        with self.backend.timed("cells"):
            cells.advance(0, self._steps, trace, 1)
        rows = np.vstack([start, self.backend.to_host(trace)[:, : len(points)]]).astype(float)
        self.ends = self._dt * (np.isfinite(rows).sum(axis=0) - 1)
        for row in range(1, len(rows)):  # a cell that has ended stays where it was
            rows[row] = np.where(np.isfinite(rows[row]), rows[row], rows[row - 1])
        own = self._dt * np.arange(len(rows))
        return np.array([np.interp(self.times, own, column) for column in rows.T]) - self.voltages


def _cells(problem: Problem) -> BatteryParameters:
    battery = parameters_of(problem)
    if battery.model not in ("SPM", "SPMe"):
        raise ProblemError(f"The fit is of single cells: choose the model SPM or SPMe instead of {battery.model}.")
    return battery


def _checked(parameters: BaseModel) -> FitParameters:
    assert isinstance(parameters, FitParameters)
    names = [number.name for number in parameters.numbers]
    for index, number in enumerate(parameters.numbers):
        if number.low >= number.high:
            raise ProblemError(f"'{LABELS[number.name]}' is to be looked for from {number.low:g} to {number.high:g}: "
                               "let the second be larger.", ("numbers", index, "high"))  # fmt: skip
        if names.count(number.name) > 1:
            raise ProblemError(f"'{LABELS[number.name]}' is there twice: keep one.", ("numbers", index, "name"))
    runs = parameters.candidates ** len(names)
    if runs > MOST_RUNS:
        raise ProblemError(f"{runs:,} cells are more than {MOST_RUNS:,}: try fewer values first.", ("candidates",))
    return parameters


def _at_an_end(best: Array, names: Sequence[str]) -> str:
    """What one should know of numbers that ran into the ends of their ranges."""
    ends = [LABELS[name].partition(" [")[0] for name, x in zip(names, best, strict=True) if x in (0.0, 1.0)]
    return f" {', '.join(ends)} stopped at an end of its range: widen it." if ends else ""


def _after_its_end(late: int, points: int, end: float) -> str:
    """What one should know of points that no cell has been through; a few are of one that is empty a bit sooner."""
    if late <= LATE * points:
        return ""
    return (
        f" {late:,} of the points come after the end of the protocol at {end:.4g} s, where its last voltage stands: "
        "leave them out, or add steps."
    )


def _changed(battery: BatteryParameters, values: Mapping[str, float]) -> BatteryParameters:
    kept = [change for change in battery.changes if change.parameter not in values]
    made = [Change.model_validate({"parameter": name, "value": value}) for name, value in values.items()]
    plain: dict[str, Any] = battery.model_dump(mode="json") | {
        "changes": [change.model_dump(mode="json") for change in (*kept, *made)]
    }
    return BatteryParameters.model_validate(plain)
