"""What is kept of each run: charts with a check mark, and what of their curves stands in the table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from engines.api.charts import ChartInfo
from ui.forms.fields.number import NumberBox
from ui.forms.fields.scalars import POPUP_MARGIN, CalmComboBox
from workbench.sweep.plan import KeptChart
from workbench.sweep.readings import TITLES, Reading, What
from workbench.sweep.running import first_kept, first_reading
from workbench.words.units import headed

AT_PIXELS, CHOICE_PIXELS, ROW_PIXELS = 54, 104, 32


class KeptList(QWidget):
    """Emits ``changed`` after each edit. Without charts (nothing was built yet) :meth:`kept` is None: all of them."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._infos: tuple[ChartInfo, ...] = ()
        self._rows: dict[str, tuple[QTreeWidgetItem, QComboBox, NumberBox]] = {}
        self.list = QTreeWidget(self)
        self.list.setAccessibleName("What is kept of each run")
        self.list.setColumnCount(3)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setIndentation(0)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, width in ((1, CHOICE_PIXELS), (2, AT_PIXELS)):
            self.list.header().setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            self.list.header().resizeSection(column, width + 4)
        self.list.header().setMinimumSectionSize(20)
        self.list.itemChanged.connect(lambda *_: self.changed.emit())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.list)

    def set_charts(self, infos: Sequence[ChartInfo]) -> None:
        """Offer these; what was chosen of those that there were stays."""
        if tuple(infos) == self._infos:
            return
        before = {one.name: one.reading for one in self.kept() or ()}
        known = {info.name for info in self._infos}
        self._infos, first = tuple(infos), first_kept(infos)
        self.list.blockSignals(True)
        self.list.clear()
        self._rows = {}
        for info in infos:
            on = info.name in before or (info.name not in known and info in first)
            self._add(info, before.get(info.name) or first_reading(info), on)
        self.list.blockSignals(False)
        self._share_width()
        self.changed.emit()

    def kept(self) -> tuple[KeptChart, ...] | None:
        if not self._infos:
            return None
        found = []
        for name, (item, _, _) in self._rows.items():
            if item.checkState(0) is Qt.CheckState.Checked:
                found.append(KeptChart(name, self.reading(name)))
        return tuple(found)

    def reading(self, name: str) -> Reading:
        _, choice, at = self._rows[name]
        what: What = choice.currentData()
        return Reading(what, float(at.value()) if what == "at" else 0.0)

    def choose(self, name: str, reading: Reading) -> None:
        """Read this of the chart's curves from now on."""
        _, choice, at = self._rows[name]
        at.set_value(reading.at)
        choice.setCurrentIndex(choice.findData(reading.what))
        self.changed.emit()

    def _add(self, info: ChartInfo, reading: Reading, on: bool) -> None:
        item = QTreeWidgetItem(self.list, [info.title])
        item.setToolTip(0, info.title)
        item.setSizeHint(0, QSize(0, ROW_PIXELS))
        item.setCheckState(0, Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
        choice, at = CalmComboBox(), NumberBox()
        for what, title in TITLES.items():
            choice.addItem(title, what)
        choice.setFixedWidth(CHOICE_PIXELS)
        choice.view().setMinimumWidth(choice.view().sizeHintForColumn(0) + POPUP_MARGIN)
        choice.setCurrentIndex(choice.findData(reading.what))
        read = info.kind != "raster"
        choice.setEnabled(read)
        choice.setToolTip("What of each curve stands in the table" if read else "No number is read of a raster")
        choice.setAccessibleName(f"What is read of {info.title}")
        at.setFixedWidth(AT_PIXELS)
        at.set_value(reading.at)
        at.setToolTip(headed(info.x_title or "Time", info.x_unit))
        at.setVisible(reading.what == "at")
        choice.currentIndexChanged.connect(lambda _: at.setVisible(choice.currentData() == "at"))
        choice.currentIndexChanged.connect(lambda _: self._share_width())
        choice.currentIndexChanged.connect(lambda _: self.changed.emit())
        at.changed.connect(lambda _: self.changed.emit())
        self.list.setItemWidget(item, 1, choice)
        holder = QWidget()  # the list shows what it holds, whatever that was told
        inside = QHBoxLayout(holder)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(at)
        self.list.setItemWidget(item, 2, holder)
        self._rows[info.name] = (item, choice, at)

    def _share_width(self) -> None:
        """Names have the room of places where none is read."""
        self.list.setColumnHidden(2, all(choice.currentData() != "at" for _, choice, _ in self._rows.values()))
