"""What the mouse does in the 3D view.

Left drag turns, middle or Shift+left drag pans, the wheel zooms to the pointer, a click picks, a double click brings
what is under it to the middle. On the clipping plane's handle a drag pushes (arrow) or tilts (ball); Ctrl+wheel
pushes it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent

from ui.scene.clip_handle import Grip, grip_at, moved, tilted

if TYPE_CHECKING:
    from ui.viewport import Viewport

CLICK_TRAVEL = 4.0
"""A press that moved less [points] was meant as a click."""


class Mouse:
    """Turns the events of a viewport into changes of its scene."""

    def __init__(self, viewport: Viewport) -> None:
        self._viewport = viewport
        self._last: QPointF | None = None
        self._button = Qt.MouseButton.NoButton
        self._travel = 0.0
        self._grip: Grip | None = None
        self._focusing = False

    def press(self, event: QMouseEvent) -> None:
        self._last, self._button, self._travel = event.position(), event.button(), 0.0
        self._focusing = False
        self._viewport.quality.hands_on = True
        self._grip = self._grip_under(event.position()) if event.button() == Qt.MouseButton.LeftButton else None

    def move(self, event: QMouseEvent) -> None:
        viewport, camera = self._viewport, self._viewport.scene.camera
        if self._last is None:
            over = self._grip_under(event.position())
            viewport.setCursor(Qt.CursorShape.OpenHandCursor if over else Qt.CursorShape.ArrowCursor)
            return
        step = event.position() - self._last
        self._travel += abs(step.x()) + abs(step.y())
        if self._travel < CLICK_TRAVEL or viewport.scene.layer is None:
            return
        self._last = event.position()
        dx, dy = step.x(), step.y()
        if self._grip == "move":
            viewport.clip_to(moved(viewport.scene, dx, dy, viewport.width(), viewport.height()))
        elif self._grip == "tilt":
            viewport.clip_to(tilted(viewport.scene, dx, dy, viewport.height()))
        elif self._button == Qt.MouseButton.MiddleButton or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            viewport.scene.auto_fit = False
            camera.pan(dx, dy, viewport.height())
            viewport.camera_moved()
        elif self._button == Qt.MouseButton.RightButton:
            viewport.scene.auto_fit = False
            camera.zoom(1.01 ** (-dy), viewport.width() / 2, viewport.height() / 2, viewport.width(), viewport.height())
            viewport.camera_moved()
        else:
            camera.rotate(dx, dy)
            viewport.camera_moved()

    def release(self, event: QMouseEvent) -> None:
        was_click = self._last is not None and self._travel < CLICK_TRAVEL and self._grip is None
        self._last, self._grip = None, None
        self._viewport.quality.hands_on = False
        if was_click and event.button() == Qt.MouseButton.LeftButton and not self._focusing:
            hit = self._under(event.position())
            if hit is not None:
                self._viewport.picked.emit(*hit)

    def double_click(self, event: QMouseEvent) -> None:
        self._focusing = True
        hit = self._under(event.position())
        if hit is not None:
            self._viewport.scene.auto_fit = False
            self._viewport.scene.camera.center = np.array(hit[1])
            self._viewport.camera_moved()

    def wheel(self, event: QWheelEvent) -> None:
        viewport = self._viewport
        turns = event.angleDelta().y() / 120 or event.pixelDelta().y() / 40
        if not turns or viewport.scene.layer is None:
            return
        event.accept()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and viewport.scene.view.clip is not None:
            viewport.push_clip(0.02 * viewport.scene.camera.radius * turns)
            return
        viewport.scene.auto_fit = False
        at = event.position()
        viewport.scene.camera.zoom(1.12**turns, at.x(), at.y(), viewport.width(), viewport.height())
        viewport.camera_moved()

    def _under(self, at: QPointF) -> tuple[int, tuple[float, float, float]] | None:
        return self._viewport.scene.pick(at.x(), at.y(), self._viewport.width(), self._viewport.height())

    def _grip_under(self, at: QPointF) -> Grip | None:
        return grip_at(self._viewport.scene, at.x(), at.y(), self._viewport.width(), self._viewport.height())
