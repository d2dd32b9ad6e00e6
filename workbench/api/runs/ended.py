"""A run that came to its end in another process: what it brought back."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api.charts import ChartData, ChartInfo
from engines.api.errors import ProblemError
from workbench.api.arrays import Quantity
from workbench.api.names import Named
from workbench.api.runs.curves import Chart, Curve, Curves, curves_of_chart
from workbench.sweep.running import Row
from workbench.words.units import time_text

ELSEWHERE = (
    "'{name}' stayed in the process that this case ran in, of which curves and charts come back: sweep without "
    "'workers' and 'out' for all that a run has."
)


class EndedRun:
    """A case of a sweep on workers: its curves and charts, as of a :class:`workbench.Run` at its end. A curve over time
    has at most 4096 samples: of a longer one every second, fourth, …"""

    interrupted = False

    def __init__(self, row: Row, time_unit: str) -> None:
        self.step, self.time, self.time_unit = row.steps, row.time, time_unit
        self.seconds = row.seconds
        """Wall time that it took, with its building."""
        self._charts: dict[str, tuple[ChartInfo, ChartData]] = {info.name: (info, data) for info, data, _ in row.charts}

    @property
    def curves(self) -> Curves:
        """As of :attr:`workbench.Run.curves`."""
        series = {}
        for info, data in self._charts.values():
            for name, curve in zip(info.series, data.curves, strict=False):
                time = Quantity(np.asarray(curve.x), self.time_unit, "Time")
                values = Quantity(np.asarray(curve.y), info.unit, curve.title)
                series[name] = Curve(name, curve.title, time, values, over_time=True)
        own = [info for info, _ in self._charts.values() if not info.series]
        return Curves(series, own, lambda name: self._charts[name][1])

    @property
    def charts(self) -> Named[Chart]:
        """As of :attr:`workbench.Run.charts`."""
        return Named("chart", self._charts, self._curves_of)

    def close(self) -> None:
        """It holds no device: nothing is left to close."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise ProblemError(ELSEWHERE.format(name=name))

    def __repr__(self) -> str:
        return f"<EndedRun at {time_text(self.time, self.time_unit, '.6g')} after {self.step:,} steps>"

    def _curves_of(self, name: str) -> Chart:
        info, data = self._charts[name]
        if info.series:
            curves = self.curves
            return Chart(curves[one] for one in info.series if one in curves)
        return curves_of_chart(info, data)
