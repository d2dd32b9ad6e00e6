"""Which charts of a problem stand open, in which order and on which axes: as its project says, as the person chose, or
as many of the engine's as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSettings

from engines.api.charts import ChartInfo
from ui.charts.arithmetic import Look
from workbench.project.project import ChartView

PLAIN = Look()


class Choice:
    """Of one document at a time. What a person chooses is kept with the project; where that says nothing of charts, the
    next problem of the engine opens the same."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings
        self._engine = ""
        self._declared: tuple[str, ...] = ()
        self._order: tuple[str, ...] = ()
        self._chosen: tuple[str, ...] = ()
        self._looks: dict[str, Look] = {}

    def open(self, engine: str, views: Sequence[ChartView]) -> None:
        """Another document, whose project says this."""
        self._engine, self._chosen = engine, ()
        self._declared = self._order = tuple(view.name for view in views)
        self._looks = {view.name: Look(view.log_x, view.vertical, view.over) for view in views}

    def in_order(self, charts: Sequence[ChartInfo]) -> tuple[ChartInfo, ...]:
        """Those that the project names come first; before them what was put there."""
        places = {name: place for place, name in enumerate(self._order)}
        return tuple(sorted(charts, key=lambda chart: places.get(chart.name, len(places))))

    def shown(self, names: Sequence[str], room: int) -> tuple[str, ...]:
        """Of ``names``, in their order; where nobody chose, as many as have ``room``."""
        if self._declared and not self._chosen:
            found = tuple(name for name in names if name in self._declared)[:room]
        else:
            chosen = self._chosen or str(self._settings.value(self._key, "")).split(",")
            found = tuple(name for name in names if name in chosen)
        return found or tuple(names[:room])

    def left_out(self, names: Sequence[str], room: int) -> int:
        """How many of those that the project declares have no room."""
        declared = sum(name in self._declared for name in names)
        return 0 if self._chosen else max(0, declared - room)

    def put_first(self, name: str) -> None:
        """A new chart, which somebody waits for."""
        self._order = (name, *(other for other in self._order if other != name))

    def choose(self, names: Sequence[str]) -> None:
        """The person wants these."""
        self._chosen = tuple(names)
        if not self._declared:
            self._settings.setValue(self._key, ",".join(names))

    def look(self, name: str) -> Look:
        return self._looks.get(name, PLAIN)

    def keep_looks(self, looks: dict[str, Look]) -> None:
        self._looks |= looks

    def views(self) -> list[ChartView]:
        """For the project: those chosen or declared; else those that are looked at in a way of their own."""
        told = self._chosen or self._declared or tuple(name for name, look in self._looks.items() if look != PLAIN)
        return [
            ChartView(name=name, log_x=look.log_x, vertical=look.vertical, over=_lasting(look.over))
            for name in told
            for look in (self.look(name),)
        ]

    @property
    def _key(self) -> str:
        return f"charts/{self._engine}"


def _lasting(over: str) -> str:
    """A kept run is gone with the session."""
    return "" if over.startswith("run:") else over
