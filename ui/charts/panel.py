"""The charts panel: which charts there are, and what is drawn in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from engines.api import SimulationInfo
from engines.charts import ChartData, ChartInfo


class ChartsPanel(QWidget):
    """Charts of the present run, and of its forecast before there is one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._info: SimulationInfo | None = None
        self._forecast: Mapping[str, ChartData] = {}
        self._forecast_infos: tuple[ChartInfo, ...] = ()

    @property
    def charts(self) -> tuple[ChartInfo, ...]:
        """The charts that there are: those of the run, or of the forecast where nothing is built."""
        return self._info.charts if self._info is not None else self._forecast_infos

    def show_forecast(self, charts: Mapping[str, ChartData] | None, infos: Sequence[ChartInfo] = ()) -> None:
        """Draw these curves over time, by chart name, behind the live ones; None takes them away.

        ``infos`` are the forecast's own charts (:attr:`engines.charts.Forecast.charts`): they are shown as long as
        there is no run. Cheap: what is drawn changes at the next redraw.
        """
        self._forecast = charts or {}
        self._forecast_infos = tuple(infos) if charts is not None else ()
