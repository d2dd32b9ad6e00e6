"""Which bonds are cut: by straight segments in the plane, by parallelograms, discs and planes, and by whole shapes.

Coordinates are lattice spacings. Particles on a cut's line or plane count to its positive side, and a bond that
touches the cut's end is cut: numbers within ``TOUCH`` of a spacing of a decision count as equal, so that rounding
of the input does not decide and a mirrored notch cuts the mirrored bonds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engines.api import Array

TOUCH = 1e-9


class Cutter(Protocol):
    """Whatever cuts bonds: :class:`FlatCut`, and the shapes of ``shapes.py``."""

    def bounds(self) -> tuple[Array, Array]:
        """Two corners (d,) of a box that holds it."""

    def near(self, points: Array, reach: float) -> Array:
        """(n,) bool: whether it may cut bonds of ``points: (n, d)`` no longer than ``reach``."""

    def crosses(self, first: Array, second: Array) -> Array:
        """(n,) bool: whether the bonds between ``first`` and ``second``, (n, d) each, are cut."""


class FlatCut(ABC):
    """A part of a line or a plane through ``origin`` (d,)."""

    origin: Array

    @property
    @abstractmethod
    def normal(self) -> Array:
        """(d,) of length one."""

    @abstractmethod
    def holds(self, meeting: Array) -> Array:
        """(n,) bool: which of the points (n, d) of its line or plane, told from ``origin``, are on it."""

    @abstractmethod
    def bounds(self) -> tuple[Array, Array]:
        """Two corners (d,) of a box that holds it."""

    def height(self, points: Array) -> Array:
        """(n,) signed distance of ``points: (n, d)`` from the cut's line or plane; 0 within ``TOUCH``."""
        found = (points - self.origin) @ self.normal
        return np.where(np.abs(found) < TOUCH, 0.0, found)

    def near(self, points: Array, reach: float) -> Array:
        return np.asarray(np.abs(self.height(points)) <= reach + TOUCH)

    def crosses(self, first: Array, second: Array) -> Array:
        """(n,) bool: whether the bonds between ``first`` and ``second``, (n, d) each, are cut."""
        low, high = self.height(first), self.height(second)
        found = np.asarray((low >= 0) != (high >= 0))
        apart = np.flatnonzero(found)
        low, high, first, second = low[apart], high[apart], first[apart], second[apart]
        meeting = first + (low / (low - high))[:, None] * (second - first) - self.origin
        found[apart] = self.holds(meeting)
        return found


@dataclass(frozen=True)
class Cut(FlatCut):
    """A flat notch: ``origin`` (d,) and its d − 1 edges ``spans`` (d − 1, d); all points origin + Σ t·span, 0 <= t <=
    1."""

    origin: Array
    spans: Array

    @property
    def normal(self) -> Array:
        if len(self.spans) == 1:
            x, y = self.spans[0]
            found = np.array([-y, x])
        else:
            found = np.cross(self.spans[0], self.spans[1])
        return np.asarray(found / np.linalg.norm(found))

    def holds(self, meeting: Array) -> Array:
        lengths = np.linalg.norm(self.spans, axis=1)
        along = meeting @ np.linalg.pinv(self.spans) * lengths
        return np.asarray(((along >= -TOUCH) & (along <= lengths + TOUCH)).all(axis=1))

    def bounds(self) -> tuple[Array, Array]:
        low = self.origin + np.minimum(self.spans, 0).sum(axis=0)
        return low, self.origin + np.maximum(self.spans, 0).sum(axis=0)


@dataclass(frozen=True)
class Penny(FlatCut):
    """A round flat notch in space."""

    origin: Array
    across: Array
    radius: float

    @property
    def normal(self) -> Array:
        return self.across

    def holds(self, meeting: Array) -> Array:
        return np.asarray((meeting * meeting).sum(axis=1) <= (self.radius + TOUCH) ** 2)

    def bounds(self) -> tuple[Array, Array]:
        reach = self.radius * np.sqrt(np.maximum(0.0, 1.0 - self.across**2))
        return self.origin - reach, self.origin + reach


@dataclass(frozen=True)
class Plane(FlatCut):
    """All of a line or a plane."""

    origin: Array
    across: Array

    @property
    def normal(self) -> Array:
        return self.across

    def holds(self, meeting: Array) -> Array:
        return np.ones(len(meeting), bool)

    def bounds(self) -> tuple[Array, Array]:
        beyond = np.full(len(self.origin), np.inf)
        return -beyond, beyond
