"""Line cuts connected with the window: while the switch is on, two clicks in the view make a line; all are drawn."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from engines.api import FieldInfo, SimulationInfo
from ui.charts.lines.dialog import LinesDialog
from ui.session.controller import Controller

Position = tuple[float, float, float]
FIRST = "Click where the line begins, or press Escape."
SECOND = "Click where the line ends."
HINTS = (FIRST, SECOND)


class LineCuts(QObject):
    """``action`` is the switch, ``edit_action`` opens the list of lines."""

    said = Signal(str)
    """What is to be done next; empty: nothing."""

    def __init__(self, controller: Controller, viewport: Any, window: QWidget) -> None:
        super().__init__(window)
        self._controller, self._model, self._viewport, self._window = controller, controller.model, viewport, window
        self._first: Position | None = None
        self.dialog: LinesDialog | None = None
        self.action = QAction("Line &cut", window)
        self.action.setToolTip("Chart the field along a line between two clicks (L)")
        self.action.setCheckable(True)
        self.action.toggled.connect(self._switched)
        self.edit_action = QAction("L&ines…", window)
        self.edit_action.setToolTip("The lines along which fields are charted: where they run, and of which field")
        self.edit_action.triggered.connect(lambda _=False: self.edit())
        for action in (self.action, self.edit_action):
            action.setEnabled(False)
            window.addAction(action)
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), window)
        self._escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._escape.setEnabled(False)
        self._escape.activated.connect(self.stop)
        controller.info_changed.connect(self._info_changed)
        self._model.opened.connect(self._draw)
        self._model.changed.connect(lambda path: self._draw() if path[0] == "lines" else None)

    @property
    def fields(self) -> tuple[FieldInfo, ...]:
        info = self._controller.info
        return () if info is None else info.fields

    @property
    def _unit(self) -> str:
        info = self._controller.info
        return "" if info is None else getattr(info.geometry, "length_unit", "")

    def takes(self, position: Position) -> bool:
        """A click in the view; False if it is not for a line."""
        if not self.action.isChecked():
            return False
        if self._first is None:
            self._first = position
            self._viewport.mark_measured([position])
            self.said.emit(SECOND)
        elif position != self._first:
            first = self._first
            self.stop()
            self.add(first, position)
        return True

    def stop(self) -> None:
        """No line is drawn any more."""
        self.action.setChecked(False)

    def add(self, start: Position, end: Position) -> None:
        """A line of the field that is shown."""
        taken = {line["name"] for line in self._model.draft["lines"]}
        name = next(f"line {n}" for n in range(1, len(taken) + 2) if f"line {n}" not in taken)
        shown, names = self._viewport.view_settings().field, [info.name for info in self.fields]
        ends = {key: [float(f"{x:.6g}") for x in place] for key, place in (("start", start), ("end", end))}
        line = {"name": name, "field": shown if shown in names else names[0], **ends}
        self._model.edit(("lines",), [*self._model.draft["lines"], line], "new line")

    def edit(self) -> None:
        """The list of lines, to be typed in."""
        if self.dialog is None:
            self.dialog = LinesDialog(self._model, self.fields, self._unit, self._across, self._window)
            self.dialog.finished.connect(self._closed)
        self.dialog.show()
        self.dialog.raise_()

    def _across(self) -> tuple[Position, Position]:
        """Through the middle, along the longest side."""
        info = self._controller.info
        assert info is not None
        low, high = ([float(x) for x in corner] for corner in info.geometry.bounds)
        middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
        axis = max(range(3), key=lambda d: high[d] - low[d])
        ends = []
        for corner in (low, high):
            place = list(middle)
            place[axis] = corner[axis]
            ends.append((place[0], place[1], place[2]))
        return ends[0], ends[1]

    def _closed(self) -> None:
        self.dialog = None

    def _switched(self, on: bool) -> None:
        self._first = None
        self._viewport.picking = on
        self._escape.setEnabled(on)
        self._viewport.mark_measured([])
        self.said.emit(FIRST if on else "")

    def _info_changed(self, info: SimulationInfo | None) -> None:
        for action in (self.action, self.edit_action):
            action.setEnabled(info is not None)
        if info is None:
            self.stop()
        if self.dialog is not None:  # while a run is being built there is nothing that a line could run through
            self.dialog.set_fields(info.fields if info is not None else ())
        self._draw()

    def _draw(self) -> None:
        document = self._model.document
        lines = [] if document is None else document.project.lines
        self._viewport.mark_lines([(line.start, line.end) for line in lines])
