"""The live plot of probes: a curve per probe over simulated time, and the value under the mouse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtWidgets import QWidget

from engines.api import Array
from ui.charts.line import Line
from ui.charts.plots.pens import line_pen
from ui.charts.plots.scaled_axis import ScaledAxis, TimeAxis, keep_figures, keep_legible
from ui.widgets.freeing import free_controls
from ui.widgets.theme import theme
from workbench.run.streams.traces import TraceBuffer
from workbench.words.numbers import figure
from workbench.words.units import seen_text, unit_text

PALE = 90
"""Opacity of what a run has left behind, of 255."""


class TracePlot(pg.PlotWidget):
    """Curves by probe name. ``hovered`` carries the readout, an empty text when the mouse is elsewhere."""

    hovered = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, axisItems={"left": ScaledAxis("left"), "bottom": TimeAxis("bottom")}, enableMenu=False)
        self._curves: dict[str, Line] = {}
        self._buffers: dict[str, TraceBuffer] = {}
        self._colors: dict[str, int] = {}
        self._left: list[tuple[int, Array, Array]] = []
        self._pale: list[Line] = []
        self._title, self._unit, self._time_unit = "", "", ""
        self.hideButtons()
        free_controls(self)
        self.setMinimumHeight(130)
        self.showGrid(x=True, y=True, alpha=0.12)
        self.getAxis("left").set_least_width(54)
        self._cursor = pg.InfiniteLine(angle=90, movable=False)
        self._moment = pg.InfiniteLine(angle=90, movable=False)
        for line in (self._cursor, self._moment):
            line.hide()
            self.addItem(line, ignoreBounds=True)
        self.scene().sigMouseMoved.connect(self._hover)
        theme().changed.connect(self._dress)
        self._dress()
        keep_figures(self, False)

    @property
    def axes(self) -> tuple[str, str, str]:
        """(title, unit) of the values, and the unit of time."""
        return self._title, self._unit, self._time_unit

    def set_axes(self, title: str, unit: str, time_unit: str) -> None:
        self._title, self._unit, self._time_unit = title, unit, time_unit
        self._dress()

    def show_traces(
        self,
        names: Sequence[str],
        buffers: Mapping[str, TraceBuffer],
        left: Sequence[Mapping[str, tuple[Array, Array]]] = (),
    ) -> None:
        """One curve per name, in the colour of its place; paler behind it those of the branches that were ``left``."""
        self._show_left([(names.index(name), *branch[name]) for branch in left for name in names if name in branch])
        for name in [name for name in self._curves if name not in names]:
            self.removeItem(self._curves.pop(name))
        for place, name in enumerate(names):
            if name not in self._curves:
                self._curves[name] = Line()
                self.addItem(self._curves[name])
                self._colors.pop(name, None)
            if self._colors.get(name) != place:
                self._colors[name] = place
                self._curves[name].setPen(line_pen(theme().palette.trace(place), 1.6))
        self._buffers = {name: buffers[name] for name in names if name in buffers}
        self.redraw()

    def _show_left(self, curves: Sequence[tuple[int, Array, Array]]) -> None:
        """Curves (place, times, values) of branches; the arrays of a branch never change."""
        if len(curves) == len(self._left) and all(
            new[0] == old[0] and new[1] is old[1] for new, old in zip(curves, self._left, strict=True)
        ):
            return
        self._left = list(curves)
        while len(self._pale) > len(curves):
            self.removeItem(self._pale.pop())
        while len(self._pale) < len(curves):
            item = Line()
            self.addItem(item)
            item.setZValue(-5)
            self._pale.append(item)
        for item, (_, times, values) in zip(self._pale, curves, strict=True):
            item.setData(times, values)
        self._dress_left()

    def _dress_left(self) -> None:
        for item, (place, _, _) in zip(self._pale, self._left, strict=True):
            color = theme().palette.trace(place)
            color.setAlpha(PALE)
            item.setPen(line_pen(color, 1.4))

    def redraw(self) -> None:
        """Show what the buffers hold now."""
        keep_legible(self, (buffer.values for buffer in self._buffers.values()))
        keep_figures(self, bool(self._left) or any(len(buffer) for buffer in self._buffers.values()))
        for name, curve in self._curves.items():
            buffer = self._buffers.get(name)
            if buffer is None or not len(buffer):
                curve.setData([], [])
            else:
                curve.setData(buffer.times, buffer.values)

    def show_moment(self, time: float | None) -> None:
        """The time that the rest of the window looks back to."""
        self._moment.setVisible(time is not None)
        if time is not None:
            self._moment.setValue(time)

    def autoscale(self) -> None:
        """What there is; where there is nothing, not the axes of what there was."""
        if not any(len(buffer) for buffer in self._buffers.values()):
            self.setRange(xRange=(0, 1), yRange=(0, 1), padding=0)
        self.enableAutoRange()

    def readout(self, time: float) -> str:
        """``12.3 ms   P1 −84.2 mV   P2 …``"""
        values = [(name, buffer.at(time)) for name, buffer in self._buffers.items()]
        unit = f" {unit_text(self._unit)}" if unit_text(self._unit) else ""
        parts = [f"{name} {figure(value)}{unit}" for name, value in values if value is not None]
        axis = self.getAxis("bottom")
        (unit, size), (low, high) = axis.shown, axis.range
        return "   ".join([seen_text(time / size, unit, (high - low) / size), *parts]) if parts else ""

    def leaveEvent(self, event: object) -> None:
        self._cursor.hide()
        self.hovered.emit("")
        super().leaveEvent(event)

    def mouseDoubleClickEvent(self, event: object) -> None:
        self.autoscale()

    def _hover(self, position: QPointF) -> None:
        if not self.plotItem.vb.sceneBoundingRect().contains(position):
            return
        time = float(self.plotItem.vb.mapSceneToView(position).x())
        self._cursor.setValue(time)
        text = self.readout(time)
        self._cursor.setVisible(bool(text))
        self.hovered.emit(text)

    def _dress(self) -> None:
        colors = theme().palette
        self.setBackground(colors.plot)
        for name, curve in self._curves.items():
            curve.setPen(line_pen(colors.trace(self._colors[name]), 1.6))
        self._dress_left()
        self._cursor.setPen(line_pen(colors.muted, style=Qt.PenStyle.DashLine))
        self._moment.setPen(line_pen(colors.color("accent", 150)))
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(pg.mkPen(colors.border))
            axis.setTextPen(pg.mkPen(colors.muted))
            axis.setStyle(tickLength=-4, tickFont=self.font())
        self.getAxis("bottom").titled("Time", self._time_unit, colors.muted, times=True)
        self.getAxis("left").set_unit(self._unit, colors.muted)
