"""Squares of a plate, or cubes of a body, on the graphics card: each is moved as a whole by its displacement.

A new moment costs one upload: a texture with displacement and value of each particle.
"""

from __future__ import annotations

import numpy as np
from vispy import gloo

from engines.api import Array
from ui.scene.shapes.sampling import LONGEST_SIDE
from ui.scene.visuals.squares import Squares
from ui.scene.visuals.surface import Look, Palette

_VERTEX = np.dtype([("a_centre", "f4", 3), ("a_corner", "f4", 3), ("a_number", "f4"), ("a_shade", "f4")])
_FACE = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)


class LatticeVisual:
    """A set of particles of one size, ``deep`` as cubes."""

    def __init__(self, palette: Palette, deep: bool) -> None:
        self._deep = deep
        self._squares = Squares(palette, "lattice")
        self._told: gloo.Texture2D | None = None
        self._masked = False

    def set_faces(self, positions: Array, faces: Array, numbers: Array, shades: Array | float = 1.0) -> None:
        """``positions: (n, 3)`` at rest of the middles of the squares or cubes that ``faces: (n,)`` are of: 0 to 2 the
        one across x, y or z that looks towards the eye, 3 to 8 those at -x, +x, -y, … ; ``numbers: (n,)`` rows of what
        :meth:`set_told` takes; ``shades: (n,)`` factors on the light."""
        self._squares.release()
        n = len(faces)
        if not n:
            return
        data = np.zeros((n, 4), _VERTEX)
        data["a_centre"] = positions[:, None]
        data["a_corner"][..., :2] = _FACE
        data["a_corner"][..., 2] = faces[:, None]
        data["a_number"] = numbers[:, None]
        data["a_shade"] = np.broadcast_to(shades, n)[:, None]
        self._squares.set_corners(data)

    def set_told(self, displacements: Array | None, values: Array | None, count: int, masked: bool) -> None:
        """``displacements: (count, 3)`` and ``values: (count,)``, NO_DATA where ``masked`` and missing."""
        columns = min(LONGEST_SIDE, count)
        told = np.zeros((-(-count // columns) * columns, 4), np.float32)
        if displacements is not None:
            told[:count, :3] = displacements
        if values is not None:
            told[:count, 3] = values
        texels = told.reshape(-1, columns, 4)
        if self._told is None or self._told.shape != texels.shape:
            self._release_told()
            self._told = gloo.Texture2D(texels.shape, format="rgba", internalformat="rgba32f", interpolation="nearest")
        self._told.set_data(texels)
        self._masked = masked

    def draw(self, look: Look, view: Array, projection: Array, half: float, deformation: float) -> None:
        """``half``: half a side."""
        if not self._squares.there or self._told is None:
            return
        needs = {"MAPPED": look.mapped, "MASKED": look.mapped and self._masked, "DEEP": self._deep}
        needs["LOG"] = look.mapped and look.log
        drawing = self._squares.using(view, projection, needs)
        drawing["u_told"] = self._told
        drawing["u_size"] = self._told.shape[1::-1]
        drawing["u_half"] = half
        drawing["u_deformation"] = deformation
        if self._deep:
            drawing["u_eye"] = (-view[:3, :3].T @ view[:3, 3]).astype(np.float32)
            drawing["u_lit"] = look.lit
        self._squares.draw(drawing, look)

    def release(self) -> None:
        """Free what is on the graphics card."""
        self._squares.release()
        self._release_told()

    def _release_told(self) -> None:
        if self._told is not None:
            self._told.delete()
            self._told = None
