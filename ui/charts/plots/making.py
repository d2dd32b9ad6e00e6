"""Which plot draws a chart."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from engines.api.charts import ChartInfo
from ui.charts.plots.matrix import MatrixPlot
from ui.charts.plots.painted import PaintedPlot
from ui.charts.plots.pattern import PatternPlot
from ui.charts.plots.plot import ChartPlot
from ui.charts.plots.polar import PolarPlot

Plot = ChartPlot | PaintedPlot


def make_plot(chart: ChartInfo, x_unit: str, parent: QWidget) -> Plot:
    if chart.kind == "polar":
        return PolarPlot(chart, x_unit, parent)
    if chart.kind == "pattern":
        return PatternPlot(chart, x_unit, parent)
    if chart.kind == "matrix":
        return MatrixPlot(chart, x_unit, parent)
    return ChartPlot(chart, x_unit, parent)
