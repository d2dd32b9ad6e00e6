"""The runs of a session: each that ends stays in a list with its curves and what differs in its parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from PySide6.QtCore import QObject, Signal

from engines.api.charts import ChartData
from workbench.run.streams.traces import TraceBuffer

MOST = 12
"""Runs that are neither pinned nor kept with the project."""
TOLD = 2
"""Differences that a name has room for."""
Place = tuple[str | int, ...]
Differences = list[tuple[Place, Any, Any]]
"""Where two sets of parameters differ, and both values; None where one has nothing there."""


@dataclass(eq=False)
class SessionRun:
    """Its series, and its charts that are not over time as far as they were shown. ``pinned``: its curves stand behind
    those of the present run. ``stored``: it is kept with the project. ``said``: what was told of it at its end."""

    title: str
    when: datetime
    parameters: dict[str, Any]
    time: float
    series: Mapping[str, TraceBuffer]
    own: Mapping[str, ChartData] = field(default_factory=dict)
    pinned: bool = False
    stored: bool = False
    named: bool = False
    """By the person, or after what differs."""
    said: tuple[str, ...] = ()
    goes_on: bool = False
    """Elsewhere: this window has left it there."""


class SessionRuns(QObject):
    """Those of one engine, the oldest first; ``tell`` says a value of the parameters in words."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runs: list[SessionRun] = []
        self.parameters: dict[str, Any] = {}
        """Of the present run."""
        self.said: tuple[str, ...] = ()
        """Of the present run, where it stands at its end or has failed."""
        self.goes_on = False
        """Whether the present run does once it is no longer that."""
        self.present: SessionRun | None = None
        """What was kept of the present run, which may go on."""
        self._engine = ""
        self._count = 0

    @property
    def pinned(self) -> list[SessionRun]:
        return [run for run in self.runs if run.pinned]

    def begin(self, parameters: Mapping[str, Any], tell: Any) -> None:
        """A run begins; the one before is named after what differs. ``tell``: (place, value) → words."""
        self.parameters, self.present, self.goes_on = deepcopy(dict(parameters)), None, False
        last = self.runs[-1] if self.runs else None
        if last is not None and not last.named:
            differences = differing(last.parameters, self.parameters)
            if 0 < len(differences) <= TOLD:
                told = ", ".join(tell(place, value) for place, value, _ in differences)
                last.title, last.named = f"{last.title}: {told}", True
                self.changed.emit()

    def set_live(self, place: Place, value: Any) -> None:
        """A live parameter of the present run has another value now."""
        owner = self.parameters
        for key in place[:-1]:
            owner = owner[key]  # type: ignore[index]  # a list's place
        owner[place[-1]] = value  # type: ignore[index]

    def keep(
        self, time: float, series: Mapping[str, TraceBuffer], own: Mapping[str, ChartData], *, pinned: bool = False
    ) -> SessionRun:
        """The present run as it is now; again: it takes the place of what was kept of it before. Copies the series,
        which go on; the data of other charts are never written again."""
        copied = {name: buffer.until(math.inf, ended=True) for name, buffer in series.items() if len(buffer)}
        run = self.present
        if run is None:
            self._count += 1
            run = SessionRun(f"run {self._count}", datetime.now(), deepcopy(self.parameters), time, copied, dict(own))
            self.runs.append(run)
            self.present = run
            self._thin()
        run.time, run.series, run.own, run.said = time, copied, {**run.own, **own}, self.said
        run.pinned, run.goes_on = run.pinned or pinned, self.goes_on
        self.changed.emit()
        return run

    def edit(self, run: SessionRun, *, title: str | None = None, pinned: bool | None = None) -> None:
        """Another name, which no other run has; put behind the present one, or not."""
        others = {other.title for other in self.runs if other is not run}
        if title and title not in others:
            run.title, run.named = title, True
        if pinned is not None:
            run.pinned = pinned
        self.changed.emit()

    def remove(self, runs: Sequence[SessionRun]) -> None:
        self.runs = [run for run in self.runs if run not in runs]
        if self.present in runs:
            self.present = None
        self.changed.emit()

    def add(self, runs: Sequence[SessionRun]) -> None:
        """Those that came with a project."""
        self.runs = [*runs, *self.runs]
        self.changed.emit()

    def of_engine(self, engine: str) -> None:
        """Another document: runs of another engine have other curves and are forgotten, those of a project go with
        it."""
        kept = [run for run in self.runs if not run.stored] if engine == self._engine else []
        self._engine, self._count = engine, self._count if kept else 0
        self.runs, self.present = kept, None
        self.changed.emit()

    def _thin(self) -> None:
        spare = [run for run in self.runs if not run.pinned and not run.stored]
        for run in spare[:-MOST]:
            self.runs.remove(run)


def differing(before: Any, after: Any, place: Place = ()) -> Differences:
    """Where two plain trees of values differ; lists of another length as a whole."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        keys = [*before, *(key for key in after if key not in before)]
        return [found for key in keys for found in differing(before.get(key), after.get(key), (*place, key))]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        numbers = all(not isinstance(each, (Mapping, list)) for each in (*before, *after))
        if not numbers:
            pairs = enumerate(zip(before, after, strict=True))
            return [found for key, (one, other) in pairs for found in differing(one, other, (*place, key))]
    return [] if before == after else [(place, before, after)]
