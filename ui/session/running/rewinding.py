"""Going back to a checkpoint of the run, asked for on the timeline."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.remote.runner import AnyRunner
from workbench.run.frames import Rewound
from workbench.run.states.history import Mark

if TYPE_CHECKING:
    from ui.session.controller import Controller

NOTHING_BEFORE = "There is no checkpoint before this moment: Reset goes back to time zero."


class Rewinding(QObject):
    """Belongs to a controller, which calls :meth:`follow` at each tick."""

    rewound = Signal(float)
    """The run stands at this time again: what came after it is of a branch that it may leave."""
    marks_changed = Signal(tuple)
    """Where the run can be rewound to: :class:`workbench.run.states.history.Mark`."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._pending: Future[Rewound] | None = None
        self._run_after = False
        self.marks: tuple[Mark, ...] = ()

    @property
    def pending(self) -> bool:
        """Whether the run is on its way to a checkpoint."""
        return self._pending is not None

    def rewind(self, step: int) -> None:
        """Pause, and go to the checkpoint at ``step``."""
        runner = self._controller.runner
        if runner is not None and not self.pending:
            self._run_after = False
            self._pending = runner.rewind(step)

    def rewind_to_last(self) -> None:
        """To the last checkpoint before where the run stands."""
        controller = self._controller
        slack = 0.0 if controller.info is None else controller.info.dt / 2
        before = [mark for mark in self.marks if mark.time < controller.time - slack]
        if before:
            self.rewind(before[-1].step)
        elif controller.info is not None:
            controller.hint.emit(NOTHING_BEFORE)

    def go_on_after(self) -> bool:
        """Whether the run is being rewound: then it goes on after that, so that samples from before and after it are
        told apart."""
        self._run_after = self.pending
        return self._run_after

    def forget(self) -> None:
        """The run begins anew, or is another."""
        self._pending, self._run_after = None, False
        self._set_marks(())

    def follow(self, runner: AnyRunner) -> None:
        """Say where the run can go, and that it went there."""
        pending, controller = self._pending, self._controller
        if pending is not None and pending.done():
            self._pending = None
            if not pending.cancelled():
                self._take(pending)
            if self._run_after:
                self._run_after = False
                controller.run()
        self._set_marks(runner.marks)

    def _take(self, pending: Future[Rewound]) -> None:
        error = pending.exception()
        if error is not None:
            self._controller.problem.emit(str(error))
            return
        answer = pending.result()
        self._controller.stand_at(answer.time, answer.samples)
        self.rewound.emit(answer.time)

    def _set_marks(self, marks: tuple[Mark, ...]) -> None:
        if marks != self.marks:
            self.marks = marks
            self.marks_changed.emit(marks)
