"""The legend of a chart: colour, name and present value of each curve, line after line as wide as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.charts.plots.layers import DASHES, shade_color
from ui.widgets.theme import theme

LINE_PIXELS, SWATCH_PIXELS, GAP_PIXELS = 17, 14, 14
SCALE_PIXELS = 64
CHIP_PIXELS = 10
"""Of a colour whose name is folded away."""
MOST_LINES = 3
ROOMY_LINES = 2
"""Where values with units would take more lines than these, the short ones are shown."""
SHARE = 4
"""Of the height of a chart, one part of so many is for its legend."""
EVERY_LINE = 1000


Mark = Literal["line", "area", "dashed", "dotted", "point", "scale", "folded"]


@dataclass(frozen=True)
class Entry:
    """``place`` is that of the trace's colour; ``value`` has room for ``widest``, so that nothing moves.

    ``short`` and ``shortest`` are the same for where there is little room.
    """

    title: str
    place: int | None = None
    mark: Mark = "line"
    value: str = ""
    widest: str = ""
    short: str = ""
    shortest: str = ""
    run: int = 0
    """Of a dotted mark: which of the kept runs."""
    folded: tuple[int | None, ...] = ()
    """Of a folded mark: the places of those that it stands for."""

    def brief(self) -> Entry:
        return self if not self.shortest else replace(self, value=self.short, widest=self.shortest)


Placed = list[tuple[Entry, QPoint]]


class Legend(QWidget):
    """Paints itself; without entries it takes no room.

    Where values would take more than ``MOST_LINES`` or ``most`` lines, titles stand alone; where these would, the first
    of them, and the colours and the number of the others, whose names are in the tooltip.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[Entry, ...] = ()
        self._most = EVERY_LINE
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme().changed.connect(self.update)

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self._entries

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Lay out anew only where something else than values has changed."""
        entries = tuple(entries)
        if entries == self._entries:
            return
        moved = [self._width(entry) for entry in entries] != [self._width(entry) for entry in self._entries]
        self._entries = entries
        self.setVisible(bool(entries))
        self.setToolTip("\n".join(f"{entry.title}  {entry.value}".strip() for entry in entries))
        self.setAccessibleName(self.toolTip().replace("  ", " ").replace("\n", ", "))
        if moved:
            self.updateGeometry()
        self.update()

    def stand_in(self, height: int) -> None:
        """Take a part of a chart of this height [pixels]."""
        most = max(1, height // (SHARE * LINE_PIXELS))
        if most != self._most:
            self._most = most
            self.updateGeometry()
            self.update()

    def heightForWidth(self, width: int) -> int:
        return LINE_PIXELS * _lines(self._placed(width))

    def sizeHint(self) -> QSize:
        return QSize(100, self.heightForWidth(max(self.width(), 100)))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, LINE_PIXELS if self._entries else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.heightForWidth(event.oldSize().width()) != self.heightForWidth(self.width()):
            self.updateGeometry()  # else the layout goes on with the height of the other width

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            metrics, colors = self.fontMetrics(), theme().palette
            for entry, spot in self._placed(self.width()):
                self._swatch(painter, entry, spot)
                left = spot.x() + self._mark_width(entry) + 5
                title = self.shown(entry, spot)
                painter.setPen(colors.color("muted"))
                painter.drawText(QRect(left, spot.y(), self.width(), LINE_PIXELS), Qt.AlignmentFlag.AlignVCenter, title)
                if entry.value:
                    left += metrics.horizontalAdvance(title) + 6
                    painter.setPen(colors.color("text"))
                    area = QRect(left, spot.y(), self.width(), LINE_PIXELS)
                    painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, entry.value)

    def shown(self, entry: Entry, spot: QPoint) -> str:
        """Its title, shortened where a line of its own is too short; what an advance is rounded by is no reason."""
        room = max(20, self.width() - spot.x() - self._mark_width(entry) - 5) + 1
        return self.fontMetrics().elidedText(entry.title, Qt.TextElideMode.ElideRight, room)

    def _placed(self, width: int) -> Placed:
        """Each entry and where it begins, with short values if there is little room."""
        titles = [replace(entry, value="", widest="") if entry.shortest else entry for entry in self._entries]
        stages = (self._entries, ROOMY_LINES), ([entry.brief() for entry in self._entries], MOST_LINES)
        for entries, most in (*stages, (titles, EVERY_LINE)):
            placed = self._flow(entries, width)
            if _lines(placed) <= min(most, self._most):
                return placed
        for shown in reversed(range(len(titles))):
            placed = self._flow([*titles[:shown], _folded(titles[shown:], whole=not shown)], width)
            if _lines(placed) <= self._most:
                break
        return placed

    def _flow(self, entries: Sequence[Entry], width: int) -> Placed:
        placed, x, y = [], 0, 0
        for entry in entries:
            wide = self._width(entry)
            if x and x + wide > width:
                x, y = 0, y + LINE_PIXELS
            placed.append((entry, QPoint(x, y)))
            x += wide + GAP_PIXELS
        return placed

    def _width(self, entry: Entry) -> int:
        metrics = self.fontMetrics()
        value = max(metrics.horizontalAdvance(entry.value), metrics.horizontalAdvance(entry.widest))
        return self._mark_width(entry) + 5 + metrics.horizontalAdvance(entry.title) + (6 + value if value else 0)

    @staticmethod
    def _mark_width(entry: Entry) -> int:
        if entry.folded:
            return CHIP_PIXELS * len(entry.folded)
        return SCALE_PIXELS + 22 if entry.mark == "scale" else SWATCH_PIXELS

    def _swatch(self, painter: QPainter, entry: Entry, spot: QPoint) -> None:
        colors = theme().palette
        color = _colour(entry.place)
        middle = spot.y() + LINE_PIXELS / 2
        box = QRectF(spot.x(), middle - 5, SWATCH_PIXELS, 10)
        if entry.mark == "folded":
            for place, of in enumerate(entry.folded):
                left = spot.x() + CHIP_PIXELS * place
                painter.fillRect(left, spot.y() + 4, CHIP_PIXELS - 2, 9, _colour(of))
        elif entry.mark == "scale":
            self._scale(painter, box)
        elif entry.mark == "area":
            color.setAlpha(190)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawRoundedRect(box, 2, 2)
        elif entry.mark == "point":
            painter.setPen(QPen(colors.color("text"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(box.center(), 3, 3)
        else:
            styles = {"dashed": Qt.PenStyle.DashLine, "dotted": DASHES[entry.run % len(DASHES)]}
            style = styles.get(entry.mark, Qt.PenStyle.SolidLine)
            painter.setPen(QPen(color, 2.4 if entry.mark == "line" else 1.4, style))
            painter.drawLine(QPointF(box.left(), middle), QPointF(box.right(), middle))

    def _scale(self, painter: QPainter, box: QRectF) -> None:
        """``0 ▭ 1``: what the colours of bars run from and to."""
        metrics = self.fontMetrics()
        painter.setPen(theme().palette.color("muted"))
        digit = metrics.horizontalAdvance("0")
        base = box.center().y() + metrics.capHeight() / 2
        painter.drawText(int(box.left()), int(base), "0")
        strip = QRectF(box.left() + digit + 3, box.top() + 1, SCALE_PIXELS, 8)
        painter.drawText(int(strip.right()) + 4, int(base), "1")
        gradient = QLinearGradient(strip.topLeft(), strip.topRight())
        for step in range(9):
            gradient.setColorAt(step / 8, shade_color(step / 8))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        painter.drawRoundedRect(strip, 2, 2)


def _colour(place: int | None) -> QColor:
    return theme().palette.color("muted") if place is None else QColor(theme().palette.trace(place))


def _folded(entries: Sequence[Entry], whole: bool) -> Entry:
    """One in the place of these, which are all there are or the rest."""
    count = f"{len(entries)} {'in all' if whole else 'more'}"
    return Entry(count, mark="folded", folded=tuple(entry.place for entry in entries))


def _lines(placed: Placed) -> int:
    return 1 + max((spot.y() // LINE_PIXELS for _, spot in placed), default=-1)
