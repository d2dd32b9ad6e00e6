"""What the mouse does in the 3D view.

Left drag turns, middle or Shift+left drag pans, right drag and the wheel zoom, a click picks (with Ctrl: for a probe),
a double click brings what is under it to the middle. A flat picture is panned by the left button, and turned by the
right one. On the clipping plane's handle a drag pushes (arrow) or tilts (ball); Ctrl+wheel pushes it too. With a
brush in hand the left button paints on the geometry, the right one erases (brushes that have nothing to erase leave it
alone), and Ctrl+wheel changes the brush's radius; beside the geometry they do what they do without it. A brush that
paints no strokes acts at a click, and drags do what they do without it. A click on an outline chooses what it is of;
the handles and the outline of what is chosen are dragged by the left button, onto the cells or, with Ctrl, anywhere.
A click on the colour bar fits its range where it says that values are beyond it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QCursor, QMouseEvent, QWheelEvent

from ui.scene.overlays.clip_handle import Grip, grip_at, moved, tilted
from ui.scene.overlays.gripping import Hold, dragged_to, hold_at, item_at

if TYPE_CHECKING:
    from ui.viewport.viewport import Viewport

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
        self._painting = False
        self._hold: Hold | None = None
        self._dragging = False
        self._fitting = False

    def press(self, event: QMouseEvent) -> None:
        self._last, self._button, self._travel = event.position(), event.button(), 0.0
        self._focusing = False
        self._viewport.quality.hands_on = True
        self._grip = self._grip_under(event.position()) if event.button() == Qt.MouseButton.LeftButton else None
        self._painting, self._dragging = False, False
        self._fitting = event.button() == Qt.MouseButton.LeftButton and self._fits(event.position())
        self._hold = self._hold_under(event.position()) if event.button() == Qt.MouseButton.LeftButton else None
        if self._strokes(event.button()) and not self._fitting:
            self._begin_stroke(event)

    def move(self, event: QMouseEvent) -> None:
        viewport, camera = self._viewport, self._viewport.scene.camera
        self._show_brush_at(event.position() if self._last is None or self._painting else None)
        self._show_value_at(event.position() if self._last is None else None)
        if self._painting:
            hit = self._under(event.position())
            for dab in viewport.brush.go_on(None if hit is None else np.array(hit[1])):
                viewport.dabbed.emit(dab)
            return
        if self._last is None:
            self._hover(event.position())
            return
        step = event.position() - self._last
        self._travel += abs(step.x()) + abs(step.y())
        if self._travel < CLICK_TRAVEL or viewport.scene.layer is None:
            return
        self._last = event.position()
        dx, dy = step.x(), step.y()
        if self._hold is not None:
            self._drag(self._hold, event)
        elif self._grip == "move":
            viewport.clip_to(moved(viewport.scene, dx, dy, viewport.width(), viewport.height()))
        elif self._grip == "tilt":
            viewport.clip_to(tilted(viewport.scene, dx, dy, viewport.height()))
        elif self._pans(event):
            viewport.scene.auto_fit = False
            camera.pan(dx, dy, viewport.height())
            viewport.camera_moved()
        elif self._button == Qt.MouseButton.RightButton and not viewport.scene.layer.lies_flat:
            viewport.scene.auto_fit = False
            size = viewport.width(), viewport.height()
            camera.zoom(1.01 ** (-dy), *camera.middle(*size), *size)
            viewport.camera_moved()
        else:
            camera.rotate(dx, dy)
            viewport.camera_moved()

    def release(self, event: QMouseEvent) -> None:
        still = self._travel < CLICK_TRAVEL and self._grip is None and self._hold is None
        was_click = self._last is not None and still and not self._painting
        self._last, self._grip, self._painting = None, None, False
        self._viewport.quality.hands_on = False
        self._drop(keep=True)
        if was_click and self._fitting:
            self._viewport.fit_asked.emit()
        elif was_click and event.button() == Qt.MouseButton.LeftButton and not self._focusing:
            if self._chooses(event):
                return
            hit = self._under(event.position())
            if hit is not None:
                follow = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
                if self._paints and not follow:
                    self._viewport.stroke_began.emit()
                    self._viewport.dabbed.emit(self._viewport.brush.dab(np.array(hit[1]), erase=False))
                else:
                    (self._viewport.followed if follow else self._viewport.picked).emit(*hit)

    def double_click(self, event: QMouseEvent) -> None:
        if self._paints:
            self.press(event)
            return
        self._focusing = True
        hit = self._under(event.position())
        if hit is not None:
            self._viewport.scene.auto_fit = False
            self._viewport.scene.camera.center = np.array(hit[1])
            self._viewport.camera_moved()

    def let_go(self) -> bool:
        """Escape: what is dragged goes back to where it was; whether anything was."""
        held, self._last = self._hold is not None and self._last is not None, None
        self._drop(keep=False)
        return held

    def wheel(self, event: QWheelEvent) -> None:
        viewport = self._viewport
        turns = event.angleDelta().y() / 120 or event.pixelDelta().y() / 40
        if not turns or viewport.scene.layer is None:
            return
        event.accept()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and self._paints:
            viewport.brush.resize(1.12**turns)
            viewport.brush_resized.emit(viewport.brush.radius)
            self._show_brush_at(event.position())
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and viewport.scene.clip is not None:
            viewport.push_clip(0.02 * viewport.scene.camera.radius * turns)
            return
        viewport.scene.auto_fit = False
        at = event.position()
        viewport.scene.camera.zoom(1.12**turns, at.x(), at.y(), viewport.width(), viewport.height())
        viewport.camera_moved()

    def leave(self) -> None:
        """The pointer is elsewhere."""
        self._viewport.hover_item(None)
        self._show_brush_at(None)
        self._show_value_at(None)

    def show_brush(self) -> None:
        """The brush is another; show it where the pointer is."""
        at = QPointF(self._viewport.mapFromGlobal(QCursor.pos()))
        self._show_brush_at(at if self._viewport.underMouse() else None)

    def _hover(self, at: QPointF) -> None:
        viewport, shapes = self._viewport, Qt.CursorShape
        over = self._grip_under(at) is not None or self._hold_under(at) is not None
        fits = self._fits(at)
        item = None if over or fits or self._paints else item_at(viewport.scene, *self._place(at))
        viewport.hover_item(item)
        pressed = shapes.PointingHandCursor if fits or item is not None else shapes.ArrowCursor
        shape = shapes.OpenHandCursor if over else pressed
        viewport.setCursor(shape)

    def _fits(self, at: QPointF) -> bool:
        """Whether a click there fits the range of colours."""
        area = self._viewport.scene.fit_offered
        return area is not None and QRectF(*area).contains(at)

    def _drag(self, hold: Hold, event: QMouseEvent) -> None:
        viewport = self._viewport
        free = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        position = dragged_to(viewport.scene, hold, *self._place(event.position()), free=free)
        self._show_pointer(event.position())
        if position is not None:
            if not self._dragging:
                viewport.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._dragging = True
            viewport.item_dragged.emit(hold.item, hold.handle.name, position)
            viewport.redraw_overlay()

    def _drop(self, keep: bool) -> None:
        dragging, self._dragging, self._hold = self._dragging, False, None
        if dragging:
            self._viewport.setCursor(Qt.CursorShape.ArrowCursor)
            self._viewport.item_dropped.emit(keep)

    def _chooses(self, event: QMouseEvent) -> bool:
        """Whether a click was for an item; one beside everything chooses none."""
        viewport = self._viewport
        if self._paints or viewport.picking or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        item = item_at(viewport.scene, *self._place(event.position()))
        beside = item is None and self._under(event.position()) is None
        if item is not None or (beside and viewport.scene.marks.chosen is not None):
            viewport.item_chosen.emit(item)
        return item is not None

    def _hold_under(self, at: QPointF) -> Hold | None:
        return None if self._paints or self._viewport.picking else hold_at(self._viewport.scene, *self._place(at))

    def _place(self, at: QPointF) -> tuple[float, float, float, float]:
        """(x, y, width, height) of a place in the view."""
        return at.x(), at.y(), self._viewport.width(), self._viewport.height()

    def _show_pointer(self, at: QPointF) -> None:
        size = max(self._viewport.width(), 1), max(self._viewport.height(), 1)
        self._viewport.scene.pointer = (at.x() / size[0], at.y() / size[1])

    def _pans(self, event: QMouseEvent) -> bool:
        layer = self._viewport.scene.layer
        flat = layer is not None and layer.lies_flat and self._button == Qt.MouseButton.LeftButton
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        return flat or shifted or self._button == Qt.MouseButton.MiddleButton

    @property
    def _paints(self) -> bool:
        return self._viewport.brush.info is not None

    def _strokes(self, button: Qt.MouseButton) -> bool:
        """Whether a drag with this button is a stroke of the brush."""
        brush = self._viewport.brush.info
        if brush is None:
            return False
        left, right = button == Qt.MouseButton.LeftButton, button == Qt.MouseButton.RightButton
        return brush.stroke and (left or (right and brush.erasable))

    def _begin_stroke(self, event: QMouseEvent) -> None:
        hit = self._under(event.position())
        if hit is None or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            return
        self._painting = True
        self._viewport.stroke_began.emit()
        for dab in self._viewport.brush.begin(np.array(hit[1]), event.button() == Qt.MouseButton.RightButton):
            self._viewport.dabbed.emit(dab)

    def _show_brush_at(self, at: QPointF | None) -> None:
        """The circle where the brush would paint; none while it is off or beside the geometry."""
        viewport = self._viewport
        hit = self._under(at) if at is not None and self._paints else None
        mark = None if hit is None else (hit[1], viewport.brush.reach)
        if mark != viewport.scene.brush:
            viewport.scene.brush = mark
            viewport.redraw_overlay()

    def _show_value_at(self, at: QPointF | None) -> None:
        """What the pointer rests on is read out beside it, where the layer tells values."""
        viewport = self._viewport
        size = max(viewport.width(), 1), max(viewport.height(), 1)
        told = viewport.scene.reading(*size)
        viewport.scene.pointer = None if at is None else (at.x() / size[0], at.y() / size[1])
        if told != viewport.scene.reading(*size) or told is not None:
            viewport.redraw_overlay()

    def _under(self, at: QPointF) -> tuple[int, tuple[float, float, float]] | None:
        return self._viewport.scene.pick(at.x(), at.y(), self._viewport.width(), self._viewport.height())

    def _grip_under(self, at: QPointF) -> Grip | None:
        return grip_at(self._viewport.scene, at.x(), at.y(), self._viewport.width(), self._viewport.height())
