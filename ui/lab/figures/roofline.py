"""The roofline: what each variant computes per second over its operations per byte, under the measured ceilings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from ui.lab.figures.axes import LogAxis, count_tick, plain_tick
from ui.lab.figures.chart import Chart, Label
from ui.lab.findings import fastest, levels, shape_text, variants_of
from ui.widgets.formatting import duration_text, rate_text
from ui.widgets.theme import Palette
from workbench.bench.records import LabRecord, MachineRecord, VariantRecord

MOST_LABELS = 40
BEYOND = 9.0
"""Decades that the ceilings go on beyond what is seen, for whoever pans."""


class Roofline(Chart):
    """One labelled point per variant at one size: its fastest launch shape. The other shapes are small points."""

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
        """``records`` of one study and size; ``order``: variant id to its place; ``other``: drawn hollow."""
        self._machine, self._records, self._order = machine, records, order
        wanted = {(record.study, record.case) for record in records}
        self._other = [r for r in other.variants if (r.study, r.case) in wanted] if other is not None else ()
        self._other_machine = other.machine if other is not None and self._other else None
        self.redraw()

    def draw(self) -> None:
        best = [record for record in fastest(self._records).values() if record.flops > 0]
        if not best:
            self.say("No figures at this size yet.")
            return
        shown = {id(record) for record in best}
        rest = [r for r in self._records if not r.refused and r.flops > 0 and id(r) not in shown]
        hollow = [record for record in fastest(self._other).values() if record.flops > 0]
        self._set_range([*best, *hollow])
        self._draw_ceilings()
        places = {**self._order}
        for variant in variants_of([*best, *hollow]):
            places.setdefault(variant, len(places))
        for record in rest:
            places.setdefault(record.variant, len(places))
        for variant in dict.fromkeys(record.variant for record in rest):
            mine = [_place(record) for record in rest if record.variant == variant]
            self.mark(mine, places[variant], size=4).setOpacity(0.5)
        for group, empty in ((best, False), (hollow, True)):
            for record in group:
                item = self.mark([_place(record)], places[record.variant], empty, 11)
                item.opts["data"] = record
                item.setToolTip(tip(record))
                item.sigClicked.connect(self._clicked)
        labels = [Label(*_place(r), r.title, self.colors.trace(places[r.variant])) for r in best]
        self.set_labels(sorted(labels, key=lambda label: label.y)[-MOST_LABELS:])

    def _set_range(self, records: Sequence[VariantRecord]) -> None:
        xs, ys = zip(*(_place(record) for record in records), strict=True)
        left, right = min(xs) - 0.5, max(xs) + 0.5
        rightmost = [record.title for record, x in zip(records, xs, strict=True) if x > right - 0.6]
        right = left + (right - 0.4 - left) / (1 - self.room(rightmost))
        top = max(ys)
        if self._machine is not None and (found := levels(self._machine.curve)):
            top = max(top, math.log10(found[-1].rate) + max(xs))  # the memory's ceiling above every point is seen
        self.fit(left, right, min(ys) - 0.35, top + 0.35)

    def _draw_ceilings(self) -> None:
        (left, right), (low, high) = self.getPlotItem().getViewBox().viewRange()
        lines = []
        for place, level in enumerate(reversed(levels(self._machine.curve) if self._machine is not None else [])):
            color = self.colors.text if place == 0 else self.colors.muted
            style = Qt.PenStyle.SolidLine if place == 0 else Qt.PenStyle.DashLine
            lines.append((level.name, level.rate, color, style))
        if self._other_machine is not None and (found := levels(self._other_machine.curve)):
            name = f"{self._other_machine.device.get('name', '')} {found[-1].name.lower()}"
            lines.append((name, found[-1].rate, self.colors.muted, Qt.PenStyle.DotLine))
        for name, bandwidth, color, style in lines:
            rate = math.log10(bandwidth)
            start, end = left - BEYOND, right + BEYOND
            self.line([(start, start + rate), (end, end + rate)], color, style, 1.4)
            far = style is Qt.PenStyle.DotLine  # the compared machine's, away from the names of this one's
            text = pg.TextItem(f"{name} {rate_text(bandwidth)}", color=color, anchor=(far, 1), rotateAxis=(1, 1))
            text.setFont(self.font())
            self.addItem(text, ignoreBounds=True)
            at = (
                min(right, high - rate) - 0.03 * (right - left)
                if far
                else max(left, low - rate) + 0.03 * (right - left)
            )
            text.setPos(at, at + rate)

    def _clicked(self, item: pg.ScatterPlotItem, *_: object) -> None:
        self.chosen.emit(item.opts["data"])


def tip(record: VariantRecord) -> str:
    """The figures of a point, a line each."""
    lines = [
        f"{record.title} {shape_text(record.shape)}".rstrip(),
        f"{record.case}, {record.cache} cache",
        f"{duration_text(record.seconds)}, {rate_text(record.bytes_per_second)}, {record.fraction:.0%} of the ceiling",
    ]
    return "\n".join(lines)


def _place(record: VariantRecord) -> tuple[float, float]:
    """(log10 operations per byte, log10 operations per second)"""
    return math.log10(record.flops / record.bytes), math.log10(record.flops / record.seconds)
