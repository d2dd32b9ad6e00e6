"""A strip above the viewport that says what went wrong in one sentence, and stays out of the way."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from ui.icons import dress, pixmap

INFO_MILLISECONDS = 8000
ICONS = {"error": ("error", "bad"), "warning": ("warning", "warn"), "info": ("info", "accent")}
Severity = Literal["error", "warning", "info"]


class Banner(QFrame):
    """One sentence with a severity; information goes by itself, the rest when it is closed or replaced."""

    closed = Signal()
    """By hand, or because its time was over."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
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
        layout.setContentsMargins(10, 7, 8, 7)
        layout.setSpacing(10)
        layout.addWidget(self.picture, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.label, 1)
        layout.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._close)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown, or an empty text."""
        return "" if self.isHidden() else self.label.text()

    def _close(self) -> None:
        self.hide()
        self.closed.emit()

    def say(self, sentence: str, severity: Severity = "error", stays: bool = False) -> None:
        """``stays``: until it is closed or replaced, information too."""
        self.setProperty("severity", severity)
        self.style().unpolish(self)
        self.style().polish(self)
        self.picture.setPixmap(pixmap(ICONS[severity][0], 18, ICONS[severity][1]))
        self.label.setText(sentence)
        self.show()
        if severity == "info" and not stays:
            self._timer.start(INFO_MILLISECONDS)
        else:
            self._timer.stop()
