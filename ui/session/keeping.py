"""Keeps edits that nobody has saved: every few seconds, and when the window closes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from engines.api.errors import WorkbenchError
from ui.session.model import DocumentModel
from ui.session.services import Services
from ui.widgets.background import Background
from workbench.project.project import ViewSettings
from workbench.run.frames import Message

INTERVAL_MILLISECONDS = 4000  # at most five seconds of edits are at risk


class Keeper(QObject):
    """Autosaves the document of a model while it differs from what was saved."""

    message = Signal(object)

    def __init__(
        self,
        model: DocumentModel,
        services: Services,
        background: Background,
        view: Callable[[], ViewSettings],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._services = services
        self._background = background
        self._view = view
        self._kept_revision = 0
        self.gives_up = False
        """What is unsaved now need not be kept when another document opens or the window closes."""
        self.timer = QTimer(self)
        self.timer.setInterval(INTERVAL_MILLISECONDS)
        self.timer.timeout.connect(self._keep)
        self.timer.start()
        model.replacing.connect(self._set_aside)
        model.opened.connect(self._opened)

    def mark_recovered(self) -> None:
        """What is open was never saved: it counts as edited, and is kept at the next tick."""
        self._model.undo_stack.resetClean()
        self._kept_revision = -1

    def keep_at_end(self) -> None:
        """The window closes: keep what is not saved, on this thread."""
        if self._model.document is None:
            return
        try:
            if self.gives_up or self._model.undo_stack.isClean():
                self._services.forget_autosave(self._model.snapshot())
            else:
                self._services.autosave(self._model.snapshot(self._view()))
        except WorkbenchError as error:
            self._failed(error)

    def _set_aside(self) -> None:
        """Another document opens over unsaved edits: they are kept beside, unless they were given up."""
        if self._model.undo_stack.isClean():
            return
        document = self._model.snapshot(self._view())
        if self.gives_up:
            self._background.submit(
                "autosave", partial(self._services.forget_autosave, document), otherwise=self._failed
            )
        else:
            text = f"The unsaved changes of '{document.project.title}' are kept and offered at the next start."
            self.message.emit(Message(text))
            self._background.submit("autosave", partial(self._services.set_aside, document), otherwise=self._failed)

    def _opened(self) -> None:
        self._kept_revision = self._model.revision
        self.gives_up = False

    def _keep(self) -> None:
        model = self._model
        if model.document is None or model.undo_stack.isClean() or model.revision == self._kept_revision:
            return
        self._kept_revision = model.revision
        document = model.snapshot(self._view())
        self._background.submit("autosave", partial(self._services.autosave, document), otherwise=self._failed)

    def _failed(self, error: BaseException) -> None:
        self.message.emit(Message(f"The automatic copy could not be written: {error}", "warning"))
