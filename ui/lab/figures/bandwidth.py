"""The bandwidth curve: what copy, mul, add, triad and read reach over their working set, and where the knees are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from ui.lab.figures.axes import LogAxis, binary_text, rate_tick
from ui.lab.figures.chart import Chart, Label
from ui.lab.findings import levels
from ui.widgets.formatting import rate_text
from ui.widgets.theme import Palette
from workbench.bench.records import BandwidthPoint, MachineRecord

GROUND = 190
"""How far the ground of a level's name hides curves below it, of 255."""


class BandwidthCurve(Chart):
    """A line per operation; the levels that were found end at dashed lines, and are named."""

    _levels: Sequence[tuple[float, pg.TextItem]] = ()
    """Where each begins, in logarithms, and its name; of the class, for pyqtgraph resizes while it is being made."""

    def __init__(self, colors: Palette | None = None, parent: QWidget | None = None) -> None:
        super().__init__(LogAxis("bottom", binary_text, binary=True), LogAxis("left", rate_tick), colors, parent)
        self.set_titles("Working set", "Bandwidth")
        self._machine: MachineRecord | None = None
        self._other: MachineRecord | None = None

    def set_data(self, machine: MachineRecord | None, other: MachineRecord | None = None) -> None:
        self._machine, self._other = machine, other
        self.redraw()

    def draw(self) -> None:
        self._levels = ()
        if self._machine is None or not self._machine.curve:
            self.say("The ceilings are measured first, when a measurement begins.")
            return
        operations = list(dict.fromkeys(point.operation for point in self._machine.curve))
        if self._other is not None:
            operations += [p.operation for p in self._other.curve if p.operation not in operations]
        xs: list[float] = []
        ys: list[float] = []
        labels = []
        for machine, hollow in ((self._machine, False), (self._other, True)):
            if machine is None:
                continue
            for operation, line in _lines(machine.curve).items():
                place = operations.index(operation)
                x, y = [x for x, _ in line], [y for _, y in line]
                style = Qt.PenStyle.DotLine if hollow else Qt.PenStyle.SolidLine
                self.line(line, self.colors.trace(place), style)
                self.mark(line, place, hollow, 6)
                xs, ys = xs + x, ys + y
                if not hollow:
                    labels.append(Label(x[-1], y[-1], operation, self.colors.trace(place)))
        low, high = min(ys), max(ys)
        left = min(xs) - 0.03 * (max(xs) - min(xs))
        right = left + (max(xs) - left) / (1 - self.room([label.text for label in labels]))
        self.fit(left, right, low - 0.06, high + max(0.12, 0.12 * (high - low)))
        self._draw_levels()
        self.set_labels(labels)

    def _draw_levels(self) -> None:
        assert self._machine is not None
        found = levels(self._machine.curve)
        named: list[tuple[float, pg.TextItem]] = []
        start = -math.inf
        for level in found:
            end = math.log10(level.reach)
            reach = ""
            if level is not found[-1]:
                reach = f", up to {binary_text(level.reach)}"
                dashes = pg.mkPen(self.colors.strong, width=1, style=Qt.PenStyle.DashLine)
                self.addItem(pg.InfiniteLine(end, angle=90, pen=dashes), ignoreBounds=True)
            ground = pg.mkBrush(self.colors.color("plot", GROUND))
            text = pg.TextItem(f"{level.name}{reach}\n{rate_text(level.rate)}", color=self.colors.text, fill=ground)
            text.setFont(self.font())
            self.addItem(text, ignoreBounds=True)
            named.append((start, text))
            start = end
        self._levels = named

    def _place_labels(self, *_: object) -> None:
        """The name of a level stands where it begins, in a row below those that would reach into it."""
        super()._place_labels()
        box = self.getPlotItem().getViewBox()
        (left, right), (low, high) = box.viewRange()
        if min(box.width(), box.height(), right - left, high - low) <= 0:
            return
        across, up = box.width() / (right - left), box.height() / (high - low)
        ends: list[float] = []
        for start, text in self._levels:
            size = text.textItem.boundingRect()
            x = max(min((start - left) * across, box.width() - size.width()), 0.0)
            row = next((place for place, end in enumerate(ends) if x >= end), len(ends))
            ends[row : row + 1] = [x + size.width()]
            text.setPos(left + x / across, high - row * size.height() / up)


def _lines(curve: Iterable[BandwidthPoint]) -> dict[str, list[tuple[float, float]]]:
    """Operation to points in logarithms, by working set."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for point in curve:
        if point.bytes_per_second > 0:
            lines.setdefault(point.operation, []).append(
                (math.log10(point.working_set), math.log10(point.bytes_per_second))
            )
    return {operation: sorted(line) for operation, line in lines.items()}
