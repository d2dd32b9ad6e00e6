"""Straight lines over the geometry: between two points that are measured, and along which fields are charted."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ui.scene.scene import Scene
from ui.scene.visuals.screen import Stroke

DARK, BRIGHT = (24, 27, 33, 220), (250, 251, 253, 255)
LINE, DOT, EDGE = 1.1, 4.6, 1.3
"""Half a width, a radius, and what the dark edge adds, in points."""
SMALL = 0.6
"""Of a dot: those at the ends of lines that stay."""


def measure_strokes(scene: Scene, width: int, height: int, ratio: float) -> list[Stroke]:
    """The straight ways through the geometry, drawn over it, with a dot at each end; nothing behind the eye."""
    strokes: list[Stroke] = []
    if scene.layer is None:
        return strokes
    for points in (*scene.cuts, scene.measured):
        if not points:
            continue
        places = scene.layer.shown_at(np.array(points, float))
        pixels, depth = scene.camera.to_pixels(places, width, height)
        if (depth <= 0).any():
            continue
        at = [(float(x), float(y)) for x, y in pixels]
        dot = DOT if points is scene.measured else DOT * SMALL
        for edge, colour in ((EDGE, DARK), (0.0, BRIGHT)):
            strokes += [Stroke(a, b, (LINE + edge) * ratio, colour) for a, b in pairwise(at)]
            strokes += [Stroke(spot, spot, (dot + edge) * ratio, colour) for spot in at]
    return strokes
