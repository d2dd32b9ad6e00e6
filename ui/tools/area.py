"""The tools of the open document: the menu, and a dialog for each that was asked for."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from engines.api.tools import Tool
from ui.session.controller import Controller
from ui.session.files import FileActions
from ui.tools.dialog import ToolDialog
from ui.tools.menu import ToolsMenu


class ToolsArea(QObject):
    """Follows a controller's model; dialogs go with the document that they are of."""

    taken_over = Signal(object)
    """The :class:`engines.api.tools.ToolResult` that is the problem's now."""

    def __init__(self, controller: Controller, files: FileActions, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._controller, self._files = controller, files
        self.menu = ToolsMenu(window)
        self.menu.chosen.connect(self.open)
        self.dialogs: dict[str, ToolDialog] = {}
        controller.model.opened.connect(self._opened)

    def open(self, tool: Tool) -> ToolDialog:
        """The tool's dialog, made when it is first asked for."""
        if tool.id not in self.dialogs:
            controller = self._controller
            dialog = ToolDialog(tool, controller.model, controller.services, controller.background, self._window)
            dialog.chart_save_asked.connect(self._files.export_chart)
            dialog.taken_over.connect(self.taken_over)
            self.dialogs[tool.id] = dialog
        dialog = self.dialogs[tool.id]
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        return dialog

    def close_all(self) -> None:
        """Give up what is being worked on."""
        for dialog in self.dialogs.values():
            dialog.close()
            if dialog.job.busy:
                dialog.job.cancelled.connect(dialog.deleteLater)  # its answer still comes to it
            else:
                dialog.deleteLater()
        self.dialogs.clear()

    def _opened(self) -> None:
        self.close_all()
        document = self._controller.model.document
        self.menu.set_engine(None if document is None else document.engine)
