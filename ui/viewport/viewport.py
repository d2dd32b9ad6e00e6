"""The 3D view of the window: a Qt widget around the scene."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QMouseEvent, QPalette, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engines.api import Array, PaintInfo, SimulationInfo
from engines.api.placing import Path
from ui.scene.cameras.room import BESIDE_PLATES
from ui.scene.marks import Marks
from ui.scene.overlays.clip_handle import pushed
from ui.scene.overlays.gripping import nudged
from ui.scene.scene import Scene
from ui.scene.shapes.inside import FEW_CELLS, MOST_CELLS
from ui.scene.visuals.plates import DARK, LIGHT
from ui.scene.visuals.software import NO_VOLUME
from ui.viewport.brush import Brush
from ui.viewport.busy import BusyPlate
from ui.viewport.mouse import Mouse
from ui.viewport.quality import Quality
from ui.viewport.surfaces import view_for
from workbench.project.project import ClipPlane, ViewSettings
from workbench.run.frames import Frame, FrameRequest

ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
"""Steps to the right and up."""
SOON_SECONDS = 1 / 30
"""Until the next frame could come."""


class Viewport(QWidget):
    """Shows a geometry and the newest frame of a run. Redraws only when something has changed, and no faster than
    :class:`Quality` allows on this machine."""

    picked = Signal(int, tuple)
    """The element under a click (geometry's numbering), and the position (x, y, z) in the geometry's unit."""
    followed = Signal(int, tuple)
    """The same for a click with Ctrl held: the element is to be followed by a probe."""
    stroke_began = Signal()
    dabbed = Signal(object)
    """A :class:`engines.api.Dab`: the brush has touched the geometry."""
    brush_resized = Signal(float)
    """The radius that the wheel gave the brush, as a part of the geometry's longest side."""
    item_chosen = Signal(object)
    """The path of an item whose outline was clicked; None for a click beside everything."""
    item_dragged = Signal(object, str, tuple)
    """A :class:`engines.api.placing.PlacedItem` as it was, the name of its handle, and where that is now."""
    item_dropped = Signal(bool)
    """The drag is over; False: it was given up."""
    item_deleted = Signal()
    """The Delete key."""
    request_changed = Signal(object)
    """A :class:`FrameRequest` to hand to ``Runner.watch``."""
    view_changed = Signal()
    """The person turned, zoomed, clipped."""
    fit_asked = Signal()
    """The range of colours is to be that of the values in the picture: a click on what says that it is not."""
    quality_changed = Signal(str)
    """A line for the status bar about what the view does to stay cheap; empty when it draws in full."""

    _coarse_ready = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scene = Scene()
        self.quality = Quality(self._coarse_ready.emit)
        self.brush = Brush()
        self.picking = False
        """Clicks are for places alone, not for the outlines that lie over them."""
        self._mouse = Mouse(self)
        self._closed = False
        self._resting = False
        self._drawn_at = 0.0
        self._undrawn = False
        """Whether there is a frame that no picture shows yet."""
        self._view, context = view_for(self, self.scene, self.quality.resolution, self._drawn)
        self.quality.set_renderer(context.renderer, context.is_software)
        self.scene.allows_volume = not context.is_software
        self.scene.inside_cells = FEW_CELLS if context.is_software else MOST_CELLS
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._view.widget)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(240, 180)
        self.setAccessibleName("3D view")
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._draw)
        self._answer_timer = QTimer(self, singleShot=True)
        self._answer_timer.setInterval(320)
        self._answer_timer.timeout.connect(self._give_up_waiting)
        self._rest_timer = QTimer(self, singleShot=True)
        self._rest_timer.setInterval(400)
        self._rest_timer.timeout.connect(self._come_to_rest)
        self._coarse_ready.connect(self._use_coarse, Qt.ConnectionType.QueuedConnection)
        self._busy = BusyPlate(self)
        self._follow_theme()

    # What to show.

    def set_geometry(self, geometry: Any) -> None:
        """Preview a geometry: its regions in quiet colours with a legend. None empties the view."""
        self.scene.set_geometry(geometry)
        self._geometry_changed()
        self.redraw()

    def forget_picture(self) -> None:
        """What comes next is of another problem: text and lines of it must not stand over the picture of the last."""
        self._view.forget()

    def set_simulation(self, info: SimulationInfo | None) -> None:
        """Show the fields of a simulation; emits :attr:`request_changed`."""
        layer = self.scene.layer
        if info is None or self.brush.info not in info.brushes:
            self.brush.info = None
        request = self.scene.set_simulation(info)
        if self.scene.layer is not layer:
            self._geometry_changed()
        self._ask(request)

    def show_frame(self, frame: Frame) -> None:
        """Show a moment; ignored if it answers an old request."""
        if self.scene.show_frame(frame):
            self._undrawn = True
            self.redraw()
        if not self.scene.waiting:
            self._ask(self.scene.replan())

    def apply_view(self, view: ViewSettings) -> None:
        self._ask(self.scene.apply_view(view, self._aspect))

    def view_settings(self) -> ViewSettings:
        return self.scene.view_settings()

    def set_probes(self, probes: Sequence[tuple[str, tuple[float, float, float], tuple[int, int, int]]]) -> None:
        """Markers: name, position [mm], colour (red, green, blue)."""
        self.scene.probes = list(probes)
        self.redraw()

    def set_marks(self, marks: Marks) -> None:
        """What stands in space, and which of it is chosen or in hand."""
        before, scene = self.scene.marks, self.scene
        scene.marks = replace(marks, hovered=before.hovered)
        if (before.placement, before.chosen) != (marks.placement, marks.chosen):
            self.redraw()
        else:
            self.redraw_overlay()

    def hover_item(self, path: Path | None) -> None:
        """The outline under the pointer is drawn over the picture."""
        if path != self.scene.marks.hovered:
            self.scene.marks = replace(self.scene.marks, hovered=path)
            self.redraw_overlay()

    def mark_inspected(self, position: tuple[float, float, float] | None) -> None:
        """A ring around the place of the element that is looked into; None takes it away."""
        self.scene.inspected = position
        self.redraw()

    def mark_measured(self, positions: Sequence[tuple[float, float, float]]) -> None:
        """The points that are measured, with a line between two; none takes them away."""
        self.scene.measured = tuple(positions)
        self.redraw()

    def mark_lines(self, lines: Sequence[tuple[tuple[float, float, float], tuple[float, float, float]]]) -> None:
        """The lines along which fields are charted."""
        self.scene.cuts = tuple(lines)
        self.redraw()

    def set_overlay(self, lines: Sequence[str]) -> None:
        """Meters over the picture; a tab in a line separates name and figure."""
        if list(lines) != self.scene.lines:
            self.scene.lines = list(lines)
            self.redraw()

    def stand_beside_plates(self) -> None:
        """The body keeps away from the meters and from what :meth:`cover` may put over the view."""
        self.scene.room = BESIDE_PLATES

    def cover(self, points: float) -> None:
        """Something lies over as much of the view at its top: texts stand below it, the body stays where it is."""
        if points != self.scene.covered:
            self.scene.covered = points
            self.redraw_overlay()

    def set_brush(self, brush: PaintInfo | None, radius: float, amount: float) -> None:
        """The brush in hand, None if there is none; ``radius`` is a part of the longest side."""
        self.brush.info, self.brush.radius, self.brush.amount = brush, radius, amount
        self._mouse.show_brush()

    @property
    def volume_refusal(self) -> str:
        """Why this machine does not look through grids; empty if it does."""
        return "" if self.scene.allows_volume else NO_VOLUME

    def set_busy(self, text: str | None, fraction: float) -> None:
        """Progress over the view while something is built; None takes it away."""
        self._busy.tell(text, fraction)

    # The camera and the clipping plane.

    def set_clip_active(self, active: bool) -> None:
        self._ask(self.scene.set_clip(self.scene.default_clip() if active else None))
        self.view_changed.emit()

    def push_clip(self, distance: float) -> None:
        """Move the clipping plane by ``distance`` mm along its normal."""
        if self.scene.view.clip is not None:
            self.clip_to(pushed(self.scene, self.scene.view.clip, distance))

    def clip_to(self, clip: ClipPlane) -> None:
        """Show what this plane leaves."""
        self._ask(self.scene.set_clip(clip))
        self.view_changed.emit()

    def reset_camera(self) -> None:
        """Frame the whole geometry, seen from where it was at first."""
        self.scene.auto_fit = True
        self.scene.camera.apply(self.scene.home, self._aspect)
        self.camera_moved()

    def view_along(self, axis: str) -> None:
        """Look from ``"x"``, ``"-x"``, ``"y"``, … at the middle."""
        self.scene.camera.look_along(axis)
        self.camera_moved()

    def camera_moved(self) -> None:
        self._ask(self.scene.replan())
        self.view_changed.emit()

    # Drawing.

    @property
    def is_due(self) -> bool:
        """Whether a frame that comes now would be drawn before the next one could come."""
        return self.scene.waiting or (not self._undrawn and self._wait <= SOON_SECONDS)

    @property
    def _wait(self) -> float:
        """Seconds until the next picture may be drawn."""
        return self.quality.interval - (clock.perf_counter() - self._drawn_at)

    def span(self) -> tuple[float, float] | None:
        """The lowest and the highest value in the picture."""
        return None if self.scene.layer is None else self.scene.layer.span(100.0 - self.scene.view.outliers)

    @property
    def limits(self) -> tuple[float, float] | None:
        """The range of the colours in the picture."""
        field = self.scene.shown_field
        return None if field is None else self.scene.limits(field)

    @property
    def shown_field(self) -> str:
        """The field that these colours are of; empty for none."""
        field = self.scene.shown_field
        return "" if field is None else field.name

    @property
    def deformation(self) -> float | None:
        """How many times displacements are drawn; None where nothing moves."""
        return self.scene.deformation

    def redraw(self) -> None:
        """Draw soon; many calls become one."""
        if not self._closed and not self._timer.isActive():
            self._timer.start(max(0, round(1000 * self._wait)))

    def redraw_overlay(self) -> None:
        """Draw text and lines anew; the scene is as it was."""
        if not self._closed and not self._timer.isActive():
            self._view.refresh_overlay()

    def image(self, width: int | None = None, height: int | None = None) -> Array:
        """The view as (height, width, 4) uint8, by default in the size on the screen, drawn with smoothed edges."""
        shown = round(self.height() * self.devicePixelRatioF())
        w = width or round(self.width() * self.devicePixelRatioF())
        h = height or shown
        return self._view.image(w, h, self.devicePixelRatioF() * h / max(shown, 1))

    def _draw(self) -> None:
        self._undrawn = False
        if not self._closed and self.isVisible():
            self._drawn_at = clock.perf_counter()
            self._view.refresh()

    def _drawn(self, seconds: float) -> None:
        """Called by the view after each picture with what it took."""
        resting, self._resting = self._resting, False
        if not resting:
            self.quality.took(seconds)
            self._rest_timer.start()
        line = self.quality.news(self.scene.layer)
        if line is not None:
            self.quality_changed.emit(line)

    def _ask(self, request: FrameRequest | None) -> None:
        if request is not None:
            self.request_changed.emit(request)
        if self.scene.waiting:
            self._answer_timer.start()
        self.redraw()

    def _geometry_changed(self) -> None:
        self.quality.geometry_changed(self.scene.layer)
        self.scene.brush, self.scene.inspected, self.scene.measured = None, None, ()
        if self.scene.layer is not None:
            low, high = self.scene.layer.bounds
            self.brush.longest = float((high - low).max())

    def _use_coarse(self) -> None:
        layer = self.scene.layer
        if not self._closed and layer is not None and layer.has_coarse:
            self.scene.coarse = True
            self._ask(self.scene.replan())

    def _come_to_rest(self) -> None:
        self._resting = self.quality.rest()
        behind = self.scene.layer is not None and self.scene.layer.is_behind
        if (self._resting or behind) and self.isVisible():
            self._view.refresh()

    def _give_up_waiting(self) -> None:
        if self.scene.overdue():
            self._ask(self.scene.replan())

    @property
    def _aspect(self) -> float:
        return max(self.width(), 1) / max(self.height(), 1)

    # Qt.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._mouse.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._mouse.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._mouse.double_click(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._mouse.wheel(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        chosen = self.scene.marks.chosen is not None
        if event.key() == Qt.Key.Key_Escape and self._mouse.let_go():
            return
        if event.key() == Qt.Key.Key_Escape and chosen:
            self.item_chosen.emit(None)
        elif event.key() in ARROWS and (nudge := nudged(self.scene, *ARROWS[Qt.Key(event.key())])) is not None:
            item, handle, position = nudge
            self.item_dragged.emit(item, handle.name, position)
            self.item_dropped.emit(True)
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and chosen:
            self.item_deleted.emit()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._follow_theme()
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.redraw()

    def resizeEvent(self, event: object) -> None:
        self._busy.settle()
        ratio, self.scene.aspect = self.devicePixelRatioF(), self._aspect
        self.scene.samples = self.quality.samples(round(self.width() * ratio), round(self.height() * ratio))
        self._ask(self.scene.replan())

    def leaveEvent(self, event: QEvent) -> None:
        self._mouse.leave()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.close_canvas()
        super().closeEvent(event)

    def _follow_theme(self) -> None:
        dark = self.palette().color(QPalette.ColorRole.Window).lightness() < 128
        self.scene.theme = DARK if dark else LIGHT
        self.redraw()

    def close_canvas(self) -> None:
        """Stop drawing and free the graphics card's memory; the widget stays as an empty area. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        for timer in (self._timer, self._answer_timer, self._rest_timer):
            timer.stop()
        self.quality.stop()
        self._view.close()
