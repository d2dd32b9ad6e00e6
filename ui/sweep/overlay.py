"""One curve of each run laid over those of the others, coloured by the parameter, with a colour bar."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from engines.api.charts import ChartInfo, Curve
from ui.charts.line import Line
from ui.charts.plots.pens import line_pen
from ui.charts.plots.scaled_axis import plain
from ui.scene.colormaps import colormap
from ui.widgets.freeing import free_controls
from ui.widgets.theme import theme
from workbench.sweep.running import Row
from workbench.words.numbers import figure
from workbench.words.units import headed, unit_text

MOST_DRAWN = 200
"""Curves that are drawn; of more every second, third, … is."""
SPAN = {"dark": (70, 255), "light": (0, 205)}
"""The part of viridis that stands out from the background of each theme."""
FACTOR_SPAN = 30.0
"""A parameter that grows by more than this is coloured by its logarithm."""
BAR_WIDTH, BAR_PIXELS = 78, 12


class Shades:
    """Which colour stands for which value of a parameter."""

    def __init__(self, values: Sequence[float] = ()) -> None:
        self.low, self.high = (min(values), max(values)) if values else (0.0, 1.0)
        self.by_factors = self.low > 0 and self.high > FACTOR_SPAN * self.low

    def color(self, value: float) -> QColor:
        low, span = self._place(self.low), self._place(self.high) - self._place(self.low)
        return self.at((self._place(value) - low) / span if span else 0.0)

    def at(self, part: float) -> QColor:
        first, last = SPAN[theme().palette.name]
        red, green, blue = (int(x) for x in colormap("viridis")[round(first + (last - first) * min(max(part, 0), 1))])
        return QColor(red, green, blue)

    def ticks(self) -> list[tuple[float, float]]:
        """(place from 0 at the bottom to 1, value)"""
        if self.high == self.low:
            return [(0.5, self.low)]
        parts = np.linspace(0, 1, 5)
        low, high = self._place(self.low), self._place(self.high)
        values = low + parts * (high - low)
        return [(float(p), math.exp(v) if self.by_factors else float(v)) for p, v in zip(parts, values, strict=True)]

    def _place(self, value: float) -> float:
        return math.log(value) if self.by_factors else value


class ColourBar(QWidget):
    """Paints itself: what the colours of the curves mean."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedWidth(BAR_WIDTH)
        self._shades, self._title = Shades(), ""
        theme().changed.connect(self.update)

    def show_shades(self, shades: Shades, title: str) -> None:
        self._shades, self._title = shades, title
        self.setToolTip(title)
        words = max(title.split(), default="", key=len)
        self.setFixedWidth(max(BAR_WIDTH, self.fontMetrics().horizontalAdvance(words) + 8))
        self.update()

    @property
    def title_height(self) -> int:
        """Of all lines of the title."""
        room = QRect(0, 0, self.width() - 4, 1000)
        return self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, self._title).height()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            colors = theme().palette
            painter.fillRect(self.rect(), colors.color("plot"))
            above = self.title_height
            painter.setPen(colors.color("muted"))
            painter.drawText(QRectF(0, 2, self.width() - 4, above), Qt.TextFlag.TextWordWrap, self._title)
            strip = QRectF(0, above + 12, BAR_PIXELS, max(20, self.height() - above - 56))
            gradient = QLinearGradient(strip.bottomLeft(), strip.topLeft())
            for step in range(17):
                gradient.setColorAt(step / 16, self._shades.at(step / 16))
            painter.fillRect(strip, gradient)
            for part, value in self._shades.ticks():
                middle = strip.bottom() - part * strip.height()
                area = QRectF(BAR_PIXELS + 5, middle - 8, self.width(), 16)
                painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, figure(value))


class OverlayPlot(QWidget):
    """Shows rows' curves; ``chosen`` is emitted with the place of the run whose curve was clicked."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot = pg.PlotWidget(self, enableMenu=False)
        self.plot.hideButtons()
        free_controls(self.plot)
        self.plot.showGrid(x=True, y=True, alpha=0.12)
        self.plot.setMinimumSize(200, 150)
        for side in ("left", "bottom"):  # once, before there is a label: later it would scale by what is shown then
            self.plot.getAxis(side).enableAutoSIPrefix(False)
        self.bar = ColourBar(self)
        self.lines: dict[int, Line] = {}
        self._pairs: list[tuple[Row, Curve]] = []
        self._info: ChartInfo | None = None
        self._x_unit = self._title = ""
        self._shades = Shades()
        self._marked: int | None = None
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.bar)
        theme().changed.connect(self._dress)
        self._dress()

    def sizeHint(self) -> QSize:
        return QSize(420, 260)

    def show_curves(
        self,
        info: ChartInfo | None,
        x_unit: str,
        pairs: Sequence[tuple[Row, Curve]],
        title: str,
        values: Sequence[float],
    ) -> None:
        """Curves of ``info``; ``values`` are all that the parameter called ``title`` takes."""
        every = max(1, -(-len(pairs) // MOST_DRAWN))
        self._info, self._x_unit, self._title = info, x_unit, title
        self._pairs = list(pairs[::every])
        self._shades = Shades(values)
        wanted = {row.place for row, _ in self._pairs}
        for place in [place for place in self.lines if place not in wanted]:
            self.plot.removeItem(self.lines.pop(place))
        for row, curve in self._pairs:
            if row.place not in self.lines:
                line = Line()
                line.curve.setClickable(True, 8)
                line.sigClicked.connect(partial(self._clicked, row.place))
                self.plot.addItem(line)
                self.lines[row.place] = line
            self.lines[row.place].setData(curve.x, curve.y)
        self._dress()

    def mark(self, place: int | None) -> None:
        """Bring the curve of a run to the front."""
        self._marked = place
        self._dress_lines()

    def _clicked(self, place: int, *_: object) -> None:
        self.chosen.emit(place)

    def _dress(self) -> None:
        colors = theme().palette
        self.plot.setBackground(colors.plot)
        info = self._info
        bottom, left = "", ""
        if info is not None:
            unit = unit_text(info.x_unit or self._x_unit)
            bottom = f"{info.x_title or 'Time'} [{unit}]" if unit else info.x_title
            left = headed(info.title, info.unit)
        for side, text in (("left", left), ("bottom", bottom)):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(colors.border))
            axis.setTextPen(pg.mkPen(colors.muted))
            axis.setLabel(plain(text), color=colors.muted)
        self.bar.setVisible(bool(self._pairs))
        self.bar.show_shades(self._shades, self._title)
        self._dress_lines()

    def _dress_lines(self) -> None:
        for row, _ in self._pairs:
            line, marked = self.lines[row.place], row.place == self._marked
            color = self._shades.color(row.case[0])
            color.setAlpha(255 if marked or self._marked is None else 120)
            line.setPen(line_pen(theme().palette.text if marked else color, 3.0 if marked else 1.6))
            line.setZValue(10 if marked else 5)
