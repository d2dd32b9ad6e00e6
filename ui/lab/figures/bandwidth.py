"""The bandwidth curve: what copy, mul, add, triad and read reach over their working set, and where the knees are."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from ui.lab.figures.axes import LogAxis, binary_text, rate_tick
from ui.lab.figures.chart import Chart, Label
from ui.lab.findings import levels
from ui.widgets.formatting import rate_text
from ui.widgets.theme import Palette
from workbench.bench.records import BandwidthPoint, MachineRecord


class BandwidthCurve(Chart):
    """A line per operation; the levels that were found are shaded and named."""

    def __init__(self, colors: Palette | None = None, parent: QWidget | None = None) -> None:
        super().__init__(LogAxis("bottom", binary_text, binary=True), LogAxis("left", rate_tick), colors, parent)
        self.set_titles("Working set", "Bandwidth")
        self._machine: MachineRecord | None = None
        self._other: MachineRecord | None = None

    def set_data(self, machine: MachineRecord | None, other: MachineRecord | None = None) -> None:
        self._machine, self._other = machine, other
        self.redraw()

    def draw(self) -> None:
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
        (left, right), (_, top) = self.getPlotItem().getViewBox().viewRange()
        found = levels(self._machine.curve)
        start = left
        for level in found:
            last = level is found[-1]
            end = right if last else math.log10(level.reach)
            if not last:
                knee = pg.InfiniteLine(
                    end, angle=90, pen=pg.mkPen(self.colors.strong, width=1, style=Qt.PenStyle.DashLine)
                )
                self.addItem(knee, ignoreBounds=True)
            reach = "" if last else f", up to {binary_text(level.reach)}"
            text = pg.TextItem(
                f"{level.name}{reach}\n{rate_text(level.rate)}", color=self.colors.text, anchor=(0 if last else 1, 0)
            )
            text.setFont(self.font())
            self.addItem(text, ignoreBounds=True)
            text.setPos(start if last else end, top)
            start = end


def _lines(curve: Iterable[BandwidthPoint]) -> dict[str, list[tuple[float, float]]]:
    """Operation to points in logarithms, by working set."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for point in curve:
        if point.bytes_per_second > 0:
            lines.setdefault(point.operation, []).append(
                (math.log10(point.working_set), math.log10(point.bytes_per_second))
            )
    return {operation: sorted(line) for operation, line in lines.items()}
