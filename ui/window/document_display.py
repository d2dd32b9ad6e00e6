"""What the window shows of the document that is open, and the edits that its findings and menus ask for."""

from __future__ import annotations

import time as clock
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from engines.api import Remedy
from engines.geometry.meshes.mesh import TetMesh
from ui.forms.validation import Path as ValuePath
from ui.widgets.theme import theme
from workbench.run.frames import Message

if TYPE_CHECKING:
    from ui.window.main_window import MainWindow


class DocumentDisplay(QObject):
    """Belongs to a window; :meth:`connect_all` when its panels are there."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.opened_at = 0.0
        """When a card was clicked: the second click of a double click must still meet it."""
        self._entering = QTimer(self, singleShot=True)
        self._entering.timeout.connect(window.pages.show_workspace)

    def connect_all(self) -> None:
        window = self._window
        window.model.opened.connect(self._opened)
        window.model.changed.connect(self._changed)
        window.unit_menu.chosen.connect(self._reopen_mesh)
        window.leaving.stayed.connect(self.check_choices)
        window.findings.mend_asked.connect(self._mend)
        theme().changed.connect(self.show_probes)

    def _opened(self) -> None:
        window = self._window
        document = window.model.document
        if document is None:
            self._show_title()
            window.pages.show_gallery()
            return
        window.banner.hide()  # what it says is of the document before
        window.findings.forget()
        window.estimates.show_findings()  # of its files; those of the estimate follow
        window.viewport.forget_picture()
        window.viewport.set_simulation(None)
        window.display.show_geometry(window.model.geometry)
        window.viewport.apply_view(document.project.view)
        window.view_panel.set_view(document.project.view)
        window.timeline.forget()
        window.timeline.set_unit(document.time_unit)
        run = document.project.run
        window.timeline.set_until(run.until, run.last_until)
        window.timeline.set_pace(run.pace, run.last_pace)
        window.actions_["mesh"].setVisible(isinstance(window.model.geometry, TetMesh))
        form = document.engine.parameter_file
        window.actions_["parameters"].setVisible(form is not None)
        window.actions_["parameters"].setText("" if form is None else f"{form.title}…")
        self._show_title()
        self.show_probes()
        self.check_choices()
        window.log.add(
            Message(f"Opened {document.project.title}: {window.status.geometry_label.text() or 'no geometry'}.")
        )
        quality = getattr(window.model.geometry, "quality", "")
        if quality:
            window.log.add(Message(f"Quality of the mesh: {quality}."))
        for finding in document.findings:
            window.log.add(Message(finding.message, finding.severity))
        if not window.model.valid:  # opened all the same: a file is missing, and the form says where
            window.banner.say(window.model.first_error())
        # The second click of a double click must still meet the card.
        wait = 1000 * (self.opened_at + QApplication.doubleClickInterval() / 1000 - clock.monotonic())
        if wait > 0:
            self._entering.start(round(wait))
        else:
            window.pages.show_workspace()

    @property
    def entering(self) -> bool:
        """Whether the problem is open, and shown as soon as a second click could no longer come."""
        return self._entering.isActive()

    def stay(self) -> None:
        """Whoever asks for the gallery meanwhile is not led away from it."""
        self._entering.stop()

    def _changed(self, path: ValuePath) -> None:
        window = self._window
        if path[0] == "probes":
            self.show_probes()
        elif path[0] == "run" and window.model.document is not None:
            window.timeline.set_until(window.model.document.project.run.until)
            window.timeline.set_pace(window.model.document.project.run.pace)
            self.check_choices()
        elif path[0] == "parameters":
            window.display.follow_parameters()
            self._show_title()
        elif path[0] == "title":
            self._show_title()

    def _show_title(self) -> None:
        window = self._window
        document = window.model.document
        title = document.title if document is not None else None
        window.setWindowTitle("Workbench" if title is None else f"{title}[*] – Workbench")
        window.welcome.set_open(title)
        window.setWindowModified(not window.model.undo_stack.isClean())

    def show_probes(self) -> None:
        window = self._window
        colors = theme().palette
        probes = window.model.document.project.probes if window.model.document is not None else []
        window.viewport.set_probes(
            [
                (probe.name, probe.position, colors.trace(place).getRgb()[:3])  # type: ignore[index]  # always a tuple
                for place, probe in enumerate(probes)
            ]
        )

    def check_choices(self) -> None:
        window = self._window
        document = window.model.document
        window.device_menu.set_checked("auto" if document is None else document.project.run.device)
        reference = None if document is None else document.project.geometry
        window.unit_menu.setEnabled(reference is not None)
        if reference is not None:
            window.unit_menu.set_checked(reference.length_unit)

    def _reopen_mesh(self, unit: str) -> None:
        """Another unit makes another geometry: a new document, whose parameters are made for its size."""
        window = self._window
        document = window.model.document
        if document is not None and document.mesh is not None:
            mesh, fibres = document.mesh, document.fibres
            load = partial(window.services.open_mesh, mesh, unit, fibres)
            window.controller.opening.open_with(load, f"Opening {mesh.name} in {unit}")

    def _mend(self, remedy: Remedy) -> None:
        """Do what a finding asks for: an edit, the mesh in another unit, or a tool that is opened."""
        window = self._window
        document = window.model.document
        if remedy.length_unit:
            self._reopen_mesh(remedy.length_unit)
        elif remedy.tool and document is not None:
            window.tools.open(next(tool for tool in document.engine.tools() if tool.id == remedy.tool))
        else:
            window.model.mend(remedy)
