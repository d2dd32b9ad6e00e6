"""A chart or a diagram in the room of the 3D view, as large as that is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QVBoxLayout, QWidget


class LargeChart(QWidget):
    """Lies over ``room`` while it holds a cell; Escape asks for it to go."""

    left = Signal()
    toggled = Signal()
    """It has come or gone."""

    def __init__(self, room: QWidget) -> None:
        super().__init__(room)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._room = room
        self._layout = QVBoxLayout(self)
        self.leave_below(0)
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), room.window())
        self._escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._escape.activated.connect(self.left)
        room.installEventFilter(self)
        self._escape.setEnabled(False)
        self.hide()

    def leave_below(self, pixels: int) -> None:
        """Let what is said there stand below what this holds, rather than over it."""
        self._layout.setContentsMargins(12, 10, 12, 10 + pixels)

    def take(self, cell: QWidget | None) -> None:
        """Show this one; None: nothing."""
        if cell is None:
            self.hide()
            return
        self._layout.addWidget(cell)
        cell.show()
        self.setGeometry(self._room.rect())
        self.show()
        self.raise_()
        self.setFocus()

    def showEvent(self, event: QEvent) -> None:
        self._escape.setEnabled(True)
        self.toggled.emit()

    def hideEvent(self, event: QEvent) -> None:
        self._escape.setEnabled(False)  # on other pages the key means something else
        self.toggled.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._room and event.type() == QEvent.Type.Resize:
            self.setGeometry(self._room.rect())
        return super().eventFilter(watched, event)
