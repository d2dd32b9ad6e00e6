"""A table of the parameters in which two runs differ, in the words and units of the form."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHeaderView, QLabel, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

ROWS = 5
"""That are seen at once at most."""
NONE = "Nothing differs in their parameters."


class Differences(QWidget):
    """As high as what it has to say."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.nothing = QLabel(NONE, self)
        self.nothing.setObjectName("muted")
        self.table = _Table(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.nothing)
        layout.addWidget(self.table)

    def show_rows(self, titles: tuple[str, str], rows: Sequence[tuple[str, Sequence[str]]]) -> None:
        """rows: the name of a parameter, and its value in each of the two."""
        self.nothing.setVisible(not rows)
        self.table.setVisible(bool(rows))
        self.table.setHorizontalHeaderLabels(["What differs", *titles])
        self.table.setRowCount(len(rows))
        for row, (name, values) in enumerate(rows):
            for column, text in enumerate((name, *values)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled)
                self.table.setItem(row, column, item)
        self.table.resizeRowsToContents()
        self.table.updateGeometry()
        self.table.setFixedHeight(self.table.sizeHint().height())


class _Table(QTableWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(0, 3, parent)
        self.setAccessibleName("Parameters that differ")
        self.verticalHeader().hide()
        self.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)

    def sizeHint(self) -> QSize:
        rows = sum(self.rowHeight(row) for row in range(min(self.rowCount(), ROWS)))
        return QSize(300, rows + self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth())
