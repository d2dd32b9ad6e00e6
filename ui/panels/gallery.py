"""The gallery: ready problems as cards with a picture. One click opens, a double click opens and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QLinearGradient, QMouseEvent, QPainter, QPainterPath, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from engines.api import Preset
from ui.widgets.chips import Chips
from ui.widgets.icons import pixmap
from ui.widgets.theme import theme
from workbench.words.numbers import spaced

CARD_WIDTH = 280
WIDEST_CARD = 380
PICTURE_RATIO = 0.56
SEARCH_WIDTH = 220
EVERY = ""
"""In the place of an engine's id: all of them."""
NEW = "new, empty: "
"""Before an engine's id: what the card that begins a problem of it is called."""


class Picture(QWidget):
    """The picture of a preset, cut to the card with rounded corners above."""

    def __init__(self, preset: Preset, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._file, self._symbol = preset.picture, "plus" if preset.id.startswith(NEW) else "wave"
        self._scaled: QPixmap | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def heightForWidth(self, width: int) -> int:
        return round(width * PICTURE_RATIO)

    def sizeHint(self) -> QSize:
        return QSize(CARD_WIDTH, round(CARD_WIDTH * PICTURE_RATIO))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._scaled = None

    def _fitted(self) -> QPixmap:
        """Read when the card is seen, and kept in the size of the card alone: all pictures whole are 40 MB."""
        if self._scaled is None:
            ratio = self.devicePixelRatioF()
            self._scaled = QPixmap()
            if self._file is not None:
                with suppress(OSError):  # gone meanwhile, or nothing that may be read: there is none
                    self._scaled.loadFromData(self._file.read_bytes())
            if not self._scaled.isNull():
                self._scaled = self._scaled.scaled(
                    self.size() * ratio,
                    Qt.AspectRatioMode.KeepAspectRatioByExpanding,
                    Qt.TransformationMode.SmoothTransformation,
                )
                self._scaled.setDevicePixelRatio(ratio)
        return self._scaled

    def paintEvent(self, event: object) -> None:
        colors = theme().palette
        with QPainter(self) as painter:
            painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
            area = QRectF(1, 1, self.width() - 2, self.height() - 1)
            shape = QPainterPath()
            shape.addRoundedRect(area.adjusted(0, 0, 0, 12), 9, 9)
            painter.setClipRect(self.rect())
            painter.setClipPath(shape, Qt.ClipOperation.IntersectClip)
            picture = self._fitted()
            if picture.isNull():
                gradient = QLinearGradient(area.topLeft(), area.bottomRight())
                gradient.setColorAt(0, colors.color("accent_soft"))
                gradient.setColorAt(1, colors.color("border"))
                painter.fillRect(area, gradient)
                symbol = pixmap(self._symbol, 48, "muted")
                painter.drawPixmap(round(area.center().x()) - 24, round(area.center().y()) - 24, symbol)
            else:
                painter.fillRect(area, QColor(0, 0, 0))
                size = picture.deviceIndependentSize()
                painter.drawPixmap(
                    round((self.width() - size.width()) / 2), round((self.height() - size.height()) / 2), picture
                )


class Card(QFrame):
    """Picture, title and summary of one preset."""

    opened = Signal(object)
    run = Signal(object)

    def __init__(self, preset: Preset, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.preset = preset
        self._second_click = False
        self.setObjectName("card")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(preset.title)
        new = preset.id.startswith(NEW)
        self.setToolTip("Click to begin" if new else "Click to open, double-click to open and run")
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMaximumWidth(WIDEST_CARD)
        title = QLabel(preset.title, self)
        title.setObjectName("cardTitle")
        title.setWordWrap(True)
        summary = QLabel(spaced(preset.summary), self)
        for label in (title, summary):  # of whoever made the preset
            label.setTextFormat(Qt.TextFormat.PlainText)
        summary.setObjectName("muted")
        summary.setWordWrap(True)
        summary.setAlignment(Qt.AlignmentFlag.AlignTop)
        texts = QVBoxLayout()
        texts.setContentsMargins(12, 8, 12, 12)
        texts.setSpacing(3)
        texts.addWidget(title)
        texts.addWidget(summary, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(Picture(preset, self))
        layout.addLayout(texts, 1)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        second, self._second_click = self._second_click, False  # it must not open the preset again
        inside = self.rect().contains(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and inside and not second:
            self.opened.emit(self.preset)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._second_click = True
            self.run.emit(self.preset)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(self.preset)
        else:
            super().keyPressEvent(event)


class Gallery(QScrollArea):
    """Cards in as many columns as fit; where they are of several engines, chips above show those of one."""

    opened = Signal(object)
    run = Signal(object)
    new_asked = Signal(str)
    """The id of the engine that a problem is to be begun with."""

    def __init__(self, presets: Sequence[Preset] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scroll")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.cards: list[Card] = []
        self._engine = EVERY
        self._engines: dict[str, str] = {}
        self._columns = 0
        self.body = QWidget()
        self.body.setObjectName("scrollBody")
        outer = QVBoxLayout(self.body)
        outer.setContentsMargins(8, 8, 8, 8)
        outer.setSpacing(12)
        self.chips = Chips(self.body)
        self.chips.chosen.connect(self.show_engine)
        self.search = QLineEdit(self.body)
        self.search.setPlaceholderText("Search the problems")
        self.search.setAccessibleName("Search the problems")
        self.search.setClearButtonEnabled(True)
        self.search.setFixedWidth(SEARCH_WIDTH)
        self.setFocusProxy(self.search)  # what is typed here is looked for
        self.search.textChanged.connect(lambda _: self.show_engine(self._engine))
        self.search.returnPressed.connect(self._open_first)
        above = QHBoxLayout()
        above.setSpacing(16)
        above.addWidget(self.search, 0, Qt.AlignmentFlag.AlignTop)
        above.addWidget(self.chips, 1)
        outer.addLayout(above)
        self._notes = QLabel(self.body)
        self._notes.setObjectName("warning")
        self._notes.setWordWrap(True)
        self._notes.setTextFormat(Qt.TextFormat.PlainText)
        self._notes.hide()
        outer.addWidget(self._notes)
        self._grid = QGridLayout()
        self._grid.setSpacing(16)
        beside = QHBoxLayout()
        beside.addLayout(self._grid, 1)
        beside.addStretch(0)
        outer.addLayout(beside)
        self._empty = QLabel(self.body)
        self._empty.setObjectName("muted")
        outer.addWidget(self._empty)
        outer.addStretch(1)
        self.setWidget(self.body)
        self.set_presets(presets)

    def set_presets(
        self,
        presets: Sequence[Preset],
        engines: Mapping[str, str] = MappingProxyType({}),
        new: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """``engines``: id to title, in the order in which their presets stand; ``new``: id to summary of those that a
        problem can be begun with out of nothing, whose card stands last among theirs."""
        begun = [Preset(f"{NEW}{id}", f"New: {engines[id]}", summary, Path(), engine=id) for id, summary in new.items()]
        order = list(engines)
        presets = sorted(
            [*presets, *begun], key=lambda preset: order.index(preset.engine) if preset.engine in order else len(order)
        )
        for card in self.cards:
            card.deleteLater()
        self.cards = []
        for preset in presets:
            card = Card(preset, self.body)  # a card without a parent would be a window while it is shown
            card.opened.connect(self._choose)
            card.run.connect(lambda preset: None if preset.id.startswith(NEW) else self.run.emit(preset))
            self.cards.append(card)
        self._engines = dict(engines)
        present = [name for name in order if any(preset.engine == name for preset in presets)]
        self.chips.set_choices([(EVERY, "All"), *((name, engines[name]) for name in present)])
        self.chips.setVisible(len(present) > 1)
        self.show_engine(EVERY)

    def set_notes(self, sentences: Sequence[str]) -> None:
        """What is wrong with this installation, above the cards."""
        self._notes.setText("\n".join(sentences))
        self._notes.setVisible(bool(sentences))

    def put_above(self, widget: QWidget) -> None:
        """Above the chips and cards, and scrolled with them."""
        outer = self.body.layout()
        assert isinstance(outer, QVBoxLayout)
        outer.insertWidget(0, widget)

    def show_engine(self, engine: str) -> None:
        """Only the presets of this engine, or :data:`EVERY` one."""
        self._engine = engine
        self._columns = 0
        self._arrange()
        self._empty.setText(
            "No problem is called so: try one word of it." if self.cards else "No presets are installed."
        )
        self._empty.setVisible(not self.shown)

    @property
    def shown(self) -> list[Card]:
        """The cards that the chosen chip and what is searched for leave; of the latter those first
        whose title has it."""
        words = self.search.text().lower().split()
        left = [
            card
            for card in self.cards
            if self._engine in (EVERY, card.preset.engine) and all(word in self._words(card.preset) for word in words)
        ]

        def rank(card: Card) -> tuple[bool, bool]:
            title = card.preset.title.lower().replace("\u202f", "")
            return not all(word in title for word in words), card.preset.id.startswith(NEW)

        return sorted(left, key=rank) if words else left

    def _open_first(self) -> None:
        """What is searched for by name is opened without the mouse."""
        if self.search.text().strip() and self.shown:
            self._choose(self.shown[0].preset)

    def _words(self, preset: Preset) -> str:
        told = f"{preset.title} {preset.summary} {self._engines.get(preset.engine, '')} {preset.id}"
        return told.lower().replace("\u202f", "")

    def _choose(self, preset: Preset) -> None:
        if preset.id.startswith(NEW):
            self.new_asked.emit(preset.engine)
        else:
            self.opened.emit(preset)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        columns = max(1, (self.viewport().width() - 16) // CARD_WIDTH)
        if columns == self._columns:
            return
        for column in range(max(columns, self._columns)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        self._columns = columns
        shown = self.shown
        for card in self.cards:
            self._grid.removeWidget(card)
            card.setVisible(card in shown)
        for place, card in enumerate(shown):
            self._grid.addWidget(card, *divmod(place, columns))
