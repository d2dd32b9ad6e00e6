"""Draws a :class:`Scene` into the current framebuffer of a vispy canvas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from vispy import gloo

from engines.api import Array
from ui.scene.layers.layer import Layer
from ui.scene.overlays.hud import Hud
from ui.scene.overlays.placed import lines_in_space, solids
from ui.scene.scene import Scene
from ui.scene.visuals.fibres import FibreVisual
from ui.scene.visuals.grid import LinesVisual
from ui.scene.visuals.markers import POINTS, MarkerVisual
from ui.scene.visuals.screen import Background, Sprites, Strokes, Target
from ui.scene.visuals.solids import SolidVisuals
from ui.scene.visuals.surface import Look, Palette

LINE_POINTS = 0.55
"""Half the width of lines in space."""
TRACED, EDGE_OF_TRACED = (1.0, 0.97, 0.92), (0.08, 0.09, 0.11)
"""A line of what the run traces, and what sets it off."""
SHINE, FAINT = 0.5, 0.4
"""How much of an outline is seen through what hides it, and of one that only limits something."""


class Painter:
    """Owns what is on the graphics card besides the layer's own buffers. Make and use it with the context current."""

    def __init__(self) -> None:
        self._background = Background()
        self._target = Target()
        self._palette = Palette()
        self._sprites = Sprites()
        self._strokes = Strokes()
        self._markers: MarkerVisual | None = None
        self._outlines: LinesVisual | None = None
        self._arrows = FibreVisual()
        self._solids = SolidVisuals(self._palette)
        self.hud = Hud()
        self._layer: Layer | None = None

    def draw_scene(
        self, scene: Scene, width: int, height: int, ratio: float, resolution: float, gloss: bool = True
    ) -> None:
        """The 3D part of a view of (width, height) device pixels, ``ratio`` to a point, into the off-screen buffer at
        ``resolution`` times the size (2: smoothed edges; below 1: cheaper)."""
        if scene.layer is not self._layer:
            if self._layer is not None:
                self._layer.release()
            self._layer = scene.layer
        scene.room.at(width, height, ratio).place(scene.camera, width, height, ratio, scene.auto_fit)
        inner = max(round(width * resolution), 16), max(round(height * resolution), 16)
        self._target.begin(*inner)
        look, matrices = scene.look(), (scene.camera.view(), scene.camera.projection(width / height))
        look.gloss = look.gloss if gloss else 0.0
        look.size, look.stroke = inner, max(LINE_POINTS * ratio * resolution, 0.5)
        red, green, blue = (channel / 255 for channel in scene.theme.faint)
        look.ink = (red, green, blue)
        if scene.layer is not None:
            scene.layer.draw(look, *matrices, self._palette)
        self._background.draw(scene.theme, *inner)
        veiled = scene.layer is not None and scene.layer.veils
        self._solids.draw(solids(scene), scene.view.solidity, look, *matrices, veiled=veiled)
        if scene.layer is not None:
            scene.layer.draw_over(look, *matrices, self._palette)
            if scene.arrows is not None:
                arrows = scene.arrows.lines(scene.camera.back, scene.deformation or 0.0)
                self._arrows.draw(arrows, look, *matrices)
            self._draw_traced(scene, look, *matrices)
            self._draw_outlines(scene, look, *matrices)
        if scene.marked is not None and scene.markers is not None:
            self._markers = self._markers or MarkerVisual()
            radius = max(POINTS * ratio * resolution, 2.0)
            self._markers.draw(scene.markers, look, *matrices, radius, scene.camera.radius)
        self._target.end()

    def _draw_outlines(self, scene: Scene, look: Look, view: Array, projection: Array) -> None:
        """Of what stands in space: all of them faintly, and what nothing hides in full."""
        for lines, colour, faint in lines_in_space(scene):
            self._outlines = self._outlines or LinesVisual()
            red, green, blue = (channel / 255 for channel in colour)
            strength = FAINT if faint else 1.0
            self._outlines.draw(lines, (red, green, blue, SHINE * strength), look, view, projection, through=True)
            self._outlines.draw(lines, (red, green, blue, strength), look, view, projection)

    def _draw_traced(self, scene: Scene, look: Look, view: Array, projection: Array) -> None:
        """What the run traces: dark, with a bright core; faint where something hides it."""
        traced = scene.traced
        if traced is None or not scene.view.lines or not len(traced.segments):
            return
        lines = np.asarray(traced.segments, np.float64)
        if traced.displacements is not None:
            lines = lines + (scene.deformation or 0.0) * traced.displacements
        self._outlines = self._outlines or LinesVisual()
        for colour, width in ((EDGE_OF_TRACED, 2.6), (TRACED, 1.3)):
            broad = replace(look, stroke=width * look.stroke)
            red, green, blue = colour
            self._outlines.draw(lines, (red, green, blue, 0.3), broad, view, projection, through=True)
            self._outlines.draw(lines, (red, green, blue, 1.0), broad, view, projection)

    def read_scene(self) -> Array:
        """What :meth:`draw_scene` drew: (h, w, 4) uint8, top row first."""
        return self._target.read()

    def paint(
        self, scene: Scene, width: int, height: int, ratio: float, resolution: float, handles: bool = True
    ) -> None:
        """The whole view into the current framebuffer; ``ratio`` is device pixels per point. Text and lines are drawn
        at full size whatever ``resolution`` is."""
        self.draw_scene(scene, width, height, ratio, resolution)
        self._target.show(width, height)
        placed, strokes = self.hud.compose(scene, width, height, ratio, handles)
        self._strokes.draw(strokes, width, height)
        self._sprites.draw(placed, width, height)

    def read(self, scene: Scene, width: int, height: int, ratio: float, resolution: float) -> Array:
        """The whole view as (height, width, 4) uint8, drawn off screen, without handles."""
        buffer = gloo.FrameBuffer(gloo.RenderBuffer((height, width), "color"))
        on_screen = scene.camera.offset, scene.camera.distance  # which clicks go by
        covered, scene.covered = scene.covered, 0.0  # what lies over the view is not in its picture
        if not scene.auto_fit:  # a narrower picture shows all of the width that is chosen on the screen
            scene.camera.distance *= max(1.0, scene.aspect * height / width)
        with buffer:
            self.paint(scene, width, height, ratio, resolution, handles=False)
            image = np.array(gloo.read_pixels((0, 0, width, height), alpha=True))
        scene.camera.offset, scene.camera.distance = on_screen
        scene.covered = covered
        buffer.delete()
        image[..., 3] = 255
        return image

    def release(self) -> None:
        """Free everything on the graphics card."""
        if self._layer is not None:
            self._layer.release()
            self._layer = None
        if self._markers is not None:
            self._markers.release()
            self._markers = None
        self._outlines = None
        self._arrows.release()
        self._solids.release()
        self._target.release()
        self._sprites.keep(set())
