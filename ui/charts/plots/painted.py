"""Plots that have no straight axes and paint themselves."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from engines.api import Array
from engines.api.charts import EMPTY, ChartData, ChartInfo
from ui.widgets.theme import theme
from workbench.project.project import MeasuredData
from workbench.run.streams.traces import LeftCurve
from workbench.words.numbers import figure

CLOSEST = 1e-6
"""Between middle and rim, of the value at the rim."""
NICE = (1.0, 2.0, 2.5, 5.0, 10.0)


class PaintedPlot(QWidget):
    """What the charts panel asks of a plot (:class:`ui.charts.plots.plot.ChartPlot`). Forecasts, branches that were
    left, measured points and the present time are of curves over straight axes: here they are not shown."""

    hovered = Signal(object)
    dropped = Signal(str)

    def __init__(self, chart: ChartInfo, x_unit: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chart = chart
        self.x_unit = chart.x_unit or x_unit
        self.told_in = (self.x_unit, 1.0)
        self.seen = 0.0
        self.paint_seconds = 0.0
        self.cursor_at: float | None = None
        self._data = EMPTY
        self.setMinimumSize(150, 90)
        self.setMouseTracking(True)
        theme().changed.connect(self.update)

    @property
    def data(self) -> ChartData:
        return self._data

    def show_data(self, data: ChartData) -> None:
        self._data = data
        self.update()

    def show_cursor(self, x: float | None) -> None:
        self.cursor_at = x
        self.update()

    def settle(self) -> None: ...

    def show_forecast(self, data: ChartData) -> None: ...

    def show_left(self, curves: Sequence[LeftCurve]) -> None: ...

    def show_kept(self, runs: Sequence[ChartData]) -> None: ...

    def show_measured(self, measured: Sequence[MeasuredData]) -> None: ...

    def set_axes(self, unit: str, *, log_x: bool, log_y: bool) -> None: ...

    def show_part(self, other: QWidget) -> None: ...

    def set_title(self, title: str) -> None: ...

    def set_abscissa(self, title: str, unit: str) -> None: ...

    def show_now(self, x: float | None) -> None: ...

    def autoscale(self) -> None: ...

    def draw(self, painter: QPainter) -> None:
        """Paint on a ground of the theme's colour."""
        raise NotImplementedError

    def paintEvent(self, event: QPaintEvent) -> None:
        began = clock.perf_counter()
        with QPainter(self) as painter:  # one that an error leaves open ends the process
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(self.rect(), theme().palette.color("plot"))
            self.draw(painter)
        self.paint_seconds += clock.perf_counter() - began

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(None)
        super().leaveEvent(event)

    def limits(self) -> tuple[float, float]:
        """What stands in the middle and at the rim: for decibels the rim is a multiple of 5 at or above the largest."""
        known = [curve.y[np.isfinite(curve.y)] for curve in self._data.curves]
        values = np.concatenate(known) if known else np.zeros(0)
        if self.chart.span:
            top = 5.0 * math.ceil(float(values.max()) / 5 - 1e-3) if len(values) else 0.0
            return top - max(self.chart.span, CLOSEST * abs(top)), top
        largest = float(values.max()) if len(values) and values.max() > 0 else 1.0
        step = nice_step(largest / 4)
        return 0.0, step * math.ceil(largest / step - 1e-9)

    def heights(self, values: Array) -> Array:
        """0 in the middle … 1 at the rim; what is no number stands in the middle."""
        low, high = self.limits()
        return np.asarray(np.clip(np.nan_to_num((values - low) / (high - low), nan=0.0, neginf=0.0), 0.0, 1.0))

    def ticks(self) -> list[float]:
        """From the middle (without it) to the rim."""
        low, high = self.limits()
        step = nice_step((high - low) / 4.5)
        count = math.floor((high - low) / step + 1e-9)
        return [high - step * n for n in range(count + 1) if high - step * n > low + 1e-9 * (high - low)][::-1]


def nice_step(least: float) -> float:
    """The next of 1, 2, 2.5, 5, 10 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in NICE if power * factor >= least * (1 - 1e-9))


def number(value: float) -> str:
    """``−10``, ``0.25``."""
    return figure(value, 6)


def write(painter: QPainter, at: QPointF, text: str, align: tuple[float, float] = (0.5, 0.5)) -> QRectF:
    """Text whose box has ``at`` at these parts of its width and height; returns the box."""
    metrics = painter.fontMetrics()
    width, height = metrics.horizontalAdvance(text) + 2, metrics.height()
    box = QRectF(at.x() - align[0] * width, at.y() - align[1] * height, width, height)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    return box
