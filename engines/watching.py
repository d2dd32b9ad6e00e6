"""Watchers: what looks at a run while it advances, on the device, and keeps what it finds.

An observer of a tissue, a monitor of electromagnetic fields, the gauges of a body: each is a :class:`Watcher` with
fields, series and charts of its own, and a simulation asks all of them through :class:`Watchers`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from engines.api import Array, FieldInfo, Finding, SeriesInfo
from engines.api.abilities import Axes
from engines.api.charts import ChartData, ChartInfo

Moment = TypeVar("Moment")


class Watcher(ABC, Generic[Moment]):
    """Looks every few steps, on the device. It never changes what it looks at.

    ``charts``, ``series`` and ``fields`` have names that no other watcher of the run has.
    """

    every: int = 1
    """Steps between two looks, which come after steps whose number is a multiple of it (it may change)."""
    fields: tuple[FieldInfo, ...] = ()
    series: tuple[SeriesInfo, ...] = ()
    charts: tuple[ChartInfo, ...] = ()

    @abstractmethod
    def look(self, moment: Moment) -> None:
        """See the run at a moment (what that is, the engine says). Called inside ``backend.active``; must not wait."""

    def observe(self) -> Mapping[str, float]:
        """The present value of each of ``series``."""
        return {}

    def observe_later(self) -> Callable[[], Mapping[str, float]]:
        """As :meth:`observe`, of now: see :meth:`Backend.to_host_later`."""
        found = self.observe()
        return lambda: found

    def chart(self, name: str) -> ChartData:
        """The points of one of ``charts`` that is not over time."""
        raise KeyError(name)

    @property
    def done(self) -> float | None:
        """Which part of the way to an end of the run it has seen, 0 … 1; None where it knows of no end."""
        return None

    @property
    def ending(self) -> str:
        """Why the run has come to its end, a sentence; empty while it goes on."""
        return ""

    def noticed(self) -> Sequence[Finding]:
        """What one should know of what it has found, at the end of a run."""
        return ()

    def results(self) -> Mapping[str, Array]:
        """What is exported beside fields: arrays on the host by ``watcher/quantity [unit]``."""
        return {}

    def axes(self) -> Mapping[str, Axes]:
        """What ``results`` are over, where their names alone do not say it, by ``watcher/quantity``."""
        return {}

    def files(self) -> Mapping[str, str]:
        """Text files in forms that other programs read, by name."""
        return {}


Kind = TypeVar("Kind", bound=Watcher[Any])


class Watchers(tuple[Kind, ...]):
    """All watchers of a run, asked as one."""

    def __new__(cls, watchers: Iterable[Kind] = ()) -> Watchers[Kind]:
        return super().__new__(cls, tuple(watchers))

    @property
    def fields(self) -> tuple[FieldInfo, ...]:
        return tuple(info for watcher in self for info in watcher.fields)

    @property
    def series(self) -> tuple[SeriesInfo, ...]:
        return tuple(info for watcher in self for info in watcher.series)

    @property
    def charts(self) -> tuple[ChartInfo, ...]:
        return tuple(info for watcher in self for info in watcher.charts)

    @property
    def done(self) -> float | None:
        """Which part of the way to an end of the run the farthest has seen; None where none knows of an end."""
        return max((watcher.done for watcher in self if watcher.done is not None), default=None)

    @property
    def ending(self) -> str:
        """Why the run has come to its end, as the first that knows says it; empty while it goes on."""
        return next((watcher.ending for watcher in self if watcher.ending), "")

    def noticed(self) -> tuple[Finding, ...]:
        """What one should know of what they have found, at the end of a run."""
        return tuple(finding for watcher in self for finding in watcher.noticed())

    def next_look(self, step: int, end: int) -> int:
        """The first step after ``step`` at which one of them looks; ``end`` where that comes first."""
        return min([end, *((step // watcher.every + 1) * watcher.every for watcher in self)])

    def due(self, step: int) -> list[Kind]:
        """Those that look after step ``step``."""
        return [watcher for watcher in self if step % watcher.every == 0]

    def of_field(self, name: str) -> Kind | None:
        """The one whose field this is; None: nobody's."""
        return next((watcher for watcher in self if any(info.name == name for info in watcher.fields)), None)

    def observe(self) -> dict[str, float]:
        """The present value of each of ``series``."""
        return self.observe_later()()

    def observe_later(self) -> Callable[[], dict[str, float]]:
        """As :meth:`observe`, of now; all of them are begun before the first is read."""
        begun = [watcher.observe_later() for watcher in self]
        return lambda: {name: value for found in begun for name, value in found().items()}

    def chart(self, name: str) -> ChartData:
        """The points of one of ``charts`` that is not over time. Raises KeyError."""
        for watcher in self:
            if any(info.name == name for info in watcher.charts):
                return watcher.chart(name)
        raise KeyError(name)

    def results(self) -> dict[str, Array]:
        """What all of them export beside fields."""
        return {name: values for watcher in self for name, values in watcher.results().items()}

    def axes(self) -> dict[str, Axes]:
        """What these are over, where it is known."""
        return {name: axes for watcher in self for name, axes in watcher.axes().items()}

    def files(self) -> dict[str, str]:
        """Text files of all of them, by name."""
        return {name: text for watcher in self for name, text in watcher.files().items()}
