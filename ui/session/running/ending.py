"""The end of the run: whether it stands there, or beyond, and what is said of steps that are asked for then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.words.units import clock_text

if TYPE_CHECKING:
    from ui.session.controller import Controller

PAST = "The run is at {time}, past this end, and stops here; with a later one, or none, it goes on."
AT_END = "No step is taken: the run is at {time}, and its end is {end}. With a later end, or none, it goes on."
OVER = "No step is taken: this run has come to its own end. Reset begins anew."


class Ending:
    """Belongs to a controller."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller

    @property
    def reached(self) -> bool:
        """Whether a run has nothing left to do; its ``until`` may have been moved on, or before where it stands."""
        runner, info, time = self._controller.runner, self._controller.info, self._controller.time
        if runner is None or info is None or runner.until is None:
            return runner is not None and runner.ended
        return runner.ended or (time > 0 and time >= runner.until - info.dt / 2)

    @property
    def why(self) -> str:
        """Why the run has come to an end of its own; empty where it has not, or there is nothing to say."""
        runner = self._controller.runner
        return runner.ending if runner is not None and runner.ended else ""

    @property
    def passed(self) -> bool:
        """Whether the run has been taken further than its ``until``, which was moved since."""
        runner, info, time = self._controller.runner, self._controller.info, self._controller.time
        return bool(runner and info and runner.until is not None and time >= runner.until + info.dt)

    def tell_moved(self) -> None:
        """A run that is under way has another end: said where it is past that."""
        runner, time = self._controller.runner, self._controller.time
        if runner is not None and runner.until is not None and runner.until < time:
            self._controller.hint.emit(PAST.format(time=clock_text(time, runner.time_unit)))

    def tell_reached(self) -> None:
        """Why no step is taken."""
        runner = self._controller.runner
        if runner is None or runner.ended or runner.until is None:
            self._controller.hint.emit(OVER)
        else:
            time, end = (clock_text(each, runner.time_unit) for each in (self._controller.time, runner.until))
            self._controller.hint.emit(AT_END.format(time=time, end=end))
