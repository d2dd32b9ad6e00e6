"""Where a run stands, and how it asks the simulation, which lives on the thread of its runner."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, TypeVar

from engines.api import Finding, Simulation
from engines.api.charts import ChartData
from engines.api.errors import ProblemError
from engines.api.simulation.contract import noticed_of
from workbench.api.findings import warn
from workbench.api.notebook import Listed
from workbench.api.runs import asking
from workbench.api.runs.keeping import Keeper
from workbench.api.runs.recording import EachRecorder
from workbench.project.document import Document
from workbench.run.runner import Runner

if TYPE_CHECKING:
    from workbench.api.project import Project

T = TypeVar("T")
CLOSED = (
    "This run is closed: its curves are kept, the rest is asked for before that (in a sweep, before the next case)."
)


class Standing:
    """The part of a :class:`workbench.Run` that says where it is and what is worth knowing of its numbers."""

    def __init__(
        self, document: Document, runner: Runner, kept: Keeper, recorded: EachRecorder, findings: Sequence[Finding]
    ) -> None:
        self._document, self._runner, self._kept, self._recorded = document, runner, kept, recorded
        self._findings = dict.fromkeys(findings)
        self._noticed_at = -1
        self._final: tuple[int, float] | None = None
        self._charts: tuple[int, dict[str, ChartData]] = (-1, {})
        self.interrupted = False
        """Whether Ctrl-C ended it before its end."""
        self._release = weakref.finalize(self, runner.close)

    def __reduce__(self) -> Any:
        raise ProblemError(
            "A run cannot be copied or pickled, for its simulation stays where it is: take dict(run.curves), fields "
            "and results of it, or its .project."
        )

    # Where it stands.

    @property
    def project(self) -> Project:
        """The problem that runs, as a project of its own."""
        from workbench.api.project import Project

        return Project(self._document).copy()

    @property
    def step(self) -> int:
        """Steps taken."""
        return self._final[0] if self._final else self._ask(lambda simulation: simulation.step)

    @property
    def time(self) -> float:
        """The simulated time [``time_unit``]."""
        return self._final[1] if self._final else self._ask(lambda simulation: simulation.time)

    @property
    def time_unit(self) -> str:
        return self._runner.time_unit

    @property
    def device(self) -> str:
        """The name of the device that it runs on."""
        return asking.info_of(self._runner).device

    @property
    def ended(self) -> bool:
        """Whether the problem has come to an end of its own; ``ending`` says why, where there is something to say."""
        return self._runner.ended

    @property
    def ending(self) -> str:
        return self._runner.ending

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All that one should know of its numbers: from before the run, and of the answers as they stand now."""
        self._notice()
        return Listed(self._findings)

    # How it asks.

    def _notice(self) -> None:
        """Take in, and warn of, what the simulation says of its answers as they stand; once at a step."""
        if self._final is None and self._runner.alive and self.step != self._noticed_at and self.step > 0:
            self._noticed_at = self.step
            self._take_in(self._ask(noticed_of))

    def _take_in(self, findings: Iterable[Finding]) -> None:
        """Warn of those that are new."""
        new = [one for one in findings if one not in self._findings]
        self._findings.update(dict.fromkeys(new))
        warn(new)

    def _chart(self, name: str) -> ChartData:
        if self._final is None:
            step = self.step
            if self._charts[0] != step:
                self._charts = (step, {})
            if name not in self._charts[1]:
                self._charts[1][name] = self._ask(lambda simulation: simulation.chart(name))
        return self._charts[1][name]

    def _ask(self, call: Callable[[Simulation], T]) -> T:
        return self._answer(self._runner.post(call))

    def _answer(self, future: Any) -> Any:
        try:
            return future.result()
        except CancelledError:
            raise (self._runner.error or ProblemError(CLOSED)) from None
