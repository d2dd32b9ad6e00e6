"""A chart over an angle: rings for the values, spokes for the angles."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPen, QPolygonF

from engines.api import Array
from engines.api.charts import Curve
from ui.charts.plots.painted import PaintedPlot, number, write
from ui.widgets.theme import theme
from workbench.words.units import unit_text

SPOKE = 30
ROOMY = 88.0
"""Radius [pixels] from which the angle of each spoke is written, and not of each third one."""
VALUES_ALONG = QPointF(math.sqrt(0.5), -math.sqrt(0.5))
"""Values are written along this line on the screen, in the middle between two spokes."""
CLOSE = 22.0
"""Rings closer than this [pixels] are not all written."""
GAP = 4.0


class PolarPlot(PaintedPlot):
    """Draws the curves of a chart of ``kind="polar"``; the mouse reads values at its angle."""

    def draw(self, painter: QPainter) -> None:
        colors = theme().palette
        center, radius = self._place()
        if radius < 10:
            return
        self._draw_rings(painter, center, radius)
        for place, curve in enumerate(self.data.curves):
            points = self._points(curve, center, radius)
            color = colors.trace(place)
            if len(self.data.curves) == 1:
                soft = colors.trace(place)
                soft.setAlpha(34)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(soft)
                painter.drawPolygon(points)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(color, 1.8))
            painter.drawPolyline(points)
        self._draw_values(painter, center, radius)
        if self.cursor_at is not None:
            self._draw_cursor(painter, center, radius, self.cursor_at)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        center, radius = self._place()
        away = event.position() - center
        if not 1 < math.hypot(away.x(), away.y()) < radius + 20:
            self.hovered.emit(None)
            return
        turned = math.degrees(math.atan2(-away.y(), away.x()))
        self.hovered.emit((90 - turned if self.chart.clockwise else turned) % 360)

    # Places.

    def _place(self) -> tuple[QPointF, float]:
        metrics = self.fontMetrics()
        beside, above = metrics.horizontalAdvance("180°") + GAP, metrics.height() + 2
        radius = min(self.width() / 2 - beside - GAP, self.height() / 2 - above)
        return QPointF(self.width() / 2, self.height() / 2), radius

    def _toward(self, degrees: float) -> QPointF:
        """The unit vector of an angle on the screen."""
        turned = math.radians(90 - degrees if self.chart.clockwise else degrees)
        return QPointF(math.cos(turned), -math.sin(turned))

    def _points(self, curve: Curve, center: QPointF, radius: float) -> QPolygonF:
        known = np.isfinite(np.asarray(curve.x, float))  # Qt fills a polygon to what is no number for ever
        degrees: Array = np.asarray(curve.x, float)[known]
        angles = np.radians(degrees)
        turned = np.pi / 2 - angles if self.chart.clockwise else angles
        distance = radius * self.heights(np.asarray(curve.y, float)[known])
        x, y = center.x() + distance * np.cos(turned), center.y() - distance * np.sin(turned)
        points = [QPointF(*at) for at in zip(x.tolist(), y.tolist(), strict=True)]
        whole = len(points) > 2 and 359.99 > np.ptp(degrees) > 360 - 2.5 * np.median(np.abs(np.diff(degrees)))
        return QPolygonF([*points, points[0]] if whole else points)

    # Layers.

    def _draw_rings(self, painter: QPainter, center: QPointF, radius: float) -> None:
        colors = theme().palette
        painter.setBrush(Qt.BrushStyle.NoBrush)
        ticks = self.ticks()
        heights = self.heights(np.array(ticks))
        for height in heights[:-1]:
            painter.setPen(QPen(colors.color("border"), 1))
            painter.drawEllipse(center, radius * height, radius * height)
        for degrees in range(0, 360, SPOKE):
            painter.setPen(QPen(colors.color("border"), 1))
            inner = radius * float(heights[0]) * (degrees % 90 != 0)  # the middle is left free
            toward = self._toward(degrees)
            painter.drawLine(center + toward * inner, center + toward * radius)
        painter.setPen(QPen(colors.color("strong"), 1.2))
        painter.drawEllipse(center, radius, radius)
        painter.setPen(colors.color("muted"))
        for degrees in range(0, 360, SPOKE if radius >= ROOMY else 90):
            toward = self._toward(degrees)
            at = center + toward * (radius + GAP)
            write(painter, at, f"{degrees}°", (0.5 - 0.5 * toward.x(), 0.5 - 0.5 * toward.y()))

    def _draw_values(self, painter: QPainter, center: QPointF, radius: float) -> None:
        """The rings' values, over the curves: on plates, from the rim inwards as long as there is room."""
        colors = theme().palette
        ticks = self.ticks()
        heights = self.heights(np.array(ticks))
        last = math.inf
        for tick, height in zip(reversed(ticks), reversed(heights), strict=True):
            if last - radius * height < CLOSE or radius * height < CLOSE:
                continue
            first = math.isinf(last)
            last = radius * float(height)
            unit = f" {unit_text(self.chart.unit)}" if first and unit_text(self.chart.unit) else ""
            text, at = number(tick) + unit, center + VALUES_ALONG * last
            painter.setPen(Qt.PenStyle.NoPen)
            box = write(painter, at, text).adjusted(-1, 1, 1, -1)
            painter.setBrush(colors.color("plot", 215))
            painter.drawRoundedRect(box, 3, 3)
            painter.setPen(colors.color("muted"))
            write(painter, at, text)

    def _draw_cursor(self, painter: QPainter, center: QPointF, radius: float, degrees: float) -> None:
        colors = theme().palette
        toward = self._toward(degrees)
        painter.setPen(QPen(colors.color("muted"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(center, center + toward * radius)
        for place, curve in enumerate(self.data.curves):
            if len(curve.x):
                nearest = int(np.argmin(np.abs(np.asarray(curve.x) - degrees)))
                distance = radius * float(self.heights(np.asarray(curve.y[nearest : nearest + 1], float))[0])
                painter.setPen(QPen(colors.color("plot"), 1))
                painter.setBrush(colors.trace(place))
                painter.drawEllipse(center + self._toward(float(curve.x[nearest])) * distance, 3.5, 3.5)
