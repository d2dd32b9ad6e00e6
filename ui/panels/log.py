"""The log: what happened, newest below; errors ask for attention without stopping anybody."""

from __future__ import annotations

import time as clock

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QIcon
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QListView,
    QListWidget,
    QListWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui.widgets.icons import dress, icon
from ui.widgets.theme import theme
from workbench.run.frames import Message
from workbench.words.units import spaced

LIMIT = 2000
ICONS = {"info": ("info", "muted"), "warning": ("warning", "warn"), "error": ("error", "bad")}
COLORS = {"info": "text", "warning": "warn", "error": "bad"}


class LogPane(QWidget):
    """At most LIMIT lines; the oldest go first."""

    attention = Signal(int, bool)
    """Number of warnings and errors that nobody has looked at, and whether an error is among them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground, True)
        self._unseen: list[str] = []
        self._messages: list[Message] = []
        self.list = QListWidget(self)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setIconSize(QSize(14, 14))
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # lines are wrapped
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setUniformItemSizes(False)
        buttons = QVBoxLayout()
        buttons.setSpacing(2)
        for name, tip, call in (("duplicate", "Copy the log", self.copy), ("trash", "Clear the log", self.clear)):
            button = QToolButton(self)
            button.setObjectName("small")
            button.setToolTip(tip)
            dress(button, name, "muted")
            button.clicked.connect(call)
            buttons.addWidget(button)
        buttons.addStretch(1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 4, 6, 6)
        layout.addWidget(self.list, 1)
        layout.addLayout(buttons)
        theme().changed.connect(self._repaint)

    def add(self, message: Message) -> None:
        follow = self.list.verticalScrollBar().value() >= self.list.verticalScrollBar().maximum() - 4
        self._messages.append(message)
        self.list.addItem(_item(message))
        while self.list.count() > LIMIT:
            self.list.takeItem(0)
            self._messages.pop(0)
        if follow:
            self.list.scrollToBottom()
        if message.severity != "info" and not self.isVisible():
            self._unseen.append(message.severity)
            self.attention.emit(len(self._unseen), "error" in self._unseen)

    def clear(self) -> None:
        self.list.clear()
        self._messages.clear()
        self._see()

    def copy(self) -> None:
        """The selected lines, or all, to the clipboard."""
        chosen = sorted(index.row() for index in self.list.selectedIndexes()) or range(len(self._messages))
        QGuiApplication.clipboard().setText("\n".join(line(self._messages[row]) for row in chosen))

    def showEvent(self, event: object) -> None:
        self._see()
        self.list.scrollToBottom()

    def _see(self) -> None:
        if self._unseen:
            self._unseen.clear()
            self.attention.emit(0, False)

    def _repaint(self) -> None:
        for row, message in enumerate(self._messages):
            _dress(self.list.item(row), message)


def line(message: Message) -> str:
    """``12:04:31  error  The step …``"""
    return f"{_clock(message)}  {message.severity:7s}  {message.text}"


def _clock(message: Message) -> str:
    return clock.strftime("%H:%M:%S", clock.localtime(message.wall_time))


def _item(message: Message) -> QListWidgetItem:
    item = QListWidgetItem(f"{_clock(message)}   {spaced(message.text.strip())}")
    _dress(item, message)
    return item


def _dress(item: QListWidgetItem, message: Message) -> None:
    name, role = ICONS[message.severity]
    item.setIcon(QIcon(icon(name, role)))
    item.setForeground(QColor(theme().palette.color(COLORS[message.severity])))
