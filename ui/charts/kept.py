"""Runs whose curves stay behind those of the next ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from engines.api.charts import ChartData
from ui.charts.plots.traces import TraceBuffer

MOST = 3


@dataclass(frozen=True)
class KeptRun:
    """The series of a run as they were when it was kept, and its charts that are not over time, as far as shown."""

    title: str
    series: Mapping[str, TraceBuffer]
    own: Mapping[str, ChartData] = field(default_factory=dict)


class KeptRuns:
    """The newest :data:`MOST` of them, of one engine."""

    def __init__(self) -> None:
        self.runs: list[KeptRun] = []
        self._engine = ""
        self._count = 0

    def keep(self, engine: str, series: Mapping[str, TraceBuffer], own: Mapping[str, ChartData]) -> KeptRun:
        """Copies the series, which go on; the data of other charts are never written again."""
        self.of_engine(engine)
        self._count += 1
        copied = {name: buffer.until(math.inf) for name, buffer in series.items() if len(buffer)}
        run = KeptRun(f"run {self._count}", copied, dict(own))
        self.runs = [*self.runs, run][-MOST:]
        return run

    def of_engine(self, engine: str) -> None:
        """Runs of another engine have other curves: they are forgotten."""
        if engine != self._engine:
            self.clear()
            self._engine = engine

    def clear(self) -> None:
        self.runs, self._count = [], 0
