"""Round solids: ellipsoids, cylinders and cones between two points, rings and tori."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.placing import Faces
from engines.geometry.solids.faces import AROUND, ball_faces, turned_faces
from engines.geometry.solids.solid import Solid

Point = tuple[float, float, float]


class Ball(Solid):
    """An ellipsoid; points on its surface belong to it."""

    def __init__(self, center: Point, radii: Point) -> None:
        self._center, self._radii = np.array(center, float), np.array(radii, float)
        # of a sphere the plain distance is compared, which rounding makes no rounder
        self._radius = self._radii[0] if len(set(radii)) == 1 else None

    def bounds(self) -> tuple[Array, Array]:
        return self._center - self._radii, self._center + self._radii

    def contains(self, points: Array) -> Array:
        away = points - self._center
        if self._radius is not None:
            return np.asarray(np.einsum("ij,ij->i", away, away) <= self._radius**2)
        away /= self._radii
        return np.asarray(np.einsum("ij,ij->i", away, away) <= 1.0)

    def faces(self) -> Faces:
        return ball_faces(self._center, self._radii)


class _Axial(Solid):
    """A solid around a line: ``start`` (3,), and the direction (3,) and the length from there to the other end."""

    def __init__(self, start: Point, end: Point, reach: float) -> None:
        self._start, self._end, self._reach = np.array(start, float), np.array(end, float), reach
        self._length = float(np.linalg.norm(self._end - self._start))
        if self._length == 0:
            raise ProblemError("Both ends are at one point: move one of them.")
        self._direction = (self._end - self._start) / self._length

    def bounds(self) -> tuple[Array, Array]:
        across = self._reach * np.sqrt(np.maximum(0.0, 1.0 - self._direction**2))
        return np.minimum(self._start, self._end) - across, np.maximum(self._start, self._end) + across

    def _measured(self, points: Array) -> tuple[Array, Array]:
        """Along the line from its start, and the square of the distance from it."""
        away = points - self._start
        along = away @ self._direction
        away -= along[:, None] * self._direction
        return along, np.einsum("ij,ij->i", away, away)


class Frustum(_Axial):
    """A cylinder (two equal radii) or cone between two points; of its two ends only the start belongs to it."""

    def __init__(self, start: Point, end: Point, radius_start: float, radius_end: float) -> None:
        super().__init__(start, end, max(radius_start, radius_end))
        self._radius, self._slope = radius_start, (radius_end - radius_start) / self._length

    def contains(self, points: Array) -> Array:
        along, square = self._measured(points)
        radius = self._radius + self._slope * along
        return np.asarray((along >= 0) & (along < self._length) & (square <= radius**2))

    def faces(self) -> Faces:
        radius, length = self._radius, self._length
        profile = [(0.0, 0.0), (radius, 0.0), (radius + self._slope * length, length), (0.0, length)]
        return turned_faces(np.array(profile), self._start, self._direction)


class Tube(_Axial):
    """What lies between two radii of a cylinder between two points: a flat ring where it is short."""

    def __init__(self, start: Point, end: Point, inner: float, outer: float) -> None:
        super().__init__(start, end, outer)
        self._inner, self._outer = inner, outer

    def contains(self, points: Array) -> Array:
        along, square = self._measured(points)
        inside = (along >= 0) & (along < self._length) & (square <= self._outer**2)
        return np.asarray(inside & (square >= self._inner**2) if self._inner > 0 else inside)

    def faces(self) -> Faces:
        inner, outer, length = max(self._inner, 0.0), self._outer, self._length
        profile = [(inner, 0.0), (outer, 0.0), (outer, length), (inner, length)]
        return turned_faces(np.array(profile), self._start, self._direction, closed=inner > 0)


class Doughnut(Solid):
    """A torus around an axis (0, 1, 2) of the grid."""

    def __init__(self, center: Point, axis: int, radius: float, tube: float) -> None:
        self._center, self._axis, self._radius, self._tube = np.array(center, float), axis, radius, tube

    def bounds(self) -> tuple[Array, Array]:
        reach = np.full(3, self._radius + self._tube)
        reach[self._axis] = self._tube
        return self._center - reach, self._center + reach

    def contains(self, points: Array) -> Array:
        away = points - self._center
        along = away[:, self._axis] ** 2
        across = np.sqrt(np.einsum("ij,ij->i", away, away) - along)
        return np.asarray((across - self._radius) ** 2 + along <= self._tube**2)

    def faces(self) -> Faces:
        angles = 2 * np.pi * np.arange(AROUND // 2) / (AROUND // 2)
        profile = np.stack([self._radius + self._tube * np.cos(angles), self._tube * np.sin(angles)], axis=1)
        return turned_faces(np.maximum(profile, (0.0, -np.inf)), self._center, np.eye(3)[self._axis], closed=True)
