"""The table of a sweep: a row for each run as it comes, with a sentence where one has failed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem, QWidget

from ui.widgets.parts import show_whole_rows
from ui.widgets.theme import theme
from workbench.export.chart_tables import titled
from workbench.export.tables import cell
from workbench.sweep.plan import SweepPlan
from workbench.sweep.running import Row
from workbench.sweep.table import TROUBLE, columns_of, table_to_show
from workbench.words.numbers import figure, spaced
from workbench.words.units import headed

WIDTH, HEADING_HEIGHT, RUN_WIDTH, MARGINS, TROUBLE_WIDTH = 92, 44, 40, 16, 280
TO_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
TO_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class SweepTable(QTableWidget):
    """``chosen`` is emitted with the place of the run whose row is current."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        show_whole_rows(self, "Runs of the sweep", 24)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setFixedHeight(HEADING_HEIGHT)
        header.setDefaultAlignment(TO_RIGHT)
        header.setTextElideMode(Qt.TextElideMode.ElideNone)  # it would count both lines as one
        self._rows: list[Row] = []
        self._header: list[str] = []
        self._lines: list[list[object]] = []
        self.shared = ""
        """What all rows are warned of, which none repeats."""
        self.currentCellChanged.connect(self._changed)
        theme().changed.connect(self._dress)

    def show_rows(self, plan: SweepPlan, rows: Sequence[Row], *, anew: bool = False) -> None:
        """Add what has come; the whole table only where its columns have changed, or all of it is to be read anew."""
        header, lines, self.shared = table_to_show(plan, rows)
        if anew or header != self._header or len(self._rows) > len(rows):
            current = self.currentRow()
            self.blockSignals(True)
            self.clear()
            self.setColumnCount(len(header))
            briefs = _briefs(plan, rows)
            for place, title in enumerate(header):
                heading = QTableWidgetItem(briefs.get(title, title))
                heading.setToolTip(title)
                heading.setTextAlignment(TO_LEFT if title == TROUBLE else TO_RIGHT)
                self.setHorizontalHeaderItem(place, heading)
                self.setColumnWidth(place, RUN_WIDTH if place == 0 else max(WIDTH, self._width(heading.text())))
            self._header, self._lines = header, []
            self.setRowCount(len(rows))
            self._fill(lines)
            if 0 <= current < len(rows):
                self.selectRow(current)
            self.blockSignals(False)
        else:
            self.setRowCount(len(rows))
            self._fill(lines)
        self._rows = list(rows)
        self._dress()
        self._give_trouble_room()

    def choose(self, place: int) -> None:
        self.selectRow(self._line(place))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._give_trouble_room()

    def trouble(self, place: int) -> str:
        """What is wrong with one run alone; empty where nothing is."""
        item = self._trouble(self._line(place))
        return "" if item is None else item.text()

    def _line(self, place: int) -> int:
        return next((line for line, row in enumerate(self._rows) if row.place == place), -1)

    def _trouble(self, line: int) -> QTableWidgetItem | None:
        return self.item(line, self.columnCount() - 1) if self._header[-1:] == [TROUBLE] else None

    def _fill(self, lines: list[list[object]]) -> None:
        """What is another than before: what is told of a run may change as others come."""
        for line, values in enumerate(lines):
            if self._lines[line : line + 1] == [values]:
                continue
            for place, value in enumerate(values):
                text = figure(value + 0.0, 5) if isinstance(value, float) and value == value else str(cell(value))
                numeric = not isinstance(value, str)
                item = QTableWidgetItem(text if numeric else spaced(text))
                item.setTextAlignment(TO_RIGHT if numeric else TO_LEFT)
                item.setToolTip("" if numeric else item.text())
                self.setItem(line, place, item)
                if numeric:
                    self.setColumnWidth(place, max(self.columnWidth(place), self._width(text)))
        self._lines = lines

    def _give_trouble_room(self) -> None:
        """What the other columns leave, and so much that a sentence is made out."""
        if self._header[-1:] != [TROUBLE]:
            return
        last = len(self._header) - 1
        rest = self.viewport().width() - sum(map(self.columnWidth, range(last)))
        self.setColumnWidth(last, max(rest, TROUBLE_WIDTH))

    def _width(self, text: str) -> int:
        """Of a column in which it is not cut off."""
        metrics = self.horizontalHeader().fontMetrics()
        return MARGINS + max(metrics.horizontalAdvance(line) for line in text.split("\n"))

    def _changed(self, line: int, *_: int) -> None:
        if 0 <= line < len(self._rows):
            self.chosen.emit(self._rows[line].place)

    def _dress(self) -> None:
        """The number of a run that has trouble, too: sentences may stand beyond what is seen of the table."""
        warn = QBrush(theme().palette.color("warn"))
        for line in range(len(self._rows)):
            run, trouble = self.item(line, 0), self._trouble(line)
            if run is not None and trouble is not None and trouble.text():
                run.setForeground(warn)
                run.setToolTip(trouble.text())
                trouble.setForeground(warn)


def _briefs(plan: SweepPlan, rows: Sequence[Row]) -> dict[str, str]:
    """What the headings of a file are in a narrow column."""
    found = {column.heading: column.brief for column in columns_of(rows)}
    for one in plan.numbers:
        found[titled(one.name, one.unit)] = headed(one.brief, one.unit)
    found[titled("end", plan.document.time_unit)] = headed("end", plan.document.time_unit)
    return found
