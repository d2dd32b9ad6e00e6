"""The brush of the window: from the pointer to the run, and what is said where a stroke cannot be taken back."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from ui.panels.view.brush import BrushPanel
from ui.session.controller import Controller
from ui.widgets.banner import Banner
from workbench.run.strokes import Outcome, TakenBack
from workbench.words.units import clock_text

NO_MARK = "Reset begins anew without it."


class Brushing(QObject):
    """Belongs to a window."""

    def __init__(self, controller: Controller, brush: BrushPanel, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._controller = controller
        self._banner = banner
        painting, kept = controller.painting, controller.kept_paint
        painting.refused.connect(self._explain)
        brush.keep_asked.connect(kept.keep)
        kept.busy_changed.connect(brush.keep_button.setDisabled)

    def _explain(self, refused: TakenBack) -> None:
        controller, outcome = self._controller, refused.outcome
        if outcome is not Outcome.GONE_ON:
            self._banner.say(outcome.value, "info", stays=True)
            return
        before = [mark for mark in controller.rewinding.marks if mark.step < refused.began]
        if not before or controller.info is None:
            self._banner.say(f"{outcome.value} {NO_MARK}", "info", stays=True)
            return
        at = clock_text(before[-1].time, controller.info.time_unit)
        ask = f"{outcome.value} Rewind to the last checkpoint before it?"
        self._banner.ask(ask, {f"Rewind to {at}": partial(controller.rewinding.rewind, before[-1].step)})
