"""One plot: the curves of a chart, a forecast behind them, measured points over them, a line under the mouse."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QWidget

from engines.api.charts import EMPTY, ChartData, ChartInfo
from ui.charts.plots.layers import Bars, Branches, Dots, Lines, Stack
from ui.charts.plots.scaled_axis import ScaledAxis
from ui.charts.plots.traces import LeftCurve
from ui.widgets.theme import theme
from workbench.project.project import MeasuredData
from workbench.words.units import unit_text

SYMBOLS = ("o", "s", "t1", "d")
FINEST_TICKS = 1
"""Lines of a third level of ticks take as long to paint as all the rest."""
DRAWN_POINTS = 1500
"""Measured points that are drawn; all of them count for the difference."""
LEFT_PIXELS, BOTTOM_PIXELS = 54, 34


class ChartPlot(pg.PlotWidget):
    """Draws :class:`ChartData`; knows nothing of where it comes from."""

    hovered = Signal(object)
    """The abscissa under the mouse, or None."""
    dropped = Signal(str)
    """The path of a file that was dropped on it."""

    def __init__(self, chart: ChartInfo, x_unit: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, axisItems={"left": ScaledAxis("left")}, enableMenu=False)
        self.chart = chart
        self.x_unit = chart.x_unit or x_unit
        self.paint_seconds = 0.0
        """What painting has taken since somebody set this to zero."""
        self._data = EMPTY
        item = self.getPlotItem()
        kinds = {"line": Lines, "area": Stack, "bar": Bars, "raster": Dots}
        self._layer = kinds[chart.kind](item)
        self._forecast = Lines(item, behind=True)
        self._left = Branches(item)
        self._points: list[pg.ScatterPlotItem] = []
        self._cursor = pg.InfiniteLine(angle=90, movable=False)
        self._now = pg.InfiniteLine(angle=90, movable=False)
        for line in (self._cursor, self._now):
            line.hide()
            line.setZValue(8)
            self.addItem(line, ignoreBounds=True)
        self.hideButtons()
        self.setMinimumSize(150, 90)
        self.showGrid(x=True, y=True, alpha=0.12)
        self.getAxis("left").setWidth(LEFT_PIXELS)
        self.getAxis("bottom").setHeight(BOTTOM_PIXELS)
        self.setAcceptDrops(chart.comparable)
        self.scene().sigMouseMoved.connect(self._hover)
        theme().changed.connect(self._dress)
        self._dress()

    @property
    def data(self) -> ChartData:
        return self._data

    def show_data(self, data: ChartData) -> None:
        self._data = data
        self._layer.show(data.curves)

    def show_forecast(self, data: ChartData) -> None:
        self._forecast.show(data.curves)

    def show_left(self, curves: Sequence[LeftCurve]) -> None:
        """What the run saw on branches that it has left."""
        self._left.show(curves)

    def show_measured(self, measured: Sequence[MeasuredData]) -> None:
        for points in self._points:
            self.removeItem(points)
        self._points = []
        for place, each in enumerate(measured):
            every = -(-len(each.x) // DRAWN_POINTS)
            points = pg.ScatterPlotItem(
                np.array(each.x)[::every], np.array(each.y)[::every], symbol=SYMBOLS[place % len(SYMBOLS)], size=5
            )
            points.setZValue(7)
            self.addItem(points)
            self._points.append(points)
        self._dress_points()

    def show_now(self, x: float | None) -> None:
        """The time that the rest of the window shows."""
        self._now.setVisible(x is not None)
        if x is not None:
            self._now.setValue(x)

    def show_cursor(self, x: float | None) -> None:
        self._cursor.setVisible(x is not None)
        if x is not None:
            self._cursor.setValue(x)

    def autoscale(self) -> None:
        self.enableAutoRange()

    # Qt.

    def paintEvent(self, event: QPaintEvent) -> None:
        began = clock.perf_counter()
        super().paintEvent(event)
        self.paint_seconds += clock.perf_counter() - began

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(None)
        super().leaveEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.autoscale()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._consider(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._consider(event)

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.dropped.emit(paths[0])

    def _consider(self, event: QDragMoveEvent) -> None:
        if self.chart.comparable and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
        else:
            event.ignore()

    def _hover(self, position: QPointF) -> None:
        box = self.getPlotItem().getViewBox()
        if box.sceneBoundingRect().contains(position):
            self.hovered.emit(float(box.mapSceneToView(position).x()))
        else:
            self.hovered.emit(None)

    def _dress(self) -> None:
        colors = theme().palette
        self.setBackground(colors.plot)
        self._cursor.setPen(pg.mkPen(colors.muted, width=1, style=Qt.PenStyle.DashLine))
        self._now.setPen(pg.mkPen(colors.color("accent", 150), width=1))
        unit = unit_text(self.x_unit)
        bottom = f"{self.chart.x_title} [{unit}]" if self.chart.x_title and unit else self.chart.x_title or unit
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(pg.mkPen(colors.border))
            axis.setTextPen(pg.mkPen(colors.muted))
            axis.setStyle(tickLength=-4, tickFont=self.font(), maxTickLevel=FINEST_TICKS)
        axis.enableAutoSIPrefix(False)
        axis.setLabel(bottom or None, color=colors.muted)
        self.getAxis("left").set_unit(self.chart.unit, colors.muted)
        self._layer.show(self._data.curves)
        self._dress_points()

    def _dress_points(self) -> None:
        colors = theme().palette
        for points in self._points:
            points.setPen(pg.mkPen(colors.text, width=1))
            points.setBrush(pg.mkBrush(colors.color("plot", 180)))
