"""Squares on the graphics card, four corners each, and the programs that draw them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from vispy import gloo

from engines.api import Array
from ui.scene.colormaps import MISSING
from ui.scene.visuals.grid import PLAIN
from ui.scene.visuals.shaders import program
from ui.scene.visuals.surface import Look, Palette, set_range


class Squares:
    """``shader``: what the vertex and the fragment shader are called; ``prepare`` sets what of a new program stays."""

    def __init__(
        self, palette: Palette, shader: str, prepare: Callable[[gloo.Program], None] = lambda made: None
    ) -> None:
        self._palette, self._shader, self._prepare = palette, shader, prepare
        self._programs: dict[tuple[str, ...], gloo.Program] = {}
        self._buffer: gloo.VertexBuffer | None = None
        self._index: gloo.IndexBuffer | None = None

    @property
    def there(self) -> bool:
        return self._buffer is not None

    def set_corners(self, data: Array) -> None:
        """``data: (n, 4)`` of all attributes."""
        self.release()
        self._buffer = gloo.VertexBuffer(data.ravel())
        first = 4 * np.arange(len(data), dtype=np.uint32)[:, None]
        self._index = gloo.IndexBuffer((first + np.array([0, 1, 2, 2, 1, 3], np.uint32)).ravel())
        for made in self._programs.values():
            made.bind(self._buffer)

    def using(self, view: Array, projection: Array, needs: Mapping[str, bool]) -> gloo.Program:
        """The program that does this and no more; made when first wanted."""
        key = tuple(name for name, wanted in needs.items() if wanted)
        if key not in self._programs:
            made = program(self._shader, self._shader, *key)
            made["u_missing"] = np.array(MISSING, np.float32) / 255
            made["u_plain"] = tuple(channel**2 for channel in PLAIN)
            self._prepare(made)
            made.bind(self._buffer)
            self._programs[key] = made
        drawing = self._programs[key]
        drawing["u_view"] = view.T.astype(np.float32)
        drawing["u_projection"] = projection.T.astype(np.float32)
        return drawing

    def draw(self, drawing: gloo.Program, look: Look) -> None:
        if look.mapped:
            drawing["u_lut"] = self._palette.use(look.lut)
            set_range(drawing, look)
        gloo.set_state(blend=False, depth_test=True, depth_func="less", depth_mask=True, cull_face=False)
        drawing.draw("triangles", self._index)

    def release(self) -> None:
        for thing in (self._buffer, self._index):
            if thing is not None:
                thing.delete()
        self._buffer = self._index = None
