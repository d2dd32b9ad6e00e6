"""One piece of work of a tool on another thread: how far it is, its answer, and how it is given up."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from engines.api import Progress
from ui.widgets.background import Background
from workbench.project.tooling import ToolCancelled
from workbench.words.failures import as_sentence

LANE = "tools"
POLL_MILLISECONDS = 50
WAITING = "Waiting for another tool"


class ToolJob(QObject):
    """Runs one call at a time; tools of other dialogs wait for each other on one thread."""

    progressed = Signal(str, float)
    done = Signal(object)
    failed = Signal(object)
    """A WorkbenchError, of one sentence."""
    cancelled = Signal()

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._future: Future[Any] | None = None
        self._given_up = False
        self._progress = (WAITING, 0.0)
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MILLISECONDS)
        self._timer.timeout.connect(lambda: self.progressed.emit(*self._progress))

    @property
    def busy(self) -> bool:
        return self._future is not None

    def start(self, call: Callable[[Progress], Any]) -> None:
        """Have ``call(progress)`` done; exactly one of ``done``, ``failed`` and ``cancelled`` follows."""
        assert self._future is None
        self._given_up, self._progress = False, (WAITING, 0.0)
        self._future = self._background.submit(LANE, lambda: call(self._report), self._done, self._failed)
        self._timer.start()

    def cancel(self) -> None:
        """The next progress that the tool tells ends it."""
        if self._future is None:
            return
        self._given_up = True
        if self._future.cancel():  # it had not begun
            self._end()
            self.cancelled.emit()

    def _report(self, message: str, fraction: float) -> None:
        """On the lane's thread."""
        if self._given_up:
            raise ToolCancelled
        self._progress = (message, min(max(fraction, 0.0), 1.0))

    def _end(self) -> None:
        self._timer.stop()
        self._future = None

    def _done(self, answer: object) -> None:
        given_up = self._given_up
        self._end()
        if given_up:
            self.cancelled.emit()
        else:
            self.done.emit(answer)

    def _failed(self, error: BaseException) -> None:
        given_up = self._given_up
        self._end()
        if given_up:  # whatever the tool made of it
            self.cancelled.emit()
        else:
            self.failed.emit(as_sentence(error))
