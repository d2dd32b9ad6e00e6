"""The menus whose entries are found out: recent files and devices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from workbench.recent import RecentFile


class RecentMenu(QMenu):
    """The projects opened last."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Open &recent", parent)

    def set_files(self, files: Sequence[RecentFile]) -> None:
        self.clear()
        for file in files:
            action = self.addAction(f"{file.title}  ({file.path})")
            action.triggered.connect(partial(self._choose, Path(file.path)))
        self.setEnabled(bool(files))

    def _choose(self, path: Path, _checked: bool = False) -> None:
        self.chosen.emit(path)


class DeviceMenu(QMenu):
    """The devices of this machine, one of them checked."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("&Device", parent)
        self._group = QActionGroup(self)
        self._checked = "auto"

    def set_devices(self, devices: Sequence[tuple[str, str]]) -> None:
        for name, title in devices:
            action = QAction(title, self)
            action.setCheckable(True)
            action.setData(name)
            self._group.addAction(action)
            self.addAction(action)
        self._group.triggered.connect(lambda action: self.chosen.emit(action.data()))
        self.set_checked(self._checked)

    def set_checked(self, name: str) -> None:
        self._checked = name
        for action in self.actions():
            action.setChecked(action.data() == name)
