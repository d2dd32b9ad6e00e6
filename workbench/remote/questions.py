"""What a window asks of a run that somebody else has, with what answers it."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from engines.api import Dab
from engines.api.errors import ProblemError
from workbench.export.results import Results
from workbench.run.frames import Reading, Rewound
from workbench.run.runner import Runner
from workbench.run.states.taken import Snapshot, TakeResults, TakeSnapshot
from workbench.run.strokes import TakenBack
from workbench.run.timing_log import TimingRow


@dataclass(frozen=True)
class Reset:
    def of(self, runner: Runner) -> Future[Any]:
        return runner.reset()


@dataclass(frozen=True)
class Rewind:
    step: int

    def of(self, runner: Runner) -> Future[Any]:
        return runner.rewind(self.step)


@dataclass(frozen=True)
class SetProbes:
    probes: tuple[tuple[str, int], ...]

    def of(self, runner: Runner) -> Future[Any]:
        return runner.set_probes(self.probes)


@dataclass(frozen=True)
class SetControl:
    name: str
    value: Any

    def of(self, runner: Runner) -> Future[Any]:
        return runner.set_control(self.name, self.value)


@dataclass(frozen=True)
class Paint:
    stroke: int
    dabs: tuple[Dab, ...]

    def of(self, runner: Runner) -> Future[Any]:
        return runner.paint(self.stroke, self.dabs)


@dataclass(frozen=True)
class TakeBack:
    stroke: int

    def of(self, runner: Runner) -> Future[Any]:
        return runner.take_back(self.stroke)


@dataclass(frozen=True)
class PaintAgain:
    stroke: int

    def of(self, runner: Runner) -> Future[Any]:
        return runner.paint_again(self.stroke)


@dataclass(frozen=True)
class TakeTimings:
    """Rows of the timing log, which the process beside the run keeps."""


ANSWERS: dict[type, Any] = {
    Reset: type(None),
    Rewind: Rewound,
    SetProbes: Reading | None,
    SetControl: type(None),
    Paint: type(None),
    TakeBack: TakenBack,
    PaintAgain: type(None),
    TakeTimings: tuple[TimingRow, ...],
    TakeSnapshot: Snapshot,
    TakeResults: Results,
}
QUESTIONS = {kind.__name__: kind for kind in ANSWERS}
LONG = (TakeSnapshot, TakeResults, TakeTimings)
"""Whose answers may be megabytes: they go beside frames, so that others do not wait for them."""


def asked(question: Any, runner: Runner) -> Future[Any]:
    """Raises ProblemError where the run refuses at once."""
    return runner.post(question) if callable(question) else question.of(runner)


def not_there(call: object) -> ProblemError:
    return ProblemError("This is not possible yet while a run is on another machine: run the problem here for it.")
