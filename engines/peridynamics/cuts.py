"""Which bonds a notch cuts: straight segments in the plane, parallelograms in space.

Coordinates are lattice spacings. Particles on the notch's line or plane count to its positive side, and a bond that
touches the notch's end is cut: numbers within ``TOUCH`` of a spacing of a decision count as equal, so that rounding
of the input does not decide and a mirrored notch cuts the mirrored bonds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array

TOUCH = 1e-9


@dataclass(frozen=True)
class Cut:
    """A flat notch: ``origin`` (d,) and its d − 1 edges ``spans`` (d − 1, d); all points origin + Σ t·span, 0 <= t <=
    1."""

    origin: Array
    spans: Array

    @property
    def normal(self) -> Array:
        """(d,) of length one."""
        if len(self.spans) == 1:
            x, y = self.spans[0]
            found = np.array([-y, x])
        else:
            found = np.cross(self.spans[0], self.spans[1])
        return np.asarray(found / np.linalg.norm(found))

    def height(self, points: Array) -> Array:
        """(n,) signed distance of ``points: (n, d)`` from the notch's line or plane; 0 within ``TOUCH``."""
        found = (points - self.origin) @ self.normal
        return np.where(np.abs(found) < TOUCH, 0.0, found)

    def crosses(self, first: Array, second: Array) -> Array:
        """(n,) bool: whether the bonds between ``first`` and ``second``, (n, d) each, are cut."""
        low, high = self.height(first), self.height(second)
        apart = (low >= 0) != (high >= 0)
        share = np.divide(low, low - high, out=np.zeros_like(low), where=apart)
        meeting = first + share[:, None] * (second - first) - self.origin
        lengths = np.linalg.norm(self.spans, axis=1)
        along = meeting @ np.linalg.pinv(self.spans) * lengths
        return np.asarray(apart & ((along >= -TOUCH) & (along <= lengths + TOUCH)).all(axis=1))
