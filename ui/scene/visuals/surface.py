"""Triangles with one float per vertex on the graphics card. A new moment costs one upload of that float."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from vispy import gloo

from engines.api import Array
from ui.scene.colormaps import MISSING
from ui.scene.shapes.vertex_means import NO_DATA
from ui.scene.visuals.shaders import program

FRONT_COLOUR = (0.30, 0.86, 1.0)
"""Linear light: a cold glow, which no warm colour map contains."""

ISOCHRONE_STROKE = 1.2
"""Width of an isochrone over that of other lines in space."""

NO_PLANE = (0.0, 0.0, 0.0, 1.0)


@dataclass
class Look:
    """How values become colours. ``clip`` hides where dot(xyz, position) > w; ``front_masks``: no data before the
    front (the field shown is the front's own time); ``stepped``: nothing lies between two values; ``cut_open``:
    spheres show what is inside them; ``log``: colours go by the logarithm of values; ``both_sides``: a sheet is lit on
    the side that is seen; ``glass``: how opaque something is that one sees through, 0 for what hides. Lines are
    ``2 * stroke`` pixels wide, in a target of ``size``."""

    lut: Array = field(default_factory=lambda: np.zeros((256, 3), np.uint8))
    limits: tuple[float, float] = (0.0, 1.0)
    log: bool = False
    mapped: bool = False
    time: float = 0.0
    front_width: float = 0.0
    front_masks: bool = False
    isochrone: float = 0.0
    clip: tuple[float, float, float, float] = NO_PLANE
    lit: float = 1.0
    gloss: float = 0.10
    diverging: bool = False
    cyclic: bool = False
    stepped: bool = False
    cut_open: bool = False
    both_sides: bool = False
    glass: float = 0.0
    ink: tuple[float, float, float] = (0.5, 0.5, 0.5)
    stroke: float = 0.0
    size: tuple[int, int] = (1, 1)


def set_range(drawing: gloo.Program, look: Look) -> None:
    """What ``place.glsl`` is told, in a program with LOG where ``look.log``."""
    low, high = look.limits
    drawing["u_range"] = (low, 1.0 / (high - low) if high > low else 0.0)
    if look.log:
        drawing["u_log"] = (high / low - 1.0, 1.0 / float(np.log(high / low)))


class Palette:
    """A colour map as a texture, sent again only when it is another one."""

    def __init__(self) -> None:
        self._lut: Array | None = None
        self.texture = gloo.Texture2D(np.zeros((1, 256, 3), np.uint8), interpolation="linear", wrapping="clamp_to_edge")

    def use(self, lut: Array) -> gloo.Texture2D:
        if lut is not self._lut:
            self.texture.set_data(np.ascontiguousarray(lut[None]))
            self._lut = lut
        return self.texture


class SurfaceVisual:
    """One set of triangles."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._programs: dict[tuple[str, ...], gloo.Program] = {}
        self._attributes: dict[str, gloo.VertexBuffer] = {}
        self._index: gloo.IndexBuffer | None = None

    def set_mesh(self, points: Array, normals: Array, triangles: Array, colours: Array) -> None:
        """New triangles; ``colours`` (n, 3) uint8 sRGB show where no map does. There is no data until set."""
        self.release()
        if not len(triangles):
            return
        nothing = np.full(len(points), NO_DATA, np.float32)
        data = {
            "a_position": points,
            "a_normal": normals,
            "a_colour": (colours / 255.0) ** 2,  # linear light
            "a_value": nothing,
            "a_activation": nothing,
            "a_contour": np.zeros(len(points), np.float32),
        }
        self._attributes = {
            name: gloo.VertexBuffer(np.ascontiguousarray(values, np.float32)) for name, values in data.items()
        }
        self._index = gloo.IndexBuffer(np.ascontiguousarray(triangles.ravel(), np.uint32))
        for made in self._programs.values():
            self._bind(made)

    def set_values(self, values: Array) -> None:
        """(n,) float32, NO_DATA where there is none."""
        if self._index is not None:
            self._attributes["a_value"].set_data(values)

    def set_activation(self, times: Array) -> None:
        """(n,) float32: when the front passed; in the future where it has not come."""
        if self._index is not None:
            self._attributes["a_activation"].set_data(times)

    def set_contour(self, values: Array) -> None:
        """(n,) float32: the values that lines of equal value are drawn of."""
        if self._index is not None:
            self._attributes["a_contour"].set_data(values)

    def draw(self, look: Look, view: Array, projection: Array, two_sided: bool = False, nearest: bool = False) -> None:
        """``nearest``: one looks through its nearest triangles alone, and it hides what is drawn behind it later."""
        if self._index is None:
            return
        drawing = self._prepared(look, view, projection)
        glass = look.glass > 0
        if nearest and glass:
            gloo.set_state(blend=False, depth_test=True, depth_func="less", depth_mask=True, cull_face=not two_sided)
            gloo.set_color_mask(False, False, False, False)
            drawing.draw("triangles", self._index)
            gloo.set_color_mask(True, True, True, True)
        depth = "lequal" if nearest else "less"
        gloo.set_state(blend=glass, depth_test=True, depth_func=depth, depth_mask=not glass, cull_face=not two_sided)
        if glass:
            gloo.set_blend_func("one", "one_minus_src_alpha")
        drawing.draw("triangles", self._index)

    def _prepared(self, look: Look, view: Array, projection: Array) -> gloo.Program:
        drawing = self._program(look)
        drawing["u_view"] = view.T.astype(np.float32)
        drawing["u_projection"] = projection.T.astype(np.float32)
        drawing["u_lut"] = self._palette.use(look.lut)
        set_range(drawing, look)
        drawing["u_time"] = look.time
        drawing["u_front_width"] = look.front_width
        drawing["u_isochrone"] = look.isochrone
        drawing["u_stroke"] = ISOCHRONE_STROKE * max(look.stroke, 0.5)
        drawing["u_clip"] = look.clip
        drawing["u_lit"] = look.lit
        drawing["u_gloss"] = look.gloss
        drawing["u_glass"] = look.glass
        return drawing

    def draw_behind(self, look: Look, view: Array, projection: Array) -> None:
        """All of it that something hides, as glass, through that."""
        if self._index is not None:
            drawing = self._prepared(look, view, projection)
            gloo.set_state(blend=True, depth_test=True, depth_func="greater", depth_mask=False, cull_face=False)
            gloo.set_blend_func("one", "one_minus_src_alpha")
            drawing.draw("triangles", self._index)

    def _program(self, look: Look) -> gloo.Program:
        """The program that does what ``look`` needs and no more; made when first wanted."""
        needs = {
            "MAPPED": look.mapped,
            "LOG": look.mapped and look.log,
            "LIT": look.lit > 0,
            "GLOSS": look.gloss > 0 and look.lit > 0,
            "CLIP": look.clip != NO_PLANE,
            "BOTH_SIDES": look.both_sides,
            "GLASS": look.glass > 0,
            "FRONT": look.mapped and look.front_width > 0,
            "FRONT_MASKS": look.mapped and look.front_width > 0 and look.front_masks,
            "CYCLIC": look.mapped and look.cyclic,
            "ISOCHRONES": look.mapped and look.isochrone > 0,
        }
        key = tuple(name for name, wanted in needs.items() if wanted)
        if key not in self._programs:
            made = program("surface", "surface", *key)
            made["u_missing"] = np.array(MISSING, np.float32) / 255
            made["u_front_colour"] = FRONT_COLOUR
            self._bind(made)
            self._programs[key] = made
        return self._programs[key]

    def _bind(self, made: gloo.Program) -> None:
        for name, buffer in self._attributes.items():
            made[name] = buffer

    def release(self) -> None:
        """Free the buffers."""
        for buffer in [*self._attributes.values(), *([self._index] if self._index is not None else [])]:
            buffer.delete()
        self._attributes, self._index = {}, None
