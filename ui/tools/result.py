"""What a tool found: its sentence, its numbers, its charts."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from engines.api.charts import Fact
from engines.api.tools import ToolResult
from ui.charts.plots.cell import ChartCell
from ui.charts.plots.reading import fact_text
from ui.widgets.dressing import look_as
from workbench.words.numbers import spaced

NOTHING = "What comes out stands here."
CHART_HEIGHT = 170
BESIDE_SCROLL_BAR = 8  # pixels


class ResultView(QWidget):
    """Empty until :meth:`show_result`."""

    save_asked = Signal(object, str)
    """This :class:`ChartCell` is to be saved as a file with this suffix."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message = QLabel(NOTHING, self)
        self.message.setWordWrap(True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.cells: list[ChartCell] = []
        self.values: list[QLabel] = []
        self._table = QWidget(self)
        self._grid = QGridLayout(self._table)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(0, 1)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, BESIDE_SCROLL_BAR, 0)
        self._layout.setSpacing(8)
        self._layout.addWidget(self.message)
        self._layout.addWidget(self._table)
        self._layout.addStretch(0)
        self.clear()

    def clear(self) -> None:
        self.message.setText(NOTHING)
        look_as(self.message, "muted")
        for widget in (*self.cells, *self._table.findChildren(QLabel)):
            widget.hide()
            widget.setParent(None)
            widget.deleteLater()
        self.cells, self.values = [], []
        self._table.hide()

    def show_result(self, result: ToolResult) -> None:
        self.clear()
        self.message.setText(spaced(result.message))
        look_as(self.message, "")
        self._show_facts(result.facts)
        for info, data in result.charts:
            cell = ChartCell(info, info.x_unit, self)
            cell.setMinimumHeight(CHART_HEIGHT)
            cell.hovered.connect(cell.show_cursor)
            cell.save_asked.connect(partial(self.save_asked.emit, cell))
            cell.show_data(data)
            self._layout.insertWidget(self._layout.count() - 1, cell, 1)
            self.cells.append(cell)

    def _show_facts(self, facts: tuple[Fact, ...]) -> None:
        for row, fact in enumerate(facts):
            name, value = QLabel(fact.title, self._table), QLabel(fact_text(fact), self._table)
            name.setObjectName("muted")
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._grid.addWidget(name, row, 0)
            self._grid.addWidget(value, row, 1)
            self.values.append(value)
        self._table.setVisible(bool(facts))
