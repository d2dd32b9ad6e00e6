"""A ring around the element that is looked into."""

from __future__ import annotations

import numpy as np

from ui.scene.visuals.screen import Stroke

CORNERS = 32
RADIUS = 11.0
DARK, BRIGHT = (24, 27, 33), (74, 168, 255)


def ring_strokes(middle: tuple[float, float], ratio: float, pale: bool) -> list[Stroke]:
    """A circle of fixed size on the screen, bright on a dark edge."""
    angle = np.linspace(0, 2 * np.pi, CORNERS + 1)
    at = [(middle[0] + RADIUS * ratio * float(np.cos(a)), middle[1] + RADIUS * ratio * float(np.sin(a))) for a in angle]
    alpha = 90 if pale else 255
    return [
        Stroke(at[k], at[k + 1], thickness * ratio, (*colour, alpha))
        for thickness, colour in ((2.2, DARK), (1.2, BRIGHT))
        for k in range(CORNERS)
    ]
