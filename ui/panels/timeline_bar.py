"""The bar of the timeline: how far a run has come, and the checkpoints that it can be rewound to."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.widgets.theme import theme

NOTE_GAP, SHORTEST_BAR, SHORTEST_WITH_TICKS = 10, 60, 180  # pixels
REACH = 6
"""Pixels beside a tick at which the mouse still means it."""
APART = 20
"""Pixels between two ticks at least: the past can be pointed at between them."""
LEFT = "Pull here to see what the run saw on a branch that rewinding has left"
PULL = 3
"""Pixels from where a tick is pressed, after which it is the past that is pulled, and not the tick that is clicked."""


@dataclass(frozen=True)
class Tick:
    """A checkpoint: where it stands on the bar (0..1), its step, and what is said of it."""

    fraction: float
    step: int
    text: str


class ProgressBar(QWidget):
    """A thin bar and a note at its right, which is left out where it would leave too little of the bar.

    Ticks are places that a run can be rewound to: a click asks for one. The mouse looks at the past elsewhere in the
    stretch whose frames are kept, and wherever it pulls.
    """

    tick_clicked = Signal(int)
    scrubbed = Signal(float)
    """The mouse wants to see what was at this part (0..1) of the bar."""

    missed_asked = Signal(str)
    """It wants to where nothing can be seen; why not, in a sentence."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ticks: tuple[Tick, ...] = ()
        self._under_mouse: Tick | None = None
        self.setMouseTracking(True)
        self.setAccessibleName("Timeline")
        self._fraction: float | None = None
        self._kept: tuple[float, float] | None = None
        self._past: float | None = None
        self._missed = ""
        self._told = False
        """Whether this has been said since the mouse was pressed."""
        self._left: tuple[tuple[float, float], ...] = ()
        self._scrubbing = False
        self._pressed: tuple[Tick, float] | None = None
        self._note, self._tip, self._room = "", "", 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(200, 18)

    @property
    def fraction(self) -> float | None:
        return self._fraction

    def set_fraction(self, fraction: float | None) -> None:
        self._fraction = None if fraction is None else min(max(fraction, 0.0), 1.0)
        self.update()

    def set_past(
        self, kept: tuple[float, float] | None, past: float | None, left: tuple[tuple[float, float], ...] = ()
    ) -> None:
        """The stretch (0..1) whose frames are kept, the one that is looked at, and stretches of branches that were
        left."""
        if (kept, past, left) != (self._kept, self._past, self._left):
            self._kept, self._past, self._left = kept, past, left
            self.update()

    def set_missed(self, sentence: str) -> None:
        """Why nothing can be seen of what was before the stretch whose frames are kept; empty: it can, or there is
        nothing."""
        self._missed = sentence

    @property
    def past(self) -> float | None:
        return self._past

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Those that have room: the first of those close to each other, which stay as others come, and the newest."""
        found: list[Tick] = []
        ticks = sorted(self._ticks, key=lambda tick: tick.fraction)
        for tick in ticks:
            if not found or self.place_of(tick) - self.place_of(found[-1]) >= APART:
                found.append(tick)
        return (*found[:-1], ticks[-1]) if found else ()

    def set_ticks(self, ticks: tuple[Tick, ...]) -> None:
        if ticks != self._ticks:
            self._ticks = ticks
            self._look_at(next((tick for tick in ticks if tick == self._under_mouse), None))
            self.update()

    def place_of(self, tick: Tick) -> float:
        """Pixels from the left at which a tick is drawn."""
        return 1.5 + tick.fraction * (self.bar_width() - 3.0)

    @property
    def note(self) -> str:
        return self._note

    def set_note(self, note: str, why: str = "") -> None:
        """``why``: what its tool tip says in its place."""
        self._note, self._tip = note, why or note
        self._room = max(self._room, self.fontMetrics().horizontalAdvance(note))
        if self._under_mouse is None:
            self.setToolTip(self._tip)
        self.update()

    def bar_width(self) -> int:
        """Pixels of the bar, with room for the longest note so far beside it if both fit: no tick moves for a shorter
        one."""
        beside = self.width() - self._room - NOTE_GAP
        shortest = SHORTEST_WITH_TICKS if self._ticks else SHORTEST_BAR
        return beside if self._room and beside >= shortest else self.width()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = theme().palette
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            width = self.bar_width()
            if width < self.width():
                painter.setPen(colors.color("muted"))
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._note)
            painter.setPen(Qt.PenStyle.NoPen)
            bar = QRectF(0, self.height() / 2 - 3, width, 6)
            painter.setBrush(colors.color("border"))
            painter.drawRoundedRect(bar, 3, 3)
            if self._fraction:
                bar.setWidth(max(6.0, bar.width() * self._fraction))
                painter.setBrush(colors.color("accent"))
                painter.drawRoundedRect(bar, 3, 3)
            if self._kept is not None:
                low, high = (end * width for end in self._kept)
                painter.setBrush(colors.color("text", 120))
                painter.drawRoundedRect(QRectF(low, self.height() / 2 - 1, max(high - low, 2.0), 2), 1, 1)
            painter.setBrush(colors.color("muted"))
            for place, (low, high) in enumerate(self._left):
                above = self.height() / 2 + 4 + 2 * place
                painter.drawRect(QRectF(low * width, above, max((high - low) * width, 2.0), 1))
            for tick in self.ticks:
                self._draw_tick(painter, tick)
            if self._past is not None:
                painter.setBrush(colors.color("text"))
                painter.drawEllipse(QPointF(self._past * width, self.height() / 2), 5, 5)

    def _draw_tick(self, painter: QPainter, tick: Tick) -> None:
        """Tall under the mouse; behind the present moment in the colour of text, beyond it muted."""
        colors = theme().palette
        beyond = tick.fraction > (self._fraction or 0.0) + 1e-9
        chosen = tick is self._under_mouse
        height, width = (18.0, 3.0) if chosen else (12.0, 2.0)
        painter.setBrush(colors.color("accent" if chosen else "muted" if beyond else "text"))
        left = self.place_of(tick) - width / 2
        painter.drawRoundedRect(QRectF(left, (self.height() - height) / 2, width, height), 1, 1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None and abs(event.position().x() - self._pressed[1]) > PULL:
            self._scrubbing, self._pressed = self._kept is not None, None
        if self._scrubbing:
            self._scrub(event.position().x())
            return
        self._look_at(self._tick_at(event.position().x()))
        if self._under_mouse is None:
            place = event.position().x() / self.bar_width()
            beyond = place > (self._fraction or 0.0) and any(low <= place <= high for low, high in self._left)
            kept = self._kept is not None and place >= self._kept[0]
            missed = place <= (self._fraction or 0.0) and not kept
            self.setToolTip(LEFT if beyond else (missed and self._missed) or self._tip)

    def leaveEvent(self, event: QEvent) -> None:
        self._look_at(None)
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        tick = self._tick_at(event.position().x())
        if tick is not None and event.button() == Qt.MouseButton.LeftButton:
            self._pressed = (tick, event.position().x())
        elif event.button() == Qt.MouseButton.LeftButton and self._kept is not None:
            self._scrubbing = True
            self._scrub(event.position().x())
        elif event.button() == Qt.MouseButton.LeftButton and self._missed:
            self.missed_asked.emit(self._missed)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed, self._scrubbing, self._told = self._pressed, None, False, False
        if pressed is not None:
            self.tick_clicked.emit(pressed[0].step)

    def _scrub(self, x: float) -> None:
        place = min(max(x / self.bar_width(), 0.0), 1.0)
        self.scrubbed.emit(place)
        if self._missed and self._kept is not None and place < self._kept[0] and not self._told:
            self._told = True
            self.missed_asked.emit(self._missed)

    def _tick_at(self, x: float) -> Tick | None:
        nearest = min(self.ticks, key=lambda tick: abs(self.place_of(tick) - x), default=None)
        return nearest if nearest is not None and abs(self.place_of(nearest) - x) <= REACH else None

    def _look_at(self, tick: Tick | None) -> None:
        if tick is not self._under_mouse:
            self._under_mouse = tick
            self.setToolTip(self._tip if tick is None else tick.text)
            self.setCursor(Qt.CursorShape.ArrowCursor if tick is None else Qt.CursorShape.PointingHandCursor)
            self.update()
