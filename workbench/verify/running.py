"""Runs a case on a device; one that raises says why."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass, field

from engines.api.device import Backend
from engines.api.errors import WorkbenchError
from engines.api.verification import Answer
from workbench.verify.cases import Chosen
from workbench.words.failures import with_place


@dataclass(frozen=True)
class Outcome:
    """What a case gave: its figures, or in a sentence why there are none. ``failure`` is the error of code that nobody
    expected, for a log."""

    engine: str
    engine_title: str
    id: str
    title: str
    source: str
    seconds: float
    answers: tuple[Answer, ...] = ()
    error: str = ""
    failure: BaseException | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        return f"{self.engine}/{self.id}"

    @property
    def wrong(self) -> tuple[Answer, ...]:
        return tuple(answer for answer in self.answers if not answer.right)

    @property
    def right(self) -> bool:
        return not self.error and not self.wrong


def run_case(chosen: Chosen, backend: Backend) -> Outcome:
    """Run one case; whatever it raises is its outcome."""
    began = clock.perf_counter()
    answers: tuple[Answer, ...] = ()
    error, failure = "", None
    try:
        answers = tuple(chosen.case.measure(backend))
        error = "" if answers else "The case gave no figure."
    except WorkbenchError as raised:
        error = with_place(raised)
    except Exception as raised:  # of any kind: it costs this case and no other
        error, failure = f"The case ended with an unexpected {type(raised).__name__}: {raised}", raised
    engine, case, seconds = chosen.engine, chosen.case, clock.perf_counter() - began
    sentence = " ".join(error.split())
    return Outcome(engine.id, engine.title, case.id, case.title, case.source, seconds, answers, sentence, failure)
