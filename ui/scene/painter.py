"""Draws a :class:`Scene` into the current framebuffer of a vispy canvas."""

from __future__ import annotations

import numpy as np
from vispy import gloo

from engines.api import Array
from ui.scene.hud import Hud
from ui.scene.scene import Scene
from ui.scene.screen import Background, Sprites, Strokes, Target
from ui.scene.surface_visual import Palette
from ui.scene.tet_layer import TetLayer


class Painter:
    """Owns what is on the graphics card besides the layer's own buffers. Make and use it with the context current."""

    def __init__(self) -> None:
        self._background = Background()
        self._target = Target()
        self._palette = Palette()
        self._sprites = Sprites()
        self._strokes = Strokes()
        self._hud = Hud()
        self._layer: TetLayer | None = None

    def paint(self, scene: Scene, width: int, height: int, ratio: float, resolution: float, gloss: bool = True) -> None:
        """The whole view of (width, height) device pixels; ``ratio`` device pixels per point.

        The 3D part is drawn at ``resolution`` times the size (2: smoothed edges; below 1: cheaper) and scaled;
        text and lines are always drawn at full size.
        """
        if scene.layer is not self._layer:
            if self._layer is not None:
                self._layer.release()
            self._layer = scene.layer
        if scene.auto_fit:
            scene.camera.distance = scene.camera.fitting_distance(width / height)
        inner = max(round(width * resolution), 16), max(round(height * resolution), 16)
        self._target.begin(*inner)
        self._background.draw(scene.theme, *inner)
        if scene.layer is not None:
            look = scene.look()
            if not gloss:
                look.gloss = 0.0
            scene.layer.draw(look, scene.camera.view(), scene.camera.projection(width / height), self._palette)
        self._target.end()
        self._target.show(width, height)
        placed, strokes = self._hud.compose(scene, width, height, ratio)
        self._strokes.draw(strokes, width, height)
        self._sprites.draw(placed, width, height)

    def read(self, scene: Scene, width: int, height: int, ratio: float, resolution: float) -> Array:
        """The view as (height, width, 4) uint8, drawn off screen."""
        buffer = gloo.FrameBuffer(gloo.RenderBuffer((height, width), "color"))
        with buffer:
            self.paint(scene, width, height, ratio, resolution)
            image = np.array(gloo.read_pixels((0, 0, width, height), alpha=True))
        buffer.delete()
        image[..., 3] = 255
        return image

    def release(self) -> None:
        """Free everything on the graphics card."""
        if self._layer is not None:
            self._layer.release()
            self._layer = None
        self._target.release()
        self._sprites.draw([], 1, 1)
