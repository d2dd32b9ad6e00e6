"""Charts side by side and below each other, as many columns as there is room for."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QWidget

LEAST_WIDTH, LEAST_HEIGHT = 236, 132
GOOD_WIDTH, GOOD_HEIGHT = 270, 160
GAP = 6


class ChartGrid(QScrollArea):
    """Cells in their order; scrolls where they would become too low."""

    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scroll")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self._body = QWidget(self)
        self._body.setObjectName("scrollBody")
        self._grid = QGridLayout(self._body)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP)
        self.setWidget(self._body)
        self._cells: list[QWidget] = []

    @property
    def body(self) -> QWidget:
        """The parent of the cells."""
        return self._body

    def room(self) -> int:
        """How many cells have a good size here; two beside each other a legible one rather than one alone."""
        size = self.size()
        across = max(1, size.width() // GOOD_WIDTH, min(2, size.width() // LEAST_WIDTH))
        return across * max(1, size.height() // GOOD_HEIGHT)

    def set_cells(self, cells: Sequence[QWidget]) -> None:
        if list(cells) != self._cells:
            for cell in self._cells:
                self._grid.removeWidget(cell)
                cell.setVisible(cell in cells)
            self._cells, self._columns = list(cells), 0
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
        self.resized.emit()

    def _arrange(self) -> None:
        count = len(self._cells)
        if not count:
            return
        widest = max(1, self.width() // LEAST_WIDTH)
        columns = math.ceil(count / math.ceil(count / min(widest, count)))
        if columns == self._columns:
            return
        self._columns = columns
        for place, cell in enumerate(self._cells):
            cell.setMinimumHeight(LEAST_HEIGHT)
            self._grid.addWidget(cell, place // columns, place % columns)
            cell.show()
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, int(column < columns))
