"""Markers in space: small balls of two colours, the same size however near; pale where something stands before them."""

from __future__ import annotations

import numpy as np
from vispy import gloo

from engines.api import Array, Markers
from ui.scene.visuals.shaders import program
from ui.scene.visuals.surface import Look

COLOURS = ((110, 240, 120), (255, 84, 204))
"""Of + and −, sRGB: neither is in the colour maps of voltage and phase."""
POINTS = 5.0
"""Radius on the screen."""
HIDDEN = 0.3
"""How opaque those are that something stands before."""
LIFT = 0.02
"""How far before their places they are drawn, as a part of the scene's radius."""

_VERTEX = np.dtype([("a_position", "f4", 3), ("a_corner", "f4", 2), ("a_colour", "f4", 3)])
_CORNERS = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)


class MarkerVisual:
    """Draws the newest :class:`Markers`; there are tens of them, so each moment's are sent anew."""

    def __init__(self) -> None:
        self._program = program("marker", "marker")
        self._shown: Markers | None = None
        self._buffer = gloo.VertexBuffer(np.zeros(4, _VERTEX))
        self._index = gloo.IndexBuffer(np.zeros(6, np.uint32))
        self._program.bind(self._buffer)

    def draw(self, markers: Markers, look: Look, view: Array, projection: Array, radius: float, reach: float) -> None:
        """Balls of ``radius`` pixels; ``reach`` is the scene's radius."""
        if not len(markers.signs):
            return
        if markers is not self._shown:
            self._send(markers)
        self._program["u_view"] = view.T.astype(np.float32)
        self._program["u_projection"] = projection.T.astype(np.float32)
        self._program["u_size"] = look.size
        self._program["u_radius"] = radius
        self._program["u_lift"] = LIFT * reach
        for depth, alpha in ((False, HIDDEN), (True, 1.0)):
            gloo.set_state(
                blend=True,
                blend_func=("one", "one_minus_src_alpha"),
                depth_test=depth,
                depth_func="less",
                depth_mask=False,
                cull_face=False,
            )
            self._program["u_alpha"] = alpha
            self._program.draw("triangles", self._index)

    def _send(self, markers: Markers) -> None:
        count = len(markers.signs)
        data = np.zeros((count, 4), _VERTEX)
        data["a_position"] = np.asarray(markers.positions, np.float32)[:, None]
        data["a_corner"] = _CORNERS
        colours = (np.array(COLOURS, np.float32) / 255) ** 2  # linear light
        data["a_colour"] = colours[(np.asarray(markers.signs) < 0).astype(int)][:, None]
        self._buffer.set_data(data.ravel())
        first = 4 * np.arange(count, dtype=np.uint32)[:, None]
        self._index.set_data((first + np.array([0, 1, 2, 2, 1, 3], np.uint32)).ravel())
        self._shown = markers

    def release(self) -> None:
        """Free the buffers."""
        self._buffer.delete()
        self._index.delete()
