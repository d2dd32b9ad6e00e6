"""What a tool would come to, under its numbers: asked for on another thread while a person writes them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QWidget

from engines.api.errors import WorkbenchError
from ui.widgets.background import Background
from ui.widgets.dressing import say

LANE = "outlooks"
PATIENCE_MILLISECONDS = 150
"""A form that is being written is not asked for at each letter."""


class Outlook(QLabel):
    """A line or two; not there while there is nothing to say."""

    def __init__(self, background: Background, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.hide()
        self._background = background
        self._call: Callable[[], str] | None = None
        self._asked: Future[str] | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.setInterval(PATIENCE_MILLISECONDS)
        self._timer.timeout.connect(self._ask)

    def follow(self, call: Callable[[], str] | None) -> None:
        """Show soon what ``call`` returns; None: there is nothing to ask, the numbers are wrong."""
        self._call = call
        if call is None:
            self.forget()
        else:
            self._timer.start()

    def forget(self) -> None:
        """Say nothing; answers on the way are not wanted."""
        self._timer.stop()
        self._asked = None
        self._say("")

    def _ask(self) -> None:
        if self._call is None:
            return
        if self._asked is not None:
            self._asked.cancel()
        asked = self._asked = self._background.submit(
            LANE, self._call, lambda text: self._answered(asked, text), lambda error: self._refused(asked, error)
        )

    def _answered(self, asked: Future[str], text: str) -> None:
        if asked is self._asked:
            self._say(text)

    def _refused(self, asked: Future[str], error: BaseException) -> None:
        if not isinstance(error, WorkbenchError):
            raise error
        if asked is self._asked:
            self._say(str(error), "error")

    def _say(self, text: str, name: str = "muted") -> None:
        say(self, text, name)
