"""Which page the window shows: the open problem, the gallery, two runs side by side, or the Kernel Lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QStackedWidget, QWidget

from ui.lab.workspace import LabWorkspace
from ui.session.running.phase import Phase
from ui.window.centre.workspaces import LAB, SIMULATE

if TYPE_CHECKING:
    from ui.window.main_window import MainWindow


class Pages(QObject):
    """Of a window; what works on a problem is off on pages without one."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.made_lab: LabWorkspace | None = None
        """The Kernel Lab, once somebody was there."""
        self.lab_page = QStackedWidget(window)

    def connect_all(self) -> None:
        window = self._window
        window.workspaces.changed.connect(self._workspace_changed)
        window.workspaces.asked.connect(lambda place: self.show_workspace() if place == SIMULATE else None)
        window.welcome.back_asked.connect(self.show_workspace)

    def show_gallery(self) -> None:
        """Whole; a run goes on meanwhile."""
        window = self._window
        window.document_display.stay()
        window.unsaved.refresh()
        self.show_page(window.welcome)
        window.welcome.gallery.search.selectAll()
        window.welcome.gallery.setFocus()

    def show_recent(self) -> None:
        """Recent files, in the gallery and in the menu."""
        files = list(self._window.services.recent())
        self._window.welcome.recent.set_files(files)
        self._window.recent_menu.set_files(files)

    def show_workspace(self) -> None:
        """The open problem, if there is one."""
        if self._window.model.document is not None:
            self.show_page(self._window.viewport)
            self._window.viewport.setFocus()

    def show_page(self, page: QWidget) -> None:
        """One of the stack."""
        self._window.stack.setCurrentWidget(page)
        self._window.workspaces.show(SIMULATE)
        self.show_what_works()

    def _workspace_changed(self, place: int) -> None:
        if place == LAB:
            if self._window.model.document is not None:
                self._window.stack.setCurrentWidget(self._window.viewport)  # the way back is not to the gallery
            self.lab.setFocus()
        self.show_what_works()

    def show_what_works(self) -> None:
        """Docks, and what runs and paints, are of the problem: other pages and the Lab are without them."""
        window = self._window
        simulating = window.workspaces.place == SIMULATE
        shown = simulating and window.stack.currentWidget() is window.viewport
        window.workspaces.enable_simulation(shown)
        window.dock_layout.set_bare(not shown)
        if not shown:
            window.banner.withdraw()  # an answer would run it unseen
            window.charts.lines.stop()
        window.actions_["back"].setEnabled(simulating and not shown and window.model.document is not None)

    @property
    def lab(self) -> LabWorkspace:
        """The Kernel Lab, made when somebody first goes there: with its plots it takes as long as the whole window."""
        if self.made_lab is None:
            window = self._window
            self.made_lab = LabWorkspace(window.services, window.background)
            self.made_lab.starting.connect(self._lab_starting)
            self.made_lab.empty.guide_asked.connect(window.help.begin_measuring)
            self.lab_page.addWidget(self.made_lab)
        return self.made_lab

    @property
    def lab_is_measuring(self) -> bool:
        return self.made_lab is not None and self.made_lab.measuring.running

    def _lab_starting(self) -> None:
        """A run takes bandwidth from what the Lab measures."""
        if self._window.controller.phase is Phase.RUNNING:
            self._window.controller.pause()
            self.lab.banner.say("The simulation is paused while the Lab measures.", "info")
