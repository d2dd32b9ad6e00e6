"""Measuring between two points: while the switch is on, clicks choose them; a panel says what is known of both."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from engines.api import SimulationInfo
from ui.charts.inspection import InspectionPanel
from ui.session.controller import Controller
from ui.window.layout import DockLayout
from workbench.run.frames import Frame

Position = tuple[float, float, float]
HINT = "Click a point in the 3D view to measure there, and a second one to measure between them."
OFF = "Choose Measure (M), then click one point in the 3D view, or two."
SECOND = "Click the second point."
NOTHING = "Nothing can be measured at points of this problem."


class Measuring(QObject):
    """``action`` is the switch, ``panel`` shows what the run says of the two elements."""

    def __init__(self, controller: Controller, viewport: Any, window: QWidget) -> None:
        super().__init__(window)
        self._controller, self._viewport = controller, viewport
        self._picks: list[tuple[int, Position]] = []
        self._layout: DockLayout | None = None
        self.panel = InspectionPanel(hint=OFF, follows=False)
        self.action = QAction("&Measure", window)
        self.action.setToolTip("Measure between two points (M)")
        self.action.setCheckable(True)
        self.action.setEnabled(False)
        self.action.toggled.connect(self._switched)
        window.addAction(self.action)

    def connect_with(self, layout: DockLayout) -> None:
        self._layout = layout
        self._controller.info_changed.connect(self._info_changed)
        self._controller.frame_arrived.connect(self._show_frame)
        self._controller.model.opened.connect(self.forget)
        self.panel.closed.connect(lambda: self.action.setChecked(False))
        layout.docks["measurement"].visibilityChanged.connect(self.panel.set_in_front)

    def takes(self, element: int, position: Position) -> bool:
        """A click in the view; False if it is not for measuring."""
        if not self.action.isChecked():
            return False
        picks = [] if len(self._picks) == 2 else self._picks
        self._choose([*picks, (element, position)])
        self._show_dock(True)
        return True

    def forget(self) -> None:
        """No points are chosen."""
        self._choose([])

    def _choose(self, picks: list[tuple[int, Position]]) -> None:
        self._picks = picks
        self._viewport.mark_measured([position for _, position in picks])
        self._controller.viewers.measure((picks[0][0], picks[-1][0]) if picks else None)
        self._tell_next(SECOND if len(picks) == 1 else HINT if self.action.isChecked() else OFF)

    def _tell_next(self, hint: str) -> None:
        self.panel.set_hint(hint)
        self.panel.show_inspection(None)

    def _switched(self, on: bool) -> None:
        self.forget()
        self._show_dock(on)

    def _show_dock(self, shown: bool) -> None:
        """In front of those that it shares its place with; without it what lies behind it comes to the front again."""
        if self._layout is not None:
            dock = self._layout.docks["measurement"]
            dock.setVisible(shown)
            if shown:
                dock.raise_()

    def _info_changed(self, info: SimulationInfo | None) -> None:
        self.panel.show_inspection(None)
        self.action.setEnabled(info is not None and info.measures)
        if info is not None and not info.measures:
            self.action.setChecked(False)
            self._tell_next(NOTHING)
        elif info is not None:
            self._choose(self._picks)  # built anew on the same geometry: they are the same elements

    def _show_frame(self, frame: Frame) -> None:
        told = frame.measurement if self._picks else None
        if told is not None and len(self._picks) == 1:
            told = replace(told, title=SECOND if told.facts else f"{told.title} {SECOND}")
        self.panel.show_inspection(told)
