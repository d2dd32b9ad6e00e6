"""The log: what happened, newest below; errors ask for attention without stopping anybody."""

from __future__ import annotations

import time as clock
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QListView, QToolButton, QVBoxLayout, QWidget

from ui.widgets.icons import dress, icon
from ui.widgets.theme import theme
from workbench.run.frames import Message
from workbench.words.numbers import spaced

LIMIT = 2000
ICONS = {"info": ("info", "muted"), "warning": ("warning", "warn"), "error": ("error", "bad")}
COLORS = {"info": "text", "warning": "warn", "error": "bad"}


class Lines(QAbstractListModel):
    """The messages themselves: an item of a list for each line would take as much again ten times."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.messages: list[Message] = []

    def rowCount(self, _parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return len(self.messages)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        message = self.messages[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(index.row())
        if role == Qt.ItemDataRole.DecorationRole:
            return icon(*ICONS[message.severity])
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(theme().palette.color(COLORS[message.severity]))
        return None

    def text(self, row: int) -> str:
        message = self.messages[row]
        return f"{_clock(message)}   {spaced(message.text.strip())}"

    def add(self, message: Message) -> None:
        if len(self.messages) == LIMIT:
            self.beginRemoveRows(QModelIndex(), 0, 0)
            self.messages.pop(0)
            self.endRemoveRows()
        row = len(self.messages)
        self.beginInsertRows(QModelIndex(), row, row)
        self.messages.append(message)
        self.endInsertRows()

    def clear(self) -> None:
        self.beginResetModel()
        self.messages.clear()
        self.endResetModel()

    def repaint(self) -> None:
        """In the colours of another theme."""
        self.dataChanged.emit(self.index(0), self.index(len(self.messages) - 1))


class LogPane(QWidget):
    """At most LIMIT lines; the oldest go first."""

    attention = Signal(int, bool)
    """Number of warnings and errors that nobody has looked at, and whether an error is among them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._unseen: list[str] = []
        self._in_front = True
        self.lines = Lines(self)
        self.list = QListView(self)
        self.list.setModel(self.lines)
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
        theme().changed.connect(self.lines.repaint)

    def add(self, message: Message) -> None:
        bar = self.list.verticalScrollBar()
        follow = self._seen and bar.value() >= bar.maximum() - 4  # to scroll lays out all lines: 50 ms
        self.lines.add(message)
        if follow:
            self.list.scrollToBottom()
        if message.severity != "info" and not self._seen:
            self._unseen.append(message.severity)
            self.attention.emit(len(self._unseen), "error" in self._unseen)

    def clear(self) -> None:
        self.lines.clear()
        self._see()

    def copy(self) -> None:
        """The selected lines, or all, to the clipboard."""
        messages = self.lines.messages
        chosen = sorted(index.row() for index in self.list.selectedIndexes()) or range(len(messages))
        QGuiApplication.clipboard().setText("\n".join(line(messages[row]) for row in chosen))

    def set_in_front(self, in_front: bool) -> None:
        """Whether nothing that it is tabbed with is before it."""
        self._in_front = in_front
        self.showEvent(None)

    @property
    def _seen(self) -> bool:
        return self.isVisible() and self._in_front

    def showEvent(self, event: object) -> None:
        if self._seen:
            self._see()
            self.list.scrollToBottom()

    def _see(self) -> None:
        if self._unseen:
            self._unseen.clear()
            self.attention.emit(0, False)


def line(message: Message) -> str:
    """``12:04:31  error  The step …``"""
    return f"{_clock(message)}  {message.severity:7s}  {message.text}"


def _clock(message: Message) -> str:
    return clock.strftime("%H:%M:%S", clock.localtime(message.wall_time))
