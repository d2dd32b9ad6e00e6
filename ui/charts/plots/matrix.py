"""A matrix of numbers as coloured cells, with its rows and columns named."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from engines.api.charts import ChartInfo
from ui.charts.plots.painted import PaintedPlot
from ui.charts.plots.reading import figure
from ui.scene.colormaps import colormap
from ui.widgets.theme import theme

COLORS = "viridis"
MARGIN = 6
WIDEST_NAMES = 0.3
"""Of the plot's width, for the names of rows, and of its height, for those of columns that stand upright."""
DIGITS = 3


class MatrixPlot(PaintedPlot):
    """Draws a chart of ``kind="matrix"``: a row for each curve from above, the largest value bright, 0 dark."""

    def __init__(self, chart: ChartInfo, x_unit: str, parent: QWidget | None = None) -> None:
        super().__init__(chart, x_unit, parent)
        self.setAccessibleName(chart.title)

    def text_at(self, at: QPointF) -> str:
        """What the cell there says, in full; empty beside the cells."""
        area, curves, columns = self._area(), self._data.curves, self._data.columns
        if not (curves and columns and area.contains(at)):
            return ""
        row = min(int((at.y() - area.top()) / area.height() * len(curves)), len(curves) - 1)
        column = min(int((at.x() - area.left()) / area.width() * len(columns)), len(columns) - 1)
        value = figure(float(curves[row].y[column]), self.chart.unit)
        return f"{curves[row].title} → {columns[column]}: {value}"

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.text_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def draw(self, painter: QPainter) -> None:
        curves, columns = self._data.curves, self._data.columns
        if not (curves and columns):
            return
        area = self._area()
        highest = self.limits()[1] or 1.0
        wide, high = area.width() / len(columns), area.height() / len(curves)
        metrics = painter.fontMetrics()
        texts = [[figure(float(value), "", DIGITS) for value in curve.y] for curve in curves]
        widest = max(metrics.horizontalAdvance(text) for row in texts for text in row)
        written = widest + 4 <= wide and metrics.height() <= high
        for row, curve in enumerate(curves):
            for column, value in enumerate(curve.y):
                cell = QRectF(area.left() + column * wide, area.top() + row * high, wide, high)
                share = min(max(float(value) / highest, 0.0), 1.0) if value == value else 0.0
                color = QColor(*(int(part) for part in colormap(COLORS)[round(255 * share)]))
                painter.fillRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), color)
                if written:
                    painter.setPen(QPen(QColor("#10131a" if share > 0.55 else "#f2f4f8")))
                    painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, texts[row][column])
        self._name(painter, area, wide, high)

    def _name(self, painter: QPainter, area: QRectF, wide: float, high: float) -> None:
        """Names of rows and columns, and what these are."""
        colors, metrics = theme().palette, painter.fontMetrics()
        elide = Qt.TextElideMode.ElideRight
        painter.setPen(colors.color("text"))
        # no more names than there is room for
        for row in range(0, len(self._data.curves), max(1, -(-metrics.height() // max(1, int(high))))):
            box = QRectF(MARGIN, area.top() + row * high, area.left() - 2 * MARGIN, max(high, metrics.height()))
            name = metrics.elidedText(self._data.curves[row].title, elide, int(box.width()))
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)
        below, room, upright = area.bottom() + 3, self._below(area.width()), self._upright(area.width())
        for column, name in enumerate(self._data.columns):
            box = QRectF(0, 0, room, wide) if upright else QRectF(0, 0, wide, room)
            painter.save()
            painter.translate(area.left() + column * wide, below + (room if upright else 0))
            painter.rotate(-90 if upright else 0)
            side = Qt.AlignmentFlag.AlignRight if upright else Qt.AlignmentFlag.AlignHCenter
            text = metrics.elidedText(name, elide, int(box.width()))
            painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, text)
            painter.restore()
        painter.setPen(colors.color("muted"))
        box = QRectF(MARGIN, below + room, self.width() - 2 * MARGIN, metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, metrics.elidedText(self._said(), elide, int(box.width())))

    def _said(self) -> str:
        rows, columns = (name[:1].lower() + name[1:] for name in (self.chart.across_title, self.chart.x_title))
        return f"rows: {rows}, columns: {columns}"

    def _area(self) -> QRectF:
        """Where the cells are."""
        metrics = self.fontMetrics()
        names = max((metrics.horizontalAdvance(curve.title) for curve in self._data.curves), default=0)
        left = min(names + 2, WIDEST_NAMES * self.width()) + 2 * MARGIN
        width = max(1.0, self.width() - left - MARGIN)
        below = self._below(width) + metrics.height() + MARGIN
        return QRectF(left, MARGIN, width, max(1.0, self.height() - MARGIN - below))

    def _widest(self) -> int:
        metrics = self.fontMetrics()
        return max((metrics.horizontalAdvance(name) + 4 for name in self._data.columns), default=0)

    def _upright(self, width: float) -> bool:
        """Whether the names of columns stand upright: there they are too wide for cells of this width together."""
        return self._widest() > width / max(1, len(self._data.columns))

    def _below(self, width: float) -> float:
        """Height of the names of columns."""
        line = float(self.fontMetrics().height())
        return max(line, min(self._widest(), WIDEST_NAMES * self.height())) if self._upright(width) else line
