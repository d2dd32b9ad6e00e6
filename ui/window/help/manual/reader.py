"""The manual in a window of its own: contents and search at the left, a page at the right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ui.widgets.background import Background
from ui.widgets.theme import theme
from ui.window.help.manual import pages
from ui.window.help.manual.page import PageView
from ui.window.help.manual.pages import Page

WAIT_MS = 200
"""From the last key until it is searched."""
PLACE = Qt.ItemDataRole.UserRole


class ManualWindow(QDialog):
    """Stays open beside the work."""

    def __init__(self, background: Background, window: QWidget) -> None:
        super().__init__(window)
        self.setWindowTitle("Manual")
        self.resize(min(1080, window.width() - 40), min(760, window.height() - 40))
        self._background = background
        self.line = QLineEdit(self)
        self.line.setPlaceholderText("Search the manual (Ctrl+F)")
        self.line.setAccessibleName("Search the manual")
        self.line.setClearButtonEnabled(True)
        self.tree = QTreeWidget(self)
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName("Contents")
        self.page = PageView(self)
        self.back, self.forward = QPushButton("Back", self), QPushButton("Forward", self)
        for button, signal, go in (
            (self.back, self.page.backwardAvailable, self.page.backward),
            (self.forward, self.page.forwardAvailable, self.page.forward),
        ):
            button.setEnabled(False)
            button.setAutoDefault(False)
            button.clicked.connect(go)
            signal.connect(button.setEnabled)
        self._arrange()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(WAIT_MS)
        self._later.timeout.connect(self._search)
        self.line.textChanged.connect(lambda: self._later.start())
        self.tree.currentItemChanged.connect(self._chosen)
        self.page.sourceChanged.connect(self._mark)
        QShortcut(QKeySequence.StandardKey.Find, self, self.line.setFocus)
        QShortcut(QKeySequence.StandardKey.Back, self, self.page.backward)
        theme().changed.connect(self.page.reload)
        self._show_contents()
        self.page.open("index.md")

    def _arrange(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self.back)
        buttons.addWidget(self.forward)
        left = QWidget(self)
        column = QVBoxLayout(left)
        column.setContentsMargins(12, 12, 0, 12)
        column.addWidget(self.line)
        column.addWidget(self.tree, 1)
        column.addLayout(buttons)
        parts = QSplitter(self)
        parts.addWidget(left)
        parts.addWidget(self.page)
        parts.setStretchFactor(1, 1)
        parts.setSizes([270, 810])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(parts)

    @property
    def shown(self) -> list[str]:
        """Titles of the pages in the list."""
        return [item.text(0) for item in self._items() if item.data(0, PLACE)]

    def _items(self) -> list[QTreeWidgetItem]:
        return self.tree.findItems("", Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive)

    def _show_contents(self) -> None:
        self.tree.clear()
        above: dict[tuple[str, ...], QTreeWidgetItem] = {(): self.tree.invisibleRootItem()}
        for page in pages.contents():
            for depth in range(len(page.section)):
                section = page.section[: depth + 1]
                if section not in above:
                    above[section] = QTreeWidgetItem(above[section[:-1]], [section[-1]])
                    above[section].setFlags(Qt.ItemFlag.ItemIsEnabled)
                    above[section].setExpanded(depth == 0 and section[-1] not in ("Contribute",))
            item = QTreeWidgetItem(above[page.section], [page.title])
            item.setData(0, PLACE, page.place)
        self._mark()

    def _search(self) -> None:
        words = self.line.text().strip()
        if not words:
            self._show_contents()
            return
        self._background.submit("manual", partial(_found, words), partial(self._show_found, words))

    def _show_found(self, words: str, found: Sequence[tuple[Page, str]]) -> None:
        if words != self.line.text().strip():
            return
        self.tree.clear()
        for page, line in found:
            item = QTreeWidgetItem(self.tree, [" › ".join((*page.section, page.title))])
            item.setData(0, PLACE, page.place)
            item.setToolTip(0, line)
        if not found:
            nothing = QTreeWidgetItem(self.tree, ["No page has these words."])
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)

    def _chosen(self, item: QTreeWidgetItem | None) -> None:
        place = None if item is None else item.data(0, PLACE)
        if place and place != self.page.place:
            self.page.open(place)
        if place and (words := self.line.text().split()):
            self.page.moveCursor(QTextCursor.MoveOperation.Start)
            self.page.find(words[0])

    def _mark(self) -> None:
        for item in self._items():
            if item.data(0, PLACE) == self.page.place:
                self.tree.blockSignals(True)
                self.tree.setCurrentItem(item)
                self.tree.blockSignals(False)
                return


def _found(words: str) -> list[tuple[Page, str]]:
    return list(pages.found_in(words))
