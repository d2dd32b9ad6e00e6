"""A page of the manual as Qt shows Markdown."""

from __future__ import annotations

import posixpath
import re
from functools import partial
from textwrap import dedent
from typing import Any

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QImage,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser, QWidget

from engines.api.errors import ProblemError
from ui.widgets.theme import theme
from ui.window.help.manual import pages

INDENTED = re.compile(r"\n\n((?: {4,}\S.*\n)(?:(?: {4,}.*)?\n)*)")
SCHEME = "manual"


def url_of(place: str, part: str = "") -> QUrl:
    url = QUrl()
    url.setScheme(SCHEME)
    url.setPath(f"/{place}")
    if part:
        url.setFragment(part)
    return url


def fenced(text: str) -> str:
    """Code that is told by its indentation between fences: Qt lets no other keep its lines."""
    return INDENTED.sub(lambda found: f"\n\n```\n{dedent(found[1]).strip()}\n```\n\n", text)


def slug(heading: str) -> str:
    """How links name a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


class PageView(QTextBrowser):
    """Shows pages by their places; links lead to others, pictures are as wide as there is room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenExternalLinks(True)
        self.setAccessibleName("Page")
        self.document().setDocumentMargin(24)
        self.place = ""
        self.sourceChanged.connect(self._shown)

    def open(self, place: str, part: str = "") -> None:
        self.setSource(url_of(place, part), QTextDocument.ResourceType.MarkdownResource)

    def loadResource(self, type: int, name: QUrl | str) -> Any:
        kind = QTextDocument.ResourceType
        name = QUrl(name)
        place = posixpath.normpath(name.path()).lstrip("/")
        if type == kind.MarkdownResource.value:
            self.place = place
            try:
                return fenced(pages.text_of(place))
            except ProblemError as error:
                return f"# Not here\n\n{error}"
        if type == kind.ImageResource.value:
            if name.isRelative():
                place = posixpath.normpath(posixpath.join(posixpath.dirname(self.place), name.path()))
            image = QImage.fromData(pages.picture(place))
            room = max(200, self.viewport().width() - 2 * round(self.document().documentMargin()) - 24)
            if image.width() > room:
                return image.scaledToWidth(room, Qt.TransformationMode.SmoothTransformation)
            return image
        return None

    def _shown(self, url: QUrl) -> None:
        self.dress()
        if url.hasFragment():
            QTimer.singleShot(0, partial(self._reveal, url.fragment()))

    def _reveal(self, part: str) -> None:
        block = self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and slug(block.text()) == part:
                top = self.document().documentLayout().blockBoundingRect(block).top()
                self.verticalScrollBar().setValue(round(top) - 12)
                return
            block = block.next()

    def dress(self) -> None:
        """Markdown brings no look of its own: room above headings, lines around cells of tables, code on a ground."""
        colors = theme().palette
        code = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        code.setPixelSize(12)
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        block = self.document().begin()
        while block.isValid():
            form = block.blockFormat()
            cursor.setPosition(block.position())
            changed = QTextBlockFormat()
            if form.headingLevel():
                changed.setTopMargin(22 if block.blockNumber() else 0)
                changed.setBottomMargin(8)
            elif form.nonBreakableLines():
                changed.setBackground(colors.color("window"))
                changed.setLeftMargin(12)
                if not block.next().blockFormat().nonBreakableLines():
                    changed.setBottomMargin(12)
            elif cursor.currentTable() is None:
                if block.textList() is None:
                    changed.setBottomMargin(10)
                changed.setLineHeight(125, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            cursor.mergeBlockFormat(changed)
            for fragment in _fragments(block):
                self._dress_text(cursor, fragment, code, colors.color("accent"))
            block = block.next()
        for frame in self.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                _dress_table(frame, colors.color("border"))
        cursor.endEditBlock()

    def _dress_text(self, cursor: QTextCursor, fragment: Any, code: QFont, link: QColor) -> None:
        form = fragment.charFormat()
        changed = QTextCharFormat()
        if form.fontFixedPitch():
            changed.setFont(code, QTextCharFormat.FontPropertiesInheritanceBehavior.FontPropertiesSpecifiedOnly)
        if form.isAnchor():
            changed.setForeground(link)
        if changed.isEmpty():
            return
        cursor.setPosition(fragment.position())
        cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(changed)


def _fragments(block: Any) -> list[Any]:
    found, each = [], block.begin()
    while not each.atEnd():
        found.append(each.fragment())
        each += 1
    return found


def _dress_table(table: QTextTable, border: QColor) -> None:
    head = [table.cellAt(0, column).firstCursorPosition().block().text() for column in range(table.columns())]
    if table.rows() > 1 and not any(head):
        table.removeRows(0, 1)  # Markdown knows no table without a head
    look = table.format().toTableFormat()
    look.setCellPadding(5)
    look.setCellSpacing(0)
    look.setBorderCollapse(True)
    look.setBorder(1)
    look.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    look.setBorderBrush(border)
    look.setTopMargin(8)
    look.setBottomMargin(12)
    table.setFormat(look)
