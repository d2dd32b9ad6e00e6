"""A pattern over all directions as a shaded surface that the mouse turns."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from engines.api import Array
from engines.api.charts import ChartData, ChartInfo, Curve
from ui.charts.plots.painted import PaintedPlot, number, write
from ui.scene.colormaps import colormap
from ui.widgets.theme import theme
from workbench.words.units import unit_text

COLORS = "viridis"
FIRST_VIEW = (35.0, 25.0)
"""Azimuth and height of the eye [°]."""
DEGREES_PER_PIXEL = 0.5
STEEPEST = 89.0
FINEST = (36, 72)
"""Steps of the surface over polar angle and azimuth: 2,600 quadrilaterals take about 35 ms."""
LIGHT = np.array([-0.45, 0.6, 0.66])
"""Toward the light, in the eye's frame: from the left, from above, from behind."""
DARKEST = 0.5
BAR_WIDTH = 10
AXIS_LENGTH = 1.12
MARGIN = 10


class PatternPlot(PaintedPlot):
    """Draws the first curve of a chart of ``kind="pattern"``."""

    def __init__(self, chart: ChartInfo, x_unit: str, parent: QWidget | None = None) -> None:
        super().__init__(chart, x_unit, parent)
        self.view = FIRST_VIEW
        self._held: tuple[QPointF, tuple[float, float]] | None = None
        self._mesh: tuple[Array, Array] | None = None
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setToolTip("Drag to turn it; double-click for the first view")

    def show_data(self, data: ChartData) -> None:
        super().show_data(data)
        self._mesh = self._make_mesh(data.curves[0]) if data.curves else None

    def autoscale(self) -> None:
        self.view = FIRST_VIEW
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = event.position(), self.view
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is None:
            return
        begun, (azimuth, height) = self._held
        moved = (event.position() - begun) * DEGREES_PER_PIXEL
        self.view = (azimuth - moved.x()) % 360, min(max(height + moved.y(), -STEEPEST), STEEPEST)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = None
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.autoscale()

    # The surface.

    def _make_mesh(self, curve: Curve) -> tuple[Array, Array] | None:
        """Points (t, p + 1, 3) of the surface and heights (t, p + 1), closed around; None for what is no full grid."""
        if curve.across is None or not len(curve.y):
            return None
        polar, azimuth = np.unique(curve.x), np.unique(curve.across)
        if len(polar) * len(azimuth) != len(curve.y) or len(polar) < 3 or len(azimuth) < 3:
            return None
        heights = self.heights(np.asarray(curve.y, float)).reshape(len(polar), len(azimuth))
        rows, columns = (max(1, round(n / most)) for n, most in zip(heights.shape, FINEST, strict=True))
        kept_rows = np.unique(np.append(np.arange(0, len(polar), rows), len(polar) - 1))
        kept_columns = np.append(np.arange(0, len(azimuth), columns), 0)
        heights = heights[np.ix_(kept_rows, kept_columns)]
        theta, phi = np.radians(polar[kept_rows])[:, None], np.radians(azimuth[kept_columns])[None, :]
        directions = np.stack(
            [np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta) * np.ones_like(phi)], axis=2
        )
        return directions * heights[..., None], heights

    def _frame(self) -> Array:
        """(3, 3): rows are the eye's right, up, and the way from the middle to the eye."""
        azimuth, height = (math.radians(angle) for angle in self.view)
        return np.array(
            [
                [-math.sin(azimuth), math.cos(azimuth), 0.0],
                [-math.sin(height) * math.cos(azimuth), -math.sin(height) * math.sin(azimuth), math.cos(height)],
                [math.cos(height) * math.cos(azimuth), math.cos(height) * math.sin(azimuth), math.sin(height)],
            ]
        )

    def draw(self, painter: QPainter) -> None:
        if self._mesh is None:
            return
        bar = self._draw_bar(painter)
        room = QRectF(MARGIN, MARGIN, bar - 2 * MARGIN, self.height() - 2 * MARGIN)
        scale = min(room.width(), room.height()) / 2 / (AXIS_LENGTH + 0.08)
        if scale < 10:
            return
        frame, center = self._frame(), room.center()
        self._draw_ring(painter, frame, center, scale)
        self._draw_axes(painter, frame, center, scale, behind=True)
        self._draw_surface(painter, frame, center, scale)
        self._draw_axes(painter, frame, center, scale, behind=False)

    def _draw_surface(self, painter: QPainter, frame: Array, center: QPointF, scale: float) -> None:
        """Quadrilaterals from the farthest to the nearest."""
        assert self._mesh is not None
        points, heights = self._mesh
        seen = points @ frame.T
        corners = np.stack([seen[:-1, :-1], seen[1:, :-1], seen[1:, 1:], seen[:-1, 1:]], axis=2).reshape(-1, 4, 3)
        means = 0.25 * (heights[:-1, :-1] + heights[1:, :-1] + heights[1:, 1:] + heights[:-1, 1:]).reshape(-1)
        normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
        lengths = np.linalg.norm(normals, axis=1)
        shine = np.abs(normals @ LIGHT) / np.where(lengths > 0, lengths, 1.0)
        colors = colormap(COLORS)[np.round(255 * means).astype(int)] * (DARKEST + (1 - DARKEST) * shine)[:, None]
        x = center.x() + scale * corners[..., 0]
        y = center.y() - scale * corners[..., 1]
        order = np.argsort(corners[..., 2].sum(axis=1))
        pen = QPen(QColor(), 0.7)
        for xs, ys, (red, green, blue) in zip(
            x[order].tolist(), y[order].tolist(), colors[order].astype(int).tolist(), strict=True
        ):
            color = QColor(red, green, blue)
            pen.setColor(color)  # closes the seams between neighbours
            painter.setPen(pen)
            painter.setBrush(color)
            painter.drawConvexPolygon(QPolygonF([QPointF(*at) for at in zip(xs, ys, strict=True)]))

    # What stands around it.

    def _draw_ring(self, painter: QPainter, frame: Array, center: QPointF, scale: float) -> None:
        """Circles of the scale's values in the plane across the polar axis."""
        turn = np.radians(np.arange(0, 361, 5))
        circle = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1) @ frame.T
        ticks = self.ticks()
        for height in self.heights(np.array(ticks)):
            rim = height > 0.999
            painter.setPen(QPen(theme().palette.color("strong" if rim else "border"), 1))
            x, y = center.x() + scale * height * circle[:, 0], center.y() - scale * height * circle[:, 1]
            painter.drawPolyline(QPolygonF([QPointF(*at) for at in zip(x.tolist(), y.tolist(), strict=True)]))

    def _draw_axes(self, painter: QPainter, frame: Array, center: QPointF, scale: float, behind: bool) -> None:
        """Those that point away from the eye before the surface is drawn, and the others after it, from it on."""
        colors = theme().palette
        assert self._mesh is not None
        directions, heights = self._mesh
        flat = directions.reshape(-1, 3)
        for axis in range(3):
            toward = frame[:, axis]
            if (toward[2] < 0) != behind:
                continue
            along = flat[:, axis] - np.linalg.norm(np.delete(flat, axis, axis=1), axis=1) * 1e3
            nearest = int(np.argmax(along))
            reach = float(heights.reshape(-1)[nearest]) if along[nearest] > -1.0 else 0.0
            tip = center + QPointF(toward[0], -toward[1]) * scale * AXIS_LENGTH
            start = center if behind else center + QPointF(toward[0], -toward[1]) * scale * reach
            painter.setPen(QPen(colors.color("muted"), 1.2))
            painter.drawLine(start, tip)
            painter.setPen(colors.color("text"))
            write(painter, tip + QPointF(toward[0], -toward[1]) * 9, "xyz"[axis])

    def _draw_bar(self, painter: QPainter) -> float:
        """The scale of colours; returns where it begins."""
        colors = theme().palette
        low, high = self.limits()
        ticks = [*([low] if self.chart.span or low == 0 else []), *self.ticks()]
        metrics = painter.fontMetrics()
        texts = [number(tick) for tick in ticks]
        unit = unit_text(self.chart.unit)
        wide = max(metrics.horizontalAdvance(text) for text in [*texts, unit])
        left = self.width() - MARGIN - wide - 6 - BAR_WIDTH
        top = MARGIN + (metrics.height() + 4 if unit else 4)
        bottom = self.height() - MARGIN - metrics.height() / 2
        bar = QRectF(left, top, BAR_WIDTH, max(1.0, bottom - top))
        gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
        for step in range(0, 256, 15):
            gradient.setColorAt(step / 255, QColor(*(int(part) for part in colormap(COLORS)[step])))
        painter.setPen(QPen(colors.color("border"), 1))
        painter.setBrush(gradient)
        painter.drawRect(bar)
        painter.setPen(colors.color("muted"))
        if unit:
            write(painter, QPointF(self.width() - MARGIN, MARGIN - 4), unit, (1.0, 0.0))
        last = math.inf
        for tick, text in zip(ticks, texts, strict=True):
            y = bar.bottom() - bar.height() * (tick - low) / (high - low)
            if last - y >= metrics.height():
                write(painter, QPointF(bar.right() + 6, y), text, (0.0, 0.5))
                last = y
        return left
