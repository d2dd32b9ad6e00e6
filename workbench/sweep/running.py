"""The runs of a sweep on one device: a case from its beginning to its end, and one after the other."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array, Problem, Progress, SeriesInfo, Simulation, no_progress
from engines.api.charts import ChartData, ChartInfo, Curve, means_in
from engines.api.device import Backend
from engines.api.errors import InstabilityError, ProblemError
from engines.api.simulation.contract import chart_of, noticed_of
from engines.backend.pace import unmeasured
from workbench.run.pacing import Pacer
from workbench.run.streams.traces import TraceBuffer
from workbench.sweep.plan import Case, KeptChart, SweepPlan
from workbench.sweep.readings import Mean, Reading
from workbench.words.failures import as_sentence, with_place

MOST_SAMPLES = 4096
"""Samples of a series that are kept of one run; from there on the extremes of each stretch are."""
GATHERED = 1024
"""Samples that are taken to these at a time."""
CLOSE_STEPS = 64
"""Steps before the end of a run that are each sampled in a study of convergence: its runs end up to half a step of the
coarsest apart, and are compared where the first one ends, between two samples."""


@dataclass(frozen=True, eq=False)
class Row:
    """One run: ``time`` it came to, wall ``seconds`` with its building, its charts; ``error`` says why it failed,
    ``noticed`` what makes its numbers wrong."""

    place: int
    case: Case
    time: float = 0.0
    steps: int = 0
    seconds: float = 0.0
    charts: tuple[tuple[ChartInfo, ChartData, Reading], ...] = ()
    error: str = ""
    noticed: tuple[str, ...] = ()
    failure: BaseException | None = None
    """What nobody expected and ``error`` puts in a sentence."""

    def chart(self, name: str) -> tuple[ChartInfo, ChartData, Reading] | None:
        return next((one for one in self.charts if one[0].name == name), None)


class _Watch:
    """Passes on how far a case is, and remembers whether its owner has put an end to it."""

    def __init__(self, tell: Callable[[float], object]) -> None:
        self._tell, self.ended = tell, False

    def __call__(self, fraction: float) -> None:
        try:
            self._tell(fraction)
        except BaseException:
            self.ended = True
            raise


def run_in_a_row(
    plan: SweepPlan, backend: Backend, progress: Progress = no_progress, places: Sequence[int] | None = None
) -> Iterator[Row]:
    """Run these cases (None: all) one after the other, and give the row of each. One simulation is there at a time.

    What goes wrong in a run is its row's ``error``. What ``progress`` raises goes through, with the run that it
    interrupts dropped; it is called many times a second. Raises ProblemError if the plan cannot be carried out at all,
    or names a chart that its first run does not have.
    """
    plan.check()
    total = len(plan)
    places = range(total) if places is None else places
    for done, place in enumerate(places, total - len(places)):
        told = f"Run {place + 1} of {total}: {plan.told(plan.case(place))}"

        def tell(fraction: float, told: str = told, done: int = done) -> None:
            progress(told, (done + fraction) / total)

        yield run_case(plan, place, backend, tell)


def run_case(plan: SweepPlan, place: int, backend: Backend, tell: Callable[[float], object]) -> Row:
    """Run the case at ``place`` to its end. ``tell`` is called with the part that is done, many times a second; what it
    raises goes through, any other failure is the row's ``error``. Raises ProblemError if the plan names a chart that
    the run does not have."""
    case, watch = plan.case(place), _Watch(tell)
    watch(0.0)
    began = clock.perf_counter()
    simulation: Simulation | None = None
    error, unexpected = "", None
    noticed: tuple[str, ...] = ()
    charts: tuple[tuple[ChartInfo, ChartData, Reading], ...] = ()
    try:
        problem = _complete(plan, case)
        with unmeasured():
            known = plan.document.engine.estimate(problem, backend).findings
        simulation = plan.document.engine.build(problem, backend, lambda message, fraction: watch(0.0))
        chosen = _chosen(plan.kept, simulation)
        collected = _Series(simulation)
        _follow(simulation, plan.until, collected, watch, plan.converges)
        charts = tuple((info, _data(simulation, info, collected), reading) for info, reading in chosen)
        found = (*known, *noticed_of(simulation))
        noticed = tuple(dict.fromkeys(each.message for each in found if each.severity == "warning"))
    except UnknownChart:
        raise
    except Exception as failure:
        if watch.ended:
            raise
        told = as_sentence(failure)
        error, unexpected = with_place(told), None if told is failure else failure
    finally:
        time, steps = (0.0, 0) if simulation is None else (simulation.time, simulation.step)
        if simulation is not None:
            simulation.close()
    return Row(place, case, time, steps, clock.perf_counter() - began, charts, error, noticed, unexpected)


def charts_to_keep(simulation_charts: tuple[ChartInfo, ...], series: tuple[SeriesInfo, ...]) -> list[ChartInfo]:
    """What can be kept of a run: its charts, and each series that is not a chart of its own, over time."""
    names = {info.name for info in simulation_charts}
    names |= means_in(simulation_charts)
    own = [ChartInfo(one.name, one.title, one.unit, series=(one.name,)) for one in series if one.name not in names]
    return [*simulation_charts, *own]


def first_reading(info: ChartInfo) -> Reading:
    """What a person most likely wants to read of a chart."""
    if info.binned:
        return Reading("mean")
    return Reading("last") if info.series else Reading("max")


def first_kept(infos: Sequence[ChartInfo]) -> list[ChartInfo]:
    """What is kept where nobody has chosen: all but series that a chart of several draws, too."""
    drawn = {name for info in infos for name in info.series if name != info.name}
    return [info for info in infos if info.name not in drawn]


class UnknownChart(ProblemError):
    """The plan names a chart that there is not."""


def _complete(plan: SweepPlan, case: Case) -> Problem:
    problem = plan.problem(case)
    plan.document.engine.geometry_of(problem)
    return problem


def _chosen(kept: tuple[KeptChart, ...] | None, simulation: Simulation) -> list[tuple[ChartInfo, Reading]]:
    infos = charts_to_keep(simulation.charts, simulation.series)
    if kept is None:
        return [(info, first_reading(info)) for info in first_kept(infos)]
    _check_names(kept, infos)
    readings = {one.name: one.reading for one in kept}
    return [(info, readings[info.name] or first_reading(info)) for info in infos if info.name in readings]


def _check_names(kept: tuple[KeptChart, ...], infos: Sequence[ChartInfo]) -> None:
    names = [info.name for info in infos]
    for one in kept:
        if one.name not in names:
            raise UnknownChart(f"There is no chart '{one.name}' in these runs; there are: {', '.join(names)}.")


class _Series:
    """The series of one run over time: of more than :data:`MOST_SAMPLES` the extremes of each stretch and the last,
    with the mean of all."""

    def __init__(self, simulation: Simulation) -> None:
        self._titles = {info.name: info.title for info in simulation.series}
        self._kept = {name: TraceBuffer(MOST_SAMPLES) for name in self._titles}
        self._means = dict.fromkeys(self._titles, Mean())
        self._times: list[float] = []
        self._values: dict[str, list[float]] = {name: [] for name in self._titles}

    def collect(self, simulation: Simulation) -> None:
        if not self._values or (self._times and self._times[-1] == simulation.time):
            return
        observed = simulation.observe()
        self._times.append(simulation.time)
        for name, values in self._values.items():
            values.append(float(observed.get(name, float("nan"))))
        if len(self._times) >= GATHERED + CLOSE_STEPS + 1:
            self._take(len(self._times) - CLOSE_STEPS - 1)

    def _take(self, count: int) -> None:
        """All but the newest, so that a study of convergence has each of the last steps."""
        times = np.array(self._times[:count])
        for name, values in self._values.items():
            taken = np.array(values[:count])
            self._kept[name].append(times, taken)
            self._means[name] = self._means[name].then(times, taken)
            del values[:count]
        del self._times[:count]

    def data(self, info: ChartInfo) -> ChartData:
        """The curves of a chart over time, with its bands."""
        curves = []
        for place, name in enumerate(info.series):
            if name not in self._titles:
                continue
            times, values = self._curve(name)
            low = high = None
            if place < len(info.bands) and all(end in self._titles for end in info.bands[place]):
                low, high = (np.interp(times, *self._curve(end)) for end in info.bands[place])
            mean = self._last(info.means[place]) if place < len(info.means) else self._mean(name, len(times))
            curves.append(Curve(self._titles[name], times, values, low=low, high=high, mean=mean))
        return ChartData(tuple(curves))

    def _curve(self, name: str) -> tuple[Array, Array]:
        kept = self._kept[name]
        return np.append(kept.times, self._times), np.append(kept.values, self._values[name])

    def _last(self, name: str) -> float | None:
        return self._values[name][-1] if self._values.get(name) else None

    def _mean(self, name: str, points: int) -> float | None:
        """Of all samples, where some are no longer among the points."""
        whole = self._means[name].then(np.array(self._times), np.array(self._values[name]))
        return whole.value if points < whole.count else None


def _data(simulation: Simulation, info: ChartInfo, collected: _Series) -> ChartData:
    return collected.data(info) if info.series else chart_of(simulation, info)


def _follow(simulation: Simulation, until: float | None, collected: _Series, watch: _Watch, closely: bool) -> None:
    """Advance to the end, as a run without a window does: in batches of about a frame, each found to be finite.

    closely: with a sample of each of the last steps, but of what is counted from sample to sample.
    """
    last = None if until is None else max(1, round(until / simulation.dt))
    every, whole, pacer = simulation.sample_steps, simulation.whole_batch, Pacer()
    counted = whole > 1 or any(info.metered for info in simulation.series)
    close = math.inf if counted or last is None or not closely else last - CLOSE_STEPS
    collected.collect(simulation)
    while not simulation.finished and (last is None or simulation.step < last):
        first, began = simulation.step, clock.perf_counter()
        goal = -(-(first + pacer.steps()) // whole) * whole
        goal = goal if last is None else min(last, goal)
        while simulation.step < goal:
            before = simulation.step
            following = before + 1 if before >= close else min((before // every + 1) * every, max(close, before + 1))
            simulation.advance(int(min(goal, following)) - before)
            finished = simulation.finished
            if simulation.step % every == 0 or simulation.step >= close or finished:
                collected.collect(simulation)
            if finished or simulation.step == before:
                break
        simulation.synchronize()
        if simulation.step == first:  # the problem was at its end
            break
        pacer.took(simulation.step - first, clock.perf_counter() - began)
        if (bad := simulation.non_finite()) is not None:
            raise InstabilityError(bad.told(simulation.step))
        watch(0.0 if last is None else simulation.step / last)
    collected.collect(simulation)
