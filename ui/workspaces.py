"""The switch between the workspaces: Simulate and the Kernel Lab."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMainWindow, QSizePolicy, QStackedWidget, QTabBar, QWidget

SIMULATE, LAB = 0, 1


class Workspaces(QObject):
    """Tabs, pages and keys. Actions of the simulation can be triggered only while its workspace is shown."""

    changed = Signal(int)

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self.pages = QStackedWidget(window)
        self._pages: list[QWidget] = []
        self.tabs = QTabBar(window)
        self.tabs.setObjectName("workspaces")
        self.tabs.setDrawBase(False)
        self.tabs.setAccessibleName("Workspace")
        self._simulation = QActionGroup(self)
        self._simulation.setExclusionPolicy(QActionGroup.ExclusionPolicy.None_)
        self.actions_: list[QAction] = []
        self.tabs.currentChanged.connect(self._show)

    def add(self, title: str, page: QWidget) -> None:
        place = self.pages.addWidget(page)
        self._pages.append(page)
        self.tabs.addTab(title)
        action = QAction(title, self)
        action.setShortcut(f"Ctrl+{place + 1}")
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda: self.show(place))
        self.tabs.setTabToolTip(place, f"{title} (Ctrl+{place + 1})")
        self.actions_.append(action)
        self._make_room(self.place)

    def _make_room(self, place: int) -> None:
        """The page that is hidden takes no room from the one that is shown, or from its docks."""
        kinds = QSizePolicy.Policy
        for other, page in enumerate(self._pages):
            kind = kinds.Preferred if other == place else kinds.Ignored
            page.setSizePolicy(kind, kind)

    def keep_to_simulation(self, actions: Iterable[QAction]) -> None:
        """These actions and their keys are off in the Lab."""
        for action in actions:
            self._simulation.addAction(action)

    @property
    def place(self) -> int:
        return self.tabs.currentIndex()

    def show(self, place: int) -> None:
        self.tabs.setCurrentIndex(place)

    def _show(self, place: int) -> None:
        self._make_room(place)
        self.pages.setCurrentIndex(place)
        self._simulation.setEnabled(place == SIMULATE)
        self.changed.emit(place)
