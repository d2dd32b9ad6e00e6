"""Whose fields stand at the top of a form, where the titles above them are scrolled away."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from ui.forms.section import PINNED, Section, scroll_to

DEEPER = " › "
INDENT = 12
"""Pixels from the left at which there is something of whatever stands in a section."""


class PinnedTitles(QLabel):
    """Lies over the first pixels of a form; a click goes to where the innermost title stands."""

    def __init__(self, form: QScrollArea) -> None:
        super().__init__(form.viewport())
        self.setObjectName("pinned")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._form = form
        self._section: Section | None = None
        form.verticalScrollBar().valueChanged.connect(self.follow)
        form.verticalScrollBar().rangeChanged.connect(self.follow)
        form.viewport().installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.follow()
        return False

    def follow(self) -> None:
        """The titles of what the first field below belongs to: of an item of a list, and of all around it."""
        inside, shown = self._form.widget(), self._form.verticalScrollBar().value()
        around: QWidget | None = None if inside is None else inside.childAt(QPoint(INDENT, shown + PINNED))
        gone: list[Section] = []
        while around is not None and around is not inside:
            if isinstance(around, Section) and around.header.mapTo(inside, around.header.rect().center()).y() < shown:
                gone.append(around)
            around = around.parentWidget()
        self._section = next((section for section in gone if section.level), None)
        text, width = DEEPER.join(section.header.text() for section in reversed(gone)), self._form.viewport().width()
        self.setText(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideLeft, width - 2 * INDENT))
        self.resize(width, PINNED)
        self.setVisible(self._section is not None)
        self.raise_()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._section is not None:
            scroll_to(self._section)
