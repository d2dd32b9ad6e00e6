"""The timeline: run, pause, step and reset, where the run stands, and how far it is to go."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from ui.controller import Phase
from ui.formatting import duration_text
from ui.icons import dress
from ui.optional_number import OptionalNumber
from ui.theme import theme
from workbench.units import is_count, time_text

NOTE_GAP, SHORTEST_BAR = 10, 60  # pixels
LEAST_FOR_PACE, LEAST_FOR_UNTIL = 640, 470
"""Widths [pixels] below which these fields are left out, so that the buttons and the time stay in full."""


class ProgressBar(QWidget):
    """A thin bar and a note at its right, which is left out where it would leave too little of the bar."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fraction: float | None = None
        self._note = ""
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

    @property
    def note(self) -> str:
        return self._note

    def set_note(self, note: str) -> None:
        self._note = note
        self.setToolTip(note)
        self.update()

    def bar_width(self) -> int:
        """Pixels of the bar, with the note beside it if both fit."""
        beside = self.width() - self.fontMetrics().horizontalAdvance(self._note) - NOTE_GAP
        return beside if self._note and beside >= SHORTEST_BAR else self.width()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = theme().palette
        painter = QPainter(self)
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
        painter.end()


class Timeline(QWidget):
    """Buttons and time. It decides nothing: it asks by signals and shows the phase that comes back."""

    toggled = Signal()
    step_asked = Signal()
    reset_asked = Signal()
    until_edited = Signal(object)
    pace_edited = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground, True)
        self._unit = ""
        self._until: float | None = None
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
        self.bar = ProgressBar(self)
        self.pace = OptionalNumber("pace", "Run no faster than this, so that a fast device can be watched", 30.0, self)
        self.pace.edited.connect(self.pace_edited)
        self.until = OptionalNumber("until", "Stop by itself at this time", 1000.0, self)
        self.until.edited.connect(self.until_edited)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 6, 10, 6)
        layout.setSpacing(8)
        before: tuple[QWidget, ...] = (self.run_button, self.step_button, self.reset_button, self.time_label)
        after: tuple[QWidget, ...] = (self.pace, self.until)
        for widget in before:
            layout.addWidget(widget)
        layout.addWidget(self.bar, 1)
        for widget in after:
            layout.addWidget(widget)
        self.set_phase(Phase.EMPTY)

    def minimumSizeHint(self) -> QSize:
        return QSize(300, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.pace.setVisible(self.width() >= LEAST_FOR_PACE)
        self.until.setVisible(self.width() >= LEAST_FOR_UNTIL)

    def set_phase(self, phase: Phase) -> None:
        """Enable what makes sense; the run button says what it will do."""
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
        self._running = running
        if not running:
            self.bar.set_note({Phase.FINISHED: "finished", Phase.FAILED: "stopped"}.get(phase, ""))

    def set_unit(self, unit: str) -> None:
        self._unit = unit
        short = "" if is_count(unit) else unit  # the time beside them says it in words
        self.until.set_unit(short)
        self.pace.set_unit(f"{short}/s")
        self.set_time(self._time)

    def set_until(self, until: float | None) -> None:
        self._until = until
        self.until.set_value(until)
        self.set_time(self._time)

    def set_pace(self, pace: float | None) -> None:
        self.pace.set_value(pace)

    def set_time(self, time: float, remaining: float | None = None) -> None:
        self._time = time
        self._name_the_button()
        self.time_label.setText(time_text(time, self._unit, ".2f"))
        self.bar.set_fraction(None if not self._until else time / self._until)
        if remaining is not None and self._running:
            self.bar.set_note(f"{duration_text(remaining)} left")

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
