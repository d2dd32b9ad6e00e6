"""The command palette: a few letters find any command, field of the form, ready problem or recent file."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from ui.widgets.theme import theme
from ui.window.help.commands import Command

WIDTH, HEIGHT, FROM_TOP = 620, 400, 90
BESIDE_TEXT = 12  # pixels
MOVING = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class Palette(QFrame):
    """Opens over its window; Return does what is chosen, Escape or a click beside it closes."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._window = window
        self._commands: Sequence[Command] = ()
        self.line = QLineEdit(self)
        self.line.setPlaceholderText("Type a command, a field, a problem, a file…")
        self.line.setAccessibleName("Command")
        self.line.textChanged.connect(self._filter)
        theme().changed.connect(self._theme_changed)
        self.line.installEventFilter(self)
        self.list = QTreeWidget(self)
        self.list.setColumnCount(3)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._do)
        self.line.returnPressed.connect(lambda: self._do(self.list.currentItem()))
        self.nothing = QLabel("Nothing is called so: try one word of it.", self)
        self.nothing.setObjectName("muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 10, 10, 10)
        layout.setSpacing(8)
        layout.addWidget(self.line)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.nothing, 1)

    def open_with(self, commands: Sequence[Command]) -> None:
        self._commands = commands
        self.line.clear()
        size = QSize(min(WIDTH, self._window.width() - 40), min(HEIGHT, self._window.height() - FROM_TOP - 40))
        self.resize(size)
        for column, share in enumerate((0.47, 0.37)):
            self.list.setColumnWidth(column, round(share * (size.width() - 40)))
        self._filter("")
        corner = self._window.rect().topLeft()
        corner.setX((self._window.width() - size.width()) // 2)
        corner.setY(FROM_TOP)
        self.move(self._window.mapToGlobal(corner))
        self.show()
        self.line.setFocus()

    @property
    def shown(self) -> list[str]:
        """The titles that what is typed leaves."""
        items = map(self.list.topLevelItem, range(self.list.topLevelItemCount()))
        return [item.text(0) for item in items if item is not None]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in MOVING:
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def _theme_changed(self) -> None:
        self._filter(self.line.text())

    def _filter(self, text: str) -> None:
        words = text.lower().split()
        found = [command for command in self._commands if command.matches(words)]
        if words:  # what begins with what was typed comes first
            found.sort(key=lambda command: not command.title.lower().startswith(words[0]))
        self.list.clear()
        metrics, room = self.list.fontMetrics(), self.list.columnWidth(1) - BESIDE_TEXT
        muted, disabled = QColor(theme().palette.muted), QColor(theme().palette.disabled)
        for command in found:
            # what tells it apart stands last
            place = metrics.elidedText(command.place, Qt.TextElideMode.ElideLeft, room)
            item = QTreeWidgetItem([command.title, place, command.keys])
            item.setData(0, Qt.ItemDataRole.UserRole, command)
            item.setToolTip(0, command.title)
            item.setToolTip(1, command.place)
            for column in (1, 2):
                item.setForeground(column, muted)
            item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            if not command.enabled:
                item.setForeground(0, disabled)
                item.setToolTip(0, "Not possible now")
            self.list.addTopLevelItem(item)
        self.nothing.setVisible(not found)
        self.list.setVisible(bool(found))
        first = self.list.topLevelItem(0)
        if first is not None:
            self.list.setCurrentItem(first)

    def _do(self, item: QTreeWidgetItem | None) -> None:
        command = None if item is None else item.data(0, Qt.ItemDataRole.UserRole)
        if isinstance(command, Command) and command.enabled:
            self.hide()
            command.run()
