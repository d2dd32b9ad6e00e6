"""What the Lab's plots share: the theme, labels beside points that do not cover each other, a picture as an image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QImage, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QWidget

from ui.lab.findings import shape_text
from ui.widgets.formatting import duration_text, rate_text
from ui.widgets.freeing import free_controls
from ui.widgets.theme import Palette, theme
from workbench.bench.records import VariantRecord
from workbench.words.units import percent

SYMBOLS = ("o", "s", "t1", "d", "t", "star", "p", "h")
"""Shapes of points: the first eight variants are told apart by colour, the next by shape too."""
AXIS_PIXELS = 82
MOST_ROOM = 0.45
GAP_PIXELS = 1
"""Between two labels."""
LEADER_PIXELS, EDGE_PIXELS = 16, 4
"""From a point to its label, and from there to the plot's edge."""
LEAST_LABEL = 60
"""Pixels: where there is less room at the right, a person has moved it away."""


@dataclass(frozen=True)
class Label:
    """A text beside a point, both in the plot's coordinates."""

    x: float
    y: float
    text: str
    color: QColor


def tip(record: VariantRecord) -> str:
    """The figures of a point, a line each."""
    lines = [
        f"{record.title} {shape_text(record.shape)}".rstrip(),
        f"{record.case}, {record.cache} cache",
        f"{duration_text(record.seconds)}, {rate_text(record.bytes_per_second)}, {percent(record.fraction)} "
        "of the ceiling",
    ]
    return "\n".join(lines)


