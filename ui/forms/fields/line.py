"""The line of text that every field is typed into."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit

DOCUMENT_KEYS = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)


class Line(QLineEdit):
    """A QLineEdit that keeps Undo and Redo to itself only while something typed in it is not entered yet.

    Qt's own would take back letters that have long become a value of the document, and the document's undo would
    never hear the keys while any field has the focus. Whoever takes the text over calls ``setModified(False)``.
    """

    gives_up = False
    """Whether its Escape takes back what was typed; a shortcut of the window must not come first then."""
    refusal = ""
    """Why what stands here is not the value; empty where it is. It stays until it is typed over, taken back, or the
    value is another."""

    def event(self, event: QEvent) -> bool:
        asks = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if asks and self.gives_up and self.isModified() and cast(QKeyEvent, event).key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        if asks and not self.isModified() and any(cast(QKeyEvent, event).matches(key) for key in DOCUMENT_KEYS):
            event.ignore()
            return False
        return super().event(event)
