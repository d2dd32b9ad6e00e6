"""What is unsaved and not open, as small cards above the gallery: a click opens one, a button deletes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui.widgets.elided import ElidedLabel
from ui.widgets.formatting import moment_text
from ui.widgets.icons import dress, pixmap
from ui.widgets.theme import theme
from workbench.project.autosave import Recovery

CARD_WIDTH = 300
WIDEST_CARD = 420
PICTURE = QSize(96, 54)


class UnsavedCard(QFrame):
    """Picture, title, engine and time of one; its button asks before it deletes."""

    opened = Signal(object)
    deleted = Signal(object)

    def __init__(self, recovery: Recovery, engine: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.recovery = recovery
        self.setObjectName("card")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMaximumWidth(WIDEST_CARD)
        kept = moment_text(recovery.written)
        self.setAccessibleName(f"{recovery.title}, unsaved, {kept}")
        self.setToolTip("Click to open")
        picture = QLabel(self)
        picture.setFixedSize(PICTURE)
        picture.setPixmap(_rounded(recovery, self.devicePixelRatioF()))
        title = ElidedLabel(recovery.title, self)
        title.setObjectName("cardTitle")
        about = ElidedLabel(" · ".join(part for part in (kept, engine) if part), self)
        about.setObjectName("muted")
        self.delete_button = QToolButton(self)
        self.delete_button.setObjectName("small")
        self.delete_button.setToolTip("Delete it (Del)")
        self.delete_button.setAccessibleName(f"Delete {recovery.title}")
        dress(self.delete_button, "trash", "muted")
        self.delete_button.clicked.connect(self._ask)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addStretch(1)
        texts.addWidget(title)
        texts.addWidget(about)
        texts.addStretch(1)
        told = QWidget(self)
        row = QHBoxLayout(told)
        row.setContentsMargins(8, 8, 6, 8)
        row.setSpacing(10)
        row.addWidget(picture)
        row.addLayout(texts, 1)
        row.addWidget(self.delete_button)
        self._faces = QStackedWidget(self)
        self._faces.addWidget(told)
        self._faces.addWidget(self._make_question())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._faces)

    def _make_question(self) -> QWidget:
        question = QWidget(self)
        text = QLabel("Delete it for good?", question)
        self.yes = QPushButton("Delete", question)
        self.yes.clicked.connect(lambda: self.deleted.emit(self.recovery))
        self.no = QPushButton("Keep it", question)
        self.no.clicked.connect(lambda: self._faces.setCurrentIndex(0))
        row = QHBoxLayout(question)
        row.setContentsMargins(12, 8, 12, 8)
        row.setSpacing(8)
        row.addWidget(text, 1)
        row.addWidget(self.yes)
        row.addWidget(self.no)
        return question

    def _ask(self) -> None:
        self._faces.setCurrentIndex(1)
        self.no.setFocus()

    @property
    def asks(self) -> bool:
        """Whether it is to be deleted, if the person says so."""
        return self._faces.currentIndex() == 1

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        inside = self.rect().contains(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and inside and not self.asks:
            self.opened.emit(self.recovery)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.asks:
            self.opened.emit(self.recovery)
        elif event.key() == Qt.Key.Key_Delete:
            self._ask()
        else:
            super().keyPressEvent(event)


class UnsavedList(QWidget):
    """One line of cards, newest first; the others unfold below."""

    opened = Signal(object)
    deleted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards: list[UnsavedCard] = []
        self._columns = 1
        self._all = False
        self._heading = QLabel(self)
        self._heading.setObjectName("heading")
        self.all_button = QPushButton(self)
        self.all_button.setObjectName("link")
        self.all_button.clicked.connect(self._unfold)
        head = QHBoxLayout()
        head.addWidget(self._heading)
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

    def set_sessions(self, found: Sequence[Recovery], engines: Mapping[str, str] = MappingProxyType({})) -> None:
        """``engines``: id to title."""
        if [card.recovery for card in self.cards] == list(found):
            return
        for card in self.cards:
            self._grid.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = []
        for recovery in found:
            card = UnsavedCard(recovery, engines.get(recovery.engine, recovery.engine), self)
            card.opened.connect(self.opened)
            card.deleted.connect(self.deleted)
            self.cards.append(card)
        self._heading.setText(f"Unsaved ({len(found)})" if len(found) > 1 else "Unsaved")
        self.setVisible(bool(found))
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


def _rounded(recovery: Recovery, ratio: float) -> QPixmap:
    """Its picture, cut to the card; a wave where there is none."""
    target = QPixmap(PICTURE * ratio)
    target.setDevicePixelRatio(ratio)
    target.fill(Qt.GlobalColor.transparent)
    area = QRectF(0, 0, PICTURE.width(), PICTURE.height())
    shape = QPainterPath()
    shape.addRoundedRect(area, 6, 6)
    painter = QPainter(target)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
    painter.setClipPath(shape)
    source = QPixmap(str(recovery.picture)) if recovery.picture.is_file() else QPixmap()
    if source.isNull():
        painter.fillRect(area, theme().palette.color("accent_soft"))
        painter.drawPixmap(round(area.center().x()) - 14, round(area.center().y()) - 14, pixmap("wave", 28, "muted"))
    else:
        painter.drawPixmap(area, source, QRectF(source.rect()))
    painter.end()
    return target
