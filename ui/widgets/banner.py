"""A strip above the viewport that says what went wrong, or asks, in one sentence, and stays out of the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QWidget,
)

from ui.widgets.icons import dress, pixmap
from workbench.words.units import spaced

INFO_MILLISECONDS, REST_MILLISECONDS = 8000, 1500
"""Until information goes, and how long the pointer rests before, if it is over what moves then."""
BESIDE_PIXELS = 100
"""What picture, margins and the closing button take."""
ICONS = {"error": ("error", "bad"), "warning": ("warning", "warn"), "info": ("info", "accent")}
Severity = Literal["error", "warning", "info"]


class Banner(QFrame):
    """One sentence with a severity; information goes by itself, the rest when it is closed or replaced.

    A question has buttons with its answers, and stays until it is answered, closed, replaced or withdrawn.
    """

    closed = Signal()
    """By hand, or because its time was over."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._sentence = ""
        self.picture = QLabel(self)
        self.label = QLabel(self)
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        button = QToolButton(self)
        button.setObjectName("small")
        button.setToolTip("Dismiss")
        button.clicked.connect(self._close)
        dress(button, "close", "muted")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 5, 8, 5)
        layout.setSpacing(10)
        self.answers: list[QPushButton] = []
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(8)
        self.buttons.addStretch(1)
        self._text = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._text.setSpacing(4)
        self._text.addWidget(self.label, 1)
        self._text.addLayout(self.buttons)
        layout.addWidget(self.picture)
        layout.addLayout(self._text, 1)
        layout.addWidget(button)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._expire)
        self._pointer = QCursor.pos()
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown, or an empty text."""
        return "" if self.isHidden() else self._sentence

    def _close(self) -> None:
        self.hide()
        self.closed.emit()

    def _expire(self) -> None:
        """Its time is over; it waits for a hand that is busy below, under which all would move, and for an open
        menu."""
        before, self._pointer = self._pointer, QCursor.pos()
        above = self.parentWidget()
        busy = above is not None and above.underMouse() and self._pointer != before
        if busy or QApplication.activePopupWidget() is not None:
            self._timer.start(REST_MILLISECONDS)
        else:
            self._close()

    def ask(self, sentence: str, answers: Mapping[str, Callable[[], object]], severity: Severity = "info") -> None:
        """A question; to close it is to do nothing."""
        self.say(sentence, severity, stays=True)
        for text, call in answers.items():
            button = QPushButton(text, self)
            button.clicked.connect(self.hide)
            button.clicked.connect(lambda _=False, call=call: call())
            self.buttons.insertWidget(len(self.answers), button)
            self.answers.append(button)
            button.show()  # at once: it counts in the width that is needed
        self.arrange()

    def arrange(self) -> None:
        """Buttons stand where the whole is lower: beside the sentence, or below what would be squeezed into a
        column."""
        room, buttons = self.width() - BESIDE_PIXELS, self.buttons.sizeHint()
        squeezed = max(room - buttons.width(), 1)
        beside = max(self.label.heightForWidth(squeezed), buttons.height())
        below = self.label.heightForWidth(max(room, 1)) + self._text.spacing() + buttons.height()
        sides = QBoxLayout.Direction
        self._text.setDirection(sides.LeftToRight if beside <= below else sides.TopToBottom)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def withdraw(self) -> None:
        """What was asked need not be answered any more; a sentence that is no question stays."""
        if self.answers:
            self.hide()

    def say(self, sentence: str, severity: Severity = "error", stays: bool = False) -> None:
        """``stays``: until it is closed or replaced, information too."""
        while self.answers:
            answer = self.answers.pop()
            answer.hide()
            answer.deleteLater()
        self.setProperty("severity", severity)
        self.style().unpolish(self)
        self.style().polish(self)
        self.picture.setPixmap(pixmap(ICONS[severity][0], 18, ICONS[severity][1]))
        self._sentence = sentence
        self.label.setText(spaced(sentence))
        self.arrange()
        self.show()
        if severity == "info" and not stays:
            self._pointer = QCursor.pos()
            self._timer.start(INFO_MILLISECONDS)
        else:
            self._timer.stop()
