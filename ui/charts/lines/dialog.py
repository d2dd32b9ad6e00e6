"""The list of lines: name, field and ends of each, typed; what is entered shows at once, and can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engines.api import FieldInfo
from ui.forms.fields.number import misread, parsed
from ui.forms.fields.scalars import CalmComboBox
from ui.session.model import DocumentModel
from workbench.words.units import unit_text

Ends = tuple[tuple[float, float, float], tuple[float, float, float]]
COLUMNS = ("Name", "Field", "From x", "y", "z", "To x", "y", "z")
NAME, FIELD, START, END = 0, 1, 2, 5
NUMBER_PIXELS = 82
EMPTY = "No lines yet: Add makes one through the middle, or press L and click two points in the 3D view."


class LinesDialog(QDialog):
    """Edits ``lines`` of the document, in ``unit`` of length; a new one runs as ``across`` says."""

    def __init__(
        self, model: DocumentModel, fields: Sequence[FieldInfo], unit: str, across: Callable[[], Ends], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Lines, in {unit_text(unit)}" if unit else "Lines")
        self.resize(860, 300)
        self._model, self._fields, self._across = model, tuple(fields), across
        self.table = QTableWidget(0, len(COLUMNS), self)
        told = [f"{name} [{unit_text(unit)}]" if name[-2:] == " x" and unit else name for name in COLUMNS]
        self.table.setHorizontalHeaderLabels(told)
        self.table.verticalHeader().hide()
        header = self.table.horizontalHeader()
        for column in (NAME, FIELD):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        for column in range(START, len(COLUMNS)):
            self.table.setColumnWidth(column, NUMBER_PIXELS)
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.itemChanged.connect(self._typed)
        self.table.itemSelectionChanged.connect(self._dress)
        self.note = QLabel(self)
        self.note.setWordWrap(True)
        self.note.setObjectName("muted")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.add_button = buttons.addButton("Add", QDialogButtonBox.ButtonRole.ActionRole)
        self.remove_button = buttons.addButton("Remove", QDialogButtonBox.ButtonRole.ActionRole)
        self.add_button.clicked.connect(self.add)
        self.remove_button.clicked.connect(self.remove)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.note)
        layout.addWidget(buttons)
        model.changed.connect(self._changed)
        model.opened.connect(self.close)
        self._show()

    def set_fields(self, fields: Sequence[FieldInfo]) -> None:
        self._fields = tuple(fields)
        self._show()

    def add(self) -> None:
        lines = self._lines()
        taken = {line["name"] for line in lines}
        name = next(f"line {n}" for n in range(1, len(taken) + 2) if f"line {n}" not in taken)
        start, end = self._across()
        line = {"name": name, "field": self._fields[0].name, "start": list(start), "end": list(end)}
        self._model.edit(("lines",), [*lines, line], "new line")

    def remove(self) -> None:
        gone = {index.row() for index in self.table.selectionModel().selectedRows()}
        left = [line for row, line in enumerate(self._lines()) if row not in gone]
        self._model.edit(("lines",), left, "removal of a line")

    def _lines(self) -> list[dict[str, Any]]:
        return [dict(line) for line in self._model.draft.get("lines", [])]

    def _changed(self, path: tuple[str | int, ...]) -> None:
        if path[0] == "lines":
            self._show()

    def _show(self) -> None:
        lines = self._lines()
        self.table.blockSignals(True)
        self.table.setRowCount(len(lines))
        for row, line in enumerate(lines):
            self._put(row, NAME, line["name"])
            field = CalmComboBox(self.table)
            for info in self._fields:
                field.addItem(info.title, info.name)
            field.setCurrentIndex(field.findData(line["field"]))
            field.activated.connect(lambda _, row=row, field=field: self._write(row, "field", field.currentData()))
            self.table.setCellWidget(row, FIELD, field)
            for first, key in ((START, "start"), (END, "end")):
                for axis in range(3):
                    self._put(row, first + axis, f"{line[key][axis]:.6g}")
        self.table.blockSignals(False)
        self._dress()
        wrong = next((text for path, text in self._model.errors.items() if path[0] == "lines"), "")
        self.note.setText(wrong or ("" if lines else EMPTY))

    def _put(self, row: int, column: int, text: str) -> None:
        item = QTableWidgetItem(text)
        if column != NAME:
            item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.table.setItem(row, column, item)

    def _typed(self, item: QTableWidgetItem) -> None:
        row, column, text = item.row(), item.column(), item.text().strip()
        if column == NAME:
            others = {line["name"] for place, line in enumerate(self._lines()) if place != row}
            if not text or text in others:
                self._show()
                self.note.setText("Each line has a name of its own.")
                return
            self._write(row, "name", text)
            return
        key, axis = ("start", column - START) if column < END else ("end", column - END)
        value = parsed(text, False)
        if value is None:
            self._show()
            self.note.setText(misread(text, False) or f"'{text[:20]}' is no number.")
            return
        place = list(self._lines()[row][key])
        place[axis] = value
        self._write(row, key, place)

    def _write(self, row: int, key: str, value: Any) -> None:
        lines = self._lines()
        lines[row][key] = value
        self._model.edit(("lines",), lines, "change of a line")

    def _dress(self) -> None:
        self.remove_button.setEnabled(bool(self.table.selectionModel().selectedRows()))
        self.add_button.setEnabled(bool(self._fields))
