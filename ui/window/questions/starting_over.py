"""Run and pause, with a question where a run is finished: on to a later end, or from zero."""

from __future__ import annotations

from PySide6.QtCore import QObject

from ui.session.controller import Controller, Phase
from ui.widgets.banner import Banner
from workbench.words.units import clock_text

QUESTION = "This run is finished. Run on, or start over from zero? Starting over clears its curves."
ENDED = "This run has come to its own end. Start over from zero? Its curves make way."
ON, AGAIN, ALWAYS = "Run on to {}", "Start over", "Start over without asking"


class StartingOver(QObject):
    """Between the space key or the run button and the controller."""

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
        over = controller.phase is Phase.FINISHED and controller.at_end and not controller.rewinding.pending
        if not (self.asks and over):
            controller.toggle()
            return
        later, answers = self._later(), {AGAIN: controller.run, ALWAYS: self._always}
        if later is None:
            self._banner.ask(ENDED, answers)
        else:
            text = ON.format(clock_text(later, controller.runner.time_unit if controller.runner else "", "g"))
            self._banner.ask(QUESTION, {text: lambda: self._run_on(later), **answers})

    def _later(self) -> float | None:
        """As much again; None where the problem has come to an end of its own, or runs without one."""
        runner = self._controller.runner
        return None if runner is None or runner.ended or runner.until is None else 2 * runner.until

    def _run_on(self, until: float) -> None:
        self._controller.model.edit(("run", "until"), until, "end of the run")
        self._controller.run()

    def _always(self) -> None:
        """Until the window closes."""
        self.asks = False
        self._controller.run()
