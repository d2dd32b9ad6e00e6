"""What a ray meets of a grid's values: the relief above a plane, or the first opaque part of a volume."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engines.api import Array
from ui.scene.visuals.grid import DENSITY

STEPS = 768


def through(low: Array, high: Array, origin: Array, direction: Array) -> tuple[float, float] | None:
    """Where a ray enters and leaves a box, as distances along it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        near, far = (low - origin) / direction, (high - origin) / direction
    # A ray along a face gives 0/0, which bounds nothing.
    begin = max(float(np.nanmax(np.minimum(near, far))), 0.0)
    end = float(np.nanmin(np.maximum(near, far)))
    return (begin, end) if end > begin else None


def first_above(
    heights: Callable[[Array], Array],
    reach: tuple[float, float],
    low: Array,
    high: Array,
    origin: Array,
    direction: Array,
) -> Array | None:
    """Where a ray dips under the relief ``heights(positions: (n, 3))``, which stays within ``reach``."""
    up = np.array([0.0, 0.0, 1.0])
    span = through(low + reach[0] * up - 1e-9, high + reach[1] * up + 1e-9, origin, direction)
    if span is None:
        return None
    along = np.linspace(*span, STEPS)
    places = origin + along[:, None] * direction
    over = places[:, 2] - low[2] - heights(places)
    below = np.flatnonzero(over <= 0)
    if not len(below):
        return None
    first = int(below[0])
    if first == 0:
        return np.asarray(places[0])
    share = over[first - 1] / (over[first - 1] - over[first])
    return np.asarray(places[first - 1] + share * (places[first] - places[first - 1]))


def first_crossing(
    values: Array,
    levels: tuple[float, ...],
    low: Array,
    high: Array,
    origin: Array,
    direction: Array,
    axes: tuple[Array, ...] | None = None,
) -> float | None:
    """How far along a ray the values of a box (nz, ny, nx), linear between them, first cross one of ``levels``.

    ``axes``: where they are along x, y, z; None: in the middles of as many equal parts."""
    span = through(low, high, origin, direction)
    if span is None:
        return None
    along = np.linspace(*span, STEPS)
    counts = values.shape[::-1]
    axes = axes or tuple(a + (b - a) * (np.arange(n) + 0.5) / n for a, b, n in zip(low, high, counts, strict=True))
    places = (origin + along[:, None] * direction).T
    index = [np.interp(place, axis, np.arange(len(axis))) for place, axis in zip(places, axes, strict=True)]
    met = _between(values, np.stack(index, axis=1))
    found = []
    for level in levels:
        for first in np.flatnonzero(np.diff(met >= level))[:1]:
            share = (level - met[first]) / (met[first + 1] - met[first])
            found.append(float(along[first] + share * (along[first + 1] - along[first])))
    return min(found, default=None)


def _between(values: Array, index: Array) -> Array:
    """(n,): between the eight samples around each of ``index: (n, 3)``, numbers of samples along x, y, z."""
    last = np.array(values.shape[::-1]) - 1
    below = np.minimum(index.astype(int), np.maximum(last - 1, 0))
    above, share = np.minimum(below + 1, last), index - below
    met = np.zeros(len(index))
    for corner in range(8):
        upper = np.array([corner & 1, corner >> 1 & 1, corner >> 2], bool)
        at, weight = np.where(upper, above, below), np.where(upper, share, 1 - share).prod(axis=1)
        met += weight * values[at[:, 2], at[:, 1], at[:, 0]]
    return met


def first_opaque(
    values: Array,
    limits: tuple[float, float],
    low: Array,
    high: Array,
    origin: Array,
    direction: Array,
    fill: Array | None = None,
) -> Array | None:
    """Where half of the light of a ray through a volume (nz, ny, nx) has been met; None if less is met at all.

    ``fill``: how many of them fill it along x, y, z, where the last one stands for a part."""
    span = through(low, high, origin, direction)
    if span is None:
        return None
    along = np.linspace(*span, STEPS)
    places = origin + along[:, None] * direction
    counts = np.array(values.shape[::-1])
    index = (places - low) / (high - low) * (counts if fill is None else fill)
    x, y, z = np.clip(index.astype(int), 0, counts - 1).T
    share = np.clip((values[z, y, x] - limits[0]) / (limits[1] - limits[0]), 0, 1)
    stride = (span[1] - span[0]) / STEPS / float((high - low).max())
    met = 1 - np.exp(-np.cumsum(DENSITY * share**2 * stride))
    half = np.flatnonzero(met > 0.5)
    return np.asarray(places[half[0]]) if len(half) else None
