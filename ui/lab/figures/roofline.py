"""The roofline: what each variant computes per second over its operations per byte, under the measured roofs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from ui.lab.figures.axes import LogAxis, count_tick, plain_tick
from ui.lab.figures.chart import Chart, Label
from ui.lab.findings import cases_of, fastest, levels, variants_of
from ui.widgets.formatting import rate_text
from ui.widgets.theme import Palette
from workbench.bench.records import LabRecord, MachineRecord, VariantRecord

MOST_LABELS = 40
LEAST_MARK, MOST_MARK = 5.0, 12.0
"""Pixels of marks, from the smallest size to the largest."""
BEYOND = 9.0
"""Decades that the ceilings go on beyond what is seen, for whoever pans."""


class Roofline(Chart):
    """One point per variant and size, its fastest launch shape, under the roofs of memory, caches and arithmetic.

    Of one size alone the other shapes are small points; of several a line joins a variant's, larger marks for larger
    sizes.
    """

    chosen = Signal(object)
    """The record of a point that was clicked."""

    def __init__(self, colors: Palette | None = None, parent: QWidget | None = None) -> None:
        super().__init__(LogAxis("bottom", plain_tick), LogAxis("left", count_tick), colors, parent)
        self.set_titles("Arithmetic intensity [operations per byte]", "Operations per second")
        self._machine: MachineRecord | None = None
        self._records: Sequence[VariantRecord] = ()
        self._other: Sequence[VariantRecord] = ()
        self._other_machine: MachineRecord | None = None
        self._order: dict[str, int] = {}

    def set_data(
        self,
        machine: MachineRecord | None,
        records: Sequence[VariantRecord],
        order: dict[str, int],
        other: LabRecord | None = None,
    ) -> None:
        """``records`` of one study; ``order``: variant id to its place; ``other``: drawn hollow."""
        self._machine, self._records, self._order = machine, records, order
        wanted = {(record.study, record.case) for record in records}
        self._other = [r for r in other.variants if (r.study, r.case) in wanted] if other is not None else ()
        self._other_machine = other.machine if other is not None and self._other else None
        self.redraw()

    def draw(self) -> None:
        best = [record for record in fastest(self._records).values() if record.flops > 0]
        if not best:
            self.say("No figures yet of operations per byte.")
            return
        cases = cases_of(best)
        hollow = [record for record in fastest(self._other).values() if record.flops > 0]
        shown = {id(record) for record in best}
        rest = [r for r in self._records if not r.refused and r.flops > 0 and id(r) not in shown]
        places = {**self._order}
        for variant in variants_of([*best, *hollow, *rest]):
            places.setdefault(variant, len(places))
        sizes = {case: LEAST_MARK + (MOST_MARK - LEAST_MARK) * (k + 1) / len(cases) for k, case in enumerate(cases)}
        labels = _labels(best, {variant: self.colors.trace(place) for variant, place in places.items()})
        self._set_range([*best, *hollow], labels)
        self._draw_roofs()
        for group, empty in ((best, False), (hollow, True)):
            for variant in variants_of(group):
                mine = sorted((r for r in group if r.variant == variant), key=lambda r: r.points)
                line = [_place(record) for record in mine]
                self.line(line, self.colors.trace(places[variant]), Qt.PenStyle.SolidLine, 0.8)
                item = self.mark(line, places[variant], empty, [sizes.get(r.case, LEAST_MARK) for r in mine], mine)
                item.sigClicked.connect(self._clicked)
        for variant in variants_of(rest) if len(cases) == 1 else ():
            self.mark([_place(r) for r in rest if r.variant == variant], places[variant], size=4).setOpacity(0.5)
        self.set_labels(labels)

    def _set_range(self, records: Sequence[VariantRecord], labels: Sequence[Label]) -> None:
        xs, ys = zip(*(_place(record) for record in records), strict=True)
        left, right, top = min(xs) - 0.5, max(xs) + 0.5, max(ys)
        if self._machine is not None and (found := levels(self._machine.curve)):
            top = max(top, math.log10(found[-1].rate) + max(xs))  # the memory's ceiling above every point is seen
            if self._machine.operations_per_second:
                roof = math.log10(self._machine.operations_per_second)
                top, right = max(top, roof), max(right, roof - math.log10(found[-1].rate) + 0.4)
        needed = self.room([label.text for label in labels if label.x > right - 0.6])
        right = max(right, left + (max(xs) + 0.1 - left) / (1 - needed))
        self.fit(left, right, min(ys) - 0.35, top + 0.35)

    def _draw_roofs(self) -> None:
        (left, right), (_, high) = self.getPlotItem().getViewBox().viewRange()
        compute = (self._machine.operations_per_second if self._machine is not None else None) or 0.0
        roof = math.log10(compute) if compute else high + BEYOND
        found = levels(self._machine.curve) if self._machine is not None else []
        for place, level in enumerate(reversed(found)):
            color, style = (self.colors.text, Qt.PenStyle.SolidLine) if place == 0 else (
                self.colors.muted, Qt.PenStyle.DashLine,
            )  # fmt: skip
            self._slope(level.name, level.rate, roof, color, style)
        if self._other_machine is not None and (theirs := levels(self._other_machine.curve)):
            name = f"{self._other_machine.device.get('name', '')} {theirs[-1].name.lower()}"
            self._slope(name, theirs[-1].rate, high + BEYOND, self.colors.muted, Qt.PenStyle.DotLine)
        if compute:
            start = roof - math.log10(found[0].rate) if found else left
            self.line([(start, roof), (right + BEYOND, roof)], self.colors.text, Qt.PenStyle.SolidLine, 1.4)
            text = f"Arithmetic {count_tick(compute)} float32 operations/s"
            item = pg.TextItem(text, color=self.colors.text, anchor=(1, 1))
            item.setFont(self.font())
            self.addItem(item, ignoreBounds=True)
            item.setPos(right, roof)

    def _slope(self, name: str, bandwidth: float, roof: float, color: str, style: Qt.PenStyle) -> None:
        """Of a memory, up to what is computed at most."""
        (left, right), (low, high) = self.getPlotItem().getViewBox().viewRange()
        rate = math.log10(bandwidth)
        start, end = left - BEYOND, min(right + BEYOND, roof - rate)
        self.line([(start, start + rate), (end, end + rate)], color, style, 1.4)
        far = style is Qt.PenStyle.DotLine  # the compared machine's, away from the names of this one's
        text = pg.TextItem(f"{name} {rate_text(bandwidth)}", color=color, anchor=(far, 1), rotateAxis=(1, 1))
        text.setFont(self.font())
        self.addItem(text, ignoreBounds=True)
        margin = 0.03 * (right - left)
        at = min(right, high - rate) - margin if far else max(left, low - rate) + margin
        text.setPos(at, at + rate)

    def _clicked(self, _: pg.ScatterPlotItem, points: Sequence[pg.SpotItem], *__: object) -> None:
        self.chosen.emit(points[0].data())


def _labels(best: Sequence[VariantRecord], colors: Mapping[str, QColor]) -> list[Label]:
    """A name per variant, at its best size; the size with it where there are several."""
    tops: dict[str, VariantRecord] = {}
    for record in sorted(best, key=lambda record: record.flops / record.seconds):
        tops[record.variant] = record
    size = ", {}" if len(cases_of(best)) > 1 else ""
    labels = [Label(*_place(r), r.title + size.format(r.case), colors[r.variant]) for r in tops.values()]
    return sorted(labels, key=lambda label: label.y)[-MOST_LABELS:]


def _place(record: VariantRecord) -> tuple[float, float]:
    """(log10 operations per byte, log10 operations per second)"""
    return math.log10(record.flops / record.bytes), math.log10(record.flops / record.seconds)
