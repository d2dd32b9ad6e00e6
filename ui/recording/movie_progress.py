"""How far a movie is, and a way to give it up."""

from __future__ import annotations

import time as clock

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QProgressBar, QVBoxLayout, QWidget

from workbench.words.amounts import duration_text
from workbench.words.units import counted

WIDTH = 360
SETTLED = 3.0
"""Seconds after which the time that is left can be told."""


class MovieProgress(QDialog):
    """Stands where the export was asked for, and lets the window be used; closing it gives the movie up."""

    def __init__(self, name: str, frames: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export movie")
        self._name, self._frames, self._began = name, frames, clock.monotonic()
        self.told, self.left = QLabel(self), QLabel(self)
        self.left.setObjectName("muted")
        self.bar = QProgressBar(self)
        self.bar.setRange(0, max(1, frames))
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        buttons.rejected.connect(self.reject)
        self.cancel_button = buttons.button(QDialogButtonBox.StandardButton.Cancel)
        layout = QVBoxLayout(self)
        for widget in (self.told, self.bar, self.left, buttons):
            layout.addWidget(widget)
        self.setMinimumWidth(WIDTH)
        self.show_done(0)

    def show_done(self, frames: int) -> None:
        self.bar.setValue(frames)
        whole = frames >= self._frames
        self.told.setText(
            f"Finishing {self._name}…" if whole else f"{self._name}: {frames} of {counted(self._frames, 'frame')}"
        )
        spent = clock.monotonic() - self._began
        known = frames and spent > SETTLED and not whole
        self.left.setText(f"About {duration_text(spent / frames * (self._frames - frames))} left" if known else " ")
