"""Which columns of a measured table are meant, and in which units: its first rows, choices, and what will be used."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engines.api.errors import WorkbenchError
from engines.tables.columns import Axis, Column
from ui.widgets.background import Background
from ui.widgets.dressing import look_as
from ui.widgets.fonts import PLAIN, STRONG
from ui.widgets.parts import resize_within
from workbench.importing.choice import Choice, column_in
from workbench.project.measured import read_curves
from workbench.project.project import MeasuredData
from workbench.words.numbers import figure, spaced
from workbench.words.units import clock_text, counted, seconds_of, unit_text, with_unit

SIZE = QSize(680, 460)
ROW = 24
"""Pixels of a row's height."""


class TableDialog(QDialog):
    """Reads the whole table, on another thread, for each choice; ``used`` gives what was read."""

    used = Signal(list)

    def __init__(
        self, path: Path, chart: str, axes: tuple[Axis, Axis], choice: Choice, background: Background, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Columns of a table")
        resize_within(self, SIZE)
        self._path, self._chart, self._axes, self._choice = path, chart, axes, choice
        self._background = background
        self._turn = object()
        """Another one for each reading: its answer is shown, and no older ones."""
        self._asked: Future[list[MeasuredData]] = Future()
        self.found: list[MeasuredData] = []
        title = QLabel(path.name, self)
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setObjectName("title")
        self.table = self._make_table()
        choices = QGridLayout()
        choices.setHorizontalSpacing(10)
        choices.setColumnStretch(1, 1)
        self.columns: list[QComboBox] = []
        self.units: list[QComboBox] = []
        for row, axis in enumerate(axes):
            self._add_choice(choices, row, axis)
        self.told = QLabel(self)
        self.told.setWordWrap(True)
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        buttons = QDialogButtonBox(self)
        self.use_button = buttons.addButton("Use these", QDialogButtonBox.ButtonRole.AcceptRole)
        look_as(self.use_button, "primary")
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._use)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 14, 18, 14)
        layout.setSpacing(10)
        layout.addWidget(title)
        layout.addWidget(self.table, 1)
        layout.addLayout(choices)
        layout.addWidget(self.told)
        layout.addWidget(buttons)
        self._read()

    def _make_table(self) -> QTableWidget:
        choice = self._choice
        table = QTableWidget(len(choice.rows), len(choice.heading), self)
        table.setHorizontalHeaderLabels(list(choice.heading))
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for row, cells in enumerate(choice.rows):
            for column, cell in enumerate(cells[: len(choice.heading)]):
                table.setItem(row, column, QTableWidgetItem(cell))
        table.resizeColumnsToContents()
        return table

    def _add_choice(self, grid: QGridLayout, row: int, axis: Axis) -> None:
        choice = self._choice
        name = QLabel(f"{axis.title[:1].upper()}{axis.title[1:]}", self)
        column, unit = QComboBox(self), QComboBox(self)
        column.addItems(list(choice.heading))
        column.setCurrentIndex(choice.guess[row])
        column.setAccessibleName(f"Column of {axis.title}")
        unit.addItems([unit_text(each) or "1" for each in self._units(axis)])
        unit.setAccessibleName(f"Unit of {axis.title}")
        unit.setVisible(unit.count() > 0)
        self._show_unit(unit, choice.guess[row], axis)
        column.activated.connect(lambda place: self._show_unit(unit, place, axis))
        column.activated.connect(lambda _: self._read())
        unit.activated.connect(lambda _: self._read())
        grid.addWidget(name, row, 0)
        grid.addWidget(column, row, 1)
        grid.addWidget(unit, row, 2)
        self.columns.append(column)
        self.units.append(unit)

    def _show_unit(self, box: QComboBox, column: int, axis: Axis) -> None:
        box.setCurrentText(unit_text(self._choice.unit(column, axis)) or "1")

    def _units(self, axis: Axis) -> list[str]:
        """Those that a column along an axis may be in."""
        return self._choice.units_for(axis)

    def _chosen(self) -> tuple[Column, Column]:
        x, y = (
            column_in(column.currentIndex(), unit.currentText(), axis)
            for column, unit, axis in zip(self.columns, self.units, self._axes, strict=True)
        )
        return x, y

    def _read(self) -> None:
        turn = self._turn = object()
        for column in range(self.table.columnCount()):
            chosen = column in (box.currentIndex() for box in self.columns)
            for row in range(self.table.rowCount()):
                item = self.table.item(row, column)
                if item is not None:
                    font = item.font()
                    font.setWeight(STRONG if chosen else PLAIN)
                    item.setFont(font)
        self.table.resizeColumnsToContents()  # bold figures are wider
        self.use_button.setEnabled(False)
        try:
            columns = self._chosen()
            read = partial(read_curves, self._path, self._chart, self._axes, columns)
        except WorkbenchError as error:
            self._say(str(error), "error")
            return
        self._asked.cancel()
        self._asked = self._background.submit(
            "imports",
            read,
            lambda found: self._show(found) if turn is self._turn else None,
            lambda error: self._say(str(error), "error") if turn is self._turn else None,
        )

    def _show(self, found: list[MeasuredData]) -> None:
        self.found = found
        (measured,) = found
        spans = (
            f"{axis.title} from {_figure(min(values), axis.unit)} to {_figure(max(values), axis.unit)}"
            for axis, values in zip(self._axes, (measured.x, measured.y), strict=True)
        )
        self._say(f"{counted(len(measured.x), 'point')}: {', '.join(spans)}.", "muted")
        self.use_button.setEnabled(True)

    def _use(self) -> None:
        self._turn = object()
        self.used.emit(self.found)
        self.accept()

    def reject(self) -> None:
        self._turn = object()
        self._asked.cancel()
        super().reject()

    def _say(self, sentence: str, name: str) -> None:
        look_as(self.told, name)
        self.told.setText(spaced(sentence))


def _figure(value: float, unit: str) -> str:
    return clock_text(value, unit) if value and seconds_of(unit) else with_unit(figure(value), unit)
