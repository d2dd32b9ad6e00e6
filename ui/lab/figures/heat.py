"""A heat map: coloured cells with their figures in a grid of named rows and columns; the best has a frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsSceneHoverEvent, QWidget

from ui.lab.figures.axes import NamedAxis
from ui.lab.figures.chart import Chart
from ui.widgets.fonts import PLAIN, STRONG
from ui.widgets.theme import Palette

DARK_BELOW = 0.45
"""Colours of less luminance carry white text."""
FARTHEST = 5.0
"""Colours reach from the best so many times as far as the median is from it; what is worse is as dark."""
THIN_BELOW = 20
"""Pixels of a cell's height under which a thick frame would cover the text."""
TEXT_MARGIN = 6
"""Pixels of a cell's width that its text leaves free."""


@dataclass(frozen=True)
class Tile:
    """One cell. ``good``: the larger, the brighter; None: grey, for what has no figure."""

    good: float | None
    text: str
    tip: str


@dataclass(frozen=True)
class _Box:
    color: QColor
    tip: str
    best: bool = False


class HeatMap(Chart):
    """Cells by (column, row), counted from the lower left. Texts that do not fit their cells are left to the tips."""

    def __init__(self, colors: Palette | None = None, parent: QWidget | None = None) -> None:
        super().__init__(NamedAxis("bottom"), NamedAxis("left"), colors, parent)
        self.setMouseEnabled(False, False)

    def paint_tiles(self, tiles: Mapping[tuple[int, int], Tile], columns: Sequence[str], rows: Sequence[str]) -> None:
        """Draw them; ``columns`` and ``rows`` are the names along the axes."""
        self.getAxis("bottom").set_names(list(columns))
        self.getAxis("left").set_names(list(rows))
        values = [tile.good for tile in tiles.values() if tile.good is not None]
        low, high = (dark_end(values), max(values)) if values else (0.0, 1.0)
        colormap = pg.colormap.get("viridis")
        self.showGrid(x=False, y=False)
        self.fit(-0.6, len(columns) - 0.4, -0.6, len(rows) - 0.4)
        fits = self._texts_fit(tiles.values(), len(columns), len(rows))
        boxes = {}
        for (column, row), tile in tiles.items():
            if tile.good is None:
                color, best, ink = self.colors.color("border"), False, self.colors.muted
            else:
                color = colormap.map(max(0.0, (tile.good - low) / (high - low)) if high > low else 1.0, mode="qcolor")
                best = bool(tile.good == high)  # a NumPy truth value is no bool of Qt's
                ink = _text_color(color)
            boxes[column, row] = _Box(color, tile.tip, best)
            if fits:
                self._write(column, row, tile.text, ink, best)
        thick = self.getPlotItem().getViewBox().height() >= THIN_BELOW * (len(rows) + 0.2)
        self.addItem(_Boxes(boxes, pg.mkPen(self.colors.color("text"), width=3 if thick else 1.5)))

    def _texts_fit(self, tiles: Iterable[Tile], columns: int, rows: int) -> bool:
        font = self.font()
        font.setWeight(STRONG)  # as the best is written
        metrics = QFontMetricsF(font)
        widest = max((metrics.horizontalAdvance(tile.text) for tile in tiles), default=0.0)
        box = self.getPlotItem().getViewBox()
        width, height = box.width() / (columns + 0.2), box.height() / (rows + 0.2)
        return bool(widest + TEXT_MARGIN <= width and metrics.capHeight() + TEXT_MARGIN / 2 <= height)

    def _write(self, column: int, row: int, text: str, ink: str, bold: bool) -> None:
        label = pg.TextItem(text, color=ink, anchor=(0.5, 0.5))
        font = self.font()
        font.setWeight(STRONG if bold else PLAIN)
        label.setFont(font)
        label.setZValue(2)
        self.addItem(label, ignoreBounds=True)
        label.setPos(column, row)


class _Boxes(pg.GraphicsObject):
    """All cells as one item; the figures of the cell under the mouse are its tool tip."""

    def __init__(self, boxes: Mapping[tuple[int, int], _Box], frame: QPen) -> None:
        super().__init__()
        self._boxes = boxes
        self._frame = frame
        columns, rows = (max(place[axis] for place in self._boxes) for axis in (0, 1))
        self._area = QRectF(-0.5, -0.5, columns + 1.0, rows + 1.0)
        self.setAcceptHoverEvents(True)

    def boundingRect(self) -> QRectF:
        return self._area

    def paint(self, painter: QPainter, *_: object) -> None:
        for (column, row), box in self._boxes.items():
            painter.fillRect(QRectF(column - 0.48, row - 0.48, 0.96, 0.96), box.color)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._frame)
        for (column, row), box in self._boxes.items():
            if box.best:
                painter.drawRect(QRectF(column - 0.48, row - 0.48, 0.96, 0.96))

    def hoverMoveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        box = self._boxes.get((round(event.pos().x()), round(event.pos().y())))
        self.setToolTip("" if box is None else box.tip)


def dark_end(values: Sequence[float]) -> float:
    """The value that is darkest: the worst, unless it is so far off that all others would look alike."""
    best = max(values)
    return max(min(values), best - FARTHEST * (best - float(np.median(values))))


def _text_color(color: QColor) -> str:
    luminance = 0.299 * color.redF() + 0.587 * color.greenF() + 0.114 * color.blueF()
    return "#ffffff" if luminance < DARK_BELOW else "#101418"
