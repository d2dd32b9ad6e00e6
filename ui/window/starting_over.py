"""Run and pause, with a question before a finished run makes way for one from zero."""

from __future__ import annotations

from PySide6.QtCore import QObject

from ui.session.controller import Controller, Phase
from ui.widgets.banner import Banner

QUESTION = "This run is finished. Start again from zero? Its curves make way."
AGAIN, ALWAYS = "Start again", "Start again without asking"


class StartingOver(QObject):
    """Between the space key or the run button and the controller."""

    def __init__(self, controller: Controller, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._controller = controller
        self._banner = banner
        self._asks = True
        controller.phase_changed.connect(banner.withdraw)  # the run that was asked about goes on, or is another

    def toggle(self) -> None:
        """Run, pause, or ask first."""
        controller = self._controller
        over = controller.phase is Phase.FINISHED and controller.at_end and not controller.rewinding.pending
        if self._asks and over:
            self._banner.ask(QUESTION, {AGAIN: controller.run, ALWAYS: self._always})
        else:
            controller.toggle()

    def _always(self) -> None:
        """Until the window closes."""
        self._asks = False
        self._controller.run()
