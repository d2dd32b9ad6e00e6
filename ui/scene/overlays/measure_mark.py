"""A line between two points that are measured, with a dot at each end."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ui.scene.scene import Scene
from ui.scene.visuals.screen import Stroke

DARK, BRIGHT = (24, 27, 33, 220), (250, 251, 253, 255)
LINE, DOT, EDGE = 1.1, 4.6, 1.3
"""Half a width, a radius, and what the dark edge adds, in points."""


def measure_strokes(scene: Scene, width: int, height: int, ratio: float) -> list[Stroke]:
    """The straight way through the geometry, drawn over it; nothing behind the eye."""
    if not scene.measured or scene.layer is None:
        return []
    places = scene.layer.shown_at(np.array(scene.measured, float))
    pixels, depth = scene.camera.to_pixels(places, width, height)
    if (depth <= 0).any():
        return []
    at = [(float(x), float(y)) for x, y in pixels]
    strokes = []
    for edge, colour in ((EDGE, DARK), (0.0, BRIGHT)):
        strokes += [Stroke(a, b, (LINE + edge) * ratio, colour) for a, b in pairwise(at)]
        strokes += [Stroke(spot, spot, (DOT + edge) * ratio, colour) for spot in at]
    return strokes
