"""Squares of a plate, or cubes of a body, on the graphics card: each is moved as a whole by its displacement.

A new moment costs one upload: a texture with displacement and value of each particle.
"""

from __future__ import annotations

import numpy as np
from vispy import gloo

from engines.api import Array
from ui.scene.colormaps import MISSING
from ui.scene.shapes.sampling import LONGEST_SIDE
from ui.scene.visuals.grid import PLAIN
from ui.scene.visuals.shaders import program
from ui.scene.visuals.surface import Look, Palette, set_range

_VERTEX = np.dtype([("a_centre", "f4", 3), ("a_corner", "f4", 3), ("a_number", "f4"), ("a_shade", "f4")])
_FACE = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)


class LatticeVisual:
    """A set of particles of one size, ``deep`` as cubes."""

    def __init__(self, palette: Palette, deep: bool) -> None:
        self._palette, self._deep = palette, deep
        self._programs: dict[tuple[str, ...], gloo.Program] = {}
        self._buffer: gloo.VertexBuffer | None = None
        self._index: gloo.IndexBuffer | None = None
        self._told: gloo.Texture2D | None = None
        self._masked = False

    def set_faces(self, positions: Array, faces: Array, numbers: Array, shades: Array | float = 1.0) -> None:
        """``positions: (n, 3)`` at rest of the middles of the squares or cubes that ``faces: (n,)`` are of: 0 to 2 the
        one across x, y or z that looks towards the eye, 3 to 8 those at -x, +x, -y, … ; ``numbers: (n,)`` rows of what
        :meth:`set_told` takes; ``shades: (n,)`` factors on the light."""
        self._release_places()
        n = len(faces)
        if not n:
            return
        data = np.zeros((n, 4), _VERTEX)
        data["a_centre"] = positions[:, None]
        data["a_corner"][..., :2] = _FACE
        data["a_corner"][..., 2] = faces[:, None]
        data["a_number"] = numbers[:, None]
        data["a_shade"] = np.broadcast_to(shades, n)[:, None]
        self._buffer = gloo.VertexBuffer(data.ravel())
        first = 4 * np.arange(n, dtype=np.uint32)[:, None]
        self._index = gloo.IndexBuffer((first + np.array([0, 1, 2, 2, 1, 3], np.uint32)).ravel())
        for made in self._programs.values():
            made.bind(self._buffer)

    def set_told(self, displacements: Array | None, values: Array | None, count: int, masked: bool) -> None:
        """``displacements: (count, 3)`` and ``values: (count,)``, NO_DATA where ``masked`` and missing."""
        columns = min(LONGEST_SIDE, count)
        told = np.zeros((-(-count // columns) * columns, 4), np.float32)
        if displacements is not None:
            told[:count, :3] = displacements
        if values is not None:
            told[:count, 3] = values
        texels = told.reshape(-1, columns, 4)
        if self._told is None or self._told.shape[:2] != texels.shape[:2]:
            self._release_told()
            self._told = gloo.Texture2D(texels.shape, format="rgba", internalformat="rgba32f", interpolation="nearest")
        self._told.set_data(texels)
        self._masked = masked

    def draw(self, look: Look, view: Array, projection: Array, half: float, deformation: float) -> None:
        """``half``: half a side."""
        if self._buffer is None or self._index is None or self._told is None:
            return
        needs = {"MAPPED": look.mapped, "MASKED": look.mapped and self._masked, "DEEP": self._deep}
        needs["LOG"] = look.mapped and look.log
        drawing = self._program(tuple(name for name, wanted in needs.items() if wanted))
        drawing["u_view"] = view.T.astype(np.float32)
        drawing["u_projection"] = projection.T.astype(np.float32)
        drawing["u_told"] = self._told
        drawing["u_size"] = self._told.shape[1::-1]
        drawing["u_half"] = half
        drawing["u_deformation"] = deformation
        if self._deep:
            drawing["u_eye"] = (-view[:3, :3].T @ view[:3, 3]).astype(np.float32)
            drawing["u_lit"] = look.lit
        if look.mapped:
            drawing["u_lut"] = self._palette.use(look.lut)
            set_range(drawing, look)
        gloo.set_state(blend=False, depth_test=True, depth_func="less", depth_mask=True, cull_face=False)
        drawing.draw("triangles", self._index)

    def _program(self, needs: tuple[str, ...]) -> gloo.Program:
        """The program that does this and no more; made when first wanted."""
        if needs not in self._programs:
            made = program("lattice", "lattice", *needs)
            made["u_missing"] = np.array(MISSING, np.float32) / 255
            made["u_plain"] = tuple(channel**2 for channel in PLAIN)
            made.bind(self._buffer)
            self._programs[needs] = made
        return self._programs[needs]

    def release(self) -> None:
        """Free what is on the graphics card."""
        self._release_places()
        self._release_told()

    def _release_places(self) -> None:
        for thing in (self._buffer, self._index):
            if thing is not None:
                thing.delete()
        self._buffer = self._index = None

    def _release_told(self) -> None:
        if self._told is not None:
            self._told.delete()
            self._told = None
