"""Which record is shown and which it is compared with: this session's, kept ones, a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QLabel, QWidget

from engines.api.errors import WorkbenchError
from ui.forms.fields.scalars import CalmComboBox
from ui.widgets.background import Background
from workbench.bench.records import LabRecord, device_text

THIS, NONE, FILE = "this", "none", "file"
Entry = str | Path


class RecordChoice(QWidget):
    """Two boxes. ``changed`` when either record is another; ``failed`` with a sentence when a file is no record."""

    changed = Signal()
    failed = Signal(str)

    def __init__(self, load: Callable[[Path], LabRecord], background: Background, parent: QWidget) -> None:
        super().__init__(parent)
        self._load = load
        self._background = background
        self._loaded: dict[Path, LabRecord] = {}
        self._devices: list[str] = []
        self._kept: list[tuple[str, Path]] = []
        self.show_box, self.compare_box = CalmComboBox(self), CalmComboBox(self)
        self.show_box.setToolTip("The record in the table and the plots")
        self.compare_box.setToolTip("A second record: its points are hollow, its bandwidth a column of the table")
        self._picked: dict[QComboBox, Entry] = {self.show_box: THIS, self.compare_box: NONE}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for title, box in (("Show", self.show_box), ("Compare with", self.compare_box)):
            label = QLabel(title, self)
            label.setObjectName("muted")
            label.setBuddy(box)
            box.setAccessibleName(title)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(21)  # a device and a date
            box.activated.connect(lambda _, box=box: self._activated(box))
            layout.addWidget(label)
            layout.addWidget(box)
        self._fill()

    def set_kept(self, kept: Sequence[tuple[str, Path]]) -> None:
        self._kept = list(kept)
        self._fill()

    def set_devices(self, devices: Sequence[str]) -> None:
        """Devices that this session has measured on."""
        if list(devices) != self._devices:
            self._devices = list(devices)
            self._fill()

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
            if all(path != known for _, known in self._kept):
                self._kept.append((device_text(record.machine), path))
                self._fill()
            self._pick(box, path)

        def failed(error: BaseException) -> None:
            self._fill()
            self.failed.emit(str(error) if isinstance(error, WorkbenchError) else f"{path.name}: {error}")

        self._background.submit("files", lambda: self._load(path), read, failed)

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
                self._fill()
                return
            entry = Path(name)
        if isinstance(entry, Path) and entry not in self._loaded:
            self.open(entry, box)
        else:
            self._pick(box, entry)

    def _pick(self, box: QComboBox, entry: Entry) -> None:
        different = self._picked[box] != entry
        self._picked[box] = entry
        self._fill()
        if different:
            self.changed.emit()

    def _fill(self) -> None:
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
            for title, path in self._kept:
                box.addItem(title, path)
                box.setItemData(box.count() - 1, str(path), Qt.ItemDataRole.ToolTipRole)
            box.addItem("Open a record…", FILE)
            places = [place for place in range(box.count()) if box.itemData(place) == self._picked[box]]
            box.setCurrentIndex(places[0] if places else 0)
            box.blockSignals(False)
