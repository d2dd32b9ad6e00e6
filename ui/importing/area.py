"""Meshes and surfaces that are opened come past the import page: one at a time."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from engines.api import Remedy
from ui.importing.dialog import ImportDialog
from ui.session.controller import Controller
from ui.session.files import FileActions
from ui.tools.area import ToolsArea
from workbench.project.document import Document, engines_for


class ImportArea(QObject):
    """Between a path that is to be opened and the controller."""

    def __init__(self, controller: Controller, files: FileActions, tools: ToolsArea, window: QWidget) -> None:
        super().__init__(window)
        self._controller, self._files, self._tools, self._window = controller, files, tools, window
        self.dialog: ImportDialog | None = None
        """While it is shown."""

    def takes(self, path: Path) -> bool:
        """Whether this file becomes a problem by way of the import page."""
        return os.path.isfile(path) and bool(engines_for(path))  # what may not be looked at is refused by who opens it

    def ask(self, path: Path, then: Callable[[], None] = lambda: None) -> None:
        """Show the page of this file; ``then`` follows when it is open."""
        self.close()
        controller = self._controller
        dialog = ImportDialog(path, engines_for(path), controller.services, controller.background, self._window)
        dialog.imported.connect(partial(self._open, dialog, then))
        dialog.outside_met.connect(
            lambda _: controller.opening.open_path(path, partial(self._opened, path, then, None))
        )
        dialog.refused.connect(controller.problem)
        dialog.finished.connect(self._forget)
        self.dialog = dialog
        dialog.open()

    def close(self) -> None:
        if self.dialog is not None:
            self.dialog.reject()

    def _forget(self) -> None:
        self.dialog = None

    def _open(self, dialog: ImportDialog, then: Callable[[], None], document: Document, remedy: Remedy | None) -> None:
        """The page stays until the open document may go: whoever would rather not leave that comes back to it."""
        opened = partial(self._opened, dialog.path, then, remedy)
        self._controller.opening.open_with(lambda _: document, f"Opening {dialog.path.name}", opened, dialog.finish)

    def _opened(self, path: Path, then: Callable[[], None], remedy: Remedy | None) -> None:
        self._files.imported(path)
        then()
        document = self._controller.model.document
        if remedy is not None and document is not None:
            self._tools.open(next(tool for tool in document.engine.tools() if tool.id == remedy.tool))
