"""Spheres on the graphics card: four corners each, and a texture with one row of values for each.

A new moment costs one upload of the values. What a sphere looks like is found out pixel by pixel (``sphere.frag``).
"""

from __future__ import annotations

import numpy as np
from vispy import gloo

from engines.api import Array
from ui.scene.colormaps import MISSING
from ui.scene.shapes.sampling import LONGEST_SIDE
from ui.scene.shapes.sphere_corner import CORNER
from ui.scene.visuals.grid import PLAIN, Samples
from ui.scene.visuals.shaders import program
from ui.scene.visuals.surface import Look, Palette, set_range

CUT_LIT = 0.5
"""What was cut open is there to be read, so it is shaded little."""
_VERTEX = np.dtype([("a_sphere", "f4", 4), ("a_corner", "f4"), ("a_shade", "f4")])


class SphereVisual:
    """A set of spheres. Spheres that do not overlap hide each other rightly."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._programs: dict[tuple[str, ...], gloo.Program] = {}
        self._buffer: gloo.VertexBuffer | None = None
        self._index: gloo.IndexBuffer | None = None
        self._values = Samples()
        self._masked = False
        self._layout = (1, 1)

    def set_spheres(self, positions: Array, radii: Array, shades: Array | float = 1.0) -> None:
        """``positions: (n, 3)``, ``radii: (n,)``, ``shades: (n,)`` factors on the light; no values until set."""
        self.release()
        if not len(radii):
            return
        data = np.zeros((len(radii), 4), _VERTEX)
        data["a_sphere"][..., :3], data["a_sphere"][..., 3] = positions[:, None], radii[:, None]
        data["a_corner"] = np.arange(4 * len(radii)).reshape(-1, 4)
        data["a_shade"] = np.broadcast_to(shades, len(radii))[:, None]
        self._buffer = gloo.VertexBuffer(data.ravel())
        first = 4 * np.arange(len(radii), dtype=np.uint32)[:, None]
        self._index = gloo.IndexBuffer((first + np.array([0, 1, 2, 2, 1, 3], np.uint32)).ravel())
        for made in self._programs.values():
            made.bind(self._buffer)

    def set_values(self, values: Array, masked: bool) -> None:
        """``values: (n, shells)`` float32 from the centre to the surface, NO_DATA where ``masked`` and missing."""
        if self._buffer is None:
            return
        spheres, shells = values.shape
        across = min(max(LONGEST_SIDE // shells, 1), spheres)
        rows = -(-spheres // across)
        texels = np.ascontiguousarray(values, np.float32).reshape(-1)
        if rows * across != spheres:
            texels = np.concatenate([texels, np.zeros((rows * across - spheres) * shells, np.float32)])
        # Values are read one by one: mixing those of two spheres would be wrong.
        self._values.room(rows, across * shells, True).set_data(texels.reshape(rows, -1))
        self._masked, self._layout = masked, (across, shells)

    def draw(self, look: Look, view: Array, projection: Array) -> None:
        """With a corner cut out where ``look.cut_open`` and there are shells."""
        if self._buffer is None or self._index is None:
            return
        across, shells = self._layout
        needs = {
            "MAPPED": look.mapped,
            "LOG": look.mapped and look.log,
            "SHELLS": look.mapped and shells > 1,
            "MASKED": look.mapped and self._masked,
            "OPEN": look.mapped and shells > 1 and look.cut_open,
            "LIT": look.lit > 0,
            "GLOSS": look.lit > 0 and look.gloss > 0,
        }
        drawing = self._program(tuple(name for name, wanted in needs.items() if wanted))
        drawing["u_view"] = view.T.astype(np.float32)
        drawing["u_projection"] = projection.T.astype(np.float32)
        drawing["u_layout"] = (across, shells)
        drawing["u_shells"] = float(shells)
        drawing["u_lit"] = look.lit
        drawing["u_cut_lit"] = CUT_LIT * look.lit
        drawing["u_gloss"] = look.gloss
        if look.mapped:
            drawing["u_values"] = self._values.texture
            drawing["u_size"] = self._values.size
            drawing["u_lut"] = self._palette.use(look.lut)
            set_range(drawing, look)
        gloo.set_state(blend=False, depth_test=True, depth_func="less", depth_mask=True, cull_face=False)
        drawing.draw("triangles", self._index)

    def _program(self, needs: tuple[str, ...]) -> gloo.Program:
        """The program that does this and no more; made when first wanted."""
        if needs not in self._programs:
            made = program("sphere", "sphere", *needs)
            made["u_missing"] = np.array(MISSING, np.float32) / 255
            made["u_plain"] = tuple(channel**2 for channel in PLAIN)
            for name, normal in zip(("u_first", "u_second", "u_third"), CORNER, strict=True):
                made[name] = normal.astype(np.float32)
            made.bind(self._buffer)
            self._programs[needs] = made
        return self._programs[needs]

    def release(self) -> None:
        """Free the buffers."""
        for thing in (self._buffer, self._index):
            if thing is not None:
                thing.delete()
        self._values.release()
        self._buffer = self._index = None
