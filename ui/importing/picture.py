"""A surface in a small picture that is turned by dragging it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QPixmap
from PySide6.QtWidgets import QLabel, QWidget

from engines.api import Array
from ui.importing.drawing import FINE, drawn
from ui.widgets.theme import theme

SIDE = 300
"""Pixels."""
TURN = 0.01
"""Radians a pixel of the pointer's way."""
STEEPEST = 1.5


class Picture(QLabel):
    """Drawn on the processor: a mesh can be looked at before any 3D view knows it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(SIDE, SIDE)
        self.setToolTip("Drag to turn it")
        self._triangles: Array | None = None
        self._colours: Array = np.zeros((0, 3), np.uint8)
        self._turn, self._tilt = 0.7, 0.4
        self._pointer: QPointF | None = None
        theme().changed.connect(self._draw)

    def show_triangles(self, triangles: Array, colours: Array) -> None:
        """triangles: (m, 3, 3); colours: (m, 3) uint8"""
        self._triangles, self._colours = triangles, colours
        self._draw()

    def _draw(self, roughly: bool = False) -> None:
        if self._triangles is None:
            return
        ratio = 1.0 if roughly else self.devicePixelRatioF()
        side = round(SIDE * ratio)
        surface = theme().palette.color("surface")
        picture = drawn(
            self._triangles, self._colours, side, (surface.red(), surface.green(), surface.blue()),
            turn=self._turn, tilt=self._tilt, fine=1 if roughly else FINE,
        )  # fmt: skip
        image = QImage(picture.data, side, side, 3 * side, QImage.Format.Format_RGB888)
        shown = QPixmap.fromImage(image)  # a copy
        shown.setDevicePixelRatio(ratio)
        self.setPixmap(shown)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pointer = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pointer is None:
            return
        way = event.position() - self._pointer
        self._pointer = event.position()
        self._turn -= TURN * way.x()
        self._tilt = float(np.clip(self._tilt + TURN * way.y(), -STEEPEST, STEEPEST))
        self._draw(roughly=True)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pointer is not None:
            self._pointer = None
            self._draw()
