"""What to measure: studies and tables by engine, sizes, device, cache, thoroughness; Run, Cancel and progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QFrame,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QVBoxLayout,
    QWidget,
)

from engines.api.lab import LabTable, Study
from ui.lab.wrapping import WrappingTree
from ui.widgets.icons import dress

ID, TABLE = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
"""The id of a study, the id of a table."""
CHECKED, UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked
PANEL_WIDTH = 272


@dataclass(frozen=True)
class Request:
    """What a person asks to be measured. ``cases``: study id to the names of its sizes; ``thorough``: of the tables."""

    device: str
    studies: tuple[Study, ...]
    cases: Mapping[str, tuple[str, ...]]
    cache: Literal["cold", "warm"]
    quick: bool
    tables: tuple[LabTable, ...] = ()
    thorough: bool = False


class SetupPanel(QFrame):
    """Emits ``run_asked``, ``cancel_asked`` and, with its id, ``chosen`` when another study or table is current."""

    run_asked = Signal()
    cancel_asked = Signal()
    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setMinimumWidth(PANEL_WIDTH)
        self._studies: dict[str, Study] = {}
        self._tables: dict[str, LabTable] = {}
        self._unchecked: dict[str, set[str]] = {}
        self._running = False
        self.tree = WrappingTree(self)
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName("Studies and tables")
        self.tree.setIndentation(14)
        self.tree.setRootIsDecorated(False)
        self.tree.setItemsExpandable(False)
        self.tree.currentItemChanged.connect(self._study_changed)
        self.tree.itemChanged.connect(lambda *_: self._show_state())
        self.summary = QLabel(self)
        self.summary.setObjectName("muted")
        self.summary.setWordWrap(True)
        self.sizes = QListWidget(self)
        self.sizes.setAccessibleName("Sizes")
        self.sizes.setMaximumHeight(168)
        self.sizes.itemChanged.connect(self._size_checked)
        self.sizes_heading = _heading("Sizes", self)
        self.thorough = QCheckBox("Published sizes", self)
        self.thorough.setToolTip(
            "Tables with the sizes that were published, however long they take; without, about a minute each"
        )
        self.thorough.hide()
        self.device = QComboBox(self)
        self.device.addItem("Automatic", "auto")
        self.device.setToolTip("The device to measure on; variants for another kind of device are left out")
        self.device.currentIndexChanged.connect(lambda _: self._show_state())
        self.cache = QComboBox(self)
        self.cache.addItem("Cold", "cold")
        self.cache.addItem("Warm", "warm")
        self.cache.setToolTip(
            "Cold: buffers rotate, so that each launch reads from memory. Warm: the same buffer again, from the cache"
            " if it fits"
        )
        self.extent = QComboBox(self)
        self.extent.addItem("Full", False)
        self.extent.addItem("Quick", True)
        self.extent.setToolTip("Quick: fewer repetitions, so a few per cent of scatter")
        self.run_button = QPushButton("Run", self)
        self.run_button.setObjectName("primary")
        self.run_button.clicked.connect(self._pressed)
        self.activity = QLabel(self)
        self.activity.setObjectName("muted")
        self.activity.setWordWrap(True)
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 1000)
        self.progress.setTextVisible(False)
        self.progress.hide()
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        for title, widget in (("Device", self.device), ("Cache", self.cache), ("Runs", self.extent)):
            label = QLabel(title, self)
            label.setToolTip(widget.toolTip())
            label.setBuddy(widget)
            form.addRow(label, widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 12)
        layout.setSpacing(8)
        layout.addWidget(_heading("Studies and tables", self))
        layout.addWidget(self.tree, 1)
        layout.addWidget(self.summary)
        layout.addWidget(self.sizes_heading)
        layout.addWidget(self.sizes)
        layout.addWidget(self.thorough)
        layout.addLayout(form)
        layout.addWidget(self.activity)
        layout.addWidget(self.progress)
        layout.addWidget(self.run_button)
        self._show_state()

    # What there is.

    def set_studies(
        self, groups: Sequence[tuple[str, Sequence[Study]]], tables: Sequence[tuple[str, Sequence[LabTable]]] = ()
    ) -> None:
        """(title of the engine, its studies) in the order in which they stand; likewise its tables."""
        self.tree.blockSignals(True)
        self.tree.clear()
        self._studies = {study.id: study for _, studies in groups for study in studies}
        self._tables = {table.id: table for _, found in tables for table in found}
        for title in dict.fromkeys([title for title, _ in (*groups, *tables)]):
            group = _group(self.tree, title)
            for study in dict(groups).get(title, ()):
                _item(group, study.title, study.summary, ID, study.id)
            if found := dict(tables).get(title):
                under = _group(group, "Tables")
                for table in found:
                    _item(under, table.title, f"{table.title}\n{table.summary}", TABLE, table.id)
                under.setExpanded(True)
            group.setExpanded(True)
        self.tree.blockSignals(False)
        if items := self._items():
            items[0].setCheckState(0, CHECKED)
            self.tree.setCurrentItem(items[0])
        self._show_state()

    def set_devices(self, devices: Sequence[tuple[str, str]]) -> None:
        self.device.clear()
        for name, title in devices:
            self.device.addItem(title, name)

    @property
    def study(self) -> Study | None:
        """The study that is looked at."""
        item = self.tree.currentItem()
        return None if item is None else self._studies.get(item.data(0, ID))

    @property
    def table(self) -> LabTable | None:
        """The table that is looked at."""
        item = self.tree.currentItem()
        return None if item is None else self._tables.get(item.data(0, TABLE))

    def study_by_id(self, identifier: str) -> Study | None:
        return self._studies.get(identifier)

    def title_of(self, identifier: str) -> str:
        """Of a study or table, empty where there is none."""
        found = self._studies.get(identifier) or self._tables.get(identifier)
        return found.title if found is not None else ""

    def choose_study(self, identifier: str) -> None:
        for item in self._items():
            if item.data(0, ID) == identifier:
                self.tree.setCurrentItem(item)

    def choose_table(self, identifier: str) -> None:
        for item in self._items():
            if item.data(0, TABLE) == identifier:
                self.tree.setCurrentItem(item)

    def request(self) -> Request:
        """What is checked now."""
        checked = [item for item in self._items() if item.checkState(0) == CHECKED]
        studies = tuple(self._studies[item.data(0, ID)] for item in checked if item.data(0, ID))
        return Request(
            device=self.device.currentData() or "auto",
            studies=studies,
            cases={study.id: self._checked_cases(study) for study in studies},
            cache=self.cache.currentData(),
            quick=self.extent.currentData(),
            tables=tuple(self._tables[item.data(0, TABLE)] for item in checked if item.data(0, TABLE)),
            thorough=self.thorough.isChecked(),
        )

    def checked_cases(self, study: Study) -> tuple[str, ...]:
        return self._checked_cases(study)

    # A measurement.

    def set_running(self, running: bool) -> None:
        self._running = running
        self.progress.setVisible(running)
        self.progress.setValue(0)
        self._show_state()

    def set_progress(self, text: str, fraction: float) -> None:
        self.activity.setText(text)
        self.progress.setValue(round(1000 * fraction))

    def say(self, text: str) -> None:
        self.activity.setText(text)

    def _pressed(self) -> None:
        (self.cancel_asked if self._running else self.run_asked).emit()

    def _show_state(self) -> None:
        running = self._running
        for widget in (self.device, self.cache, self.extent, self.thorough):
            widget.setEnabled(not running)
        self.run_button.setText("Cancel" if running else "Run")
        self.run_button.setToolTip(
            "Stop measuring; the figures so far stay (Esc)" if running else "Measure (Ctrl+Return)"
        )
        dress(self.run_button, "close" if running else "play", "accent_text")
        wanted = self.request()
        possible = any(wanted.cases.values()) or bool(wanted.tables)
        self.run_button.setEnabled(running or possible)
        if not running and not possible and (self._studies or self._tables):
            self.activity.setText("Check a study and one of its sizes, or a table, to measure.")
        elif not running and self.activity.text().startswith("Check a study"):
            self.activity.setText("")

    # Studies and sizes.

    def _items(self) -> list[QTreeWidgetItem]:
        found = []
        walk = QTreeWidgetItemIterator(self.tree)
        while (item := walk.value()) is not None:
            if item.data(0, ID) or item.data(0, TABLE):
                found.append(item)
            walk += 1
        return found

    def _study_changed(self) -> None:
        study, table = self.study, self.table
        for widget in (self.summary, self.sizes_heading, self.sizes):  # a table's page has its summary
            widget.setVisible(table is None)
        self.thorough.setVisible(table is not None)
        if table is not None:
            self.chosen.emit(table.id)
        if study is None:
            return
        self.summary.setText(study.summary)
        self.sizes.blockSignals(True)
        self.sizes.clear()
        for case in study.cases:
            item = QListWidgetItem(case.name, self.sizes)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(UNCHECKED if case.name in self._unchecked.get(study.id, ()) else CHECKED)
            item.setToolTip(f"{' × '.join(str(n) for n in case.size)}, {case.points:,} points".replace(",", "\u202f"))
        self.sizes.blockSignals(False)
        self.chosen.emit(study.id)

    def _size_checked(self, item: QListWidgetItem) -> None:
        study = self.study
        if study is not None:
            left_out = self._unchecked.setdefault(study.id, set())
            (left_out.discard if item.checkState() == CHECKED else left_out.add)(item.text())
            self._show_state()

    def _checked_cases(self, study: Study) -> tuple[str, ...]:
        left_out = self._unchecked.get(study.id, set())
        return tuple(case.name for case in study.cases if case.name not in left_out)


def _group(parent: QTreeWidget | QTreeWidgetItem, title: str) -> QTreeWidgetItem:
    group = QTreeWidgetItem(parent, [title])
    group.setFlags(group.flags() & ~Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsAutoTristate)
    return group


def _item(group: QTreeWidgetItem, title: str, tip: str, role: int, identifier: str) -> None:
    item = QTreeWidgetItem(group, [title])
    item.setData(0, role, identifier)
    item.setToolTip(0, tip)
    item.setCheckState(0, UNCHECKED)


def _heading(text: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setObjectName("heading")
    return label
