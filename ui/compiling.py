"""Kernels compiled in the background, so that the window is there at once and a first Run seldom waits.

What a person opens first is compiled by its own run meanwhile; this goes on beside it at the lowest priority and ends
with the window. What it has compiled by then is kept, and the next start goes on from there.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time as clock
from collections.abc import Callable, Sequence
from contextlib import suppress

from PySide6.QtCore import QObject, QTimer

from engines.backend.compile.stamp import compiled_ahead
from workbench.words.units import clock_text

DELAY_MILLISECONDS = 5000
"""After the start: the window, and what was named on the command line, come first."""
LOOK_MILLISECONDS = 1000
LEAST_IMPORTANT = 19
COMMAND = (sys.executable, "-P", "-m", "workbench", "doctor", "--warm")
BEGINS = "Kernels are being compiled in the background; until that is done, a first Run may wait for its own."


class BackgroundCompiler(QObject):
    """``say`` takes lines for the log. Nothing happens where all is compiled already."""

    def __init__(self, say: Callable[[str], None], parent: QObject, command: Sequence[str] = COMMAND) -> None:
        super().__init__(parent)
        self._say, self._command = say, command
        self._process: subprocess.Popen[bytes] | None = None
        self._began = 0.0
        self._timer = QTimer(self, interval=LOOK_MILLISECONDS)
        self._timer.timeout.connect(self._look)

    def begin_soon(self) -> None:
        QTimer.singleShot(DELAY_MILLISECONDS, self, self.begin)

    def begin(self) -> None:
        """Start, where there is anything to compile. A bundle is no Python that could be started with a module."""
        if self._process is not None or getattr(sys, "frozen", False) or compiled_ahead():
            return
        self._began = clock.monotonic()
        nothing, own_group = subprocess.DEVNULL, 0 if os.name == "posix" else None
        try:
            self._process = subprocess.Popen(
                self._command, stdin=nothing, stdout=nothing, stderr=nothing, process_group=own_group
            )
        except OSError as error:
            self._say(f"Kernels are not compiled ahead ({error}): a first Run compiles its own.")
            return
        if os.name == "posix":
            with suppress(OSError):  # it has ended already
                os.setpriority(os.PRIO_PGRP, self._process.pid, LEAST_IMPORTANT)
        self._say(BEGINS)
        self._timer.start()

    def stop(self) -> None:
        """End it, with the processes that it has started."""
        self._timer.stop()
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        if os.name == "posix":
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGTERM)
        else:
            process.terminate()
        try:
            process.wait(2.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _look(self) -> None:
        assert self._process is not None
        code = self._process.poll()
        if code is None:
            return
        self._timer.stop()
        self._process = None
        took = clock_text(clock.monotonic() - self._began, "s")
        if code == 0:
            self._say(f"All kernels are compiled, in {took}.")
        else:
            self._say("Kernels could not be compiled ahead: 'workbench doctor --warm' says why.")
