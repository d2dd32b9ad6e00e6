"""The tool: numbers of a problem so that its curve of load and displacement is the measured one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel

from engines.api import Array, Problem, Progress, no_progress
from engines.api.charts import ChartData, ChartInfo, Curve, Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import Among, ParameterGroup, quantity, title_and_unit
from engines.api.tools import Tool, ToolResult
from engines.least_squares import DAMPINGS, Search
from engines.peridynamics.parameters import Held, PeridynamicParameters
from engines.peridynamics.parameters.contact import Shifted
from engines.peridynamics.parameters.laws import Brittle
from engines.peridynamics.setup.theory import setup_of
from engines.peridynamics.step.batch import NO_CURVE, Batch, Outcome, varied
from engines.peridynamics.tools.measured import Measured, envelope, measured_curve
from engines.quantities import percent

DIGITS = 4
ENOUGH = 0.9
"""The part of the measured displacement that a run is to come to."""
MOST_RUNS = 10_000
"""Of the grid."""
AT_ONCE = 200
"""Runs of a batch: the memory that they take is bounded."""
AROUND = 2.0
"""Over and under the present value: the range that is offered."""
LONGEST = 100.0
"""Offered where no history says how long a run is [µs]."""
CURVES = ChartInfo(
    "load_displacement", "Load and displacement", "N", x_title="Displacement", x_unit="um", y_title="Load"
)


class Number(ParameterGroup):
    """A number of the problem, and between what it is looked for."""

    name: Annotated[str, Among("name", typed=True, long=True)] = quantity(
        "material.fracture_energy", "", "Its name in the project, such as material.law.strength"
    )
    low: float = quantity(1.0, "", "The smallest value, in the unit of the number", title="From")
    high: float = quantity(10.0, "", "The largest value", title="To")


class FitParameters(ParameterGroup):
    """What was measured, and what is looked for."""

    target: Literal["curve", "peak"] = quantity(
        "curve", "", "What is to be met", labels={"curve": "A measured curve", "peak": "A peak load"}
    )
    measured: str = quantity(
        "", "", "CSV of x [um] and force [N]; empty: the middle of the problem's experiments",
        title="Measured curve", file="table", when={"target": ("curve",)},
    )  # fmt: skip
    peak: float = quantity(1000.0, "N", "Measured peak load", title="Peak load", gt=0, when={"target": ("peak",)})
    numbers: list[Number] = quantity([Number()], "", "Numbers that are looked for", min_length=1, max_length=4)
    until: float = quantity(LONGEST, "us", "How far each run goes; slow loading: through its load steps", gt=0)
    candidates: int = quantity(5, "1", "Values of each number that are tried first", ge=2, le=100)
    rounds: int = quantity(4, "1", "Steps from the best of them to a better one, at most", ge=0, le=50)


class FitToMeasurement(Tool):
    """Least squares over runs of the body, as many at once as the device takes."""

    id = "fit"
    title = "Fit to a measurement"
    summary = (
        "Finds strength, fracture energy, stiffness or other numbers with which the load over the displacement is what "
        "was measured."
    )
    Parameters = FitParameters

    def defaults(self, problem: Problem) -> FitParameters:
        parameters = _of(problem)
        names = ["material.fracture_energy"]
        law = parameters.material.law
        if not isinstance(law, Brittle):
            names.append("material.law.strength" if law.begins == "strength" else "material.law.stretch")
        numbers = [
            Number(name=name, low=_rounded(present / AROUND), high=_rounded(present * AROUND))
            for name, present in ((name, _present(parameters, name)) for name in names)
        ]
        return FitParameters(numbers=numbers, until=_lasts(parameters))

    def suggestions(self, problem: Problem) -> Mapping[str, Collection[str]]:
        """Names of numbers of materials and loads, and of damping, with what the form calls them."""
        tree = problem.parameters.model_dump(mode="json")
        groups = ("material", "materials", "interfaces", "loads")
        found = [name for group in groups for name in _named(tree[group], group)]
        told = {name: title_and_unit(problem.parameters, name, whole=True) for name in [*found, "numerics.damping"]}
        return {"name": {name: f"{title} [{unit}]" if unit else title for name, (title, unit) in told.items()}}

    def outlook(self, problem: Problem, parameters: BaseModel) -> str:
        asked, body = _checked(parameters, problem), _of(problem)
        each = len(asked.numbers) + len(DAMPINGS)
        first = asked.candidates ** len(asked.numbers)
        _target(asked, body)
        return f"{first:,} runs, then up to {asked.rounds} rounds of {each}"

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        asked, body = _checked(parameters, problem), _of(problem)
        target, scale = _target(asked, body), _Scale(asked.numbers, body)
        first = asked.candidates ** len(asked.numbers)
        runs = _Runs(body, asked, scale, target, backend, progress)
        runs.expected = first + asked.rounds * (len(asked.numbers) + len(DAMPINGS))
        search = Search(runs)
        search.grid(len(asked.numbers), asked.candidates)
        if not np.isfinite(search.misfit):
            raise ProblemError(f"None of these runs can be calculated: {runs.refusal}", ("numbers",))
        grid = list(search.tried)
        search.refine(asked.rounds, 1 / (asked.candidates - 1))
        values = scale.values(search.best)
        found = varied(body, dict(zip(scale.names, values, strict=True)))
        outcome = runs.outcomes[search.best.tobytes()]
        facts = [Fact(title, value, unit) for (title, unit), value in zip(scale.told, values, strict=True)]
        facts += [
            Fact("Misfit over the largest measured force", 100 * search.misfit, "%"),
            Fact("Peak load", outcome.peak[0], "N"),
            Fact("Runs", len(search.tried), ""),
        ]
        info = replace(CURVES, x_title=body.measuring.curve.over or CURVES.x_title)
        charts = ((info, _curves(outcome, target)), *_profiles(scale, grid))
        message = _message(scale, values, search) + _too_short(outcome, target)
        return ToolResult(message, tuple(facts), charts, parameters=found)


class _Scale:
    """Numbers between 0 and 1 and back, by equal factors where a range is above 0."""

    def __init__(self, numbers: Sequence[Number], body: PeridynamicParameters) -> None:
        self.names = [number.name for number in numbers]
        self.told = [title_and_unit(body, name) for name in self.names]
        """As the form calls them, and their units."""
        self._ends = np.array([(number.low, number.high) for number in numbers])
        self._by_factors = self._ends[:, 0] > 0

    def values(self, point: Array) -> list[float]:
        """Of ``point: (p,)``, to :data:`DIGITS`."""
        low, high = self._ends.T
        factors = np.where(self._by_factors, high / np.where(self._by_factors, low, 1.0), 1.0)
        found = np.where(self._by_factors, low * factors**point, low + point * (high - low))
        return [float(f"{value:.{DIGITS}g}") for value in found]

    def on_end(self, point: Array) -> list[str]:
        """The numbers that are at an end of their range, as the form calls them."""
        return [title for (title, _), value in zip(self.told, point, strict=True) if value in (0.0, 1.0)]


class _Runs:
    """Residuals of candidates; what they came to stays in ``outcomes``."""

    def __init__(
        self,
        body: PeridynamicParameters,
        asked: FitParameters,
        scale: _Scale,
        target: Measured,
        backend: Backend,
        progress: Progress,
    ) -> None:
        self._body, self._asked, self._scale, self._target = body, asked, scale, target
        self._backend, self._progress = backend, progress
        self.outcomes: dict[bytes, Outcome] = {}
        self.refusal, self.expected, self._done = "", 1, 0

    def __call__(self, points: Array) -> Array:
        return np.concatenate([self._some(points[first : first + AT_ONCE]) for first in range(0, len(points), AT_ONCE)])

    def _some(self, points: Array) -> Array:
        cases: dict[int, PeridynamicParameters] = {}
        for number, point in enumerate(points):
            try:
                case = varied(self._body, dict(zip(self._scale.names, self._scale.values(point), strict=True)))
                setup_of(case, self._backend)
            except ProblemError as error:  # a strength too high for its energy, say
                self.refusal = str(error)
            except ValueError:
                self.refusal = "The numbers are outside of what the problem allows: change their ranges."
            else:
                cases[number] = case
        found: dict[int, Outcome] = {}
        if cases:
            outcomes = Batch(list(cases.values()), self._backend).run(self._asked.until, self._told(len(points)))
            found = dict(zip(cases, outcomes, strict=True))
        self._done += len(points)
        self.outcomes.update({points[number].tobytes(): outcome for number, outcome in found.items()})
        return np.stack([self._target.residuals(found.get(number)) for number in range(len(points))])

    def _told(self, runs: int) -> Progress:
        def told(message: str, part: float) -> None:
            share = min(1.0, (self._done + part * runs) / self.expected)
            finished = self._done + int(part * runs)
            self._progress(f"{finished:,} of at most {self.expected:,} runs: {message}", share)

        return told


def _of(problem: Problem) -> PeridynamicParameters:
    parameters = problem.parameters
    assert isinstance(parameters, PeridynamicParameters)
    if not (parameters.loads or parameters.penetrators):
        raise ProblemError(NO_CURVE, ("loads",))
    return parameters


def _named(tree: Any, name: str) -> Iterator[str]:
    """Dotted names of the numbers below."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from _named(value, f"{name}.{key}")
    elif isinstance(tree, list):
        for place, value in enumerate(tree):
            yield from _named(value, f"{name}.{place}")
    elif isinstance(tree, float):
        yield name


