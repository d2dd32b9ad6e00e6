"""Small cards above the gallery: a picture, a title and a line or two; in one row, of which the others unfold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ui.widgets.elided import ElidedLabel
from ui.widgets.icons import pixmap
from ui.widgets.theme import theme

CARD_WIDTH = 300
WIDEST_CARD = 420
PICTURE = QSize(96, 54)


class SmallCard(QFrame):
    """``thing`` is what ``opened`` carries. What subclasses add stands in ``row``, at its right."""

    opened = Signal(object)

    def __init__(self, thing: Any, title: str, about: str, picture: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.thing = thing
        self.setObjectName("card")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMaximumWidth(WIDEST_CARD)
        self.setToolTip("Click to open")
        image = QLabel(self)
        image.setFixedSize(PICTURE)
        image.setPixmap(_rounded(picture, self.devicePixelRatioF()))
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addStretch(1)
        for line, role in ((title, "smallTitle"), *((line, "muted") for line in about.splitlines())):
            told = ElidedLabel(line, self)
            told.setObjectName(role)
            texts.addWidget(told)
        texts.addStretch(1)
        self.face = QWidget(self)
        self.row = QHBoxLayout(self.face)
        self.row.setContentsMargins(8, 8, 6, 8)
        self.row.setSpacing(10)
        self.row.addWidget(image)
        self.row.addLayout(texts, 1)
        self.whole = QVBoxLayout(self)
        self.whole.setContentsMargins(0, 0, 0, 0)
        self.whole.addWidget(self.face)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.opened.emit(self.thing)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(self.thing)
        else:
            super().keyPressEvent(event)


class CardRows(QWidget):
    """One line of cards; the others unfold below."""

    opened = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards: list[Any] = []
        self._columns = 1
        self._all = False
        self.heading = QLabel(self)
        self.heading.setObjectName("heading")
        self.all_button = QPushButton(self)
        self.all_button.setObjectName("link")
        self.all_button.clicked.connect(self._unfold)
        head = QHBoxLayout()
        head.addWidget(self.heading)
        head.addWidget(self.all_button)
        head.addStretch(1)
        self._grid = QGridLayout()
        self._grid.setSpacing(12)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 6)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addLayout(self._grid)
        self.hide()

    def set_cards(self, title: str, cards: Sequence[SmallCard], older: int = 0) -> None:
        """``older``: how many more there are that have no card."""
        for card in self.cards:
            self._grid.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = list(cards)
        for card in cards:
            card.opened.connect(self.opened)
        more = f" and {older:,} older" if older else ""
        self.heading.setText(f"{title} ({len(cards)}{more})" if len(cards) > 1 else title)
        self.setVisible(bool(cards))
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        columns = max(1, (self.width() + self._grid.spacing()) // (CARD_WIDTH + self._grid.spacing()))
        if columns != self._columns:
            self._columns = columns
            self._arrange()

    def _unfold(self) -> None:
        self._all = not self._all
        self._arrange()

    def _arrange(self) -> None:
        for column in range(max(self._columns, self._grid.columnCount())):
            self._grid.setColumnStretch(column, 1 if column < self._columns else 0)
        shown = len(self.cards) if self._all else self._columns
        for place, card in enumerate(self.cards):
            self._grid.removeWidget(card)
            if place < shown:
                self._grid.addWidget(card, *divmod(place, self._columns))
            card.setVisible(place < shown)
        self.all_button.setVisible(len(self.cards) > self._columns)
        self.all_button.setText("Show fewer" if self._all else f"Show all {len(self.cards)}")


def _rounded(file: Path, ratio: float) -> QPixmap:
    """A picture cut to the card; a wave where there is none."""
    target = QPixmap(PICTURE * ratio)
    target.setDevicePixelRatio(ratio)
    target.fill(Qt.GlobalColor.transparent)
    area = QRectF(0, 0, PICTURE.width(), PICTURE.height())
    shape = QPainterPath()
    shape.addRoundedRect(area, 6, 6)
    painter = QPainter(target)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
    painter.setClipPath(shape)
    source = QPixmap(str(file)) if file.is_file() else QPixmap()
    if source.isNull():
        painter.fillRect(area, theme().palette.color("accent_soft"))
        painter.drawPixmap(round(area.center().x()) - 14, round(area.center().y()) - 14, pixmap("wave", 28, "muted"))
    else:
        painter.drawPixmap(area, source, QRectF(source.rect()))
    painter.end()
    return target
