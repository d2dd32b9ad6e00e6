"""The list of the session's runs: names, when, how far, what differs from the present one; pinned, kept, removed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from PySide6.QtCore import Qt, Signal
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

from ui.charts.runs.runs import SessionRun, SessionRuns, differing
from workbench.words.numbers import spaced

COLUMNS = ("Behind", "In the project", "Name", "Ended", "Reached", "What differs from the present run")
BEHIND, STORED, NAME, WHEN, REACHED, DIFFERS = range(6)
BEHIND_NOTE = "Behind: its curves stand dotted behind those of the present run, in each chart."
EMPTY = "No run has ended in this session yet: Reset, or another Run, puts the present one here."
TOLD = 6
"""Differences that are told of a run."""


class RunsDialog(QDialog):
    """``tell`` says a value of the parameters in words, ``reached`` a time."""

    compared = Signal(list)
    """These :class:`SessionRun`, one or two, are to be looked at side by side."""
    stored = Signal(object, bool)
    """This :class:`SessionRun` is to be kept with the project, or no longer."""

    def __init__(
        self,
        runs: SessionRuns,
        tell: Callable[[tuple[str | int, ...], Any], str],
        reached: Callable[[float], str],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Runs of this session")
        self.resize(880, 320)
        self._runs, self._tell, self._reached = runs, tell, reached
        self._shown: list[SessionRun] = []
        self.table = QTableWidget(0, len(COLUMNS), self)
        self.table.setHorizontalHeaderLabels(list(COLUMNS))
        self.table.verticalHeader().hide()
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setWordWrap(True)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(DIFFERS, QHeaderView.ResizeMode.Stretch)
        self.table.itemChanged.connect(self._edited)
        self.table.itemSelectionChanged.connect(self._dress)
        self.note = QLabel(self)
        self.note.setObjectName("muted")
        self.note.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.remove_button = buttons.addButton("Remove", QDialogButtonBox.ButtonRole.ActionRole)
        self.remove_button.clicked.connect(self.remove)
        self.compare_button = buttons.addButton("Compare side by side", QDialogButtonBox.ButtonRole.ActionRole)
        self.compare_button.setToolTip("The run that is chosen beside the present one, or two that are chosen")
        self.compare_button.clicked.connect(self.compare)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.note)
        layout.addWidget(buttons)
        runs.changed.connect(self._show)
        self._show()

    def compare(self) -> None:
        chosen = self._chosen()
        self.close()
        self.compared.emit(chosen)

    def _chosen(self) -> list[SessionRun]:
        return [self._shown[row] for row in sorted({i.row() for i in self.table.selectionModel().selectedRows()})]

    def remove(self) -> None:
        gone = self._chosen()
        for run in gone:
            if run.stored:
                self.stored.emit(run, False)
        self._runs.remove(gone)

    def _show(self) -> None:
        self._shown = list(reversed(self._runs.runs))
        self.table.blockSignals(True)
        self.table.setRowCount(len(self._shown))
        for row, run in enumerate(self._shown):
            for column, on in ((BEHIND, run.pinned), (STORED, run.stored)):
                item = QTableWidgetItem()
                item.setFlags(
                    Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
                )
                item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
                self.table.setItem(row, column, item)
            self.table.setItem(row, NAME, QTableWidgetItem(run.title))
            today = run.when.date() == datetime.now().date()
            when = "goes on" if run.goes_on else f"{run.when:%H:%M}" if today else f"{run.when:%d %b %H:%M}"
            for column, text in ((WHEN, when), (REACHED, self._reached(run.time)), (DIFFERS, self._differs(run))):
                item = QTableWidgetItem(text)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                item.setToolTip(text)
                self.table.setItem(row, column, item)
        self.table.blockSignals(False)
        self.table.resizeRowsToContents()
        self._dress()

    def _differs(self, run: SessionRun) -> str:
        found = differing(run.parameters, self._runs.parameters)
        told = [self._tell(place, value) for place, value, _ in found[:TOLD]]
        more = f" and {len(found) - TOLD} more" if len(found) > TOLD else ""
        return ", ".join(told) + more if told else "nothing"

    def _edited(self, item: QTableWidgetItem) -> None:
        run, on = self._shown[item.row()], item.checkState() == Qt.CheckState.Checked
        if item.column() == BEHIND:
            self._runs.edit(run, pinned=on)
        elif item.column() == STORED:
            self.stored.emit(run, on)
        elif item.column() == NAME:
            self._runs.edit(run, title=item.text().strip())

    def _dress(self) -> None:
        runs = self._chosen()
        self.remove_button.setEnabled(bool(runs))
        self.compare_button.setEnabled(len(runs) in (1, 2))
        told = [f"{run.title}: {spaced(' '.join(run.said))}" for run in runs if run.said]
        self.note.setText("\n".join(told) or (BEHIND_NOTE if self._shown else EMPTY))
