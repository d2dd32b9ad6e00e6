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
    values: Array, levels: tuple[float, ...], low: Array, high: Array, origin: Array, direction: Array
) -> float | None:
    """How far along a ray the values of a box (nz, ny, nx) first cross one of ``levels``."""
    span = through(low, high, origin, direction)
    if span is None:
        return None
    along = np.linspace(*span, STEPS)
    met = _along(values, low, high, origin + along[:, None] * direction)
    crossed = np.zeros(STEPS - 1, bool)
    for level in levels:
        crossed |= np.diff(met >= level)
    first = np.flatnonzero(crossed)
    return float(along[first[0]]) if len(first) else None


def _along(values: Array, low: Array, high: Array, places: Array) -> Array:
    counts = np.array(values.shape[::-1])
    index = np.clip(((places - low) / (high - low) * counts).astype(int), 0, counts - 1)
    return np.asarray(values[index[:, 2], index[:, 1], index[:, 0]])


def first_opaque(
    values: Array, limits: tuple[float, float], low: Array, high: Array, origin: Array, direction: Array
) -> Array | None:
    """Where half of the light of a ray through a volume (nz, ny, nx) has been met; None if less is met at all."""
    span = through(low, high, origin, direction)
    if span is None:
        return None
    along = np.linspace(*span, STEPS)
    places = origin + along[:, None] * direction
    share = np.clip((_along(values, low, high, places) - limits[0]) / (limits[1] - limits[0]), 0, 1)
    stride = (span[1] - span[0]) / STEPS / float((high - low).max())
    met = 1 - np.exp(-np.cumsum(DENSITY * share**2 * stride))
    half = np.flatnonzero(met > 0.5)
    return np.asarray(places[half[0]]) if len(half) else None
