"""What is unsaved and not open, as small cards above the gallery: a click opens one, a button deletes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedWidget, QToolButton, QWidget

from ui.panels.small_cards import CardRows, SmallCard
from ui.widgets.formatting import moment_text
from ui.widgets.icons import dress
from workbench.project.autosave import Recovery

MOST_CARDS = 60
"""Thousands of cards would keep the window busy for long, and nobody looks through them."""


class UnsavedCard(SmallCard):
    """Picture, title, engine and time of one; its button asks before it deletes."""

    deleted = Signal(object)

    def __init__(self, recovery: Recovery, engine: str, parent: QWidget | None = None) -> None:
        kept = moment_text(recovery.written)
        about = "\n".join(part for part in (engine, kept) if part)
        super().__init__(recovery, recovery.title, about, recovery.picture, parent)
        self.setAccessibleName(f"{recovery.title}, unsaved, {kept}")
        self.delete_button = QToolButton(self)
        self.delete_button.setObjectName("small")
        self.delete_button.setToolTip("Delete it (Del)")
        self.delete_button.setAccessibleName(f"Delete {recovery.title}")
        dress(self.delete_button, "trash", "muted")
        self.delete_button.clicked.connect(self._ask)
        self.row.addWidget(self.delete_button)
        self._faces = QStackedWidget(self)
        self._faces.addWidget(self.face)
        self._faces.addWidget(self._make_question())
        self.whole.addWidget(self._faces)

    @property
    def recovery(self) -> Recovery:
        found: Recovery = self.thing
        return found

    def _make_question(self) -> QWidget:
        question = QWidget(self)
        text = QLabel("Delete it for good?", question)
        self.yes = QPushButton("Delete", question)
        self.yes.clicked.connect(lambda: self.deleted.emit(self.recovery))
        self.no = QPushButton("Keep it", question)
        self.no.clicked.connect(lambda: self._faces.setCurrentIndex(0))
        row = QHBoxLayout(question)
        row.setContentsMargins(12, 8, 12, 8)
        row.setSpacing(8)
        row.addWidget(text, 1)
        row.addWidget(self.yes)
        row.addWidget(self.no)
        return question

    def _ask(self) -> None:
        self._faces.setCurrentIndex(1)
        self.no.setFocus()

    @property
    def asks(self) -> bool:
        """Whether it is to be deleted, if the person says so."""
        return self._faces.currentIndex() == 1

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self.asks:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self._ask()
        elif not self.asks:
            super().keyPressEvent(event)


class UnsavedList(CardRows):
    """Newest first, of which some have a card."""

    deleted = Signal(object)
    _older = 0

    def set_sessions(self, found: Sequence[Recovery], engines: Mapping[str, str] = MappingProxyType({})) -> None:
        """``engines``: id to title."""
        newest, older = list(found[:MOST_CARDS]), max(0, len(found) - MOST_CARDS)
        if ([card.recovery for card in self.cards], self._older) == (newest, older):
            return
        self._older = older
        cards = [UnsavedCard(each, engines.get(each.engine, each.engine), self) for each in newest]
        for card in cards:
            card.deleted.connect(self.deleted)
        self.set_cards("Unsaved", cards, older)
