"""Run and pause, with a question where a run would make way: where it is finished, or was begun with other values."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from ui.session.controller import Controller
from ui.session.running.phase import Phase
from ui.widgets.banner import Banner
from workbench.words.units import clock_text

QUESTION = "This run is finished. Run on, or start over from zero? Starting over clears its curves."
PAST = "This run is at {}, past its end at {}. Run on, or start over from zero? Starting over clears its curves."
ENDED = "This run has come to its own end. Start over from zero? Its curves make way."
CHANGED = (
    "This run of an earlier session stands at {}, and something was changed since. Go on with what it began with, or "
    "start over with what stands in the form? Starting over clears its curves."
)
AS_IT_WAS = "Go on as it was"
ON, AGAIN, ALWAYS = "Run on to {}", "Start over", "Start over without asking"


class StartingOver(QObject):
    """Between the space key or the run button and the controller."""

    now_wanted = Signal()
    """Somebody has the run go on: what it does is to be seen, not an earlier moment."""

    def __init__(self, controller: Controller, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._controller = controller
        self._banner = banner
        self.asks = True
        """Until somebody wants not to be asked."""
        controller.phase_changed.connect(banner.withdraw)  # the run that was asked about goes on, or is another

    def toggle(self) -> None:
        """Run, pause, or ask first; a run is of what stands in the form, even of what is still being typed."""
        controller = self._controller
        controller.model.wanted.emit()
        if controller.phase is not Phase.RUNNING:
            self.now_wanted.emit()
        runner, past = controller.runner, controller.ending.passed
        if controller.leaves_earlier:
            self._ask_what_with(None)
        elif not controller.is_over:
            controller.toggle()
        elif controller.is_held_up():
            return
        elif not (self.asks or past):
            controller.start_over()
        elif runner is None or runner.ended or runner.until is None:
            self._banner.ask(ENDED, {AGAIN: controller.start_over, ALWAYS: self._always})
        else:
            later, unit = self._later(runner.until), runner.time_unit
            now, end = (clock_text(time, unit, "g") for time in (controller.time, runner.until))
            answers = {
                ON.format(clock_text(later, unit, "g")): lambda: self._run_on(later),
                AGAIN: controller.start_over,
            }
            if past:
                self._banner.ask(PAST.format(now, end), answers)
            else:
                self._banner.ask(QUESTION, {**answers, ALWAYS: self._always})

    def step(self) -> None:
        """One step; asks where that would begin anew."""
        self._controller.model.wanted.emit()
        self.now_wanted.emit()
        if self._controller.leaves_earlier:
            self._ask_what_with(1)
        else:
            self._controller.step()

    def _ask_what_with(self, steps: int | None) -> None:
        controller = self._controller
        time = clock_text(controller.time, "" if controller.info is None else controller.info.time_unit)
        answers: dict[str, Callable[[], object]] = {
            AS_IT_WAS: lambda: controller.go_on_as_it_was(steps),
            AGAIN: controller.run if steps is None else controller.step,
        }
        self._banner.ask(CHANGED.format(time), answers)

    def _later(self, until: float) -> float:
        """About as much again as the run was to take, or as much as it has taken by now; a round time."""
        time, info = self._controller.time, self._controller.info
        length = max(until, rounded_down(time), 0.0 if info is None else 2 * info.dt)
        return float(f"{(math.floor(time / length + 0.5) + 1) * length:.12g}")

    def _run_on(self, until: float) -> None:
        """Further, and never from zero."""
        controller = self._controller
        controller.model.edit(("run", "until"), until, "end of the run")
        if not controller.ending.reached:
            controller.run()

    def _always(self) -> None:
        """Until the window closes."""
        self.asks = False
        self._controller.start_over()


def rounded_down(value: float) -> float:
    """1, 2 or 5 times a power of ten: the next below a positive ``value``."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(each * power for each in (5, 2, 1) if each * power <= value * (1 + 1e-9))
