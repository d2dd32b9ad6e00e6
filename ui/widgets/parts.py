"""What most dialogs and pages do alike: their size on the screen, buttons and tables."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QAbstractItemView, QPushButton, QTableView, QWidget

FRAME = QSize(16, 48)
"""Room for what the desktop draws around a window."""


def resize_within(window: QWidget, wanted: QSize, room: QSize | None = None) -> None:
    """``wanted`` [pixels], or what ``room`` leaves of it; without one, the free part of the window's screen."""
    room = window.screen().availableGeometry().size() if room is None else room
    window.resize(wanted.boundedTo(room - FRAME))


def button_for(text: str, call: Callable[[], object], parent: QWidget) -> QPushButton:
    """One that Enter does not press while something else has the focus."""
    button = QPushButton(text, parent)
    button.setAutoDefault(False)
    button.clicked.connect(lambda _=False: call())
    return button


def show_whole_rows(table: QTableView, name: str, row_height: int) -> None:
    """Rows of one line, without a grid, that are chosen whole and not edited; ``name``: for a screen reader."""
    table.setAccessibleName(name)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(row_height)
    table.horizontalHeader().setHighlightSections(False)
