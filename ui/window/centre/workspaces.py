"""The switch between the workspaces: Simulate and the Kernel Lab."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMainWindow, QSizePolicy, QStackedWidget, QTabBar, QWidget

SIMULATE, LAB = 0, 1


class Workspaces(QObject):
    """Tabs, pages and keys."""

    changed = Signal(int)
    asked = Signal(int)
    """A tab was clicked or its key pressed, whether or not its page is shown already."""

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
        self.tabs.tabBarClicked.connect(self.asked)

    def add(self, title: str, page: QWidget) -> None:
        place = self.pages.addWidget(page)
        self._pages.append(page)
        self.tabs.addTab(title)
        action = QAction(title, self)
        action.setShortcut(f"Ctrl+{place + 1}")
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda: self._ask(place))
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
        """These actions and their keys are off where no problem is shown."""
        for action in actions:
            self._simulation.addAction(action)

    def enable_simulation(self, on: bool) -> None:
        """A problem is shown, or the gallery or the Lab."""
        self._simulation.setEnabled(on)

    @property
    def place(self) -> int:
        return self.tabs.currentIndex()

    def show(self, place: int) -> None:
        self.tabs.setCurrentIndex(place)

    def _ask(self, place: int) -> None:
        self.show(place)
        self.asked.emit(place)

    def _show(self, place: int) -> None:
        self._make_room(place)
        self.pages.setCurrentIndex(place)
        self.changed.emit(place)
