"""The card that leads through a tour: a frame around what to click, a few sentences, Back, Next and Escape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ui.session.running.phase import Phase
from ui.widgets.theme import theme
from ui.window.centre.workspaces import LAB
from ui.window.help.tours.places import area_of, bring, controls, has_come_about, path_of, value_at
from ui.window.help.tours.steps import Step, Tour

if TYPE_CHECKING:
    from ui.window.main_window import MainWindow

WIDTH = 330
MARGIN, GAP = 5, 14
"""Pixels between a thing and its frame, and between the frame and the card."""
STRIDE = 16
"""Pixels between places that are tried."""
TICK_MILLISECONDS = 150
LINGER_TICKS = 4
"""What came about is seen for so long before the next step."""


class Frame(QWidget):
    """Drawn around what a step is about; clicks go through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: object) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme().palette.color("accent"), 3))
            painter.drawRoundedRect(self.rect().adjusted(2, 2, -2, -2), 7, 7)


class Card(QFrame):
    """What a step says."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tour")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(WIDTH)
        self.title, self.text, self.count = QLabel(self), QLabel(self), QLabel(self)
        self.title.setObjectName("cardTitle")
        self.count.setObjectName("muted")
        for label in (self.title, self.text):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.back, self.next = QPushButton("&Back", self), QPushButton(self)
        self.close_button = QPushButton("&End", self)
        self.close_button.setToolTip("End the tour (Esc)")
        self.next.setObjectName("primary")
        buttons = QHBoxLayout()
        buttons.addWidget(self.count)
        buttons.addStretch(1)
        for button in (self.close_button, self.back, self.next):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 12, 12)
        layout.setSpacing(8)
        layout.addWidget(self.title)
        layout.addWidget(self.text)
        layout.addLayout(buttons)


class TourGuide(QObject):
    """Of a window; at most one tour at a time."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.tour: Tour | None = None
        self.place = 0
        self.frame, self.card = Frame(window), Card(window)
        self.frame.hide()
        self.card.hide()
        self._before: Any = None
        self._linger = 0
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MILLISECONDS)
        self._timer.timeout.connect(self.tick)
        self.card.back.clicked.connect(lambda: self._go(self.place - 1))
        self.card.next.clicked.connect(self._next)
        self.card.close_button.clicked.connect(self.end)

    @property
    def step(self) -> Step:
        assert self.tour is not None
        return self.tour.steps[self.place]

    @property
    def strayed(self) -> bool:
        """Another problem is open than the tour is about, or another page is shown."""
        if self.tour is None or not self.tour.preset:
            return self.tour is not None and self._window.workspaces.place != LAB
        document = self._window.model.document
        return document is None or document.engine.id != self.tour.id or not self._window.viewport.isVisible()

    @property
    def _resting(self) -> bool:
        """The step is about a run that goes on, and none does."""
        phase = self._window.controller.phase
        return self.step.live and not self.strayed and phase in (Phase.IDLE, Phase.READY, Phase.PAUSED, Phase.FINISHED)

    def start(self, tour: Tour) -> None:
        """Opens its problem, which asks first where something is unsaved."""
        self.end()
        self.tour = tour
        self._lead_back(afresh=True)
        self._window.installEventFilter(self)
        self._timer.start()
        self._go(0)

    def end(self) -> None:
        self._timer.stop()
        self._window.removeEventFilter(self)
        self.tour = None
        if self.card.isAncestorOf(self._window.focusWidget()) and self._window.viewport.isVisible():
            self._window.viewport.setFocus()  # else Qt gives it to the first button of the window
        self.frame.hide()
        self.card.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Escape ends the tour, wherever the focus is in the window, unless a field gives up what was typed."""
        asked = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if asked and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]  # a QKeyEvent
            event.accept()
            QTimer.singleShot(0, self.end)
            return True
        return False

    def tick(self) -> None:
        """Follow what moves, and go on when what was asked for has come about."""
        if self.tour is None:
            return
        if not self.strayed and self._done():
            self._linger += 1
            if self._linger > LINGER_TICKS and self.place + 1 < len(self.tour.steps):
                self._go(self.place + 1)
                return
        self._show()

    def _done(self) -> bool:
        until = self.step.until
        if until == "edited":
            value = value_at(self._window, path_of(self.step.at))
            if self._before is None:  # the problem was not open when the step began
                self._before = value
            return bool(value != self._before)
        return has_come_about(self._window, until)

    def _next(self) -> None:
        assert self.tour is not None
        if self.strayed:
            self._lead_back(afresh=False)
        elif self._resting:
            self._window.controller.run()
        elif self.place + 1 < len(self.tour.steps):
            self._go(self.place + 1)
        else:
            self.end()

    def _go(self, place: int) -> None:
        self.place = max(0, place)
        self._linger = 0
        self._before = value_at(self._window, path_of(self.step.at))
        if not self.strayed:
            bring(self._window, self.step.at)
        self._show()

    def _lead_back(self, *, afresh: bool) -> None:
        assert self.tour is not None
        window, document = self._window, self._window.model.document
        if not self.tour.preset:
            window.workspaces.show(LAB)
        elif not afresh and document is not None and document.engine.id == self.tour.id:
            window.pages.show_workspace()
        else:
            preset = next(each for each in window.services.presets() if each.id == self.tour.preset)
            window.open_preset(preset, self.tour.run)

    def _show(self) -> None:
        assert self.tour is not None
        card = self.card
        area = None if self.strayed else area_of(self._window, self.step.at)
        title, text, answer = self._told()
        card.title.setText(title)
        card.text.setText(text)
        card.count.setText(f"{self.place + 1} of {len(self.tour.steps)}")
        card.back.setEnabled(self.place > 0)
        card.next.setText(answer)
        card.next.setEnabled(bool(answer))
        card.setFixedHeight(card.heightForWidth(WIDTH))
        self.frame.setVisible(area is not None)
        if area is not None:
            self.frame.setGeometry(area.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN) & self._window.rect())
        room, corner = self._window.rect().adjusted(8, 8, -8, -8), self.step.side == "corner"
        card.move(_beside(area, card.rect(), room, controls(self._window), corner=corner))
        for widget in (self.frame, card):
            widget.raise_()
        card.show()

    def _told(self) -> tuple[str, str, str]:
        """Title, text and the button's name, empty while there is nothing to answer."""
        assert self.tour is not None
        step, last = self.step, self.place + 1 == len(self.tour.steps)
        if self.strayed and (self._window.controller.opening.goes_on or self._window.document_display.entering):
            return self.tour.title, "Its problem is being opened.", ""
        if self.strayed:
            return "The tour waits", "Something else is shown now. Go back to where it was, or end it.", "&Go back"
        if self._resting and self._window.controller.phase is Phase.FINISHED:
            return step.title, f"{step.text}\n\nThe run is over: begin it again, with what you changed.", "&Run again"
        if self._resting:
            return step.title, f"{step.text}\n\nThe run stands still: let it go on for this.", "&Run"
        return step.title, step.text, "&Done" if last else "&Next"


