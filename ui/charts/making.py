"""Which plot draws a chart."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from engines.api.charts import ChartInfo
from ui.charts.matrix import MatrixPlot
from ui.charts.painted import PaintedPlot
from ui.charts.pattern import PatternPlot
from ui.charts.plot import ChartPlot
from ui.charts.polar import PolarPlot

Plot = ChartPlot | PaintedPlot


def make_plot(chart: ChartInfo, x_unit: str, parent: QWidget) -> Plot:
    if chart.kind == "polar":
        return PolarPlot(chart, x_unit, parent)
    if chart.kind == "pattern":
        return PatternPlot(chart, x_unit, parent)
    if chart.kind == "matrix":
        return MatrixPlot(chart, x_unit, parent)
    return ChartPlot(chart, x_unit, parent)
