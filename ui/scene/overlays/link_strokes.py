"""What joins the element that is looked into to others, drawn over the picture: in the colours of their values, grey
and thin where they are gone."""

from __future__ import annotations

import numpy as np

from ui.scene.colormaps import colormap
from ui.scene.scene import Scene
from ui.scene.visuals.screen import Stroke

COLOURS = "diverging"
GONE = (150, 152, 158, 120)
EDGE = (20, 22, 28, 200)
BRIGHT = (74, 168, 255, 255)
WIDTH, THIN, CASING, DOT, HUB = 1.5, 0.7, 0.9, 3.0, 4.6
"""Half widths and radii in points."""


def link_strokes(scene: Scene, width: int, height: int, ratio: float) -> list[Stroke]:
    """Nothing where a link's end is behind the eye."""
    links, layer = scene.links, scene.layer
    if links is None or layer is None or not len(links.values):
        return []
    places = np.asarray(links.segments, float)
    if links.displacements is not None:
        places = places + (scene.deformation or 0.0) * links.displacements
    pixels, depth = scene.camera.to_pixels(places.reshape(-1, 3), width, height)
    if (depth <= 0).any():
        return []
    ends = [((float(a[0]), float(a[1])), (float(b[0]), float(b[1]))) for a, b in pixels.reshape(-1, 2, 2)]
    low, high = links.range
    lut, holds = colormap(COLOURS), np.isfinite(links.values)
    share = np.clip((np.where(holds, links.values, low) - low) / (high - low), 0, 1)
    colours = lut[np.round(255 * share).astype(int)]
    strokes = [Stroke(*ends[k], THIN * ratio, GONE) for k in np.flatnonzero(~holds)]
    rows = np.flatnonzero(holds)
    rows = rows[np.argsort(np.abs(links.values[rows]))]  # what is stretched most lies on top
    strokes += [Stroke(*ends[k], (WIDTH + CASING) * ratio, EDGE) for k in rows]
    for k in rows:
        red, green, blue = (int(channel) for channel in colours[k])
        strokes.append(Stroke(*ends[k], WIDTH * ratio, (red, green, blue, 255)))
        strokes.append(Stroke(ends[k][1], ends[k][1], DOT * ratio, (red, green, blue, 255)))
    strokes.append(Stroke(ends[0][0], ends[0][0], (HUB + CASING) * ratio, EDGE))
    strokes.append(Stroke(ends[0][0], ends[0][0], HUB * ratio, BRIGHT))
    return strokes
