"""A problem run again and again with other numbers, each case a run of its own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from engines.api.errors import ProblemError, WorkbenchError
from engines.backend.devices.faster import open_for
from workbench.api.arrays import end_of, number
from workbench.api.findings import warn_of
from workbench.api.opening import project_of
from workbench.api.project import Project
from workbench.api.runs.ended import EndedRun
from workbench.api.runs.progress import Progress, shown
from workbench.api.runs.run import Run
from workbench.sweep.kept import KeptCases
from workbench.sweep.numbers import number_called
from workbench.sweep.plan import SweepPlan, Variation
from workbench.sweep.workers import Workers, run_sweep


@dataclass(frozen=True)
class Case:
    """One case of a sweep: ``values`` by the names that are varied, and its run.

    Fields and results of the run are there until the next case begins, its curves for good; of a case that ran on
    workers curves and charts alone come back. ``error`` says why there is no run; then asking for it raises that.
    """

    values: Mapping[str, float]
    told: str
    error: WorkbenchError | None = None
    _run: Run | EndedRun | None = field(default=None, repr=False)

    @property
    def run(self) -> Any:
        """A :class:`workbench.Run`, or what has come back of one that ran on a worker."""
        if self._run is None:
            raise self.error or WorkbenchError(f"The case {self.told} was not run.")
        return self._run


def sweep(
    project: Project | Path | str,
    varied: Mapping[str, Iterable[float]],
    *,
    until: float | None = None,
    device: str | None = None,
    progress: bool | Progress = False,
    workers: int = 1,
    scheduler: str = "",
    cluster: Literal["", "slurm"] = "",
    out: Path | str | None = None,
) -> Iterator[Case]:
    """Run a problem with every combination of these values of one or two of its numbers, the last one fastest.

    ``workers``: so many cases at once, each on a GPU or a share of the cores of its own; with ``cluster`` in so many of
    its jobs. ``scheduler``: the address of Dask's, whose workers take the cases. Cases then come as they end. ``out``:
    a folder in which cases that are through are kept, and found again by the next sweep of them.

    A case that cannot run is warned of and has its ``error``, and the next begins; Ctrl-C ends the sweep after the case
    that it interrupts. Raises ProblemError at once where a name or a value is wrong.
    """
    document = project_of(project).copy()._document
    if not isinstance(varied, Mapping):
        raise ProblemError(f"A sweep takes values by their names, {{'NAME': [1, 2]}}, not {varied!r:.60}.")
    variations = [
        Variation(number_called(document.parameters, str(name)), _values(str(name), values))
        for name, values in varied.items()
    ]
    until = document.project.run.until if until is None else end_of(until, document.time_unit)
    plan = SweepPlan(document, tuple(variations), until)
    plan.check()
    document.project.run.device = device or document.project.run.device
    crew = Workers(None if scheduler else workers, scheduler, cluster)
    crew.check()
    if crew.elsewhere or workers > 1 or out is not None:
        return _rows(plan, crew, progress, None if out is None else KeptCases(Path(out).expanduser(), plan))
    return _cases(plan, device, progress)


def _values(name: str, values: Iterable[float]) -> tuple[float, ...]:
    """Those that a number is to have, as whole as they were. Raises ProblemError."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ProblemError(f"'{name}' is varied over a list of numbers, not {values!r:.60}.")
    found = list(values)
    for each in found:
        number(each, f"Each value of '{name}'")
    return tuple(np.asarray(each).item() for each in found)


def _rows(plan: SweepPlan, workers: Workers, progress: bool | Progress, kept: KeptCases | None) -> Iterator[Case]:
    document = plan.document
    with ExitStack() as ends:
        show = ends.enter_context(shown(progress))
        backend = None
        if not workers.elsewhere:
            backend = open_for(
                document.engine, document.complete_problem(), document.project.run.device, ahead=math.inf
            )
            ends.callback(backend.close)
        for row in run_sweep(plan, backend, show, workers, kept):
            values = {one.number.name: value for one, value in zip(plan.variations, row.case, strict=True)}
            told = plan.told(row.case)
            if row.error:
                warn_of(f"There is no run with {told}: {row.error}")
                yield Case(values, told, WorkbenchError(row.error))
            else:
                for sentence in row.noticed:
                    warn_of(f"{told}: {sentence}")
                yield Case(values, told, None, EndedRun(row, document.time_unit))


def _cases(plan: SweepPlan, device: str | None, progress: bool | Progress) -> Iterator[Case]:
    with shown(progress) as show:
        for place, case in enumerate(plan.cases()):

            def part(text: str, done: float, place: int = place, told: str = plan.told(case)) -> None:
                show(f"{place + 1} of {len(plan)}: {told}, {text}", (place + done) / len(plan))

            values = {one.number.name: value for one, value in zip(plan.variations, case, strict=True)}
            run: Run | None = None
            error: WorkbenchError | None = None
            try:
                own = Project(plan.document).copy()
                own._document.parameters = plan.parameters(case)
                run = own.run(plan.until, device=device, progress=part)
            except WorkbenchError as failure:
                error = failure
                warn_of(f"There is no run with {plan.told(case)}: {failure}")
            yield Case(values, plan.told(case), error, run)
            if run is not None:
                run.close()
                if run.interrupted:
                    return
