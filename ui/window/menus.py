"""The menus whose entries are data: recent files, and choices of which one is checked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from engines.api import Engine
from ui.window.help.tours.steps import Tour
from workbench.storage.recent import RecentFile


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


class TourMenu(QMenu):
    """The tours, by title."""

    chosen = Signal(object)

    def __init__(self, tours: Sequence[Tour], parent: QWidget | None = None) -> None:
        super().__init__("&Tours of three minutes", parent)
        for tour in tours:
            self.addAction(tour.title).triggered.connect(lambda _=False, tour=tour: self.chosen.emit(tour))


class NewMenu(QMenu):
    """The engines that a project can be begun with out of nothing."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("&New", parent)

    def set_engines(self, engines: Sequence[Engine]) -> None:
        """Those that make their own geometry stand in the menu; without any there is no menu."""
        self.clear()
        for engine in engines:
            if engine.geometry_type is None:
                action = self.addAction(engine.title)
                action.setToolTip(engine.summary)
                action.triggered.connect(partial(self._choose, engine))
        self.setToolTipsVisible(True)
        self.menuAction().setVisible(not self.isEmpty())

    def _choose(self, engine: Engine, _checked: bool = False) -> None:
        self.chosen.emit(engine)


class ChoiceMenu(QMenu):
    """Some choices, one of them checked: the devices of this machine, units of length."""

    chosen = Signal(str)

    def __init__(self, title: str, checked: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._group = QActionGroup(self)
        self._group.triggered.connect(lambda action: self.chosen.emit(action.data()))
        self._checked = checked

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """``choices``: (value, title) in the order in which they stand, in the place of those before."""
        self.clear()
        for name, title in choices:
            action = QAction(title, self)
            action.setCheckable(True)
            action.setData(name)
            self._group.addAction(action)
            self.addAction(action)
        self.set_checked(self._checked)

    def set_checked(self, name: str) -> None:
        self._checked = name
        for action in self.actions():
            action.setChecked(action.data() == name)
