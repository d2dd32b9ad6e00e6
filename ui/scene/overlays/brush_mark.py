"""A circle where the brush would paint."""

from __future__ import annotations

import numpy as np

from ui.scene.scene import Scene
from ui.scene.visuals.screen import Stroke

CORNERS = 48
DARK, BRIGHT = (24, 27, 33, 200), (250, 251, 253, 255)


def brush_strokes(scene: Scene, width: int, height: int, ratio: float) -> list[Stroke]:
    """On what is painted if it has a side, else facing the viewer."""
    assert scene.layer is not None
    assert scene.brush is not None
    position, radius = np.array(scene.brush[0]), scene.brush[1]
    right, up = scene.layer.tangents(position) or (scene.camera.axes[0], scene.camera.axes[1])
    angle = np.linspace(0, 2 * np.pi, CORNERS + 1)
    circle = position + radius * (np.outer(np.cos(angle), right) + np.outer(np.sin(angle), up))
    pixels, depth = scene.camera.to_pixels(scene.layer.shown_at(circle), width, height)
    if (depth <= 0).any():
        return []
    at = [(float(x), float(y)) for x, y in pixels]
    return [
        Stroke(at[k], at[k + 1], thickness * ratio, colour)
        for thickness, colour in ((1.7, DARK), (0.8, BRIGHT))
        for k in range(CORNERS)
    ]
