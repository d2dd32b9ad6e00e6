"""The two ways in which the 3D picture gets onto the screen.

:class:`DirectView` is vispy's OpenGL widget: right where there is a graphics card. :class:`RasterView` draws off
screen into few pixels and paints them, scaled, as an ordinary widget: on a software renderer an OpenGL widget makes
Qt compose the whole window with it at each repaint of anything (two more full-size passes, 13 ms a frame on two cores
for 1100 × 850), which this avoids. Text and lines are at full size in both.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QOffscreenSurface, QOpenGLContext, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget
from vispy import app as vispy_app
from vispy import gloo
from vispy.gloo.context import GLContext, forget_canvas, set_current_canvas

from engines.api import Array
from ui.scene.painter import Painter
from ui.scene.scene import Scene
from ui.scene.visuals.screen import Stroke
from ui.scene.visuals.software import is_software


class OffscreenContext:
    """A GL context without a window, in the shape that gloo expects of a canvas. ``renderer`` is empty where Qt's
    platform has no OpenGL."""

    def __init__(self) -> None:
        self._surface = QOffscreenSurface()
        self._surface.create()
        self._gl = QOpenGLContext()
        self.context = GLContext()
        self.renderer = ""
        if self._gl.create() and self._gl.makeCurrent(self._surface):
            self.set_current()
            self.renderer = str(gloo.gl.glGetParameter(gloo.gl.GL_RENDERER))
            self.release()

    def set_current(self) -> None:
        self._gl.makeCurrent(self._surface)
        set_current_canvas(self)

    def release(self) -> None:
        """Hold no context on this thread, so that others may (headless pictures through EGL)."""
        self._gl.doneCurrent()

    def close(self) -> None:
        """Give the context back; nothing drawn with it can be used afterwards."""
        forget_canvas(self)
        self._gl.doneCurrent()
        self._surface.destroy()

    @property
    def is_software(self) -> bool:
        return is_software(self.renderer)


class DirectView:
    """An OpenGL widget. ``resolution()`` says how to draw, ``drawn(seconds)`` is told what it took to send."""

    def __init__(
        self, host: QWidget, scene: Scene, resolution: Callable[[int, int], float], drawn: Callable[[float], None]
    ) -> None:
        self._scene, self._resolution, self._drawn = scene, resolution, drawn
        self._painter: Painter | None = None
        # Qt knows the resolution; vispy would ask xdpyinfo and xrandr, which a fresh machine does not have.
        application = vispy_app.Application("pyside6")
        self._canvas = vispy_app.Canvas(app=application, parent=host, size=(640, 480), dpi=host.logicalDpiX())
        self._canvas.events.draw.connect(self._draw)
        self.widget: Any = self._canvas.native
        self.widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def refresh(self) -> None:
        self.widget.update()

    def refresh_overlay(self) -> None:
        """Text and lines have changed: here the scene is drawn again with them."""
        self.widget.update()

    forget = refresh_overlay

    def _draw(self, event: object) -> None:
        started = clock.perf_counter()
        self._make_current()
        assert self._painter is not None
        ratio = self.widget.devicePixelRatioF()
        width, height = max(round(self.widget.width() * ratio), 1), max(round(self.widget.height() * ratio), 1)
        self._painter.paint(self._scene, width, height, ratio, self._resolution(width, height))
        self._canvas.context.flush_commands()
        self._drawn(clock.perf_counter() - started)

    def _make_current(self) -> None:
        self._canvas.set_current()
        # Qt makes the widget's framebuffer anew when it is resized; vispy remembers the first one.
        self._canvas.context.shared.parser.env.pop("fb_stack", None)
        self._painter = self._painter or Painter()

    def image(self, width: int, height: int, ratio: float) -> Array:
        """(height, width, 4) uint8. Raises RuntimeError before the widget was first on the screen."""
        if not self.widget.isValid():
            raise RuntimeError("The 3D view has no picture before it has been on the screen.")
        self._make_current()
        assert self._painter is not None
        return self._painter.read(self._scene, width, height, ratio, resolution=2.0)

    def close(self) -> None:
        self._canvas.events.draw.disconnect(self._draw)
        if self._painter is not None and self.widget.isValid():
            self._make_current()
            self._painter.release()
            self._canvas.context.flush_commands()
            self.widget.doneCurrent()
        self._painter = None
        forget_canvas(self._canvas)


class RasterView:
    """An ordinary widget that shows what an off-screen context drew."""

    def __init__(
        self,
        host: QWidget,
        scene: Scene,
        resolution: Callable[[int, int], float],
        drawn: Callable[[float], None],
        context: OffscreenContext,
    ) -> None:
        self._scene, self._resolution, self._drawn, self._context = scene, resolution, drawn, context
        self._painter: Painter | None = None
        self._picture: QImage | None = None
        self._overlays: dict[str, tuple[Array, QImage]] = {}
        self._fresh: float | None = None
        self.widget = _Canvas(host, self._paint)

    def refresh(self) -> None:
        """Draw the scene anew now, and have the widget painted."""
        ratio = self.widget.devicePixelRatioF()
        width, height = round(self.widget.width() * ratio), round(self.widget.height() * ratio)
        if not self._context.renderer or width < 1 or height < 1:
            self.widget.update()
            return
        started = clock.perf_counter()
        self._make_current()
        assert self._painter is not None
        self._painter.draw_scene(self._scene, width, height, ratio, self._resolution(width, height), gloss=False)
        pixels = np.ascontiguousarray(self._painter.read_scene())
        size = pixels.shape[1], pixels.shape[0]
        picture = QImage(pixels.data, *size, 4 * size[0], QImage.Format.Format_RGBX8888)
        self._picture = picture.convertToFormat(QImage.Format.Format_RGB32)  # scales twice as fast
        self._context.release()
        self._fresh = clock.perf_counter() - started
        self.widget.update()

    def refresh_overlay(self) -> None:
        """Paint text and lines anew over the picture of the scene that there is."""
        self.widget.update()

    def forget(self) -> None:
        """The picture is of another scene: until the next one is drawn there is none."""
        self._picture = None
        self.widget.update()

    def _paint(self, painter: QPainter) -> None:
        started = clock.perf_counter()
        if self._picture is None or self._painter is None:
            painter.fillRect(self.widget.rect(), QColor(*self._scene.theme.top))
            if not self._context.renderer:
                painter.setPen(QColor(*self._scene.theme.faint))
                text = "No 3D picture: OpenGL does not start on this display."
                painter.drawText(self.widget.rect(), Qt.AlignmentFlag.AlignCenter, text)
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(self.widget.rect(), self._picture)
        ratio = self.widget.devicePixelRatioF()
        width, height = round(self.widget.width() * ratio), round(self.widget.height() * ratio)
        placed, strokes = self._painter.hud.compose(self._scene, width, height, ratio)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(1 / ratio, 1 / ratio)
        for stroke in strokes:
            _draw_stroke(painter, stroke)
        for name, image, left, top in placed:
            painter.drawImage(QPointF(left, top), self._overlay(name, image))
        for name in set(self._overlays) - {name for name, *_ in placed}:
            del self._overlays[name]
        if self._fresh is not None:
            seconds, self._fresh = self._fresh + clock.perf_counter() - started, None
            self._drawn(seconds)

    def _overlay(self, name: str, image: Array) -> QImage:
        kept = self._overlays.get(name)
        if kept is None or kept[0] is not image:
            height, width = image.shape[:2]
            source = QImage(image.data, width, height, 4 * width, QImage.Format.Format_RGBA8888_Premultiplied)
            kept = (image, source.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied))
            self._overlays[name] = kept
        return kept[1]

    def _make_current(self) -> None:
        self._context.set_current()
        self._painter = self._painter or Painter()

    def image(self, width: int, height: int, ratio: float) -> Array:
        """(height, width, 4) uint8. Raises RuntimeError where there is no OpenGL."""
        if not self._context.renderer:
            raise RuntimeError("The 3D view has no picture because OpenGL does not start on this display.")
        self._make_current()
        assert self._painter is not None
        image = self._painter.read(self._scene, width, height, ratio, resolution=2.0)
        self._context.release()
        return image

    def close(self) -> None:
        if self._painter is not None:
            self._make_current()
            self._painter.release()
            self._context.context.flush_commands()
        self._painter = None
        self._context.close()


View = DirectView | RasterView


class _Canvas(QWidget):
    """Hands its paint events on."""

    def __init__(self, host: QWidget, paint: Callable[[QPainter], None]) -> None:
        super().__init__(host)
        self._handler = paint
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self._handler(painter)


def _draw_stroke(painter: QPainter, stroke: Stroke) -> None:
    colour = QColor(*stroke.colour)
    start, end = QPointF(*stroke.start), QPointF(*stroke.end)
    if stroke.start == stroke.end:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(start, stroke.radius, stroke.radius)
    else:
        painter.setPen(QPen(colour, 2 * stroke.radius, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(start, end)


def view_for(
    host: QWidget, scene: Scene, resolution: Callable[[int, int], float], drawn: Callable[[float], None]
) -> tuple[View, OffscreenContext]:
    """The view that suits this machine's renderer, and the context that told which one it is (closed if unused)."""
    context = OffscreenContext()
    if context.is_software or not context.renderer:
        return RasterView(host, scene, resolution, drawn, context), context
    context.close()
    return DirectView(host, scene, resolution, drawn), context
