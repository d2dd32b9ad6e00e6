"""One plot: the curves of a chart, a forecast behind them, measured points over them, a line under the mouse."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QMouseEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from engines.api import Array
from engines.api.charts import EMPTY, ChartData, ChartInfo, Curve
from ui.charts.arithmetic import logarithm
from ui.charts.plots.layers import Bars, Branches, DotCloud, Dots, Ghosts, Lines, Stack
from ui.charts.plots.pens import fineness, line_pen
from ui.charts.plots.scaled_axis import ScaledAxis, TimeAxis, keep_figures, keep_legible
from ui.widgets.freeing import free_controls
from ui.widgets.theme import theme
from workbench.project.project import MeasuredData
from workbench.run.streams.traces import LeftCurve

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
    unit_changed = Signal()
    """Another one stands at the abscissa."""

    def __init__(self, chart: ChartInfo, x_unit: str, parent: QWidget | None = None) -> None:
        self._bottom = TimeAxis("bottom")
        super().__init__(parent, axisItems={"left": ScaledAxis("left"), "bottom": self._bottom}, enableMenu=False)
        self._bottom.unit_changed.connect(self.unit_changed)
        self.chart = chart
        self.x_unit = chart.x_unit or x_unit
        self._x_title, self._unit = chart.x_title, chart.unit
        self._title = ""
        self._log_x = self._log_y = False
        self.paint_seconds = 0.0
        """What painting has taken since somebody set this to zero."""
        self._data = EMPTY
        item = self.getPlotItem()
        kinds = {"line": Lines, "area": Stack, "bar": Bars, "raster": Dots}
        self._layer = kinds[chart.kind](item)
        self._forecast = Lines(item, behind=True)
        self._left = Branches(item)
        self._kept = Ghosts(item)
        self._points: list[pg.ScatterPlotItem] = []
        self._measured: tuple[MeasuredData, ...] = ()
        self._cursor = pg.InfiniteLine(angle=90, movable=False)
        self._now = pg.InfiniteLine(angle=90, movable=False)
        for line in (self._cursor, self._now):
            line.hide()
            line.setZValue(8)
            self.addItem(line, ignoreBounds=True)
        self.hideButtons()
        free_controls(self)
        self.setMinimumSize(150, 80)
        self.showGrid(x=True, y=True, alpha=0.12)
        self.getAxis("left").set_least_width(LEFT_PIXELS)
        self.getAxis("bottom").setHeight(BOTTOM_PIXELS)
        self.setAcceptDrops(chart.comparable)
        self.scene().sigMouseMoved.connect(self._hover)
        theme().changed.connect(self._dress)
        self._dress()
        self._shown: dict[str, bool] = {}
        self._keep_figures("data", False)

    @property
    def data(self) -> ChartData:
        return self._data

    def set_axes(self, unit: str, *, log_x: bool, log_y: bool) -> None:
        """The unit of what is shown from now on, and which axes are logarithmic."""
        if (unit, log_x, log_y) == (self._unit, self._log_x, self._log_y):
            return
        self._unit, self._log_x, self._log_y = unit, log_x, log_y
        self.getAxis("bottom").setLogMode(x=log_x, y=False)
        self.getAxis("left").setLogMode(x=False, y=log_y)
        self.show_measured(self._measured)
        self._dress()
        self.autoscale()

    def set_title(self, title: str) -> None:
        """Say at the axes what stands there, where there is room for it."""
        self._title = title
        self._dress()

    @property
    def told_in(self) -> tuple[str, float]:
        """(unit, size in ``x_unit``) of the figures along the abscissa: hours of a long run."""
        return self._bottom.shown

    @property
    def seen(self) -> float:
        """From one end of the abscissa to the other, in ``x_unit``; 0 where it goes by factors."""
        low, high = self._bottom.range
        return 0.0 if self._log_x else float(high - low)

    def set_abscissa(self, title: str, unit: str) -> None:
        """What the curves stand over from now on."""
        self._x_title, self.x_unit = title, unit
        self._dress()
        self.autoscale()

    def show_data(self, data: ChartData) -> None:
        self._data = data
        keep_legible(self, (curve.y for curve in data.curves), log=self._log_y)
        self._layer.show(self._on_axes(data.curves))
        self._keep_figures("data", has_points(data))

    def show_forecast(self, data: ChartData) -> None:
        self._forecast.show(self._on_axes(data.curves))
        self._keep_figures("forecast", has_points(data))

    def show_left(self, curves: Sequence[LeftCurve]) -> None:
        """What the run saw on branches that it has left."""
        if self._log_x or self._log_y:
            curves = [(place, *self._placed(x, y)) for place, x, y in curves]
        self._left.show(curves)
        self._keep_figures("left", bool(curves))

    def show_kept(self, runs: Sequence[ChartData]) -> None:
        """The curves of kept runs."""
        self._kept.show([self._on_axes(data.curves) for data in runs])
        self._keep_figures("kept", any(map(has_points, runs)))

    def show_measured(self, measured: Sequence[MeasuredData]) -> None:
        self._measured = tuple(measured)
        for points in self._points:
            self.removeItem(points)
        self._points = []
        for place, each in enumerate(measured):
            every = max(-(-len(each.x) // DRAWN_POINTS), 1)
            x, y = self._placed(np.array(each.x)[::every], np.array(each.y)[::every])
            points = pg.ScatterPlotItem(x, y, symbol=SYMBOLS[place % len(SYMBOLS)], size=5)
            points.setZValue(7)
            self.addItem(points)
            self._points.append(points)
        self._dress_points()
        self._keep_figures("measured", bool(measured))

    def _keep_figures(self, what: str, some: bool) -> None:
        self._shown[what] = some
        keep_figures(self, any(self._shown.values()))

    def show_now(self, x: float | None) -> None:
        """The time that the rest of the window shows."""
        self._stand(self._now, x)

    def show_cursor(self, x: float | None) -> None:
        self._stand(self._cursor, x)

    def _stand(self, line: pg.InfiniteLine, x: float | None) -> None:
        if x is not None and self._log_x:
            x = math.log10(x) if x > 0 else None
        line.setVisible(x is not None)
        if x is not None:
            line.setValue(x)

    def _placed(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Where points stand: a logarithmic axis counts powers of ten. Those without one are left out."""
        if not (self._log_x or self._log_y):
            return x, y
        x, y = logarithm(x) if self._log_x else x, logarithm(y) if self._log_y else y
        known = np.isfinite(x)
        return x[known], y[known]

    def _on_axes(self, curves: Sequence[Curve]) -> Sequence[Curve]:
        if not (self._log_x or self._log_y):
            return curves
        placed = []
        for curve in curves:
            x, y = self._placed(curve.x, curve.y)
            low, high = (None if end is None else self._placed(curve.x, end)[1] for end in (curve.low, curve.high))
            placed.append(replace(curve, x=x, y=y, low=low, high=high))
        return placed

    def show_part(self, other: QWidget) -> None:
        """Show the part that the other plot does, where a person has chosen one."""
        if not isinstance(other, ChartPlot):
            return
        box = other.getPlotItem().getViewBox()
        for axis, follows in enumerate(box.autoRangeEnabled()):
            if not follows:
                low, high = box.viewRange()[axis]
                (self.setXRange, self.setYRange)[axis](low, high, padding=0)

    def thicken(self, factor: float) -> None:
        """Draw lines and points so many times as thick: they are measured in dots, of which a fine picture has many."""
        for item in self.getPlotItem().items:
            if isinstance(item, (pg.PlotDataItem, pg.PlotCurveItem)):
                pen = pg.mkPen(item.opts["pen"])
                pen.setWidthF(factor / fineness() * pen.widthF())
                item.setPen(pen)
            elif isinstance(item, pg.ScatterPlotItem):
                item.setSize(factor * item.opts["size"])
            elif isinstance(item, DotCloud):
                item.thicken(factor / fineness())
        for side in ("left", "bottom"):
            self.getAxis(side).setPen(pg.mkPen(theme().palette.border, width=factor))
            self.getAxis(side).setTextPen(pg.mkPen(theme().palette.muted))  # the other pen dyes the title too

    def autoscale(self) -> None:
        self.enableAutoRange()

    def settle(self) -> None:
        """Find the ranges of the axes now: found while it is painted, they have it painted once more."""
        self.getPlotItem().getViewBox().prepareForPaint()

    # Qt.

    def sizeHint(self) -> QSize:
        """Not the size that it has, which a layout would keep it at when there is less room."""
        return self.minimumSize()

    def paintEvent(self, event: QPaintEvent) -> None:
        began = clock.perf_counter()
        super().paintEvent(event)
        self.paint_seconds += clock.perf_counter() - began

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(None)
        super().leaveEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.autoscale()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Among others that scroll the wheel goes on to them, and zooms with Ctrl."""
        if self._scrolls and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        super().wheelEvent(event)

    @property
    def _scrolls(self) -> bool:
        """Whether it stands in something that is higher than the room it has."""
        around = self.parentWidget()
        while around is not None and not isinstance(around, QScrollArea):
            around = around.parentWidget()
        return around is not None and around.verticalScrollBar().maximum() > 0

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
            x = float(box.mapSceneToView(position).x())
            self.hovered.emit(10**x if self._log_x else x)
        else:
            self.hovered.emit(None)

    def _dress(self) -> None:
        colors = theme().palette
        self.setBackground(colors.plot)
        self._cursor.setPen(line_pen(colors.muted, style=Qt.PenStyle.DashLine))
        self._now.setPen(line_pen(colors.color("accent", 150)))
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(pg.mkPen(colors.border))
            axis.setTextPen(pg.mkPen(colors.muted))
            axis.setStyle(tickLength=-4, tickFont=self.font(), maxTickLevel=FINEST_TICKS)
        timed = bool(self.chart.series) and not self._x_title
        self.getAxis("bottom").titled(
            "Time" if timed else self._x_title, self.x_unit, colors.muted, times=timed or self._x_title == "Time"
        )
        self.getAxis("left").set_unit(self._unit, colors.muted, self._title or self.chart.y_title)
        self._layer.show(self._on_axes(self._data.curves))
        self._dress_points()

    def _dress_points(self) -> None:
        colors = theme().palette
        for points in self._points:
            points.setPen(line_pen(colors.text))
            points.setBrush(pg.mkBrush(colors.color("plot", 180)))


def has_points(data: ChartData) -> bool:
    """Whether anything of it can be drawn."""
    return any(np.isfinite(curve.y).any() for curve in data.curves)
