"""A plate over the view that says what went wrong, or asks, in one sentence; nothing below it moves for it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from html import escape
from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from ui.widgets.dressing import polish_anew
from ui.widgets.icons import dress, pixmap
from workbench.words.numbers import spaced

INFO_MILLISECONDS, REST_MILLISECONDS = 8000, 1500
"""Until information goes, and until it is looked again whether the pointer is still on it."""
BESIDE_PIXELS = 100
"""What picture, margins and the closing button take."""
LONGEST = 2000
"""Letters of a sentence: a window is busy for minutes with a million."""
LINES, LINES_ABOVE = 3, 2
"""Of a sentence over a view, and of one above its buttons: figures and what is drawn begin below so many."""
EDGE, WIDEST = 4, 1100
"""Pixels to the edges of what it lies over, and of a line that is still read at a glance."""
ICONS = {"error": ("error", "bad"), "warning": ("warning", "warn"), "info": ("info", "accent")}
Severity = Literal["error", "warning", "info"]


class Banner(QFrame):
    """One sentence with a severity; information goes by itself, the rest when it is closed or replaced.

    A question has buttons with its answers, and stays until it is answered, closed, replaced or withdrawn.
    """

    closed = Signal(str)
    """What said this, by hand or because its time was over."""
    settled = Signal()
    """It has come or gone, or has another size."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._sentence = ""
        self._host: QWidget | None = None
        self.low = False
        """At the lower edge of what it lies over."""
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
        self.hide()

    def lie_over(self, host: QWidget, low: bool = False) -> None:
        """From now on it is a child of ``host``, along its upper edge, or the lower one."""
        self.setParent(host)
        host.installEventFilter(self)
        self._host, self.low = host, low

    @property
    def text(self) -> str:
        """The sentence shown, or an empty text."""
        return "" if self.isHidden() else self._sentence

    def _close(self) -> None:
        self.hide()
        self.closed.emit(self._sentence)

    def _expire(self) -> None:
        """Its time is over; under the pointer it stays, for what is pressed there would fall on what lies below."""
        if self.underMouse():
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
        self.settle()

    def arrange(self) -> None:
        """Buttons stand where the whole is lower: beside the sentence, or below what would be squeezed into a
        column."""
        self.buttons.invalidate()  # of those that have come or gone
        room, buttons = self.width() - BESIDE_PIXELS, self.buttons.sizeHint()
        squeezed = max(room - buttons.width(), 1)
        beside = max(self.label.heightForWidth(squeezed), buttons.height())
        below = self.label.heightForWidth(max(room, 1)) + self._text.spacing() + buttons.height()
        sides = QBoxLayout.Direction
        self._text.setDirection(sides.LeftToRight if beside <= below else sides.TopToBottom)

    def _shorten(self) -> None:
        """Over a view a sentence ends in dots after a few lines, and is whole in its tool tip."""
        whole, room = spaced(self._sentence), self.width() - BESIDE_PIXELS
        lines = LINES_ABOVE
        if self._text.direction() == QBoxLayout.Direction.LeftToRight:
            lines, room = LINES, room - self.buttons.sizeHint().width()
        most = (lines + 0.5) * self.label.fontMetrics().lineSpacing()

        def height(letters: int) -> int:
            self.label.setText(f"{whole[:letters].rstrip()}…" if letters < len(whole) else whole)
            return self.label.heightForWidth(max(room, 1))

        is_cut = height(len(whole)) > most
        if is_cut:
            height(max(bisect_right(range(len(whole)), most, key=height) - 1, 0))
        self.label.setToolTip(f"<p>{escape(whole)}</p>" if is_cut else "")

    def settle(self) -> None:
        """Take the place that belongs to it over its host, as high as what it says."""
        self.label.setText(spaced(self._sentence))
        host = self._host
        if host is None:
            self.arrange()
            return
        width = min(host.width() - 2 * EDGE, WIDEST)
        self.resize(width, self.height())
        self.arrange()
        self._shorten()
        if (layout := self.layout()) is not None:
            layout.activate()
        height = max(self.heightForWidth(width), self.minimumSizeHint().height())
        top = host.height() - EDGE - height if self.low else EDGE
        self.setGeometry((host.width() - width) // 2, top, width, height)
        self.raise_()
        self.settled.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.settle()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._host is None:
            self.arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.settle()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.settled.emit()

    def withdraw(self) -> None:
        """What was asked need not be answered any more; a sentence that is no question stays."""
        if self.answers:
            self.hide()

    def take_back(self, sentence: str) -> None:
        """It holds no more, nor does its beginning where that was said alone."""
        if self.text and sentence.startswith(self.text):
            self.hide()

    def say(self, sentence: str, severity: Severity = "error", stays: bool = False) -> None:
        """``stays``: until it is closed or replaced, information too."""
        while self.answers:
            answer = self.answers.pop()
            answer.hide()
            answer.deleteLater()
        self.setProperty("severity", severity)
        polish_anew(self)
        self.picture.setPixmap(pixmap(ICONS[severity][0], 18, ICONS[severity][1]))
        if len(sentence) > LONGEST:  # a word of a stranger's file stands in it
            sentence = f"{sentence[:LONGEST]}…"
        self._sentence = sentence
        self.settle()
        self.show()
        if severity == "info" and not stays:
            self._timer.start(INFO_MILLISECONDS)
        else:
            self._timer.stop()
