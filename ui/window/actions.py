"""Menus and the toolbar: every action of the window with its text, shortcut and icon."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar, QWidget
from shiboken6 import isValid

from ui.widgets.freeing import connect_once
from ui.widgets.icons import dress

EXPORTS = ("snapshot", "movie", "results", "mesh", "parameters", "timing_log", "traces")
Shortcut = QKeySequence.StandardKey | str | None


class Actions:
    """All actions by name; the window connects what they do."""

    def __init__(self, window: QMainWindow) -> None:
        self._window = window
        self.by_name: dict[str, QAction] = {}
        keys = QKeySequence.StandardKey
        for name, text, shortcut, icon in (
            ("gallery", "&Gallery", "Ctrl+G", "gallery"),
            ("back", "&Back to the problem", "Esc", "back"),
            ("open", "&Open…", keys.Open, "open"),
            ("open_folder", "Open project &folder…", "Ctrl+Shift+O", None),
            ("save", "&Save", keys.Save, "save"),
            ("save_as", "Save &as…", "Ctrl+Shift+S", None),
            ("snapshot", "&Snapshot…", "Ctrl+E", "camera"),
            ("movie", "Mo&vie…", None, None),
            ("results", "&Results…", None, "export"),
            ("mesh", "&Mesh…", None, None),
            ("parameters", "&Parameters…", None, None),
            ("timing_log", "&Timing log…", None, None),
            ("traces", "Traces as &CSV…", None, None),
            ("copy_as_python", "&Copy as Python", None, None),
            ("open_copied", "&Open copied script", None, None),
            ("rename", "Re&name", "F2", None),
            ("preferences", "&Preferences…", "Ctrl+,", None),
            ("quit", "&Quit", "Ctrl+Q", None),
            ("run", "&Run or pause", "Space", "play"),
            ("step", "&Step", ".", "step"),
            ("reset", "Rese&t", "Ctrl+R", "reset"),
            ("rewind", "Re&wind to the last checkpoint", "Ctrl+Shift+R", None),
            ("where", "C&ompute elsewhere…", None, None),
            ("sweep", "&Parameter sweep…", "Ctrl+Shift+P", None),
            ("converge", "Study of con&vergence…", None, None),
            ("theme", "&Dark or light theme", "Ctrl+T", "theme"),
            ("layout", "&Reset the layout", None, None),
            ("fit", "Show &all", "Ctrl+0", "fit"),
            ("outlines", "&Outlines", "O", "eye"),
            ("brush", "&Brush", "B", "brush"),
            ("help", "&Help on this field", "F1", None),
            ("manual", "&Manual", "Ctrl+F1", None),
            ("palette", "&Command palette…", "Ctrl+P", None),
            ("shortcuts", "&Keyboard and mouse", None, None),
            ("about", "&About Workbench", None, None),
        ):
            self._add(name, text, shortcut, icon)
        self["about"].setMenuRole(QAction.MenuRole.AboutRole)
        self["preferences"].setMenuRole(QAction.MenuRole.PreferencesRole)
        self["quit"].setMenuRole(QAction.MenuRole.QuitRole)

    def __getitem__(self, name: str) -> QAction:
        return self.by_name[name]

    def connect(self, **calls: Callable[[], object]) -> None:
        for name, call in calls.items():
            self[name].triggered.connect(lambda _=False, call=call: call())

    def adopt(self, name: str, action: QAction, shortcut: Shortcut, icon: str) -> None:
        """Take in an action that something else made (undo, redo). A switch whose key is held down switches once."""
        action.setShortcut(QKeySequence(shortcut) if shortcut is not None else QKeySequence())
        action.setAutoRepeat(not action.isCheckable())
        dress(action, icon)
        if name in ("undo", "redo"):  # whose text says what, and changes
            action.changed.connect(lambda: _tell_keys(action))
            _tell_keys(action)
        self.by_name[name] = action

    def build_menus(
        self,
        new: QMenu,
        recent: QMenu,
        units: QMenu,
        devices: QMenu,
        workspaces: list[QAction],
        docks: list[QAction],
        tools: QMenu,
        tours: QMenu,
    ) -> None:
        bar = self._window.menuBar()
        file = bar.addMenu("&File")
        file.addMenu(new)
        file.addActions([self["gallery"], self["back"], self["open"], self["open_folder"]])
        file.addMenu(recent)
        file.addMenu(units)
        file.addSeparator()
        file.addActions([self["save"], self["save_as"]])
        export = file.addMenu("&Export")
        export.addActions([self[name] for name in EXPORTS])
        file.addSeparator()
        file.addAction(self["quit"])
        edit = bar.addMenu("&Edit")
        edit.addActions([self["undo"], self["redo"]])
        edit.addSeparator()
        edit.addActions([self["rename"], self["copy_as_python"], self["open_copied"]])
        edit.addSeparator()
        edit.addAction(self["preferences"])
        run = bar.addMenu("&Run")
        run.addActions([self["run"], self["step"], self["rewind"], self["reset"]])
        run.addSeparator()
        run.addActions([self["sweep"], self["converge"], self["runs"], self["compare"]])
        run.addSeparator()
        run.addMenu(devices)
        run.addAction(self["where"])
        bar.addMenu(tools)
        view = bar.addMenu("&View")
        view.addActions(workspaces)
        view.addSeparator()
        view.addActions(
            [self[name] for name in ("fit", "outlines", "brush", "measure", "line", "lines", "network", "theme")]
        )
        view.addSeparator()
        view.addActions(docks)
        view.addSeparator()
        view.addAction(self["layout"])
        help = bar.addMenu("&Help")
        help.addMenu(tours)
        help.addActions([self[name] for name in ("manual", "help", "palette", "shortcuts", "about")])

    def build_toolbar(self, at_left: list[QWidget], at_right: list[QAction]) -> QToolBar:
        bar = QToolBar("Toolbar", self._window)
        bar.setObjectName("toolbar")
        bar.setMovable(False)
        for widget in at_left:
            bar.addWidget(widget)
            bar.addSeparator()
        show = ("fit", "brush", "measure", "line", "snapshot")
        for group in (("gallery", "open", "save"), ("undo", "redo"), ("run", "step", "reset"), show):
            for name in group:
                bar.addAction(self[name])
            bar.addSeparator()
        spacer = QWidget(bar)
        spacer.setSizePolicy(spacer.sizePolicy().Policy.Expanding, spacer.sizePolicy().Policy.Preferred)
        bar.addWidget(spacer)
        bar.addActions([*at_right, self["theme"]])
        for action in bar.actions():
            connect_once(bar.widgetForAction(action), action)
        self._window.addToolBar(bar)
        return bar

    def _add(self, name: str, text: str, shortcut: Shortcut, icon: str | None) -> None:
        action = QAction(text, self._window)
        if shortcut is not None:
            action.setShortcut(QKeySequence(shortcut))
        _tell_keys(action)
        action.setAutoRepeat(name == "step")
        if icon is not None:
            dress(action, icon)
        self.by_name[name] = action
        self._window.addAction(action)


def _tell_keys(action: QAction) -> None:
    """Where the mouse rests on it: what it does, and its keys."""
    if not isValid(action):  # it changes once more while it goes
        return
    plain = action.text().replace("&", "").rstrip("…")
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    action.setToolTip(f"{plain} ({keys})" if keys else plain)


def one_of_many(*switches: QAction) -> None:
    """Switches for what the left button does: taking one lets go of the others."""

    def taken(one: QAction) -> None:
        for other in switches:
            if other is not one:
                other.setChecked(False)

    for switch in switches:
        switch.toggled.connect(lambda on, switch=switch: taken(switch) if on else None)
