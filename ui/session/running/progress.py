"""How far a run is before anything is seen of it: what is being built, and first steps that keep a person waiting."""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING

from workbench.remote.runner import AnyRunner

if TYPE_CHECKING:
    from ui.session.controller import Controller

PATIENCE_SECONDS = 1.0


class Progress:
    """Belongs to a controller, which calls it at each tick."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._building: tuple[str, float] = ("", 0.0)
        self.stepped = False
        """Whether a step was taken of this run."""
        self._running_since = 0.0
        self._first_step_said = False

    def begin(self) -> None:
        """A run is being built, of which nothing is said yet."""
        self._building, self.stepped = ("", -1.0), False

    def follow_building(self, runner: AnyRunner) -> None:
        if runner.progress != self._building:
            self._building = runner.progress
            text, fraction = self._building
            self._controller.progressed.emit(text or "Preparing the device", fraction)

    def built(self) -> None:
        self._building = ("", 0.0)
        self._controller.tell_idle()

    def follow_first_step(self, *, running: bool, arrived: bool) -> None:
        """The first steps, from which samples have ``arrived``, may compile kernels: said when they take a while."""
        if arrived or not running:
            if self._first_step_said:
                self._controller.tell_idle()
            self._running_since, self._first_step_said = 0.0, False
            self.stepped = self.stepped or arrived
        elif not self.stepped:
            now = clock.monotonic()
            self._running_since = self._running_since or now
            if now - self._running_since > PATIENCE_SECONDS and not self._first_step_said:
                self._first_step_said = True
                self._controller.progressed.emit("Compiling kernels for this machine, once", 0.0)
