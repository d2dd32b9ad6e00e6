"""Spheres on the graphics card: four corners each, and a texture with one row of values for each.

A new moment costs one upload of the values. What a sphere looks like is found out pixel by pixel (``sphere.frag``).
"""

from __future__ import annotations

import numpy as np
from vispy import gloo

from engines.api import Array
from ui.scene.shapes.sampling import LONGEST_SIDE
from ui.scene.shapes.sphere_corner import CORNER
from ui.scene.visuals.grid import Samples
from ui.scene.visuals.squares import Squares
from ui.scene.visuals.surface import Look, Palette

CUT_LIT = 0.5
"""What was cut open is there to be read, so it is shaded little."""
_VERTEX = np.dtype([("a_sphere", "f4", 4), ("a_corner", "f4"), ("a_shade", "f4")])


def _set_corner(made: gloo.Program) -> None:
    for name, normal in zip(("u_first", "u_second", "u_third"), CORNER, strict=True):
        made[name] = normal.astype(np.float32)


class SphereVisual:
    """A set of spheres. Spheres that do not overlap hide each other rightly."""

    def __init__(self, palette: Palette) -> None:
        self._squares = Squares(palette, "sphere", _set_corner)
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
        self._squares.set_corners(data)

    def set_values(self, values: Array, masked: bool) -> None:
        """``values: (n, shells)`` float32 from the centre to the surface, NO_DATA where ``masked`` and missing."""
        if not self._squares.there:
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
        if not self._squares.there:
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
        drawing = self._squares.using(view, projection, needs)
        drawing["u_layout"] = (across, shells)
        drawing["u_shells"] = float(shells)
        drawing["u_lit"] = look.lit
        drawing["u_cut_lit"] = CUT_LIT * look.lit
        drawing["u_gloss"] = look.gloss
        if look.mapped:
            drawing["u_values"] = self._values.texture
            drawing["u_size"] = self._values.size
        self._squares.draw(drawing, look)

    def release(self) -> None:
        """Free the buffers."""
        self._squares.release()
        self._values.release()
