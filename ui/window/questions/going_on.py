"""What is offered when a run broke off: to go on from the last state that was kept, on the CPU where the GPU failed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from engines.api.errors import DeviceError, WorkbenchError
from ui.session.controller import Controller
from ui.widgets.banner import Banner
from workbench.remote.runner import AnyRunner
from workbench.remote.streams import LineLost
from workbench.run.states.history import KeptState
from workbench.words.units import clock_text

ON_CPU, HERE, AGAIN, RECONNECT = "Go on on the CPU", "Go on", "Start again", "Reconnect"
TRY = "Try again"
MEANWHILE = "What was changed since then is sent when the line is there again."


class GoingOn(QObject):
    """Between a run that broke off and the controller; :attr:`Controller.broke_off` comes after its sentence."""

    reconnect_asked = Signal()

    def __init__(self, controller: Controller, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._controller, self._banner = controller, banner
        controller.broke_off.connect(self._offer)
        controller.cut_off.connect(self.offer_reconnecting)

    def _offer(self, runner: AnyRunner) -> None:
        error, kept = runner.error, runner.rescued
        if isinstance(error, LineLost):
            self.offer_reconnecting(error)
            return
        lost = isinstance(error, DeviceError) and error.lost
        answers: dict[str, Callable[[], None]] = {}
        if isinstance(error, DeviceError) and runner.device not in ("", "cpu"):
            answers[ON_CPU] = partial(self._go_on_on_cpu, kept)
        if kept is not None and not lost:
            answers[HERE] = partial(self._go_on, kept)
        if not lost:
            answers[AGAIN] = self._controller.run
        told = "" if kept is None else f" It can go on from {clock_text(kept.mark.time, runner.time_unit)}."
        if answers:
            self._banner.ask(f"{error}{told}", answers, "error")

    def offer_reconnecting(self, error: WorkbenchError, first: Callable[[], None] | None = None) -> None:
        """``first``: how to try once more where no line had been there to be lost."""
        answers = {RECONNECT: self.reconnect_asked.emit} if first is None else {TRY: first}
        told = f" {MEANWHILE}" if self._controller.live.unsent else ""
        self._banner.ask(f"{error}{told}", answers, "error")

    def _go_on_on_cpu(self, kept: KeptState | None) -> None:
        kept = self._still(kept)
        self._controller.model.edit(("run", "device"), "cpu", "choice of the device")
        self._controller.build(autostart=True, kept=kept)

    def _go_on(self, kept: KeptState) -> None:
        self._controller.build(autostart=True, kept=self._still(kept))

    def _still(self, kept: KeptState | None) -> KeptState | None:
        """A state of other values than the form has now is none to go on from."""
        return None if self._controller.stale else kept
