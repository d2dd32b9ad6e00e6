"""Hands the dabs of the brush to the run, many at once and at most 60 times a second; undo takes strokes back."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from engines.api import Dab, Simulation
from workbench.run.runner import Runner
from workbench.run.strokes import Outcome, Stroke, keep_within

INTERVAL_MILLISECONDS = 17


class Painting(QObject):
    """``runner()`` is the run of the moment. A run that is paused answers a posted call with a new frame, so what was
    painted shows at once."""

    refused = Signal(object, object)
    """A :class:`Stroke` could not be taken back: the :class:`Outcome` says why."""

    def __init__(
        self, runner: Callable[[], Runner | None], undo_stack: QUndoStack, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._runner = runner
        self._undo_stack = undo_stack
        self._strokes: list[Stroke] = []  # of this run, oldest first; their content is the worker's
        self._going: Stroke | None = None
        self._dabs: list[Dab] = []
        self._asked: list[tuple[Stroke, Future[Outcome]]] = []
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
            self._going = Stroke()
            self._strokes.append(self._going)
            self._undo_stack.push(PaintStroke(self, self._going))
        self._dabs.append(dab)
        if not self._timer.isActive():
            self._timer.start(0)

    def has(self, stroke: Stroke) -> bool:
        """Whether it was painted on this run, since its beginning."""
        return stroke in self._strokes

    def take_back(self, stroke: Stroke) -> None:
        self.begin()
        runner = self._runner()
        if runner is not None:
            self._asked.append((stroke, runner.post(stroke.take_back)))

    def again(self, stroke: Stroke) -> None:
        self.begin()
        runner = self._runner()
        if runner is not None:
            runner.post(partial(stroke.again, say=runner.say))

    def follow(self) -> None:
        """At each tick: say which strokes could not be taken back."""
        done = [asked for asked in self._asked if asked[1].done()]
        for asked in done:
            self._asked.remove(asked)
            stroke, answer = asked
            if not answer.cancelled() and answer.exception() is None and answer.result() is not Outcome.DONE:
                self.refused.emit(stroke, answer.result())

    def _send(self) -> None:
        dabs, self._dabs = self._dabs, []
        runner, stroke = self._runner(), self._going
        if not dabs or runner is None or stroke is None:
            return
        strokes = tuple(self._strokes)

        def paint(simulation: Simulation) -> None:
            stroke.paint(simulation, dabs, runner.say)
            keep_within(strokes)

        runner.post(paint)
        self._timer.start(INTERVAL_MILLISECONDS)

    def forget(self) -> None:
        """The run ends, or begins anew: what was painted is gone."""
        self._dabs, self._strokes, self._going = [], [], None
        self._asked.clear()
        self._timer.stop()


class PaintStroke(QUndoCommand):
    """A stroke that was painted. It is no edit of the document: what is unsaved is not told by it."""

    def __init__(self, painting: Painting, stroke: Stroke) -> None:
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
