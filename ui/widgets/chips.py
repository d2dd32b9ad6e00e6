"""A row of small buttons of which one is pressed: what a list is narrowed down to."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QSizePolicy, QWidget

from ui.widgets.flow import FlowLayout


class Chips(QWidget):
    """Choices as chips; the first is pressed at the beginning."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: dict[str, QPushButton] = {}
        self._group = QButtonGroup(self)
        self._layout = FlowLayout(parent=self)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        return self._layout.minimumSize()

    def minimumSizeHint(self) -> QSize:
        """One line: Qt would take the height of a column, which scrolls."""
        return self._layout.minimumSize()

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """``choices``: (value, title) in the order in which they stand."""
        for button in self.buttons.values():
            self._group.removeButton(button)
            self._layout.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = {}
        for value, title in choices:
            button = QPushButton(title.replace("&", "&&"), self)
            button.setObjectName("chip")
            button.setCheckable(True)
            button.setAutoExclusive(False)
            button.clicked.connect(lambda _=False, value=value: self.chosen.emit(value))
            self._group.addButton(button)
            self._layout.addWidget(button)
            self.buttons[value] = button
        for button in list(self.buttons.values())[:1]:
            button.setChecked(True)
