"""The timeline: run, pause, step and reset, where the run stands, and how far it is to go."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from ui.forms.fields.optional_number import OptionalNumber
from ui.panels.timeline_bar import ProgressBar, Tick
from ui.session.running.phase import Phase
from ui.widgets.formatting import duration_text
from ui.widgets.icons import dress
from workbench.run.states.history import Mark
from workbench.words.units import clock_text, is_count, time_text, unit_text

GAP = 8
"""Pixels between what stands beside each other."""
LEAST_FOR_CLOCK, LEAST_FOR_ROW, LEAST_FOR_PACE, LEAST_FOR_UNTIL = 780, 672, 540, 470
"""Widths [pixels] below which these are left out, so that the buttons and the time stay in full; without the room for a
row, pace and end stand below each other, and without any a button opens them."""
IN_COLUMN = ((0, 0, 1, 2), (1, 0, 1, 2), (0, 2, 1, 1), (0, 0, 1, 3), (1, 0, 1, 3))
"""Row, column, rows and columns of now, branch, loop, pace and end: buttons stand where the fields do."""
END = "Stop by itself at this time"
NOT_RECORDED = (
    "Earlier frames of this view were not recorded, as another field or view was shown: show that again to look back."
)
RECORDED_FROM = (
    "Frames of this view are recorded from {time} on; before, another field or view was shown: show that again to look "
    "back farther."
)


class Timeline(QWidget):
    """Buttons and time. It decides nothing: it asks by signals and shows the phase that comes back."""

    toggled = Signal()
    step_asked = Signal()
    reset_asked = Signal()
    rewind_asked = Signal(int)
    """The step of a checkpoint."""
    look_asked = Signal(float)
    """The time that somebody wants to look back to."""
    missed_asked = Signal(str)
    """Somebody wants to look back where nothing can be shown; why not, in a sentence."""
    now_asked = Signal()
    loop_asked = Signal(bool)
    branch_asked = Signal()
    """The same moment on another branch of the run."""
    until_edited = Signal(object)
    pace_edited = Signal(object)
    refused = Signal(str)
    """What stands in one of the fields and is not its number: when it was typed, and when a run goes on without it."""
    mended = Signal(str)
    """What was said so and holds no more."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._unit = ""
        self._until: float | None = None
        self._part: float | None = None
        self._time = 0.0
        self._running = False
        self._phase = Phase.EMPTY
        self.run_button = self._button("play", "Run", "Run and pause (Space)", self.toggled)
        self.run_button.setObjectName("primary")
        self.run_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.run_button.setMinimumWidth(96)
        self.step_button = self._button("step", "Step", "Take one step (.)", self.step_asked)
        self.reset_button = self._button("reset", "Reset", "Back to time zero (Ctrl+R)", self.reset_asked)
        self.time_label = QLabel("–", self)
        self.time_label.setObjectName("figure")
        self.time_label.setMinimumWidth(110)
        self._marks: tuple[Mark, ...] = ()
        self._kept: tuple[float, float] | None = None
        self._missed = False
        self._past: float | None = None
        self.now_button = self._button("now", "Now", "Back to what the run is doing now", self.now_asked)
        self.now_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.loop_button = QToolButton(self)
        self.loop_button.setCheckable(True)
        self.loop_button.setToolTip("Show the kept frames again and again")
        self.loop_button.setAccessibleName("Loop")
        dress(self.loop_button, "loop")
        self.loop_button.toggled.connect(self.loop_asked)
        self.branch_button = self._button(
            "branch", "Branch", "The same moment on another branch, which rewinding has left", self.branch_asked
        )
        self.branch_button.setCheckable(True)
        self._left: tuple[tuple[float, float], ...] = ()
        for button in (self.now_button, self.branch_button, self.loop_button):
            button.hide()
        self.bar = ProgressBar(self)
        self.bar.tick_clicked.connect(self.rewind_asked)
        self.bar.missed_asked.connect(self.missed_asked)
        self.bar.scrubbed.connect(lambda fraction: self.look_asked.emit(fraction * self._span()))
        self.pace = OptionalNumber("pace", "Run no faster than this, so that a fast device can be watched", 30.0, self)
        self.pace.edited.connect(self.pace_edited)
        self.until = OptionalNumber("until", END, 1000.0, self)
        self.until.edited.connect(self.until_edited)
        self._refused: dict[OptionalNumber, str] = {}
        for field in (self.pace, self.until):
            field.refused.connect(partial(self._tell_refused, field))
            field.check.setMinimumWidth(self.pace.check.sizeHint().width())  # one below the other, too
        self._lay_out()
        self.set_phase(Phase.EMPTY)

    def _lay_out(self) -> None:
        below = QHBoxLayout()
        below.setSpacing(GAP)
        before: tuple[QWidget, ...] = (self.run_button, self.step_button, self.reset_button, self.time_label)
        after: tuple[QWidget, ...] = (self.now_button, self.branch_button, self.loop_button, self.pace, self.until)
        for widget in before:
            below.addWidget(widget)
        below.addStretch(1)
        for widget in after:
            below.addWidget(widget)
        lines = QVBoxLayout()
        lines.setSpacing(1)
        above = QHBoxLayout()
        above.setSpacing(GAP)
        above.addWidget(self.bar, 1)  # as long as there is room: the past is pointed at here
        above.addWidget(self._make_more())
        lines.addLayout(above)
        lines.addLayout(below)
        self._row, self._side = below, QWidget(self)
        self._column = QGridLayout(self._side)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(1)
        self._after = after
        self._placed: tuple[QLayout, ...] = (below,) * len(after)
        """Of what stands ``after``, in which each does."""
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 3, 10, 6)
        layout.setSpacing(GAP)
        layout.addLayout(lines, 1)
        layout.addWidget(self._side)
        self._side.hide()

    def minimumSizeHint(self) -> QSize:
        return QSize(300, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_fields()

    def _make_more(self) -> QToolButton:
        """A button with a menu of the fields that have no room beside the others."""
        self.more_button = QToolButton(self)
        self.more_button.setObjectName("small")
        self.more_button.setFixedHeight(self.bar.sizeHint().height())
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        dress(self.more_button, "sliders")
        drawer, menu = QWidget(), QMenu(self.more_button)
        drawer.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)  # else a press beside a field closes the menu
        self._drawer = QVBoxLayout(drawer)
        self._drawer.setContentsMargins(8, 4, 8, 4)
        entry = QWidgetAction(menu)
        entry.setDefaultWidget(drawer)
        menu.addAction(entry)
        self.more_button.setMenu(menu)
        return self.more_button

    def _show_fields(self) -> None:
        """The fields have room here and nobody looks back: then buttons stand in their place."""
        now, width = self._past is None, self.width()
        left_out = [
            field for field, least in ((self.pace, LEAST_FOR_PACE), (self.until, LEAST_FOR_UNTIL)) if width < least
        ]
        self._place(LEAST_FOR_PACE <= width < LEAST_FOR_ROW, left_out)
        for field in (self.pace, self.until):
            field.setVisible(now or field in left_out)
        self.more_button.setVisible(now and bool(left_out))
        tip = "Pace and end of the run" if len(left_out) == 2 else "Pace of the run"
        self.more_button.setToolTip(tip)
        self.more_button.setAccessibleName(tip)
        self._tell_end()

    def _place(self, below_each_other: bool, left_out: list[OptionalNumber]) -> None:
        """What stands at the right: in the row, or in a column of its own, which the bar is as long beside whatever is
        shown there: who pulls along it looks back meanwhile. What is left out stands in the menu."""
        beside: QLayout = self._column if below_each_other else self._row
        placed = tuple(self._drawer if widget in left_out else beside for widget in self._after)
        if placed != self._placed:
            for widget, layout in zip(self._after, self._placed, strict=True):
                layout.removeWidget(widget)  # by name: what Qt takes out by itself PySide goes on knowing (freeing.py)
            self._placed = placed
            for widget, place, layout in zip(self._after, IN_COLUMN, placed, strict=True):
                if layout is self._column:
                    self._column.addWidget(widget, *place)
                else:
                    layout.addWidget(widget)
            self._side.setVisible(below_each_other)
        if below_each_other:
            self._side.setFixedWidth(max(self.pace.sizeHint().width(), self.until.sizeHint().width()))

    def set_phase(self, phase: Phase, *, away: bool = False, why: str = "") -> None:
        """Enable what makes sense; the run button says what it will do. ``away``: the line to it alone is lost;
        ``why``: it has come to an end of its own."""
        some = phase is not Phase.EMPTY
        running = phase is Phase.RUNNING
        at_end = phase is Phase.FINISHED
        self.run_button.setEnabled(some)
        dress(self.run_button, "pause" if running else "play", "accent_text")
        self._phase = phase
        self._name_the_button()
        self.step_button.setEnabled(some and not running and not at_end)
        self.reset_button.setEnabled(phase in (Phase.RUNNING, Phase.PAUSED, Phase.FINISHED, Phase.FAILED, Phase.READY))
        self.pace.setEnabled(some)
        self.until.setEnabled(some)
        if running and not self._running:
            for field in (self.pace, self.until):
                self._tell_refused(field, field.refusal)
        self._running = running
        failed = "goes on there, not seen here" if away else "broken off"
        self.bar.set_note({Phase.FINISHED: "finished", Phase.FAILED: failed}.get(phase, ""), why)

    def set_unit(self, unit: str) -> None:
        self._unit = unit
        self.pace.set_unit(f"{self._short}/s")
        self._tell_end()
        self.set_time(self._time)

    @property
    def _short(self) -> str:
        return "" if is_count(self._unit) else unit_text(self._unit)  # the time beside them says it in words

    def _tell_end(self) -> None:
        """Also as the clock beside it tells times, where that is another way: ``5000 s = 1 h 23 min``."""
        other = ""
        if self._until is not None and self._short:
            clock = clock_text(self._until, self._unit, "g")
            other = f" = {clock}" if clock != time_text(self._until, self._unit) else ""
        self.until.set_unit(self._short, other if self.width() >= LEAST_FOR_CLOCK else "")
        self.until.set_tip(f"{END}{other}")

    def _tell_refused(self, field: OptionalNumber, sentence: str) -> None:
        before = self._refused.pop(field, "")
        if sentence:
            self._refused[field] = sentence
            self.refused.emit(sentence)
        elif before:
            self.mended.emit(before)

    def forget(self) -> None:
        """Another problem: its fields begin anew."""
        for field in (self.until, self.pace):
            field.forget()

    def set_until(self, until: float | None, last: float | None = None) -> None:
        """``last``: what it was before it was switched off."""
        self._until = until
        self.until.set_value(until, last)
        self._tell_end()
        if until is None and self._running:
            self.bar.set_note("")
        self.set_time(self._time)

    def set_pace(self, pace: float | None, last: float | None = None) -> None:
        self.pace.set_value(pace, last)

    def set_part(self, part: float | None) -> None:
        """How much of the way is done, where a run may end by itself before the time that is set; the bar follows with
        the next :meth:`set_time`."""
        self._part = part

    def set_time(self, time: float, remaining: float | None = None) -> None:
        self._time = time
        self._name_the_button()
        self._tell_time()
        self._show_on_bar()
        if remaining is not None and self._running:
            self.bar.set_note(f"{duration_text(remaining)} left")

    def set_marks(self, marks: tuple[Mark, ...]) -> None:
        """Where the run can be rewound to: ticks on the bar."""
        self._marks = marks
        self._show_on_bar()

    def set_kept(self, kept: tuple[float, float] | None) -> None:
        """From when to when there are frames to look at."""
        self._kept = kept
        self._show_on_bar()

    def set_missed(self, missed: bool) -> None:
        """Whether there are earlier frames that other views were shown in."""
        self._missed = missed
        self._show_on_bar()

    def set_left(self, left: tuple[tuple[float, float], ...]) -> None:
        """From when to when there are frames of branches that the run has left."""
        self._left = left
        self._show_on_bar()

    def look_back(self, time: float | None, *, left: bool = False) -> None:
        """The view shows this moment, of a branch that was ``left`` or of that of the run; None: what is now."""
        turned = (time is None) != (self._past is None)
        self._past = time
        if turned:
            if time is None:
                self.loop_button.setChecked(False)
            self._show_fields()
            for button in (self.now_button, self.loop_button):
                button.setVisible(time is not None)
            self.branch_button.setVisible(time is not None and bool(self._left))
        self.branch_button.setChecked(left)
        self._tell_time()
        self._show_on_bar()

    def _tell_time(self) -> None:
        past = self._past is not None
        self.time_label.setText(self.run_text if self._past is None else clock_text(self._past, self._unit))
        self.time_label.setToolTip(f"Looking back; the run is at {self.run_text}" if past else "")

    @property
    def run_text(self) -> str:
        """The time that the run has come to, whatever moment is looked at."""
        return clock_text(self._time, self._unit)

    def _span(self) -> float:
        """What the bar stands for: as far as the run will go, as far as that is known."""
        known = max([self._time, *(mark.time for mark in self._marks), *(end for _, end in self._left)])
        span = max(self._until or 0.0, known)
        if self._part and self._time < self._part * span:  # it will end by itself before
            span = max(known, self._time / self._part)
        return span

    def _show_on_bar(self) -> None:
        """The bar is as long as the run will be; without an end, as what is known of it."""
        span = self._span()
        known = bool(self._until or self._marks or self._kept or self._part)
        self.bar.set_fraction(self._time / span if span > 0 and known else None)
        low, high = self._kept or (0.0, 0.0)
        kept = (low / span, high / span) if self._kept is not None and span > 0 else None
        left = tuple((begin / span, end / span) for begin, end in self._left if span > 0)
        self.bar.set_past(kept, None if self._past is None or span <= 0 else self._past / span, left)
        since = RECORDED_FROM.format(time=clock_text(low, self._unit)) if self._kept is not None else NOT_RECORDED
        self.bar.set_missed(since if self._missed else "")
        self.bar.set_ticks(
            tuple(
                Tick(mark.time / span, mark.step, f"Rewind to {clock_text(mark.time, self._unit)}")
                for mark in self._marks
                if span > 0
            )
        )

    def _name_the_button(self) -> None:
        begun = self._phase is Phase.PAUSED or (self._phase is Phase.READY and self._time > 0)  # of an earlier session
        text = "Pause" if self._phase is Phase.RUNNING else "Go on" if begun else "Run"
        if self.run_button.text() != text:
            self.run_button.setText(text)

    def _button(self, name: str, text: str, tip: str, signal: Any) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(text)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        dress(button, name)
        button.clicked.connect(lambda _=False: signal.emit())
        return button
