"""Outlines of simple bodies: polylines (n, 3) in the coordinates of the geometry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array

AROUND = 48
"""Corners of a circle."""


def box_lines(low: Array, high: Array) -> tuple[Array, ...]:
    """The edges of a box: two rectangles and what joins them. A flat one is a rectangle."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
    size = high - low
    ends = [low + size * np.column_stack([corners, np.full(5, side)]) for side in (0, 1)]
    if size[2] == 0:
        return (ends[0],)
    return (*ends, *(np.stack([ends[0][k], ends[1][k]]) for k in range(4)))


def circle(center: Sequence[float], radius: float, axis: int) -> Array:
    """(AROUND + 1, 3): around ``axis``."""
    angles = np.linspace(0, 2 * np.pi, AROUND + 1)
    points = np.tile(np.asarray(center, float), (AROUND + 1, 1))
    points[:, (axis + 1) % 3] += radius * np.cos(angles)
    points[:, (axis + 2) % 3] += radius * np.sin(angles)
    return points


def ellipse(center: Sequence[float] | Array, radii: Sequence[float] | Array, axis: int) -> Array:
    """(AROUND + 1, 3): around ``axis``, as far as ``radii`` (3,) along the two others."""
    points = circle((0.0, 0.0, 0.0), 1.0, axis)
    return np.asarray(np.asarray(center, float) + points * np.asarray(radii, float))


def frustum_lines(start: Array, end: Array, radius_start: float, radius_end: float) -> tuple[Array, ...]:
    """Both ends of a round body between two points, and four lines along it; an end without a radius is a point."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    along = end - start
    first = np.cross(along, np.eye(3)[int(np.abs(along).argmin())])
    size = float(np.linalg.norm(first))
    if size == 0:  # the two points are one
        return (circle((start[0], start[1], start[2]), radius_start, 2),)
    first /= size
    second = np.cross(along / np.linalg.norm(along), first)
    angles = np.linspace(0, 2 * np.pi, AROUND + 1)
    around = np.outer(np.cos(angles), first) + np.outer(np.sin(angles), second)
    rings = [place + radius * around for place, radius in ((start, radius_start), (end, radius_end))]
    sides = (np.stack([rings[0][k], rings[1][k]]) for k in range(0, AROUND, AROUND // 4))
    return (*(ring for ring, radius in zip(rings, (radius_start, radius_end), strict=True) if radius > 0), *sides)


def ball_lines(center: Sequence[float], radius: float, thin: Sequence[bool]) -> tuple[Array, ...]:
    """Three great circles; on a grid of one cell along some axis those around that axis."""
    axes = [axis for axis in range(3) if thin[axis]] or range(3)
    return tuple(circle(center, radius, axis) for axis in axes)


def cylinder_lines(center: Sequence[float], radius: float, length: float, axis: int) -> tuple[Array, ...]:
    """Both ends, and four lines along it."""
    step = np.zeros(3)
    step[axis] = length / 2
    middle = circle(center, radius, axis)
    sides = (np.stack([middle[k] - step, middle[k] + step]) for k in range(0, AROUND, AROUND // 4))
    return (middle - step, middle + step, *sides)


def arrow(start: Array, tip: Array, side: Array) -> tuple[Array, ...]:
    """A shaft and a head that lies in the plane of ``side``, a unit vector across."""
    along = np.asarray(tip, float) - start
    head = 0.22 * float(np.linalg.norm(along)) * np.asarray(side, float)
    neck = tip - 0.3 * along
    return (np.stack([start, tip]), np.stack([neck + head, tip, neck - head]))


def unit(axis: int) -> Array:
    return np.eye(3)[axis]
