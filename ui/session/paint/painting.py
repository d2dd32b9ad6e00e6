"""Hands the dabs of the brush to the run, many at once and at most 60 times a second; undo takes strokes back."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from concurrent.futures import Future
from itertools import count

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from engines.api import Dab
from workbench.remote.runner import AnyRunner
from workbench.run.strokes import Outcome, TakenBack

INTERVAL_MILLISECONDS = 17


class Painting(QObject):
    """``runner()`` is the run of the moment. A run that is paused answers a posted call with a new frame, so what was
    painted shows at once."""

    refused = Signal(object)
    """A stroke could not be taken back: the :class:`TakenBack` says why."""
    wanted_again = Signal()
    """A stroke is to stay: whether it could be taken back matters no more."""

    def __init__(
        self, runner: Callable[[], AnyRunner | None], undo_stack: QUndoStack, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._runner = runner
        self._undo_stack = undo_stack
        self._strokes: set[int] = set()  # of this run; what they are is the worker's
        self._numbers = count(clock.time_ns())  # another window may have painted on the run before
        self._going: int | None = None
        self._dabs: list[Dab] = []
        self._asked: dict[int, Future[TakenBack]] = {}
        """By stroke."""
        self._timer = QTimer(self, singleShot=True)
        self._timer.setInterval(INTERVAL_MILLISECONDS)
        self._timer.timeout.connect(self._send)

    def begin(self) -> None:
        """A stroke begins: what was added since the last one belongs to that."""
        self._send()
        self._going = None

    def add(self, dab: Dab) -> None:
        """Paint this soon; the first of a stroke at once."""
        if self._going is None:
            self._going = next(self._numbers)
            self._strokes.add(self._going)
            self._undo_stack.push(PaintStroke(self, self._going))
        self._dabs.append(dab)
        if not self._timer.isActive():
            self._timer.start(0)

    def has(self, stroke: int) -> bool:
        """Whether it was painted on this run, since its beginning."""
        return stroke in self._strokes

    def take_back(self, stroke: int) -> None:
        self.begin()
        runner = self._runner()
        if runner is not None:
            self._asked[stroke] = runner.take_back(stroke)

    def again(self, stroke: int) -> None:
        self.begin()
        self._asked.pop(stroke, None)
        self.wanted_again.emit()
        runner = self._runner()
        if runner is not None:
            runner.paint_again(stroke)

    def follow(self) -> None:
        """At each tick: say which strokes could not be taken back."""
        for stroke in [stroke for stroke, answer in self._asked.items() if answer.done()]:
            answer = self._asked.pop(stroke)
            if not answer.cancelled() and answer.exception() is None and answer.result().outcome is not Outcome.DONE:
                self.refused.emit(answer.result())

    def _send(self) -> None:
        dabs, self._dabs = self._dabs, []
        runner, stroke = self._runner(), self._going
        if not dabs or runner is None or stroke is None:
            return
        runner.paint(stroke, dabs)
        self._timer.start(INTERVAL_MILLISECONDS)

    def forget(self) -> None:
        """The run ends, or begins anew: what was painted is gone."""
        self._dabs, self._going = [], None
        self._strokes.clear()
        self._asked.clear()
        self._timer.stop()


class PaintStroke(QUndoCommand):
    """A stroke that was painted."""

    counts = False
    """It is no edit of the document: what is unsaved is not told by it."""

    def __init__(self, painting: Painting, stroke: int) -> None:
        super().__init__("stroke of the brush")
        self._painting, self._stroke = painting, stroke
        self._painted = True

    @property
    def alive(self) -> bool:
        """Whether it was painted on the run that there is."""
        return self._painting.has(self._stroke)

    def redo(self) -> None:
        if not self._painted and self.alive:
            self._painting.again(self._stroke)
        self._painted = True

    def undo(self) -> None:
        if self.alive:
            self._painting.take_back(self._stroke)
        self._painted = False
