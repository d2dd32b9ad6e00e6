"""What is drawn in a chart: lines with bands, stacked areas, bars, dots.

A layer belongs to one plot and keeps its graphics items; :meth:`show` gives it other curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPolygonF

from engines.api import Array
from engines.api.charts import Curve
from ui.charts.arithmetic import rises
from ui.charts.line import Line
from ui.charts.plots.pens import line_pen
from ui.scene.colormaps import colormap
from ui.widgets.theme import theme
from workbench.run.streams.traces import LeftCurve

BUCKETS = 400
"""Points of a filled area: about one for each pixel of a wide plot."""
SHADES = "viridis"
LINE, AREA, BAND, FORECAST_BAND, LEFT, GHOST = 255, 150, 46, 26, 90, 190
"""How opaque these are, of 255."""
DASHES = (Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine, Qt.PenStyle.DashDotDotLine)
"""Of kept runs; forecasts have plain dashes."""
DOT = 2
"""Side of a dot of a raster [pixels]."""


class Band(pg.GraphicsObject):
    """The area between two lines.

    One polygon: pyqtgraph's own FillBetweenItem makes one for each segment, which takes ten times as long.
    """

    def __init__(self, plot: pg.PlotItem, depth: int = 0) -> None:
        super().__init__()
        self._plot = plot
        self._polygon = QPolygonF()
        self._brush = pg.mkBrush(None)
        self.setZValue(depth)
        plot.addItem(self)

    def show_between(self, x: Array, low: Array, high: Array, color: QColor) -> None:
        x, low, high = _thinned(x, low, high)
        self.prepareGeometryChange()
        ends = np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]])
        self._polygon = pg.functions.arrayToQPolygonF(*ends) if len(x) > 1 and (high > low).any() else QPolygonF()
        self._brush = pg.mkBrush(color)
        self.informViewBoundsChanged()
        self.update()

    def leave(self) -> None:
        self._plot.removeItem(self)

    def boundingRect(self) -> QRectF:
        return self._polygon.boundingRect()

    def paint(self, painter: QPainter, *_: object) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._brush)
        painter.drawPolygon(self._polygon)


class Lines:
    """Curves with their bands; ``behind``: those of a forecast, thinner and dashed."""

    def __init__(self, plot: pg.PlotItem, *, behind: bool = False) -> None:
        self._plot = plot
        self._behind = behind
        self._lines: list[Line] = []
        self._bands: dict[int, Band] = {}

    def show(self, curves: Sequence[Curve]) -> None:
        _fit_number(self._plot, self._lines, len(curves), -5 if self._behind else 5)
        for place, (line, curve) in enumerate(zip(self._lines, curves, strict=True)):
            line.setPen(self._pen(place))
            line.setClipToView(rises(curve.x))  # clipping takes the abscissa for sorted
            line.setData(curve.x, curve.y)
        self._show_bands(curves)

    def _show_bands(self, curves: Sequence[Curve]) -> None:
        banded = {place: curve for place, curve in enumerate(curves) if curve.low is not None and len(curve.x)}
        for place in [place for place in self._bands if place not in banded]:
            self._bands.pop(place).leave()
        for place, curve in banded.items():
            assert curve.low is not None
            assert curve.high is not None
            if place not in self._bands:
                self._bands[place] = Band(self._plot, -10 if self._behind else 0)
            opacity = FORECAST_BAND if self._behind else BAND
            self._bands[place].show_between(curve.x, curve.low, curve.high, _color(place, opacity))

    def _pen(self, place: int) -> object:
        if self._behind:
            return line_pen(_color(place, 170), style=Qt.PenStyle.DashLine)
        return line_pen(_color(place, LINE), 1.6)


class Branches:
    """Curves of branches that the run has left, pale and behind those of the present one."""

    def __init__(self, plot: pg.PlotItem) -> None:
        self._plot = plot
        self._lines: list[Line] = []
        self._shown: list[LeftCurve] = []

    def show(self, curves: Sequence[LeftCurve]) -> None:
        """The arrays of a branch never change."""
        if len(curves) != len(self._shown) or any(
            new[1] is not old[1] for new, old in zip(curves, self._shown, strict=True)
        ):
            _fit_number(self._plot, self._lines, len(curves), -4)
            self._shown = list(curves)
            for line, (_, times, values) in zip(self._lines, curves, strict=True):
                line.setData(times, values)
        for line, (place, _, _) in zip(self._lines, curves, strict=True):
            line.setPen(line_pen(_color(place, LEFT), 1.4))


class Ghosts:
    """The curves of kept runs, in the colours of the live ones; each run has its own dashes."""

    def __init__(self, plot: pg.PlotItem) -> None:
        self._plot = plot
        self._lines: list[Line] = []
        self._shown: list[Array] = []

    def show(self, runs: Sequence[Sequence[Curve]]) -> None:
        curves = [(run, place, curve) for run, each in enumerate(runs) for place, curve in enumerate(each)]
        _fit_number(self._plot, self._lines, len(curves), -3)
        for line, (run, place, _) in zip(self._lines, curves, strict=True):
            line.setPen(line_pen(_color(place, GHOST), 1.3, style=DASHES[run % len(DASHES)]))
        if len(curves) != len(self._shown) or any(
            curve.y is not shown for (_, _, curve), shown in zip(curves, self._shown, strict=True)
        ):
            self._shown = [curve.y for _, _, curve in curves]
            for line, (_, _, curve) in zip(self._lines, curves, strict=True):
                line.setData(curve.x, curve.y)


class Stack:
    """Areas on top of each other: what is positive upwards from zero, what is negative downwards, and a line for the
    sum where there is both. The curves have one abscissa. Those that go over the areas, last of all, are lines."""

    def __init__(self, plot: pg.PlotItem) -> None:
        self._plot = plot
        self._areas: list[tuple[Band, Band]] = []
        self._sum = pg.PlotCurveItem(connect="finite", antialias=True)
        self._sum.setZValue(5)
        plot.addItem(self._sum)
        self._over: list[pg.PlotCurveItem] = []

    def show(self, curves: Sequence[Curve]) -> None:
        over = [(place, curve) for place, curve in enumerate(curves) if curve.over]
        curves = [curve for curve in curves if not curve.over]
        self._show_over(over)
        while len(self._areas) > len(curves):
            for band in self._areas.pop():
                band.leave()
        while len(self._areas) < len(curves):
            self._areas.append((Band(self._plot), Band(self._plot)))
        up, down = stacked([curve.y for curve in curves])
        for place, (curve, areas) in enumerate(zip(curves, self._areas, strict=True)):
            color = _color(place, AREA)
            for band, heights in zip(areas, (up, down), strict=True):
                ends = heights[place], heights[place + 1]
                band.show_between(curve.x, np.minimum(*ends), np.maximum(*ends), color)
        mixed = bool(curves) and bool(up[-1].any()) and bool(down[-1].any())
        self._sum.setPen(line_pen(theme().palette.text))
        self._sum.setData(curves[0].x, up[-1] + down[-1]) if mixed else self._sum.setData([], [])

    def _show_over(self, over: Sequence[tuple[int, Curve]]) -> None:
        while len(self._over) > len(over):
            self._plot.removeItem(self._over.pop())
        while len(self._over) < len(over):
            line = pg.PlotCurveItem(connect="finite", antialias=True)
            line.setZValue(6)
            self._plot.addItem(line)
            self._over.append(line)
        for line, (place, curve) in zip(self._over, over, strict=True):
            line.setPen(line_pen(_color(place, LINE), 1.6))
            line.setData(curve.x, curve.y)


ALONE = 20
"""Of the width of a chart, a bar without others takes one part of so many."""


class Bars:
    """Bars, coloured by their shades; those of further curves are outlined in their own colours."""

    def __init__(self, plot: pg.PlotItem) -> None:
        self._plot = plot
        self._bars: list[pg.BarGraphItem] = []

    def show(self, curves: Sequence[Curve]) -> None:
        while len(self._bars) > len(curves):
            self._plot.removeItem(self._bars.pop())
        while len(self._bars) < len(curves):
            bars = pg.BarGraphItem(x0=[], x1=[], height=[])
            self._plot.addItem(bars)
            self._bars.append(bars)
        for place, (bars, curve) in enumerate(zip(self._bars, curves, strict=True)):
            alone = len(curves) == 1
            opacity = 235 if alone else 165
            if curve.shade is None:
                brushes = [pg.mkBrush(_color(place, opacity))] * len(curve.y)
            else:
                table = _brushes(opacity)
                brushes = [table[step] for step in np.clip(255 * np.nan_to_num(curve.shade), 0, 255).astype(int)]
            outline = pg.mkPen(theme().palette.plot) if alone else line_pen(_color(place, LINE))
            bars.setOpts(x0=curve.x[:-1], x1=curve.x[1:], height=curve.y, brushes=brushes, pen=outline)
        single = len(curves) == 1 and len(curves[0].y) == 1
        self._plot.getViewBox().setLimits(minXRange=ALONE * float(np.ptp(curves[0].x)) if single else None)


class Dots:
    """A small square for each point: a raster of events."""

    def __init__(self, plot: pg.PlotItem) -> None:
        self._plot = plot
        self._dots: list[DotCloud] = []

    def show(self, curves: Sequence[Curve]) -> None:
        while len(self._dots) > len(curves):
            self._plot.removeItem(self._dots.pop())
        while len(self._dots) < len(curves):
            cloud = DotCloud()
            self._plot.addItem(cloud)
            self._dots.append(cloud)
        for place, (cloud, curve) in enumerate(zip(self._dots, curves, strict=True)):
            cloud.show(curve.x, curve.y, _color(place, LINE))


class DotCloud(pg.GraphicsObject):
    """Points in one call of the painter; a scatter plot item blits a picture for each."""

    def __init__(self) -> None:
        super().__init__()
        self._points = QPolygonF()
        self._pen = pg.mkPen(None)
        self.setZValue(5)

    def show(self, x: Array, y: Array, color: QColor) -> None:
        self.prepareGeometryChange()
        places = np.asarray(x, float), np.asarray(y, float)
        self._points = pg.functions.arrayToQPolygonF(*places) if len(x) else QPolygonF()
        self._pen = line_pen(color, DOT)
        self._pen.setCosmetic(True)
        self.informViewBoundsChanged()
        self.update()

    def thicken(self, factor: float) -> None:
        self._pen.setWidthF(factor * self._pen.widthF())
        self.update()

    def boundingRect(self) -> QRectF:
        return self._points.boundingRect()

    def paint(self, painter: QPainter, *_: object) -> None:
        painter.setPen(self._pen)
        painter.drawPoints(self._points)


def _fit_number(plot: pg.PlotItem, lines: list[Line], count: int, depth: int) -> None:
    """As many lines as there are curves, at this depth."""
    while len(lines) > count:
        plot.removeItem(lines.pop())
    while len(lines) < count:
        line = Line()
        line.setZValue(depth)
        plot.addItem(line)
        lines.append(line)


def stacked(values: Sequence[Array]) -> tuple[Array, Array]:
    """Heights (curves + 1, n) at which each of the stacked ``values: (n,)`` begins and ends: upwards, and downwards."""
    if not values:
        return np.zeros((1, 0)), np.zeros((1, 0))
    rows = np.nan_to_num(np.array(values, float))
    base = np.zeros((1, rows.shape[1]))
    return (
        np.concatenate([base, np.cumsum(np.maximum(rows, 0), axis=0)]),
        np.concatenate([base, np.cumsum(np.minimum(rows, 0), axis=0)]),
    )


def shade_color(shade: float, opacity: int = 255) -> QColor:
    """The colour of a bar whose shade is 0..1."""
    red, green, blue = (int(value) for value in colormap(SHADES)[round(255 * min(max(shade, 0.0), 1.0))])
    return QColor(red, green, blue, opacity)


@cache
def _brushes(opacity: int) -> list[QBrush]:
    return [pg.mkBrush(shade_color(step / 255, opacity)) for step in range(256)]


def _color(place: int, opacity: int) -> QColor:
    color = theme().palette.trace(place)
    color.setAlpha(opacity)
    return color


def _thinned(x: Array, low: Array, high: Array) -> tuple[Array, Array, Array]:
    """At most :data:`BUCKETS` points, the lowest and highest of their stretches; without those that are no number."""
    known = np.isfinite(x) & np.isfinite(low) & np.isfinite(high)
    if not known.all():
        x, low, high = x[known], low[known], high[known]
    if len(x) <= BUCKETS:
        return x, low, high
    starts = np.linspace(0, len(x), BUCKETS, endpoint=False).astype(int)
    thin = x[starts]
    thin[-1] = x[-1]
    return thin, np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
