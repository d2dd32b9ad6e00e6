"""The table of a sweep: a row for each run as it comes, with a sentence where one has failed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem, QWidget

from ui.widgets.parts import show_whole_rows
from ui.widgets.theme import theme
from workbench.export.chart_tables import titled
from workbench.export.tables import cell
from workbench.sweep.plan import SweepPlan
from workbench.sweep.running import Row
from workbench.sweep.table import columns_of, table_of
from workbench.words.numbers import figure
from workbench.words.units import unit_text

WIDTH, HEADING_HEIGHT, RUN_WIDTH, MARGINS = 116, 44, 40, 16


class SweepTable(QTableWidget):
    """``chosen`` is emitted with the place of the run whose row is current."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        show_whole_rows(self, "Runs of the sweep", 24)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setFixedHeight(HEADING_HEIGHT)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        header.setTextElideMode(Qt.TextElideMode.ElideNone)  # it would count both lines as one
        self._rows: list[Row] = []
        self._header: list[str] = []
        self.currentCellChanged.connect(self._changed)
        theme().changed.connect(self._dress)

    def show_rows(self, plan: SweepPlan, rows: Sequence[Row], *, anew: bool = False) -> None:
        """Add what has come; the whole table only where its columns have changed, or all of it is to be read anew."""
        header, lines = table_of(plan, rows)
        trouble = any(line[-1] for line in lines)
        shown = header if trouble else header[:-1]
        first = len(self._rows)
        if anew or shown != self._header or first > len(rows):
            current = self.currentRow()
            self.blockSignals(True)
            self.clear()
            self.setColumnCount(len(shown))
            briefs = _briefs(plan, rows)
            for place, title in enumerate(shown):
                heading = QTableWidgetItem(briefs.get(title, title))
                heading.setToolTip(title)
                self.setHorizontalHeaderItem(place, heading)
                self.setColumnWidth(place, RUN_WIDTH if place == 0 else self._width(heading.text()))
            if trouble:
                self.horizontalHeader().setStretchLastSection(True)
            self._header, first = shown, 0
            self.setRowCount(len(rows))
            self._fill(lines, 0, len(shown))
            if 0 <= current < len(rows):
                self.selectRow(current)
            self.blockSignals(False)
        else:
            self.setRowCount(len(rows))
            self._fill(lines, first, len(shown))
        self._rows = list(rows)
        self._dress()

    def choose(self, place: int) -> None:
        self.selectRow(next((line for line, row in enumerate(self._rows) if row.place == place), -1))

    def _fill(self, lines: Sequence[Sequence[object]], first: int, columns: int) -> None:
        for line, values in enumerate(lines[first:], first):
            for place, value in enumerate(values[:columns]):
                text = figure(value + 0.0, 5) if isinstance(value, float) and value == value else str(cell(value))
                item = QTableWidgetItem(text)
                numeric = not isinstance(value, str)
                side = Qt.AlignmentFlag.AlignRight if numeric else Qt.AlignmentFlag.AlignLeft
                item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
                item.setToolTip(text if not numeric else "")
                self.setItem(line, place, item)

    def _width(self, heading: str) -> int:
        """Of a column: a heading is not cut off."""
        metrics = self.horizontalHeader().fontMetrics()
        return max(WIDTH, MARGINS + max(metrics.horizontalAdvance(line) for line in heading.split("\n")))

    def _changed(self, line: int, *_: int) -> None:
        if 0 <= line < len(self._rows):
            self.chosen.emit(self._rows[line].place)

    def _dress(self) -> None:
        warn = QBrush(theme().palette.color("warn"))
        for line in range(len(self._rows)):
            item = self.item(line, self.columnCount() - 1)
            if self._header[-1:] == ["trouble"] and item is not None:
                item.setForeground(warn)


def _briefs(plan: SweepPlan, rows: Sequence[Row]) -> dict[str, str]:
    """What the headings of a file are in a narrow column."""
    found = {column.heading: column.brief for column in columns_of(rows)}
    for one in plan.numbers:
        found[titled(one.name, one.unit)] = titled(one.brief, unit_text(one.unit))
    found[titled("end", plan.document.time_unit)] = titled("end", unit_text(plan.document.time_unit))
    return found
