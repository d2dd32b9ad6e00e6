"""Qt dumps core where it finds no display; here a sentence ends the process, with the exit code of bad input."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

BAD_INPUT = 2
INSTEAD = "Run it on a desktop or under xvfb-run, or simulate without a window: workbench run PROJECT."


@contextmanager
def refusals_in_words() -> Iterator[None]:
    """While the application is made: what Qt says is held back until it is clear whether it ends the process."""
    held: list[tuple[QtMsgType, QMessageLogContext, str]] = []

    def heard(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        held.append((kind, context, text))
        if kind is QtMsgType.QtFatalMsg:
            print(sentence([text for _, _, text in held]), file=sys.stderr, flush=True)
            os._exit(BAD_INPUT)  # Qt would abort when this returns

    before = qInstallMessageHandler(heard)
    try:
        yield
    finally:
        qInstallMessageHandler(before)
        for kind, context, text in held:
            if before is not None:
                before(kind, context, text)
            else:
                print(text, file=sys.stderr)


def sentence(said: list[str]) -> str:
    """Why there is no window, of what Qt has said last, and what to do instead."""
    display = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY")
    if not display and not os.environ.get("QT_QPA_PLATFORM"):
        return f"There is no display for the window: DISPLAY and WAYLAND_DISPLAY are not set. {INSTEAD}"
    if any("could not connect to display" in text for text in said):
        return f"The display '{display}' for the window cannot be reached. {INSTEAD}"
    why = said[-1].strip().splitlines()[0]
    return f"Qt cannot open a window here ('{why}'): 'workbench doctor' names the system's libraries that are missing."