class Chart(pg.PlotWidget):
    """A plot that redraws itself in the theme's colours, or in ``colors`` always (pictures for files)."""

    _stale = True  # of the class, for pyqtgraph resizes while it is being made

    def __init__(
        self, bottom: pg.AxisItem, left: pg.AxisItem, colors: Palette | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, axisItems={"bottom": bottom, "left": left}, enableMenu=False)
        self._fixed = colors
        self._labels: list[tuple[Label, pg.TextItem]] = []
        self._leaders: pg.PlotCurveItem | None = None
        self._titles = ("", "")
        self._by_hand = False
        left.setWidth(AXIS_PIXELS)  # fixed: ticks that outgrow an axis that is being fitted are left out
        self.hideButtons()
        free_controls(self)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.getPlotItem().getViewBox().sigRangeChanged.connect(self._place_labels)
        self.getPlotItem().getViewBox().sigResized.connect(self._place_labels)
        self.getPlotItem().getViewBox().sigRangeChangedManually.connect(self._moved)
        if colors is None:
            theme().changed.connect(self.redraw)

    @property
    def colors(self) -> Palette:
        return self._fixed or theme().palette

    def draw(self) -> None:
        """Add this plot's items; a subclass knows which."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Draw anew now if somebody sees it, else as soon as somebody does."""
        self._stale = True
        if self.isVisible():
            self.settle()

    def settle(self) -> None:
        """Be up to date, seen or not."""
        if self._stale:
            self._stale = False
            self._clear()
            self._dress()
            self.draw()
            self._place_labels()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.settle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.redraw()

    def mouseDoubleClickEvent(self, event: object) -> None:
        self.show_all()

    def show_all(self) -> None:
        """Other figures, or a double click: what a person has zoomed to is given up."""
        self._by_hand = False
        self.redraw()

    def fit(self, left: float, right: float, low: float, high: float) -> None:
        """Show this range, unless a person has chosen another: figures that arrive do not move it."""
        if not self._by_hand:
            self.setRange(xRange=(left, right), yRange=(low, high), padding=0)

    def room(self, texts: Sequence[str]) -> float:
        """The part of the plot's width that labels at its right need."""
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(text) for text in texts), default=0) + 30
        return min(MOST_ROOM, widest / max(1, self.width() - AXIS_PIXELS))

    def _moved(self, *_: object) -> None:
        self._by_hand = True

    def image(self, size: QSize | None = None) -> QImage:
        """The plot as a picture; at another size than it has on the screen if one is given."""
        if size is not None:
            self.resize(size)
        self.settle()
        # Geometry that pyqtgraph puts off to the next turn of the event loop.
        QApplication.sendPostedEvents()
        self.getPlotItem().layout.activate()
        self._place_labels()
        return self.grab().toImage()

    def set_titles(self, bottom: str, left: str) -> None:
        self._titles = (bottom, left)

    def mark(
        self,
        points: Sequence[tuple[float, float]],
        place: int,
        hollow: bool = False,
        size: float | list[float] = 9,
        records: Sequence[VariantRecord] = (),
    ) -> pg.ScatterPlotItem:
        """A variant's points by its place; hollow for the record that is compared. ``records`` are told on hovering."""
        color = self.colors.trace(place)
        symbol = SYMBOLS[place // len(self.colors.traces) % len(SYMBOLS)]
        brush = pg.mkBrush(None) if hollow else pg.mkBrush(color)
        pen = pg.mkPen(color, width=1.8) if hollow else pg.mkPen(self.colors.plot, width=1)
        told = {"data": list(records), "hoverable": True, "tip": lambda x, y, data: tip(data)} if records else {}
        item = pg.ScatterPlotItem(pos=list(points), symbol=symbol, size=size, brush=brush, pen=pen, **told)
        self.addItem(item)
        return item

    def line(
        self, points: Sequence[tuple[float, float]], color: QColor | str, style: Qt.PenStyle, width: float = 1.8
    ) -> None:
        xs, ys = zip(*points, strict=True)
        pen = pg.mkPen(color, width=width, style=style)
        self.addItem(pg.PlotCurveItem(list(xs), list(ys), pen=pen, antialias=True))

    def say(self, sentence: str) -> None:
        """In place of a plot: why there is none."""
        item = pg.TextItem(sentence, color=self.colors.muted, anchor=(0.5, 0.5))
        self.addItem(item, ignoreBounds=True)
        item.setPos(0.5, 0.5)
        self._by_hand = False
        self.fit(0, 1, 0, 1)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(showValues=False)
            self.getAxis(side).setLabel(None)
        self.showGrid(x=False, y=False)

    def set_labels(self, labels: Sequence[Label]) -> None:
        self._leaders = pg.PlotCurveItem(pen=pg.mkPen(self.colors.strong, width=1), connect="pairs")
        self._leaders.setZValue(-1)
        self.addItem(self._leaders, ignoreBounds=True)
        for label in labels:
            item = pg.TextItem(label.text, color=label.color, anchor=(0, 0.5))
            item.setFont(self.font())
            self.addItem(item, ignoreBounds=True)
            self._labels.append((label, item))

    def _place_labels(self, *_: object) -> None:
        """Texts stand right of their points, in as many lines as they need up to the edge; where they would cover each
        other they move along y, with a leader."""
        if not self._labels or self._leaders is None:
            return
        box = self.getPlotItem().getViewBox()
        height, width = box.height(), box.width()
        (left, right), (low, high) = box.viewRange()
        if height <= 0 or width <= 0 or right <= left or high <= low:
            return
        across, up = width / (right - left), height / (high - low)
        order = sorted(self._labels, key=lambda entry: entry[0].y)
        points = [((label.x - left) * across, (label.y - low) * up) for label, _ in order]
        rooms = [width - x - LEADER_PIXELS - EDGE_PIXELS for x, _ in points]
        tall = [_folded(item, room) for (_, item), room in zip(order, rooms, strict=True)]
        widest = max(item.textItem.boundingRect().width() for _, item in order)
        places = spread(points, tall, widest, height)
        lines: list[float] = []
        heights: list[float] = []
        for (label, item), pixels in zip(order, places, strict=True):
            x, y = label.x + LEADER_PIXELS / across, low + pixels / up
            item.setPos(x, y)
            lines += [label.x, x + 3 / across]
            heights += [label.y, y]
        self._leaders.setData(np.array(lines), np.array(heights))

    def _clear(self) -> None:
        self._labels.clear()
        self._leaders = None
        self.clear()

    def _dress(self) -> None:
        colors = self.colors
        self.setBackground(colors.plot)
        self.showGrid(x=True, y=True, alpha=0.14)
        for side, title in zip(("bottom", "left"), self._titles, strict=True):
            axis = self.getAxis(side)
            axis.setPen(pg.mkPen(colors.strong))
            axis.setTextPen(pg.mkPen(colors.text if self._fixed else colors.muted))
            axis.setTickFont(self.font())
            axis.setStyle(tickLength=-4, showValues=True)
            axis.setLabel(title, **{"color": colors.text if self._fixed else colors.muted, "font-size": "12px"})


def _folded(item: pg.TextItem, room: float) -> float:
    """Fold a label's text to lines that are no wider than ``room`` [pixels]; returns how high it is with a gap."""
    text = item.textItem
    text.setTextWidth(-1)
    if LEAST_LABEL <= room < text.boundingRect().width():
        item.setTextWidth(room)
    return float(text.boundingRect().height() - 2 * text.document().documentMargin() + GAP_PIXELS)


def spread(points: Sequence[tuple[float, float]], tall: Sequence[float], near: float, top: float) -> list[float]:
    """Heights of the middles of labels, so ``tall`` each, for points sorted by height, so that those with near x do not
    cover each other and are below ``top``."""
    heights: list[float] = []
    for place, (x, y) in enumerate(points):
        below = [other for other in range(place) if abs(points[other][0] - x) < near]
        heights.append(max([y, *(heights[other] + (tall[other] + tall[place]) / 2 for other in below)]))
    # What rose above the top comes down again and takes those below it along.
    for place in range(len(points) - 1, -1, -1):
        x = points[place][0]
        above = [other for other in range(place + 1, len(points)) if abs(points[other][0] - x) < near]
        limits = (heights[other] - (tall[other] + tall[place]) / 2 for other in above)
        heights[place] = min([heights[place], top - tall[place] / 2, *limits])
    return heights
