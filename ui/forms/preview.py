"""What a group of parameters describes, drawn below its fields: a sentence, charts and numbers."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from engines.api.charts import ChartInfo, Inspection
from ui.charts.plots.cell import ChartCell
from ui.charts.plots.reading import fact_text
from ui.widgets.freeing import empty

CHART_HEIGHT = 170


class PreviewBox(QWidget):
    """Shows one inspection after the other; its charts and labels stay as long as they are the same ones."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._infos: tuple[ChartInfo, ...] = ()
        self.cells: list[ChartCell] = []
        self.facts: dict[str, QLabel] = {}
        self.title = QLabel(self)
        self.title.setObjectName("note")
        self.title.setWordWrap(True)
        self._grid = QGridLayout()
        self._grid.setContentsMargins(4, 0, 4, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        self._charts = QVBoxLayout()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 4)
        layout.setSpacing(4)
        layout.addWidget(self.title)
        layout.addLayout(self._charts)
        layout.addLayout(self._grid)

    def show_inspection(self, inspection: Inspection) -> None:
        self.title.setText(inspection.title)
        self.title.setVisible(bool(inspection.title))
        infos = tuple(info for info, _ in inspection.profiles)
        if infos != self._infos:
            self._make_cells(infos)
        for cell, (_, data) in zip(self.cells, inspection.profiles, strict=True):
            cell.show_data(data)
        if list(self.facts) != [fact.title for fact in inspection.facts]:
            self._make_facts([fact.title for fact in inspection.facts])
        for fact in inspection.facts:
            self.facts[fact.title].setText(fact_text(fact))

    def _make_cells(self, infos: tuple[ChartInfo, ...]) -> None:
        for cell in self.cells:
            self._charts.removeWidget(cell)
            cell.hide()
            cell.deleteLater()
        self._infos, self.cells = infos, [ChartCell(info, info.x_unit, self) for info in infos]
        for cell in self.cells:
            cell.setFixedHeight(CHART_HEIGHT)
            cell.hovered.connect(cell.show_cursor)
            for part in (cell.plot, *cell.plot.findChildren(QWidget)):
                part.installEventFilter(self)
            cell.more.hide()
            cell.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
            self._charts.addWidget(cell)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The wheel over a chart scrolls the form, as it does beside it."""
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def _make_facts(self, titles: list[str]) -> None:
        empty(self._grid)
        self.facts = {}
        for row, title in enumerate(titles):
            name, value = QLabel(title, self), QLabel(self)
            name.setObjectName("muted")
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            self._grid.addWidget(name, row, 0)
            self._grid.addWidget(value, row, 1)
            self.facts[title] = value
