"""Names of parts of a geometry (electrodes, populations), written beside them where they cover nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from engines.api import Array
from ui.scene.scene import Scene

GAP = 6.0
"""Points between a part and its name."""
SAME = 0.05
"""Of the longest side, by which two boxes that are the same differ at most."""
Spots = Callable[[int, int], tuple[tuple[float, float], ...]]
"""Left and top of where a name of this width and height may stand, the best first."""


def spots_of_labels(scene: Scene, width: int, height: int, ratio: float) -> Iterator[tuple[str, Spots]]:
    """The names, and where each may be written in a view of this size."""
    labels = getattr(scene.layer.geometry, "labels", ()) if scene.layer is not None and scene.view.overlay else ()
    found = []
    for name, points in _together(labels):
        pixels, depth = scene.camera.to_pixels(np.asarray(points, float), width, height)
        if (depth > 0).all():
            found.append((name, pixels))
    spots = _beside if _stacked([pixels[:, 0] for _, pixels in found]) else _above_or_below
    for name, pixels in found:
        yield name, spots(pixels, GAP * ratio)


def _together(labels: Iterable[tuple[str, Array]]) -> list[tuple[str, Array]]:
    """Parts that fill the same box, mixed with each other, have one label of all their names."""
    found: list[tuple[str, Array]] = []
    for name, points in labels:
        for place, (others, theirs) in enumerate(found):
            ends = np.stack([np.stack([each.min(axis=0), each.max(axis=0)]) for each in (points, theirs)])
            if np.abs(ends[0] - ends[1]).max() <= SAME * float(np.ptp(ends, axis=1).max()):
                found[place] = (f"{others}, {name}", theirs)
                break
        else:
            found.append((name, np.asarray(points, float)))
    return found


def _stacked(sides: Sequence[Array]) -> bool:
    """Whether a part is above or behind another, by their places from left to right."""
    spans = sorted((float(side.min()), float(side.max())) for side in sides)
    return any(one[1] > 0.5 * (other[0] + other[1]) for one, other in pairwise(spans))


def _above(pixels: Array, gap: float) -> Spots:
    left, right, top = float(pixels[:, 0].min()), float(pixels[:, 0].max()), float(pixels[:, 1].min())
    middle = 0.5 * (left + right)
    return lambda wide, high: tuple((x, top - gap - high) for x in (middle - wide / 2, right - wide, left))


def _above_or_below(pixels: Array, gap: float) -> Spots:
    """Below at its middle where something lies over the view above it."""
    above, middle = _above(pixels, gap), 0.5 * float(pixels[:, 0].min() + pixels[:, 0].max())
    bottom = float(pixels[:, 1].max())
    return lambda wide, high: (*above(wide, high), (middle - wide / 2, bottom + gap))


def _beside(pixels: Array, gap: float) -> Spots:
    x, y = (float(at) for at in pixels[int(pixels[:, 0].argmin())])
    right = float(pixels[:, 0].max())
    return lambda wide, high: ((x - gap - wide, y - high / 2), (right + gap, y - high / 2))


def first_free(
    shape: tuple[int, ...],
    spots: Iterable[tuple[float, float]],
    placed: Iterable[tuple[str, Array, int, int]],
    view: tuple[int, int] | None = None,
    covered: float = 0.0,
) -> tuple[int, int] | None:
    """Left and top of the first of ``spots`` where a picture of this ``shape`` covers nothing that is placed, and is
    whole in a ``view`` of (width, height) whose top is ``covered`` [pixels]; None: there is none."""
    high, wide = shape[:2]
    others = list(placed)
    for left, top in spots:
        whole = view is None or (0 <= left <= view[0] - wide and covered <= top <= view[1] - high)
        if whole and all(
            left >= other_left + image.shape[1]
            or left + wide <= other_left
            or top >= other_top + image.shape[0]
            or top + high <= other_top
            for _, image, other_left, other_top in others
        ):
            return round(left), round(top)
    return None