def _present(parameters: PeridynamicParameters, name: str) -> float:
    value: object = parameters
    for key in name.split("."):
        value = getattr(value, key)
    assert isinstance(value, (int, float))
    return float(value)


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def _lasts(parameters: PeridynamicParameters) -> float:
    """[µs] until what moves or pushes has come to its whole."""
    found = [0.0]
    for load in parameters.loads:
        history = load.history
        still = isinstance(load, Held) and not any((load.x, load.y, load.z))
        found += [0.0 if still else float(getattr(history, name, 0.0)) for name in ("rise", "time", "duration")]
    motions = (penetrator.motion for penetrator in parameters.penetrators)
    found += [motion.rise for motion in motions if isinstance(motion, Shifted)]
    return max(found) or LONGEST


def _checked(parameters: BaseModel, problem: Problem) -> FitParameters:
    assert isinstance(parameters, FitParameters)
    body = _of(problem)
    for place, number in enumerate(parameters.numbers):
        if not number.low < number.high:
            raise ProblemError(f"The range of '{number.name}' is empty: let it go up.", ("numbers", place))
        try:
            varied(body, {number.name: number.low})
        except ProblemError as error:
            raise ProblemError(str(error), ("numbers", place, "name")) from None
        except ValueError:
            raise ProblemError(
                f"'{number.name}' cannot be {number.low:g}: change its range.", ("numbers", place, "low")
            ) from None
    names = [number.name for number in parameters.numbers]
    if len(set(names)) < len(names):
        raise ProblemError("A number is looked for twice: leave one out.", ("numbers",))
    if parameters.candidates ** len(names) > MOST_RUNS:
        raise ProblemError(
            f"These are {parameters.candidates ** len(names):,} runs to begin with: try at most "
            f"{int(MOST_RUNS ** (1 / len(names)) + 1e-9)} values of each number.",
            ("candidates",),
        )
    return parameters


