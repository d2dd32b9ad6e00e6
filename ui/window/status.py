"""The status bar: what is going on, the mesh, the device, the quality of drawing, unseen errors."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QToolButton, QWidget

from engines.api import SimulationInfo
from engines.geometry.particles import Particles
from ui.widgets.icons import dress
from workbench.remote.connection import Place
from workbench.words.numbers import grouped

LONGEST_HOST = 32
SERVER, BESIDE = "Server of this computer", "Beside the window"
BETWEEN = 14
"""Pixels from one fact to the next."""


class StatusBar(QStatusBar):
    """Short facts; nothing here asks for an answer."""

    log_asked = Signal()
    place_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.activity = QLabel(self)
        self.progress = QProgressBar(self)
        self.progress.setFixedWidth(140)
        self.progress.setFixedHeight(6)
        self.progress.setTextVisible(False)
        self.progress.setRange(0, 1000)
        self.geometry_label = QLabel(self)
        self.quality = QLabel(self)
        self.device = QLabel(self)
        self.place = QToolButton(self)
        self.place.setObjectName("small")
        self.place.setToolTip("Where problems are computed")
        self.place.clicked.connect(self.place_asked)
        self.set_place(None)
        self.errors = QToolButton(self)
        self.errors.setObjectName("small")
        self.errors.setToolTip("Show the log")
        self.errors.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        dress(self.errors, "warning", "bad")
        self.errors.clicked.connect(self.log_asked)
        self.addWidget(self.activity)
        self.addWidget(self.progress)
        for widget in (self.errors, self.quality, self.geometry_label, self.device, self.place):
            self.addPermanentWidget(widget)
        self.progress.hide()
        self.errors.hide()

    def set_quality(self, text: str) -> None:
        """What the view does to stay cheap, which makes way where the window is narrow."""
        self.quality.setText(text)
        self._fit()

    def _fit(self) -> None:
        others = (self.activity, self.progress, self.errors, self.geometry_label, self.device, self.place)
        shown = [each for each in (*others, self.quality) if each is self.quality or not each.isHidden()]
        needed = sum(each.sizeHint().width() + BETWEEN for each in shown)
        self.quality.setVisible(bool(self.quality.text()) and needed <= self.width())
        self.geometry_label.setToolTip("" if not self.quality.isHidden() else self.quality.text())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def set_activity(self, text: str, fraction: float) -> None:
        """What is being done; an empty text when nothing is."""
        self.activity.setText(f"{text}…" if text else "")
        self.progress.setVisible(bool(text))
        self.progress.setValue(round(1000 * fraction))
        self._fit()

    def set_geometry_info(self, geometry: Any) -> None:
        self.geometry_label.setText(geometry_text(geometry))
        self._fit()

    def set_info(self, info: SimulationInfo | None) -> None:
        self.device.setText("" if info is None else info.device)
        self._fit()

    def set_place(self, place: Place | None, waits: bool = False) -> None:
        """``waits``: the present run is on this computer, and the next one there."""
        host = "This computer" if place is None else BESIDE if place.beside else place.host or SERVER
        host = host if len(host) <= LONGEST_HOST else f"{host[: LONGEST_HOST - 1]}…"
        self.place.setText(f"{host} after Reset" if waits else host)

    def set_unseen(self, count: int, errors: bool) -> None:
        """How much in the log nobody has looked at, and whether an error is among it."""
        dress(self.errors, "error" if errors else "warning", "bad" if errors else "warn")
        self.errors.setVisible(bool(count))
        self.errors.setText(str(count))
        self._fit()


def geometry_text(geometry: Any) -> str:
    """``86 400 cells, 17 061 points`` of a mesh, ``512 × 256 cells`` of a grid, ``2 000 spheres``."""
    if geometry is None:
        return ""
    points, counts = getattr(geometry, "n_points", None), getattr(geometry, "counts", None)
    cells = " × ".join(grouped(count) for count in counts or (geometry.n_cells,))
    element = "cell"
    if isinstance(geometry, Particles):
        element = "sphere" if geometry.cells is None else "particle"
    text = f"{cells} {_plural(element, geometry.n_cells)}"
    return f"{text}, {grouped(points)} {_plural('point', points)}" if isinstance(points, int) else text


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
