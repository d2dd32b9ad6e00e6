"""Triangles with one float per vertex on the graphics card. A new moment costs one upload of that float."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from vispy import gloo

from engines.api import Array
from ui.scene.colormaps import MISSING
from ui.scene.shaders import program

FRONT_COLOUR = (0.30, 0.86, 1.0)
"""Linear light: a cold glow, which no warm colour map contains."""

NO_PLANE = (0.0, 0.0, 0.0, 1.0)


@dataclass
class Look:
    """How values become colours. ``clip`` hides where dot(xyz, position) > w; ``front_masks``: no data before the
    front (the field shown is the front's own time)."""

    lut: Array = field(default_factory=lambda: np.zeros((256, 3), np.uint8))
    limits: tuple[float, float] = (0.0, 1.0)
    mapped: bool = False
    time: float = 0.0
    front_width: float = 0.0
    front_masks: bool = False
    isochrone: float = 0.0
    clip: tuple[float, float, float, float] = NO_PLANE
    lit: float = 1.0
    gloss: float = 0.10


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
        self._program = program("surface", "surface")
        self._program["u_missing"] = np.array(MISSING, np.float32) / 255
        self._program["u_front_colour"] = FRONT_COLOUR
        self._index: gloo.IndexBuffer | None = None
        self._value: gloo.VertexBuffer | None = None
        self._activation: gloo.VertexBuffer | None = None
        self._buffers: list[gloo.VertexBuffer] = []
        self.triangle_count = 0

    def set_mesh(self, points: Array, normals: Array, triangles: Array, colours: Array) -> None:
        """New triangles; ``colours`` (n, 3) uint8 sRGB are what shows without values. Values are zero until set."""
        self.release()
        self.triangle_count = len(triangles)
        if not self.triangle_count:
            return
        linear = ((colours / 255.0) ** 2).astype(np.float32)
        static = {"a_position": points, "a_normal": normals, "a_colour": linear}
        for name, data in static.items():
            buffer = gloo.VertexBuffer(np.ascontiguousarray(data, np.float32))
            self._program[name] = buffer
            self._buffers.append(buffer)
        zeros = np.zeros(len(points), np.float32)
        self._value, self._activation = gloo.VertexBuffer(zeros), gloo.VertexBuffer(zeros)
        self._buffers += [self._value, self._activation]
        self._program["a_value"], self._program["a_activation"] = self._value, self._activation
        self._index = gloo.IndexBuffer(np.ascontiguousarray(triangles.ravel(), np.uint32))

    def set_values(self, values: Array) -> None:
        """(n,) float32, NO_DATA where there is none."""
        if self._value is not None:
            self._value.set_data(values)

    def set_activation(self, times: Array) -> None:
        """(n,) float32: when the front passed, NO_DATA where it has not come."""
        if self._activation is not None:
            self._activation.set_data(times)

    def draw(self, look: Look, view: Array, projection: Array, two_sided: bool = False) -> None:
        if self._index is None:
            return
        program = self._program
        low, high = look.limits
        program["u_view"] = view.T.astype(np.float32)
        program["u_projection"] = projection.T.astype(np.float32)
        program["u_lut"] = self._palette.use(look.lut)
        program["u_range"] = (low, 1.0 / (high - low) if high > low else 0.0)
        program["u_mapped"] = float(look.mapped)
        program["u_time"] = look.time
        program["u_front_width"] = look.front_width if look.mapped else 0.0
        program["u_front_masks"] = float(look.front_masks)
        program["u_isochrone"] = look.isochrone
        program["u_clip"] = look.clip
        program["u_lit"] = look.lit
        program["u_gloss"] = look.gloss
        gloo.set_state(blend=False, depth_test=True, depth_mask=True, cull_face=not two_sided)
        program.draw("triangles", self._index)

    def release(self) -> None:
        """Free the buffers."""
        for buffer in [*self._buffers, *([self._index] if self._index is not None else [])]:
            buffer.delete()
        self._buffers = []
        self._index = self._value = self._activation = None
