"""A table of the Lab: measured rows with published ones below each, as lines and, where it is one, as a map."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from engines.api.lab import LabTable, Row
from ui.lab.figures.table_heat import TableMap
from ui.lab.tables.measured_model import BEGINS, LinesModel
from ui.widgets.dressing import look_as
from ui.widgets.formatting import duration_text
from ui.widgets.parts import show_whole_rows
from ui.widgets.theme import theme
from workbench.bench.records import LabRecord, TableRecord
from workbench.bench.table_lines import device_name, grouped, of_record, published_beside

ROW_HEIGHT = 26
PADDING = 24
"""Of a header, left and right together, as the style sheet has it; the arrow stands above the title."""
WIDEST = 260
"""Pixels of a column, for words may be long."""


class LinesDelegate(QStyledItemDelegate):
    """A fine line between groups of several lines."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        if index.data(BEGINS):
            painter.setPen(theme().palette.color("strong"))
            painter.drawLine(option.rect.topLeft(), option.rect.topRight())


class LinesTable(QTableView):
    """Sorted by a click on a header; a third click gives back the order in which it was measured."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lines")
        self.lines = LinesModel()
        self.setModel(self.lines)
        self.setItemDelegate(LinesDelegate(self))
        show_whole_rows(self, "Table", ROW_HEIGHT)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)

    def fill(self, *arguments: object) -> None:
        """See :meth:`LinesModel.set_data`; what is sorted stays so."""
        self.lines.set_data(*arguments)  # type: ignore[arg-type]  # passed through
        header = self.horizontalHeader()
        header.blockSignals(True)
        header.setSortIndicator(*self.lines.sorted_by)
        header.blockSignals(False)
        metrics = header.fontMetrics()  # of a larger font than the sections have, so that bold ones fit
        for place in range(self.lines.columnCount()):
            title = str(self.lines.headerData(place, Qt.Orientation.Horizontal)).split("\n")
            wanted = max(metrics.horizontalAdvance(text) for text in title) + PADDING
            self.setColumnWidth(place, min(WIDEST, max(wanted, self.sizeHintForColumn(place))))


class TablePage(QWidget):
    """Shows one table of one record."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table: LabTable | None = None
        self.measured: TableRecord | None = None
        self.title, self.summary, self.state, self.sources = (QLabel(self) for _ in range(4))
        self.title.setObjectName("cardTitle")
        self.summary.setObjectName("muted")
        self.sources.setObjectName("muted")
        for label in (self.title, self.summary, self.state, self.sources):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setContentsMargins(12, 0, 12, 0)
        self.sources.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.lines = LinesTable(self)
        self.map = TableMap()
        self.device_box = QComboBox(self)
        self.device_box.setAccessibleName("Figures of")
        self.device_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.device_box.activated.connect(lambda _: self._show_map())
        self.colors = QLabel(self)
        self.colors.setObjectName("muted")
        self._of_device: list[tuple[str, Sequence[Row]]] = []
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.lines, "Table")
        self.tabs.addTab(self._map_page(), "Heat map")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 10)
        layout.setSpacing(6)
        layout.addWidget(self.title)
        layout.addWidget(self.summary)
        layout.addWidget(self.state)
        layout.addWidget(self.tabs, 1)
        layout.addWidget(self.sources)

    def _map_page(self) -> QWidget:
        page = QWidget(self)
        label = QLabel("Figures of", page)
        label.setObjectName("muted")
        label.setBuddy(self.device_box)
        above = QHBoxLayout()
        above.setContentsMargins(10, 8, 10, 0)
        above.addWidget(label)
        above.addWidget(self.device_box)
        above.addSpacing(12)
        above.addWidget(self.colors, 1)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(above)
        layout.addWidget(self.map, 1)
        return page

    def show_data(self, table: LabTable, record: LabRecord | None, other: LabRecord | None) -> None:
        """``other``: a record whose rows of the same table stand beside these."""
        if self.table is not table:
            self.table = table
            self.lines.lines.sort(-1)
            self.tabs.setCurrentIndex(0)
        self.measured = of_record(record, table.id)
        measured = self.measured
        columns = measured.columns if measured is not None else table.columns
        rows = measured.rows if measured is not None else ()
        device = str(record.machine.device.get("name", "this machine")) if record is not None else ""
        beside = published_beside(table, columns, None if other is record else other)
        self.summary.setText(table.summary)
        self.title.setText(measured.title if measured is not None else table.title)
        self._say(record)
        self.lines.fill(columns, grouped(columns, rows, device, beside))
        self.sources.setText("\n".join(f"{device_name(published.device)}: {published.source}" for published in beside))
        self.sources.setVisible(bool(beside))
        heat = measured.heat if measured is not None else table.heat
        self.tabs.setTabVisible(1, heat is not None)
        self.tabs.tabBar().setVisible(heat is not None)
        if heat is not None:
            self._of_device = [(device, rows)] if rows else []
            self._of_device += [(device_name(published.device), published.rows) for published in beside]
            chosen = self.device_box.currentText()
            self.device_box.clear()
            self.device_box.addItems([name for name, _ in self._of_device])
            self.device_box.setCurrentIndex(max(0, self.device_box.findText(chosen)))
            self._show_map()

    def picture(self) -> QImage | None:
        """The map if it is seen."""
        return self.map.image() if self.tabs.currentIndex() == 1 else None

    def _say(self, record: LabRecord | None) -> None:
        """When, where and how thoroughly it was measured, or why not."""
        measured = self.measured
        if measured is None or record is None:
            text, role = "Not measured here yet: check it at the left, and run.", "muted"
        elif measured.refused:
            text, role = f"Not measured: {measured.refused}", "warning"
        else:
            extent = "published sizes" if measured.thorough else "quick sizes"
            text, role = f"Measured with the {extent} in {duration_text(measured.seconds)}.", "muted"
        self.state.setText(text)
        if self.state.objectName() != role:
            look_as(self.state, role)

    def _show_map(self) -> None:
        heat = self.measured.heat if self.measured is not None else self.table.heat if self.table is not None else None
        place = self.device_box.currentIndex()
        if heat is None or self.table is None:
            return
        columns = self.measured.columns if self.measured is not None else self.table.columns
        self.map.set_data(columns, heat, self._of_device[place][1] if self._of_device else ())
        self.colors.setText(self.map.legend())
