"""Which of many equal boxes a ray meets first."""

from __future__ import annotations

import numba
import numpy as np

from engines.api import Array


def first_box(centres: Array, half: Array, origin: Array, direction: Array) -> tuple[int, float] | None:
    """Row of the box that a ray meets first, and how far along the unit ``direction``; None if it meets none.

    ``centres: (n, 3)``; ``half: (3,)`` half the sides along the axes, one of which may be 0 (squares). A box that the
    origin is in does not count.
    """
    row, distance = _nearest(
        np.ascontiguousarray(centres, np.float64),
        np.asarray(half, np.float64),
        np.asarray(origin, np.float64),
        np.asarray(direction, np.float64),
    )
    return None if row < 0 else (int(row), float(distance))


@numba.njit(cache=True, nogil=True)
def _nearest(centres: Array, half: Array, origin: Array, direction: Array) -> tuple[int, float]:
    """All boxes, one after the other, each as three slabs."""
    best, best_row = np.inf, -1
    for row in range(len(centres)):
        near, far = -np.inf, np.inf
        for axis in range(3):
            away = centres[row, axis] - origin[axis]
            along = direction[axis]
            if abs(along) < 1e-12:
                if abs(away) > half[axis]:
                    far = -np.inf
                continue
            one, other = (away - half[axis]) / along, (away + half[axis]) / along
            near, far = max(near, min(one, other)), min(far, max(one, other))
        if near <= far and 0 < near < best:
            best, best_row = near, row
    return best_row, best
