"""Which record is shown and which it is compared with: this session's, kept ones, a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from engines.api.errors import WorkbenchError
from ui.forms.fields.scalars import POPUP_MARGIN, CalmComboBox
from ui.widgets.background import Background
from ui.widgets.flow import FlowLayout
from workbench.bench.record_files import KeptRecord, kept
from workbench.bench.records import LabRecord

THIS, NONE, FILE = "this", "none", "file"
Entry = str | Path
HOLDS = Qt.ItemDataRole.UserRole + 1
"""What was measured, in words, beside the card and date in the list."""
NAMED = 2
"""Studies and tables of a record that are named in the list; its tool tip has all of them."""


class _Rows(QStyledItemDelegate):
    """A row of the list says what the box below it has no room for: ``NVIDIA H200, 2026-11-21: Whole discharges``."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if holds := index.data(HOLDS):
            option.text = f"{option.text}: {holds}"


class RecordChoice(QWidget):
    """Two boxes. ``changed`` when either record is another; ``failed`` with a sentence when a file is no record."""

    changed = Signal()
    failed = Signal(str)

    def __init__(
        self, load: Callable[[Path], LabRecord], title_of: Callable[[str], str], background: Background, parent: QWidget
    ) -> None:
        """``title_of``: of a study or table by its id, empty where there is none."""
        super().__init__(parent)
        self._load = load
        self._title_of = title_of
        self._background = background
        self._loaded: dict[Path, LabRecord] = {}
        self._devices: list[str] = []
        self._kept: list[KeptRecord] = []
        self.show_box, self.compare_box = CalmComboBox(self), CalmComboBox(self)
        self._tips: dict[QComboBox, str] = {
            self.show_box: "The record in the table and the plots",
            self.compare_box: "A second record: its points are hollow, its bandwidth a column of the table",
        }
        self._picked: dict[QComboBox, Entry] = {self.show_box: THIS, self.compare_box: NONE}
        self._line = FlowLayout(8, self)
        for title, box in (("Show", self.show_box), ("against", self.compare_box)):
            label = QLabel(title, self)
            label.setObjectName("muted")
            label.setBuddy(box)
            box.setAccessibleName("Show" if box is self.show_box else "Compare with")
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setItemDelegate(_Rows(box))
            box.activated.connect(lambda _, box=box: self._activated(box))
            pair = QWidget(self)
            row = QHBoxLayout(pair)
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(6)
            row.addWidget(label)
            row.addWidget(box)
            self._line.addWidget(pair)
        self.fill()

    def add(self, widget: QWidget) -> None:
        """After the boxes, as far as there is room."""
        self._line.addWidget(widget)

    def set_kept(self, records: Sequence[KeptRecord]) -> None:
        self._kept = list(records)
        self.fill()

    def set_devices(self, devices: Sequence[str]) -> None:
        """Devices that this session has measured on."""
        if list(devices) != self._devices:
            self._devices = list(devices)
            self.fill()

    def show_this(self) -> None:
        """Show what this machine is measuring."""
        self._pick(self.show_box, THIS)

    @property
    def shown(self) -> LabRecord | str:
        """The record to show, or the name of a device of this session; an empty name: the last one."""
        return self._get(self.show_box) or ""

    @property
    def compared(self) -> LabRecord | str | None:
        return self._get(self.compare_box)

    def open(self, path: Path, box: QComboBox) -> None:
        """Read a record on another thread and pick it in ``box``."""

        def read(record: LabRecord) -> None:
            self._loaded[path] = record
            if all(path != known.path for known in self._kept):
                self._kept.append(kept(record, path))
                self.fill()
            self._pick(box, path)

        def failed(error: BaseException) -> None:
            self.fill()
            self.failed.emit(str(error) if isinstance(error, WorkbenchError) else f"{path.name}: {error}")

        self._background.submit("imports", lambda: self._load(path), read, failed)

    def _get(self, box: QComboBox) -> LabRecord | str | None:
        picked = self._picked[box]
        if isinstance(picked, Path):
            return self._loaded[picked]
        return {THIS: "", NONE: None}.get(picked, picked)

    def _activated(self, box: QComboBox) -> None:
        entry: Entry = box.currentData(Qt.ItemDataRole.UserRole)
        if entry == FILE:
            name, _ = QFileDialog.getOpenFileName(self, "Open a record", str(Path.home()), "Records (*.json)")
            if not name:
                self.fill()
                return
            entry = Path(name)
        if isinstance(entry, Path) and entry not in self._loaded:
            self.open(entry, box)
        else:
            self._pick(box, entry)

    def _pick(self, box: QComboBox, entry: Entry) -> None:
        different = self._picked[box] != entry
        self._picked[box] = entry
        self.fill()
        if different:
            self.changed.emit()

    def fill(self) -> None:
        """Anew, as when there are other titles."""
        for box in (self.show_box, self.compare_box):
            box.blockSignals(True)
            box.clear()
            if box is self.compare_box:
                box.addItem("Nothing", NONE)
            else:
                box.addItem("This machine", THIS)
            if len(self._devices) > 1 or box is self.compare_box:
                for device in self._devices:
                    box.addItem(f"This machine: {device}", device)
            for record in self._kept:
                box.addItem(record.title, record.path)
                titles = [title for each in record.measured if (title := self._title_of(each))]
                box.setItemData(box.count() - 1, _named(titles), HOLDS)
                tip = "\n".join([*titles, str(record.path)])
                box.setItemData(box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
            box.addItem("Open a record…", FILE)
            places = [place for place in range(box.count()) if box.itemData(place) == self._picked[box]]
            box.setCurrentIndex(places[0] if places else 0)
            box.view().setMinimumWidth(box.view().sizeHintForColumn(0) + POPUP_MARGIN)
            self._tell(box)
            box.blockSignals(False)

    def _tell(self, box: QComboBox) -> None:
        """What the box is for, and what the record that was picked in it holds."""
        holds = box.currentData(Qt.ItemDataRole.ToolTipRole)
        box.setToolTip(f"{self._tips[box]}\n\n{holds}" if holds else self._tips[box])


def _named(titles: Sequence[str]) -> str:
    """``Whole discharges, Butler-Volmer kinetics and 3 more``"""
    more = len(titles) - NAMED
    return ", ".join(titles[:NAMED]) + (f" and {more} more" if more > 0 else "")
