"""Cyclic garbage is collected on the GUI thread alone.

Python collects on whichever thread allocates, and a widget that dies on another thread than the GUI's ends the process
or, where both threads wait for one of Qt's locks and for the interpreter, stops it for ever. With a
:class:`GuiThreadCollector` Python's own collections are off, and a timer makes those that are due. What a collection of
everything has freed goes back to the system.
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

from ui.memory import give_back_freed

MILLISECONDS = 250
FULL_SECONDS = 10.0
"""At least between two collections of everything: one takes the window some 50 ms."""
SETTLED_MILLISECONDS = 2000
"""From the opening of a problem until what the one before held is collected: by then its run has ended."""


class Due:
    """Makes the collections that Python's thresholds ask for when it is called."""

    def __init__(self) -> None:
        self._full_at = time.monotonic()

    def collect(self) -> int | None:
        """The generation that was collected; None where none was due."""
        due = [have > most for have, most in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if due[2] and time.monotonic() - self._full_at < FULL_SECONDS:
            due[2] = False
        generation = max((place for place, is_due in enumerate(due) if is_due), default=None)
        if generation == 2:
            self.collect_all()
        elif generation is not None:
            gc.collect(generation)
        return generation

    def collect_all(self) -> None:
        gc.collect(2)
        give_back_freed()
        self._full_at = time.monotonic()


class GuiThreadCollector(QObject):
    """Takes the collecting over from Python until :meth:`stop`."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._due = Due()
        self._timer = QTimer(self)
        self._timer.setInterval(MILLISECONDS)
        self._timer.timeout.connect(self._due.collect)
        self._timer.start()

    def collect_soon(self) -> None:
        """Much has become garbage at once: collect everything when the window has settled."""
        QTimer.singleShot(SETTLED_MILLISECONDS, self, self._due.collect_all)

    def stop(self) -> None:
        """Python collects again."""
        self._timer.stop()
        gc.enable()
