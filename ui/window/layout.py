"""Where the docks stand: the first layout, saving and restoring, and the bare page of the gallery."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings, QSize, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget
from shiboken6 import isValid

from engines.backend.cache_dir import sealed, unsealed
from ui.widgets.parts import bring_within, resize_within

VERSION = 2
LAYOUT, TRIED = "layout", "layout tried"
NARROW = 1366
"""Pixels of a window's width below which the docks at the right begin closed."""
AT_RIGHT = ("meters", "probes", "inspection", "measurement")
TABBED = ("probes", "log")
"""Docks with a title bar, which they have no need of while a tab says it."""
FIRST_SIZE = QSize(1600, 1000)
FRAMED_MILLISECONDS = 200
"""After the window is shown, until the desktop has drawn a frame around it."""
LEFT_WIDTH, RIGHT_WIDTH, TIMELINE = 360, 320, 64
Areas = Qt.DockWidgetArea


class DockLayout:
    """Docks of a window by name. On the gallery page they are hidden; the person's layout comes back after."""

    def __init__(self, window: QMainWindow, settings: QSettings) -> None:
        self._window = window
        self._settings = settings
        self.docks: dict[str, QDockWidget] = {}
        self._working: QByteArray | None = None
        self._untried = False  # it is of a file, and not of this window
        self._bare = False
        self._has_charts = True  # until a run has none: their room is kept from the beginning, so that nothing moves
        self._first = False
        """Whether its size is none that somebody has chosen."""
        self._narrow = False
        self._folded: list[str] = []
        """What gave its room to the view when the window became narrow."""
        window.setDockNestingEnabled(True)
        window.setTabPosition(Areas.AllDockWidgetAreas, window.tabPosition(Areas.TopDockWidgetArea).North)
        for corner, area in (
            (Qt.Corner.BottomLeftCorner, Areas.LeftDockWidgetArea),
            (Qt.Corner.BottomRightCorner, Areas.RightDockWidgetArea),
        ):
            window.setCorner(corner, area)

    def add(self, name: str, title: str, widget: QWidget, area: Qt.DockWidgetArea, bare_title: bool) -> None:
        """``bare_title``: no title bar, since a tab carries the title or none is needed."""
        dock = QDockWidget(title, self._window)
        dock.setObjectName(name)
        dock.setWidget(widget)
        if bare_title:
            dock.setTitleBarWidget(QWidget(dock))
        if name == "timeline":
            dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
            dock.setMaximumHeight(max(TIMELINE, widget.sizeHint().height()))  # where it is alone below, too
        else:
            dock.visibilityChanged.connect(lambda _: self._name_once())
        self._window.addDockWidget(area, dock)
        self.docks[name] = dock

    def _name_once(self) -> None:
        """A dock that shares its place with others is named by its tab alone."""
        for name in TABBED if isValid(self._window) else ():  # docks go with it, as where a display is lost
            dock = self.docks.get(name)
            if dock is None:
                continue
            shared = any(not other.isHidden() for other in self._window.tabifiedDockWidgets(dock))
            if shared and dock.titleBarWidget() is None:
                dock.setTitleBarWidget(QWidget(dock))
            elif not shared and (bare := dock.titleBarWidget()) is not None:
                dock.setTitleBarWidget(None)  # type: ignore[arg-type]  # the bar that Qt draws
                bare.deleteLater()

    def first_layout(self) -> None:
        """Problem and view left, meters and probes right, timeline, charts and log below."""
        for dock in self.docks.values():  # out first: Qt leaves the tabs of docks that are added where they are
            dock.setFloating(False)  # before: one that is out of the window has no place to go to
            self._window.removeDockWidget(dock)
        order = {
            Areas.LeftDockWidgetArea: ("problem", "view"),
            Areas.RightDockWidgetArea: AT_RIGHT,
            Areas.BottomDockWidgetArea: ("timeline", "charts", "log"),
        }
        for area, names in order.items():
            for name in names:
                self._window.addDockWidget(area, self.docks[name])
                self.docks[name].show()
        for name in ("inspection", "measurement"):
            self.docks[name].hide()  # until there is something to look at
        self._window.tabifyDockWidget(self.docks["problem"], self.docks["view"])
        self._window.splitDockWidget(self.docks["meters"], self.docks["probes"], Qt.Orientation.Vertical)
        self._window.tabifyDockWidget(self.docks["probes"], self.docks["inspection"])
        self._window.tabifyDockWidget(self.docks["inspection"], self.docks["measurement"])
        self._window.splitDockWidget(self.docks["timeline"], self.docks["charts"], Qt.Orientation.Vertical)
        self._window.tabifyDockWidget(self.docks["charts"], self.docks["log"])
        self.docks["problem"].raise_()
        height = self._window.height()
        self.docks["charts"].setVisible(self._has_charts)
        self.docks["log"].setVisible(height >= 860)
        if self._has_charts:
            self.docks["charts"].raise_()
        horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        sides = [self.docks["problem"], self.docks["meters"]]
        self._window.resizeDocks(sides, [LEFT_WIDTH, RIGHT_WIDTH], horizontal)
        self._window.resizeDocks(
            [self.docks["meters"], self.docks["probes"]],
            [max(380, min(500, height - 400)), max(240, height - 600)],
            vertical,
        )
        self._fit_bottom()
        self._narrow, self._folded = False, []
        self.fit_sides()

    def fit_sides(self) -> None:
        """In a window that became narrow the view has the room of the docks at the right; a wide one has them back."""
        narrow = self._window.width() < NARROW
        if self._bare or narrow == self._narrow:
            return
        self._narrow = narrow
        if narrow:
            self._folded = [name for name in AT_RIGHT if not self.docks[name].isHidden()]
        for name in self._folded:
            self.docks[name].setVisible(not narrow)

    def set_charts(self, there_are_some: bool) -> None:
        """Without charts the room of their panel is the view's; when there are some again it comes back."""
        if there_are_some == self._has_charts:
            return
        self._has_charts = there_are_some
        if not self._bare:
            self._show_charts()

    def wish_charts(self, shown: bool) -> None:
        """The person opened the charts' panel, or closed it."""
        self._settings.setValue("charts/open", shown)

    def _show_charts(self) -> None:
        wished = bool(self._settings.value("charts/open", True, type=bool))
        self.docks["charts"].setVisible(self._has_charts and wished)
        if not self.docks["charts"].isHidden():
            self.docks["charts"].raise_()
        self._fit_bottom()

    def _fit_bottom(self) -> None:
        charts = not self.docks["charts"].isHidden()
        below = max(190, min(270, self._window.height() // 4)) if charts else 110
        name = "charts" if charts else "log"
        self._window.resizeDocks([self.docks["timeline"], self.docks[name]], [TIMELINE, below], Qt.Orientation.Vertical)

    def set_bare(self, bare: bool) -> None:
        """Hide all docks (the gallery page), or bring them back as they were."""
        if bare == self._bare:
            return
        if bare:
            self._working = self._window.saveState(VERSION)
            self._bare = True
            for dock in self.docks.values():
                dock.hide()
        else:
            self._bare = False
            if self._working is None or not self._restored(self._working):
                self.first_layout()
            self._show_charts()
            self.fit_sides()
            if (layout := self._window.layout()) is not None:
                layout.activate()  # at once: else the docks are seen on their way for a moment

    def _restored(self, layout: QByteArray) -> bool:
        """Qt ends the process over some layouts that are damaged: one that did so is not tried again, and one that is
        not as it was written is not tried at all."""
        if not self._untried:
            return self._window.restoreState(layout, VERSION)
        self._untried = False
        tried = self._settings.contains(TRIED)
        self._settings.setValue(TRIED, True)
        self._settings.sync()
        restored = not tried and self._window.restoreState(layout, VERSION)
        self._settings.remove(TRIED)
        return restored

    def save(self) -> None:
        state = self._working if self._bare else self._window.saveState(VERSION)
        if state is not None:
            self._settings.setValue(LAYOUT, QByteArray(sealed(bytes(state.data()))))
            self._settings.setValue("folded", ",".join(self._folded))
        self._settings.setValue("geometry", self._window.saveGeometry())

    def show_whole(self) -> None:
        """With its frame, whose size is known once the window is shown; where somebody has put it before it stays."""
        if self._first:
            self._first = False
            QTimer.singleShot(FRAMED_MILLISECONDS, self._window, self._bring_within)

    def _bring_within(self) -> None:
        bring_within(self._window, self._window.screen().availableGeometry())

    def restore(self) -> None:
        """The size and the docks of the last time, or what fits this screen."""
        geometry = self._settings.value("geometry")
        if not (isinstance(geometry, QByteArray) and self._window.restoreGeometry(geometry)):
            resize_within(self._window, FIRST_SIZE)
            self._first = True
        layout = self._settings.value(LAYOUT)
        self._bare = True
        for dock in self.docks.values():
            dock.hide()
        whole = unsealed(bytes(layout.data())) if isinstance(layout, QByteArray) else None
        self._working = None if whole is None else QByteArray(whole)
        self._untried = self._working is not None
        self._folded = [name for name in str(self._settings.value("folded", "")).split(",") if name in AT_RIGHT]
        self._narrow = bool(self._folded)
