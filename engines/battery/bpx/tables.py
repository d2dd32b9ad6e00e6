"""Measured points as a function: monotone between them, a straight line or the last value beyond."""

from __future__ import annotations

import numpy as np
import scipy

from engines.api import Array


class Table:
    """Through ``x, y: (n,)`` without overshoot (PCHIP), ``x`` rising.

    Beyond its ends a potential goes on as the straight line through its last two points (``extend``), so that a cut-off
    there is still met; a coefficient keeps its last value, so that it stays positive.
    """

    def __init__(self, x: Array, y: Array, extend: bool) -> None:
        self.x, self.y = np.asarray(x, float), np.asarray(y, float)
        self._inside = scipy.interpolate.PchipInterpolator(self.x, self.y)
        slopes = np.diff(self.y) / np.diff(self.x) if extend else np.zeros(len(self.x) - 1)
        self._first, self._last = slopes[0], slopes[-1]

    def __call__(self, x: Array) -> Array:
        x = np.asarray(x, float)
        low, high = self.x[0], self.x[-1]
        inside = self._inside(np.clip(x, low, high))
        return inside + self._first * np.minimum(x - low, 0.0) + self._last * np.maximum(x - high, 0.0)
