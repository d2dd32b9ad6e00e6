"""The charts and the element that is looked into, connected with the rest of the window."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, QSettings
from PySide6.QtWidgets import QWidget

from engines.api import SimulationInfo
from ui.charts.inspection import InspectionPanel
from ui.charts.large import LargeChart
from ui.charts.lines.area import LineCuts
from ui.charts.overlay import Overlay
from ui.charts.panel import ChartsPanel
from ui.charts.runs.area import RunsArea
from ui.panels.probes.panel import ProbesPanel
from ui.session.controller import Controller
from ui.session.files import FileActions
from ui.window.layout import DockLayout
from ui.window.measuring import Measuring
from workbench.run.frames import Frame, Message

Position = tuple[float, float, float]


class ChartsArea(QObject):
    """Makes the two panels; :meth:`connect` when the rest is there."""

    def __init__(
        self, controller: Controller, viewport: Any, probes: ProbesPanel, settings: QSettings, window: QWidget
    ) -> None:
        super().__init__(window)
        self._controller = controller
        self._viewport = viewport
        self._probes = probes
        self._inspected: tuple[int, Position] | None = None
        self._geometry: Any = None
        self._layout: DockLayout | None = None
        self.panel = ChartsPanel(controller.model, probes.store, settings)
        self.large = LargeChart(viewport)
        self.runs = RunsArea(controller, self.panel, window)
        self.panel.enlarged.connect(self.large.take)
        self.large.left.connect(lambda: self.panel.enlarge(""))
        self.inspection = InspectionPanel()
        self._measuring = Measuring(controller, viewport, window)
        self.measurement = self._measuring.panel
        self.measure = self._measuring.action
        self.lines = LineCuts(controller, viewport, window)
        self.panel.buttons.lines.menu().addActions((self.lines.action, self.lines.edit_action))
        self.overlay = Overlay(self.panel, controller.model, controller.background, window)

    def connect_with(self, files: FileActions, layout: DockLayout) -> None:
        self._layout = layout
        controller = self._controller
        self._measuring.connect_with(layout)
        controller.info_changed.connect(self._info_changed)
        controller.frame_arrived.connect(self._show_frame)
        controller.restarted.connect(self.panel.clear)
        self._viewport.picked.connect(self._picked)
        self._viewport.followed.connect(lambda element, position: self._probe(position))
        self.panel.wanted.connect(controller.viewers.watch_charts)
        self.overlay.problem.connect(controller.problem)
        self.overlay.doubt.connect(lambda sentence: controller.message.emit(Message(sentence, "warning")))
        self.overlay.doubt.connect(controller.hint)
        controller.model.opened.connect(self._look_at_nothing)
        self.inspection.closed.connect(self._look_at_nothing)
        self.inspection.follow_asked.connect(self._follow)
        for panel in (self.panel, self.inspection, self.measurement):
            panel.save_asked.connect(files.export_chart)
        layout.docks["charts"].visibilityChanged.connect(self.panel.set_in_front)
        layout.docks["inspection"].visibilityChanged.connect(self.inspection.set_in_front)
        layout.docks["charts"].toggleViewAction().triggered.connect(layout.wish_charts)

    def bring(self, name: str) -> None:
        """Have a chart of this run, or of the next that has it, in front of everybody; empty: none."""
        if name:
            assert self._layout is not None
            self.panel.bring(name)
            self._layout.docks["charts"].show()
            self._layout.docks["charts"].raise_()

    def _info_changed(self, info: SimulationInfo | None) -> None:
        assert self._layout is not None
        self.inspection.show_inspection(None)
        if info is not None and info.inspects and self._inspected is not None:
            self._inspect(*self._inspected)  # built anew on the same geometry: it is the same element
        elif info is not None:
            self._look_at_nothing()
        self._probes.list.set_hint(with_ctrl=info is not None and info.inspects)
        self.panel.set_info(info)
        if info is not None:
            self._layout.set_charts(bool(self.panel.charts))

    def show_geometry(self, geometry: Any) -> None:
        """What the elements are of now; those of another geometry are other elements."""
        if geometry is not self._geometry:
            self._geometry = geometry
            self._measuring.forget()
            self._look_at_nothing()

    def _show_frame(self, frame: Frame) -> None:
        self.panel.show_frame(frame)
        if self._inspected is not None:
            self.inspection.show_inspection(frame.inspection)

    def _picked(self, element: int, position: Position) -> None:
        """A click looks into the element where more is known of it than its fields; else it places a probe."""
        info = self._controller.info
        if self.lines.takes(position) or self._measuring.takes(element, position):
            return
        if info is None or not info.inspects:
            self._probe(position)
            return
        self._inspect(element, position)
        assert self._layout is not None
        self._layout.docks["inspection"].show()
        self._layout.docks["inspection"].raise_()

    def _inspect(self, element: int, position: Position) -> None:
        self._inspected = (element, position)
        self._viewport.mark_inspected(position)
        self._controller.viewers.inspect(element)

    def _look_at_nothing(self) -> None:
        self._inspected = None
        self._viewport.mark_inspected(None)
        self._controller.viewers.inspect(None)
        self.inspection.show_inspection(None)

    def _follow(self) -> None:
        if self._inspected is not None:
            self._probe(self._inspected[1])

    def _probe(self, position: Position) -> None:
        """A probe, and its curve where it can be seen: a narrow window begins without its panel."""
        assert self._layout is not None
        self._probes.add(position)
        dock = self._layout.docks["probes"]
        if dock.isHidden():
            dock.show()
            dock.raise_()