def _target(asked: FitParameters, body: PeridynamicParameters) -> Measured:
    return Measured(np.array([asked.peak]), None) if asked.target == "peak" else measured_curve(asked.measured, body)


def _too_short(outcome: Outcome, target: Measured) -> str:
    """What to say where the runs end long before what was measured does."""
    farthest = float(outcome.x.max())
    if target.x is None or farthest >= ENOUGH * target.x[-1]:
        return ""
    return f" The run ends at {farthest:.3g} of {target.x[-1]:.3g} um: let it go on longer, or load the body more."


def _curves(outcome: Outcome, target: Measured) -> ChartData:
    x, force = envelope(outcome)
    curves = [Curve("Calculated", x, force)]
    if target.x is not None:
        curves.append(Curve("Measured", target.x, target.force))
    return ChartData(tuple(curves))


def _profiles(scale: _Scale, grid: Sequence[tuple[Array, float]]) -> list[tuple[ChartInfo, ChartData]]:
    """For each number the least misfit of its values, whatever the others are."""
    found = []
    for axis, (title, unit) in enumerate(scale.told):
        least: dict[float, float] = {}
        for point, misfit in grid:
            value = scale.values(point)[axis]
            least[value] = min(misfit, least.get(value, np.inf))
        known = {value: misfit for value, misfit in sorted(least.items()) if np.isfinite(misfit)}
        curve = Curve("Least misfit", np.array(list(known)), 100 * np.array(list(known.values())))
        info = ChartInfo(
            f"misfit_{axis + 1}", f"Misfit over {title}", "%", x_title=title, x_unit=unit, y_title="Misfit"
        )
        found.append((info, ChartData((curve,))))
    return found


def _message(scale: _Scale, values: Sequence[float], search: Search) -> str:
    told = ", ".join(
        f"{title} = {value:g} {unit}".strip() for (title, unit), value in zip(scale.told, values, strict=True)
    )
    ends = scale.on_end(search.best)
    more = f" {' and '.join(ends)} came to an end of its range: let it go farther." if ends else ""
    return f"{told}: the forces differ by {percent(search.misfit)} of the largest.{more}"
