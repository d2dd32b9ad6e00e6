"""What most dialogs and pages do alike: their size on the screen, buttons, tables, and names of files and folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QMessageBox, QPushButton, QTableView, QWidget

FRAME = QSize(16, 48)
"""Room for what the desktop draws around a window."""


def resize_within(window: QWidget, wanted: QSize, room: QSize | None = None) -> None:
    """``wanted`` [pixels], or what ``room`` leaves of it; without one, the free part of the window's screen."""
    room = window.screen().availableGeometry().size() if room is None else room
    window.resize(wanted.boundedTo(room - FRAME))


def bring_within(window: QWidget, room: QRect) -> None:
    """A window that is shown, with the frame that its desktop has drawn around it: no larger than ``room`` [pixels of
    the desktop] and all of it there. One that fills its screen is left alone."""
    if window.isMaximized() or window.isFullScreen():
        return
    frame, size = window.frameGeometry(), window.size()
    around = frame.size() - size
    fitting = size.boundedTo(room.size() - around)
    last = QRect(room.topLeft(), room.size() - fitting - around).bottomRight() + QPoint(1, 1)
    place = QPoint(max(room.left(), min(frame.left(), last.x())), max(room.top(), min(frame.top(), last.y())))
    if fitting != size:
        window.resize(fitting)
    if place != frame.topLeft():
        window.move(place)


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


def completed(name: str, suffix: str, parent: QWidget, *, no_other: bool = False) -> Path | None:
    """What was typed into a dialog, with ``suffix`` where it has none, or has another (``no_other``). A dialog asks
    about a file of the name that was typed; one of the completed name is asked about here. None: it stays."""
    path = Path(name)
    if not suffix or path.suffix.lower() == suffix or (path.suffix and not no_other):
        return path
    path = path.with_name(f"{path.name}{suffix}")
    return path if not path.exists() or replaces(f"'{path.name}'", parent) else None


def replaces(name: str, parent: QWidget, *, many: bool = False) -> bool:
    """Whether a person says that what is called so makes way."""
    yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
    question = f"{name} {'are' if many else 'is'} there already. Replace {'them' if many else 'it'}?"
    return QMessageBox.question(parent, "Save", question, yes | no, no) == yes


class FolderDialog(QFileDialog):
    """A folder whose name is typed and that is not there yet is made: Qt itself says that it does not exist."""

    def __init__(self, parent: QWidget | None, title: str, start: str = "") -> None:
        super().__init__(parent, title, start)
        self.setFileMode(QFileDialog.FileMode.Directory)
        self.setOption(QFileDialog.Option.ShowDirsOnly)

    def accept(self) -> None:
        folder = Path(self.selectedFiles()[0])
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            told = f"The folder '{folder}' cannot be made here ({error.strerror}): choose another place or name."
            QMessageBox.warning(self, self.windowTitle(), told)
        else:
            super().accept()


def folder_for(parent: QWidget | None, title: str, start: str = "") -> Path | None:
    """Asks for one to write into; None: for none."""
    dialog = FolderDialog(parent, title, start)
    chosen = Path(dialog.selectedFiles()[0]) if dialog.exec() else None
    dialog.deleteLater()
    return chosen