def _beside(
    area: QRect | None, card: QRect, window: QRect, controls: Sequence[QRect] = (), *, corner: bool = False
) -> QPoint:
    """Where a card covers nothing of what it is about, and no ``controls``: beside it, below or above, else as near to
    it as may be; where that is nowhere, in its lower corner. ``corner``: in the window's lower right one first."""
    framed = QRect() if area is None else area.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
    for place in _places(area, card, window, corner):
        at = card.translated(place)
        if window.contains(at) and not any(at.intersects(each) for each in (framed, *controls)):
            return place
    return window.center() if area is None else area.bottomLeft() + QPoint(GAP, -GAP - MARGIN - card.height())


def _places(area: QRect | None, card: QRect, window: QRect, corner: bool) -> Iterator[QPoint]:
    """The best first."""
    left, top = window.left(), window.top()
    right, bottom = window.right() - card.width(), window.bottom() - card.height()
    if corner:
        yield QPoint(right, bottom)
    if area is None:
        area = QRect(window.center().x(), window.bottom() - 60, 1, 1)
        yield QPoint(area.left() - card.width() // 2, area.top() - card.height())
    room, middle = GAP + MARGIN, area.center()
    along = min(max(top, middle.y() - card.height() // 2), bottom)
    across = min(max(left, middle.x() - card.width() // 2), right)
    steps = sorted(range(top, bottom + 1, STRIDE), key=lambda y: abs(y - along))
    for y in (along, *steps):
        yield from (QPoint(x, y) for x in (area.right() + room, area.left() - room - card.width()))
        if y == along:
            yield from (QPoint(across, y) for y in (area.bottom() + room, area.top() - room - card.height()))
    anywhere = [QPoint(x, y) for x in range(left, right + 1, STRIDE) for y in steps]
    yield from sorted(anywhere, key=lambda place: (card.translated(place).center() - middle).manhattanLength())
