"""Preferences: what holds for all problems of this person. Each choice acts at once and is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
)

from ui.recording.reel import BUDGET
from ui.widgets.theme import THEMES, theme

if TYPE_CHECKING:
    from ui.window.main_window import MainWindow

ASKS, FRAMES = "ask/starting over", "frames/megabytes"
MEGABYTE = 1 << 20
LEAST, MOST = 16, 1 << 20
"""Megabytes that the frames of a run may take on disk."""


def apply(window: MainWindow, settings: QSettings) -> None:
    """What was chosen before, to a new window; nonsense in the file counts as not chosen."""
    window.starting_over.asks = bool(settings.value(ASKS, True, type=bool))
    window.recording.playback.reel.budget = MEGABYTE * _megabytes(settings)


class PreferencesDialog(QDialog):
    """Belongs to a window."""

    def __init__(self, window: MainWindow, settings: QSettings) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Preferences")
        self._main, self._settings = window, settings
        self.theme_chooser = QComboBox(self)
        self.theme_chooser.addItems([name.capitalize() for name in THEMES])
        self.theme_chooser.setCurrentIndex(THEMES.index(theme().palette.name))
        self.theme_chooser.activated.connect(self._choose_theme)
        self.frames_box = QSpinBox(self)
        self.frames_box.setRange(LEAST, MOST)
        self.frames_box.setSuffix(" MB")
        self.frames_box.setSingleStep(64)
        self.frames_box.setValue(_megabytes(settings))
        self.frames_box.valueChanged.connect(self._keep_frames)
        self.asks_check = QCheckBox("Ask before a finished run starts over", self)
        self.asks_check.setChecked(window.starting_over.asks)
        self.asks_check.toggled.connect(self._ask)
        layout_button = QPushButton("Reset the layout", self)
        layout_button.clicked.connect(window.actions_["layout"].trigger)
        layout_button.setEnabled(window.actions_["layout"].isEnabled())
        note = QLabel("Kept for the timeline and for movies; a full store thins out evenly over the run.", self)
        note.setObjectName("muted")
        form = QFormLayout()
        form.setVerticalSpacing(10)
        form.addRow("Theme", self.theme_chooser)
        form.addRow("Frames of a run on disk", self.frames_box)
        form.addRow("", note)
        form.addRow("Runs", self.asks_check)
        form.addRow("Docks", layout_button)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(16)
        layout.addLayout(form)
        layout.addWidget(buttons)

    def _choose_theme(self, place: int) -> None:
        if THEMES[place] != theme().palette.name:
            self._main.switch_theme()

    def _keep_frames(self, megabytes: int) -> None:
        self._settings.setValue(FRAMES, megabytes)
        self._main.recording.playback.reel.budget = MEGABYTE * megabytes

    def _ask(self, on: bool) -> None:
        self._settings.setValue(ASKS, on)
        self._main.starting_over.asks = on


def _megabytes(settings: QSettings) -> int:
    usual = BUDGET // MEGABYTE
    try:
        return min(max(int(str(settings.value(FRAMES, usual))), LEAST), MOST)
    except ValueError:
        return usual
