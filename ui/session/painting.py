"""Hands the dabs of the brush to the run, many at once and at most 60 times a second."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from engines.api import Dab, Simulation
from engines.api.abilities import Painted
from workbench.run.runner import Runner

INTERVAL_MILLISECONDS = 17


class Painting(QObject):
    """``runner()`` is the run of the moment. A run that is paused answers a posted call with a new frame, so what was
    painted shows at once."""

    def __init__(self, runner: Callable[[], Runner | None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._dabs: list[Dab] = []
        self._timer = QTimer(self, singleShot=True)
        self._timer.setInterval(INTERVAL_MILLISECONDS)
        self._timer.timeout.connect(self._send)

    def add(self, dab: Dab) -> None:
        """Paint this soon; the first of a stroke at once."""
        self._dabs.append(dab)
        if not self._timer.isActive():
            self._timer.start(0)

    def _send(self) -> None:
        dabs, self._dabs = self._dabs, []
        runner = self._runner()
        if not dabs or runner is None:
            return
        runner.post(lambda simulation: _paint(simulation, dabs, runner.say))
        self._timer.start(INTERVAL_MILLISECONDS)

    def forget(self) -> None:
        """The run ends."""
        self._dabs = []
        self._timer.stop()


def _paint(simulation: Simulation, dabs: list[Dab], say: Callable[[str], None]) -> None:
    if not isinstance(simulation, Painted):
        return  # the run changed under the brush
    for dab in dabs:
        said = simulation.paint(dab)
        if said:
            say(said)
