"""The brush of the window: from the pointer to the run, and what is said where a stroke cannot be taken back."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from engines.api import Dab
from ui.panels.view.panel import ViewPanel
from ui.session.controller import Controller
from ui.session.running.phase import Phase
from ui.widgets.banner import Banner
from workbench.run.strokes import Outcome, TakenBack
from workbench.words.units import clock_text

NO_MARK = "Reset begins anew without it."


class Brushing(QObject):
    """Belongs to a window."""

    def __init__(self, controller: Controller, view: ViewPanel, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._controller = controller
        self._view = view
        self._banner = banner
        painting, kept, brush = controller.painting, controller.kept_paint, view.brush
        self._explained = ""
        """Why a stroke could not be taken back, in the banner."""
        painting.refused.connect(self._explain)
        painting.wanted_again.connect(lambda: banner.take_back(self._explained))
        brush.keep_asked.connect(kept.keep)
        kept.busy_changed.connect(brush.keep_button.setDisabled)

    def tell_what_is_unseen(self, dab: Dab) -> None:
        """What is painted is another field than that which is shown, and nothing moves: no trace of it would be seen
        before the run goes on."""
        controller, shown = self._controller, self._view.field
        title = shown.itemText(shown.findData(dab.brush)).partition(" [")[0]
        if controller.phase in (Phase.READY, Phase.PAUSED) and title and shown.currentData() != dab.brush:
            other = shown.currentText().partition(" [")[0]
            said = f"{title} is painted, and {other} is shown: it changes when the run goes on."
            if self._banner.isHidden() or self._banner.text != said:
                self._banner.ask(said, {f"Show {title}": partial(self._view.show_field, dab.brush)})

    def _explain(self, refused: TakenBack) -> None:
        controller, outcome = self._controller, refused.outcome
        marks = controller.rewinding.marks if outcome is Outcome.GONE_ON else ()
        before = [mark for mark in marks if mark.step < refused.began]
        if before and controller.info is not None:
            at = clock_text(before[-1].time, controller.info.time_unit)
            self._explained = f"{outcome.value} Rewind to the last checkpoint before it?"
            rewind = partial(controller.rewinding.rewind, before[-1].step)
            self._banner.ask(self._explained, {f"Rewind to {at}": rewind})
        else:
            self._explained = f"{outcome.value} {NO_MARK}" if outcome is Outcome.GONE_ON else outcome.value
            self._banner.say(self._explained, "info", stays=True)
