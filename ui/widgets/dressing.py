"""One style sheet after another for the whole application: each widget is polished once, those that are seen first."""

from __future__ import annotations

import time as clock

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from shiboken6 import isValid

from workbench.words.numbers import spaced

EVERY_MILLISECONDS = 20
AT_ONCE_SECONDS = 0.008
"""How often hidden widgets have their turn after those that are seen, and for how long."""


class Dressing(QObject):
    """Qt by itself polishes a widget once for each of its parents where a sheet follows another, and all of them twice
    where none stands between: a window has 2,300, of which 300 to 650 are seen."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._hidden: list[QWidget] = []
        self._timer = QTimer(self, interval=EVERY_MILLISECONDS)
        self._timer.timeout.connect(lambda: self._dress(AT_ONCE_SECONDS))

    def put_on(self, application: QApplication, sheet: str) -> None:
        """What is hidden follows within some tenths of a second, or when something is shown."""
        if application.styleSheet():
            application.style().unpolish(application)  # forgets all rules: Qt polishes anew what has some
        application.setStyleSheet(sheet)
        self._hidden = []
        for widget in application.allWidgets():
            if widget.isVisible():
                widget.style().polish(widget)
            else:
                self._hidden.append(widget)
        for window in application.topLevelWidgets():
            window.update()
        application.installEventFilter(self)
        self._timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show:
            self._dress()
        return False

    def _dress(self, seconds: float = float("inf")) -> None:
        latest = clock.monotonic() + seconds
        while self._hidden and clock.monotonic() < latest:
            widget = self._hidden.pop()
            if isValid(widget):
                widget.style().polish(widget)
        application = QApplication.instance()
        if not self._hidden and application is not None:
            self._timer.stop()
            application.removeEventFilter(self)


def polish_anew(widget: QWidget) -> None:
    """As the sheet has it for the name and the properties that the widget has now."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def look_as(widget: QWidget, name: str) -> None:
    widget.setObjectName(name)
    polish_anew(widget)


def say(label: QLabel, sentence: str, name: str) -> None:
    """Show a sentence, as the sheet has it for ``name``; where there is none, the label is not seen."""
    look_as(label, name)
    label.setText(spaced(sentence))
    label.setVisible(bool(sentence))
