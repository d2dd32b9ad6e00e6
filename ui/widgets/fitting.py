"""Windows no larger than the screen that they come up on."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

FRAME = QSize(16, 48)
"""Room for what the desktop draws around a window."""


def resize_within(window: QWidget, wanted: QSize, room: QSize | None = None) -> None:
    """``wanted`` [pixels], or what ``room`` leaves of it; without one, the free part of the window's screen."""
    room = window.screen().availableGeometry().size() if room is None else room
    window.resize(wanted.boundedTo(room - FRAME))
