"""Signals that end the window at once, with what is unsaved kept."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, QTimer
from PySide6.QtWidgets import QWidget

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


class SignalEnding(QObject):
    """Calls ``close`` when the process is interrupted, asked to terminate, or its terminal is lost.

    Python looks for signals between two of its instructions, of which an idle window executes none for seconds: the
    system also writes each signal into a socket, and that wakes Qt.
    """

    def __init__(self, close: Callable[[], object], parent: QWidget) -> None:
        super().__init__(parent)
        self._close = close
        self._woken, self._waking = socket.socketpair()
        for end in (self._woken, self._waking):
            end.setblocking(False)
        self._wakeup_before = signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._woken.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(lambda: self._woken.recv(4096))
        numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
        numbers = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]  # nohup
        self._before = [(number, signal.signal(number, self._end)) for number in numbers]

    def restore(self) -> None:
        """Let signals do what they did before."""
        for number, handler in self._before:
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup_before)
        self._notifier.setEnabled(False)
        self._woken.close()
        self._waking.close()

    def _end(self, number: int, frame: FrameType | None) -> None:
        QTimer.singleShot(0, self._close)  # not in the middle of whatever was interrupted
