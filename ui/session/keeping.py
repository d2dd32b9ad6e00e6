"""Keeps edits that nobody has saved: every few seconds, when another problem opens, and when the window closes."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from engines.api import Array
from engines.api.errors import WorkbenchError
from ui.session.model import DocumentModel
from ui.session.services import Services
from ui.widgets.background import Background
from workbench.project.autosave import Recovery
from workbench.project.project import ViewSettings
from workbench.run.frames import Message

INTERVAL_MILLISECONDS = 4000  # at most five seconds of edits are at risk
PICTURE_SECONDS = 30.0
"""Between two pictures of what is edited: drawing one takes the window some milliseconds."""
PICTURE = (480, 270)
"""Pixels, of which the middle is kept, two thirds each way: what stands at the edges is too small to be read."""


def middle_of(picture: Callable[[int, int], Array]) -> Array | None:
    """A small picture of the view without its margins; None where the view has not been on the screen yet."""
    try:
        return _without_margins(picture(*PICTURE))
    except RuntimeError:
        return None


def middle_of_file(file: Path) -> Array | None:
    """The same of a picture in a file, on any thread; None where it is none."""
    whole = QImage(str(file))
    if whole.isNull():
        return None
    size, filling = QSize(*PICTURE), Qt.AspectRatioMode.KeepAspectRatioByExpanding
    whole = whole.scaled(size, filling, Qt.TransformationMode.SmoothTransformation)
    beside = (whole.width() - size.width()) // 2, (whole.height() - size.height()) // 2
    whole = whole.copy(*beside, *PICTURE).convertToFormat(QImage.Format.Format_RGBA8888)
    return _without_margins(np.array(whole.constBits(), np.uint8).reshape(size.height(), size.width(), 4))


def _without_margins(whole: Array) -> Array:
    height, width = whole.shape[:2]
    return whole[height // 6 : height - height // 6, width // 6 : width - width // 6]


class Keeper(QObject):
    """Autosaves the document of a model while it differs from what was saved. ``picture(w, h)``: how it looks."""

    message = Signal(object)
    aside_changed = Signal()
    """Something was set aside, or what had been is open now."""

    def __init__(
        self,
        model: DocumentModel,
        services: Services,
        background: Background,
        view: Callable[[], ViewSettings],
        picture: Callable[[int, int], Array],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._picture, self._pictured = picture, -PICTURE_SECONDS
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

    def take_over(self, recovery: Recovery) -> None:
        """What is open was left unsaved: it counts as edited, and is kept in the place of what was left."""
        self._model.undo_stack.resetClean()
        self._kept_revision = -1
        self._submit(partial(self._services.adopt, recovery))

    def keep_at_end(self) -> None:
        """The window closes: keep what is not saved, on this thread."""
        if self._model.document is None:
            return
        try:
            if self.gives_up or self._model.undo_stack.isClean():
                self._services.forget_autosave(self._model.snapshot())
            else:
                self._services.autosave(self._model.snapshot(self._view()), self._pictured_now())
        except WorkbenchError as error:
            self._failed(error)

    def _set_aside(self) -> None:
        """Another document opens over unsaved edits: they are kept beside, unless they were given up."""
        document = self._model.snapshot(self._view())
        if self.gives_up or self._model.undo_stack.isClean():
            self._submit(partial(self._services.forget_autosave, document))
        else:
            text = f"The unsaved changes of '{document.project.title}' are kept: they stand in the gallery."
            self.message.emit(Message(text))
            self._submit(partial(self._services.set_aside, document, self._pictured_now()))

    def _opened(self) -> None:
        self._kept_revision = self._model.revision
        self.gives_up = False
        self._pictured = -PICTURE_SECONDS

    def _keep(self) -> None:
        model = self._model
        if model.document is None or model.undo_stack.isClean() or model.revision == self._kept_revision:
            return
        self._kept_revision = model.revision
        due = clock.monotonic() - self._pictured >= PICTURE_SECONDS
        picture = self._pictured_now() if due else None
        document = model.snapshot(self._view())
        work = partial(self._services.autosave, document, picture)
        self._background.submit("autosave", work, otherwise=self._failed)

    def _pictured_now(self) -> Array | None:
        self._pictured = clock.monotonic()
        return middle_of(self._picture)

    def _submit(self, work: Callable[[], None]) -> None:
        self._background.submit("autosave", work, lambda _: self.aside_changed.emit(), self._failed)

    def _failed(self, error: BaseException) -> None:
        self.message.emit(Message(f"The automatic copy could not be written: {error}", "warning"))
