"""The sweep of the open document: its dialog, made when it is first asked for."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from ui.session.controller import Controller
from ui.session.files import FileActions
from ui.sweep.dialog import SweepDialog
from ui.widgets.freeing import drop

NO_PROJECT = "Open a project first: a sweep runs it with other numbers."


class SweepArea(QObject):
    """The dialog goes with the document that it is of."""

    def __init__(self, controller: Controller, files: FileActions, window: QWidget) -> None:
        super().__init__(window)
        self._controller, self._files, self._window = controller, files, window
        self.dialog: SweepDialog | None = None
        controller.model.opened.connect(self.close)

    def converge(self) -> None:
        """Open it to see whether answers converge."""
        self.open()
        if self.dialog is not None and not self.dialog.job.busy:
            self.dialog.make_finer()

    def open(self) -> None:
        if self._controller.model.document is None:
            self._controller.problem.emit(NO_PROJECT)
            return
        if self.dialog is None:
            self.dialog = SweepDialog(self._controller, self._window)
            self.dialog.chart_save_asked.connect(self._files.export_chart)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def close(self) -> None:
        """Give up what runs, without asking."""
        dialog, self.dialog = self.dialog, None
        if dialog is None:
            return
        dialog.hide()
        dialog.give_up()
        if dialog.job.busy:
            dialog.job.cancelled.connect(lambda: drop(dialog))  # its answer still comes to it
        else:
            drop(dialog)
