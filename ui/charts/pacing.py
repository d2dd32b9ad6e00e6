"""How often charts are drawn: at most ten times a second, and more seldom the more of the window's time they take."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer

from ui.charts.plots.making import Plot

LIVE_SECONDS, LIVE_SHARE = 0.1, 0.03
"""With the share of :class:`ui.charts.inspection.InspectionPanel` less than 2 ms of each tick of 33 ms."""
LONGEST_SECONDS = 1.0
HAND_SECONDS, HAND_SHARE = 0.03, 0.4
"""While a person drags something and looks at the charts."""


class Pace:
    """Calls ``draw`` soon after :meth:`soon`; what ``plots`` took to paint counts with it."""

    def __init__(
        self, draw: Callable[[], None], plots: Callable[[], Iterable[Plot]], parent: QObject, share: float = LIVE_SHARE
    ) -> None:
        self._draw = draw
        self._plots = plots
        self._share = share
        self._timer = QTimer(parent, singleShot=True)
        self._timer.timeout.connect(self._fire)
        self._by_hand = False
        self._began = 0.0
        self._took = 0.0
        self.spent = 0.0
        """Seconds that drawing and painting have taken so far."""

    def soon(self, *, by_hand: bool = False) -> None:
        """Draw as soon as the pace allows."""
        if not self._timer.isActive() or (by_hand and not self._by_hand):
            self._by_hand = by_hand
            self._timer.start(self._wait())

    def _wait(self) -> int:
        """Milliseconds until the next drawing may begin."""
        self._count()
        least, share = (HAND_SECONDS, HAND_SHARE) if self._by_hand else (LIVE_SECONDS, self._share)
        interval = min(max(least, self._took / share), LONGEST_SECONDS)
        return max(0, round(1000 * (self._began + interval - clock.perf_counter())))

    def _fire(self) -> None:
        wait = self._wait()
        if wait:  # the drawing before was painted after the timer was set
            self._timer.start(wait)
            return
        self._began, self._took = clock.perf_counter(), 0.0
        self._draw()
        taken = clock.perf_counter() - self._began
        self._took += taken
        self.spent += taken

    def _count(self) -> None:
        """The paintings since the last drawing belong to it."""
        for plot in self._plots():
            self._took += plot.paint_seconds
            self.spent += plot.paint_seconds
            plot.paint_seconds = 0.0
