"""A run, and what may be done to it: steps, live parameters, brushes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engines.api import PaintInfo
from engines.api.errors import ProblemError
from workbench.api.arrays import end_of, number
from workbench.api.editing import edited, is_live, value_called
from workbench.api.findings import warn_of
from workbench.api.notebook import Listed, run_html
from workbench.api.runs import asking
from workbench.api.runs.answers import Answers
from workbench.api.runs.progress import Progress
from workbench.api.runs.standing import CLOSED
from workbench.api.runs.waiting import wait
from workbench.project.findings import of_whole_steps
from workbench.run.frames import RunState
from workbench.words.units import time_text


class Run(Answers):
    """What :meth:`Project.run`, :meth:`Project.simulate` and :func:`workbench.simulate` give.

    The simulation stays where it is (on the GPU) until :meth:`close`, the end of a ``with`` block, or until nobody
    refers to the run any more.
    """

    def advance(self, steps: int = 1) -> Run:
        """Take so many steps (fewer where the problem ends before). Raises WorkbenchError."""
        if self._final:
            raise ProblemError(CLOSED)
        wanted = number(steps, "The number of steps")
        if wanted < 0 or not wanted.is_integer():
            raise ProblemError(f"A run takes whole steps, and none back, not {wanted:g}.")
        self._runner.until = None
        self._runner.advance(int(wanted))
        return self._wait(False)

    def run(self, until: float | None = None, *, progress: bool | Progress = False) -> Run:
        """Go on to ``until`` [``time_unit``], or to the end of the problem; where ``progress`` raises, the run rests
        where it was. Raises WorkbenchError."""
        if self._final:
            raise ProblemError(CLOSED)
        until = end_of(until, self.time_unit)
        if until is None and not self._document.engine.ends(self._document.problem):
            raise ProblemError(f"Nothing says how far to run: give until= [{self.time_unit}].")
        if until is not None and self._runner.info is not None and until < self.time:
            raise ProblemError(
                f"This run is at {self.time:g} {self.time_unit} already: it does not go back to {until:g}."
            )
        if until is not None and self.step == 0:
            self._take_in(of_whole_steps(until, asking.info_of(self._runner).dt, self.time_unit))
        self._runner.until = until
        self._runner.run()
        return self._wait(progress)

    def set(self, name: str, value: Any) -> Run:
        """Change a live parameter from the next step on. Raises ProblemError for one that is not live."""
        parameters = edited(self._document.parameters, {name: value})
        try:
            self._answer(self._runner.set_control(name, value_called(parameters, name)))
        except ProblemError as error:
            if is_live(parameters, name):
                raise
            raise ProblemError(f"'{name}' cannot change during a run: set it before the run.") from error
        self._document.parameters = parameters
        return self

    @property
    def brushes(self) -> tuple[PaintInfo, ...]:
        """What :meth:`paint` takes: name, title, unit and a good first amount of each."""
        return Listed(asking.info_of(self._runner).brushes)

    def paint(self, brush: str, position: Sequence[float], amount: float | None = None, **options: Any) -> str:
        """Touch it with one of its brushes around ``position`` (x, y, z); ``amount`` in the brush's unit, ``radius`` in
        the geometry's unit of length, ``erase=True`` takes back. Returns what is worth saying. Raises ProblemError."""
        return self._ask(lambda simulation: asking.paint(simulation, brush, position, amount, **options))

    def close(self) -> None:
        """Free the device. The curves up to here stay."""
        if self._final is None and self._runner.alive:
            info = asking.info_of(self._runner)
            self._notice()
            for chart in info.charts:
                if not chart.series:
                    self._chart(chart.name)
            self._final = self._ask(lambda simulation: (simulation.step, simulation.time))
        self._release()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed, " if self._final else "interrupted, " if self.interrupted else ""
        warnings = sum(finding.severity == "warning" for finding in self._findings)
        told = f", {warnings} warning{'s' if warnings != 1 else ''} in .findings" if warnings else ""
        at = time_text(self.time, self.time_unit, ".6g")
        return f"<Run of '{self._document.title}', {state}at {at} after {self.step:,} steps{told}>"

    def _repr_html_(self) -> str:
        return run_html(self, self._document.title)

    def _wait(self, progress: bool | Progress) -> Run:
        state, interrupted = wait(self._runner, progress)
        self.interrupted = interrupted
        if self._runner.error is not None:
            raise self._runner.error from self._runner.failure
        if interrupted:
            warn_of(
                f"The run was interrupted at {time_text(self.time, self.time_unit, '.6g')}: its numbers are of then."
            )
        if state is RunState.FINISHED or interrupted:
            self._notice()
        for message in self._runner.take_messages():
            if message.severity == "warning" and message.text not in {one.message for one in self._findings}:
                warn_of(message.text)
        return self
