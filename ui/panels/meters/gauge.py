"""The gauge: achieved bandwidth against the measured ceiling, as an arc with the percentage in the middle."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.widgets.formatting import rate_text
from ui.widgets.theme import theme
from workbench.words.units import percent

START_DEGREES = 215.0
SPAN_DEGREES = 250.0
TICKS = 10
MEANING = "Bytes that the method must move, over the wall time, against a copy measured on this device."


class Gauge(QWidget):
    """Shows a fraction of the ceiling; above 1 (data in the cache) the arc is full and the figure says so."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fraction: float | None = None
        self._rate = 0.0
        self._ceiling = 0.0
        self.setFixedHeight(144)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Memory bandwidth")
        self.setToolTip(MEANING)
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(230, 148)

    def set_reading(self, rate: float | None, fraction: float = 0.0) -> None:
        """Bytes per second and fraction of the ceiling; None for no reading."""
        self._fraction = None if rate is None else fraction
        self._rate = rate or 0.0
        self._ceiling = self._rate / fraction if rate and fraction > 0 else self._ceiling
        text = "no reading" if rate is None else f"{rate_text(self._rate)}, {percent(fraction)} of the ceiling"
        self.setAccessibleDescription(text)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = theme().palette
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            radius = min(self.width() / 2 - 12, (self.height() - 26) / 1.6)
            middle = QPointF(self.width() / 2, 10 + radius)
            circle = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
            width = max(7.0, radius * 0.13)
            self._arc(painter, circle, 1.0, colors.color("border"), width)
            shown = min(max(self._fraction or 0.0, 0.0), 1.0)
            if shown > 0.002:
                self._arc(painter, circle, shown, colors.color("accent"), width)
            self._ticks(painter, middle, radius - width)
            self._texts(painter, middle, radius)

    def _arc(self, painter: QPainter, circle: QRectF, fraction: float, color: QColor, width: float) -> None:
        painter.setPen(QPen(color, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawArc(circle, round(START_DEGREES * 16), round(-SPAN_DEGREES * fraction * 16))

    def _ticks(self, painter: QPainter, middle: QPointF, radius: float) -> None:
        colors = theme().palette
        painter.save()
        painter.translate(middle)
        painter.rotate(-START_DEGREES)
        for tick in range(TICKS + 1):
            long = tick % 5 == 0
            painter.setPen(QPen(colors.color("strong" if long else "border"), 1.2))
            painter.drawLine(QPointF(radius - (7 if long else 4), 0), QPointF(radius - 1, 0))
            painter.rotate(SPAN_DEGREES / TICKS)
        painter.restore()

    def _texts(self, painter: QPainter, middle: QPointF, radius: float) -> None:
        colors = theme().palette
        large = QFont(self.font())
        large.setPixelSize(max(18, round(radius * 0.42)))
        large.setWeight(QFont.Weight.DemiBold)
        painter.setFont(large)
        painter.setPen(colors.color("text" if self._fraction is not None else "disabled"))
        text = "–" if self._fraction is None else percent(self._fraction)
        box = QRectF(middle.x() - radius, middle.y() - radius * 0.42, 2 * radius, radius * 0.55)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        small = QFont(self.font())
        small.setPixelSize(12)
        painter.setFont(small)
        painter.setPen(colors.color("muted"))
        first = "no reading yet" if self._fraction is None else rate_text(self._rate)
        line = QRectF(0, middle.y() + radius * 0.16, self.width(), 18)
        painter.drawText(line, Qt.AlignmentFlag.AlignCenter, first)
        if self._ceiling:
            line.translate(0, 16)
            painter.drawText(line, Qt.AlignmentFlag.AlignCenter, f"of {rate_text(self._ceiling)}")
