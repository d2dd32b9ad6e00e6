"""Time, bandwidth or point updates against problem size, a line per variant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from engines.api.lab import Study
from ui.lab.figures.axes import LogAxis, count_tick, rate_tick, seconds_tick
from ui.lab.figures.chart import Chart, Label
from ui.lab.findings import UNITS, fastest, published_line, variants_of
from ui.widgets.theme import Palette
from workbench.bench.records import LabRecord, VariantRecord

Quantity = Literal["time", "rate", "points"]
QUANTITIES: tuple[tuple[Quantity, str], ...] = (("time", "Time"), ("rate", "Bandwidth"), ("points", "Point updates"))
TITLES = {"time": "Time of one launch", "rate": "Bandwidth", "points": "Point updates per second"}


class Scaling(Chart):
    """Each variant's fastest launch shape at each size. Published figures in the same quantity are dashed."""

    def __init__(self, colors: Palette | None = None, parent: QWidget | None = None) -> None:
        super().__init__(LogAxis("bottom", count_tick), LogAxis("left", self._tick), colors, parent)
        self.quantity: Quantity = "time"
        self._study: Study | None = None
        self._records: Sequence[VariantRecord] = ()
        self._other: Sequence[VariantRecord] = ()
        self._order: dict[str, int] = {}

    def set_quantity(self, quantity: Quantity) -> None:
        self.quantity = quantity
        self.show_all()

    def set_data(
        self,
        study: Study | None,
        records: Sequence[VariantRecord],
        order: dict[str, int],
        other: LabRecord | None = None,
    ) -> None:
        self._study, self._records, self._order = study, records, order
        wanted = {record.study for record in records}
        self._other = [r for r in other.variants if r.study in wanted] if other is not None else ()
        self.redraw()

    def draw(self) -> None:
        self.set_titles("Points of the problem", TITLES[self.quantity])
        self._dress()
        lines = self._lines(self._records)
        if not lines:
            self.say("No figures yet.")
            return
        places = {**self._order}
        for variant in variants_of([*self._records, *self._other]):
            places.setdefault(variant, len(places))
        labels = []
        xs: list[float] = []
        ys: list[float] = []
        for (title, variant, warm), points in lines.items():
            color = self.colors.trace(places[variant])
            self.line(points, color, Qt.PenStyle.SolidLine)
            self.mark(points, places[variant])
            labels.append(Label(*points[-1], f"{title}{warm}", color))
            xs, ys = xs + [x for x, _ in points], ys + [y for _, y in points]
        for (_, variant, _), points in self._lines(self._other).items():
            self.line(points, self.colors.trace(places[variant]), Qt.PenStyle.DotLine)
            self.mark(points, places[variant], hollow=True)
            xs, ys = xs + [x for x, _ in points], ys + [y for _, y in points]
        for title, variant, points in self._published():
            color = self.colors.trace(places.setdefault(variant, len(places)))
            self.line(points, color, Qt.PenStyle.DashLine)
            self.mark(points, places[variant], hollow=True, size=6)
            labels.append(Label(*points[-1], title, color))
            xs, ys = xs + [x for x, _ in points], ys + [y for _, y in points]
        wide, high = max(max(xs) - min(xs), 0.4), max(max(ys) - min(ys), 0.3)
        left, last = min(xs) - 0.06 * wide, max(xs)
        right = left + (last - left) / (1 - self.room([label.text for label in labels if label.x == last]))
        self.fit(left, right, min(ys) - 0.1 * high, max(ys) + 0.1 * high)
        self.set_labels(labels)

    def _lines(self, records: Sequence[VariantRecord]) -> dict[tuple[str, str, str], list[tuple[float, float]]]:
        """(title, variant id, remark on the cache) to points, in logarithms."""
        lines: dict[tuple[str, str, str], list[tuple[int, float]]] = {}
        for record in fastest(records).values():
            name = (record.title, record.variant, ", warm" if record.cache == "warm" else "")
            lines.setdefault(name, []).append((record.points, self._value(record)))
        return {
            name: [(math.log10(points), math.log10(value)) for points, value in sorted(line)]
            for name, line in lines.items()
        }

    def _published(self) -> list[tuple[str, str, list[tuple[float, float]]]]:
        found: list[tuple[str, str, list[tuple[float, float]]]] = []
        if self._study is None:
            return found
        for table in self._study.published:
            if UNITS.get(table.unit, ("",))[0] != self.quantity:
                continue
            for variant in self._study.variants:
                line = published_line(table, variant.id, self._study.cases)
                points = [(math.log10(points), math.log10(value)) for points, value in sorted(line) if value > 0]
                if points:
                    found.append((f"{variant.title}, {table.device}", variant.id, points))
        return found

    def _value(self, record: VariantRecord) -> float:
        if self.quantity == "time":
            return record.seconds
        return record.bytes_per_second if self.quantity == "rate" else record.points_per_second

    def _tick(self, value: float) -> str:
        return {"time": seconds_tick, "rate": rate_tick, "points": count_tick}[self.quantity](value)
