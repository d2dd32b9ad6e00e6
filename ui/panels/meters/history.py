"""The last two minutes of bandwidth as a curve."""

from __future__ import annotations

import time as clock
from collections import deque

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from ui.charts.plots.pens import line_pen
from ui.widgets.theme import theme

SECONDS = 120.0
SHORTEST = 20.0  # what is shown at least
HEADROOM = 1.2  # above the ceiling, so that the label of a tick there is not cut
POINTS = 1200  # ten a second


class History(pg.PlotWidget):
    """GB/s over wall seconds, newest at the right; a dashed line is the measured ceiling."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, enableMenu=False)
        self._points: deque[tuple[float, float]] = deque(maxlen=POINTS)
        self.setFixedHeight(92)
        self.setMouseEnabled(False, False)
        self.hideButtons()
        self._curve = self.plot([], [])
        self._line = pg.InfiniteLine(0, angle=0)
        self.addItem(self._line)
        self.getPlotItem().layout.setContentsMargins(
            0, self.fontMetrics().height() // 2, 0, 0
        )  # for the highest figure
        self.getAxis("left").setWidth(34)
        self.getAxis("bottom").setHeight(18)
        self.getAxis("bottom").setTicks([[(-90, "−90 s"), (-60, "−60 s"), (-30, "−30 s"), (-10, "−10 s")]])
        theme().changed.connect(self._dress)
        self._dress()
        self.clear_points()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.redraw()

    def clear_points(self) -> None:
        self._points.clear()
        self._curve.setData([], [])
        self._line.hide()
        self.getAxis("left").setTicks([])

    def add(self, bytes_per_second: float, ceiling: float) -> None:
        self._points.append((clock.monotonic(), bytes_per_second / 1e9))
        self._ceiling = ceiling / 1e9
        if self.isVisible():
            self.redraw()

    def redraw(self) -> None:
        points = np.array(self._points)
        if not len(points):
            return
        ages = points[:, 0] - clock.monotonic()
        self._curve.setData(ages, points[:, 1])
        self.setXRange(max(-SECONDS, min(float(ages[0]), -SHORTEST)), 0, padding=0)
        self._line.setValue(self._ceiling)
        self._line.show()
        self.getAxis("left").setTicks(None)
        top = max(self._ceiling, float(points[:, 1].max())) * HEADROOM
        self.setYRange(0, top or 1.0, padding=0)

    def _dress(self) -> None:
        colors = theme().palette
        self.setBackground(colors.plot)
        self._curve.setPen(line_pen(colors.accent, 1.5))
        self._curve.setFillLevel(0)
        self._curve.setBrush(colors.color("accent", 40))
        self._line.setPen(line_pen(colors.muted, style=Qt.PenStyle.DashLine))
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(pg.mkPen(colors.border))
            axis.setTextPen(pg.mkPen(colors.muted))
            axis.setStyle(tickLength=-3, tickFont=self.font())
