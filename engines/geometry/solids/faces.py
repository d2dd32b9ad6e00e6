"""Surfaces of simple bodies as triangles, for pictures of them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from engines.api import Array
from engines.api.placing import Faces

AROUND = 48
"""Corners of a circle."""


def box_faces(low: Array, high: Array) -> Faces:
    """Of a box along the axes."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)])
    sides = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
    triangles = np.array([[[a, b, c], [a, c, d]] for a, b, c, d in sides], np.int32).reshape(-1, 3)
    return Faces(low + corners * (high - low), triangles)


def ball_faces(center: Array, radii: Array) -> Faces:
    """Of an ellipsoid with ``radii`` (3,) along the axes."""
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, AROUND // 2 + 1)
    around = turned_faces(np.stack([np.cos(angles), np.sin(angles)], axis=1), np.zeros(3), np.eye(3)[2])
    return Faces(np.asarray(center, float) + around.points * np.asarray(radii, float), around.triangles)


def turned_faces(profile: Array, start: Array, direction: Array, closed: bool = False) -> Faces:
    """A line turned about an axis. profile: (k, 2) distances from the axis, and along its unit ``direction`` from
    ``start``, against the clock as seen with the axis upwards at the left; closed: its last point joins its first."""
    start, direction = np.asarray(start, float), np.asarray(direction, float)
    first = np.cross(direction, np.eye(3)[int(np.abs(direction).argmin())])
    first /= np.linalg.norm(first)
    second = np.cross(direction, first)
    angles = 2 * np.pi * np.arange(AROUND) / AROUND
    ring = np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * second
    profile = np.where(np.abs(profile) < 1e-12 * np.abs(profile).max(), 0.0, profile)
    points = start + profile[:, None, :1] * ring + profile[:, None, 1:] * direction
    k, n = len(profile), AROUND
    below = np.arange(k if closed else k - 1)[:, None]
    here, there = np.arange(n), (np.arange(n) + 1) % n
    above = (below + 1) % k
    quads = [below * n + here, below * n + there, above * n + there, above * n + here]
    a, b, c, d = (corners.reshape(-1) for corners in quads)
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    places = points.reshape(-1, 3)
    # what lies on the axis is a point, and a triangle with two corners there is none
    on_axis = np.repeat(profile[:, 0] == 0, n)
    numbers = np.where(on_axis, np.arange(k * n) // n * n, np.arange(k * n))
    triangles = numbers[triangles]
    distinct = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
    return Faces(places, triangles[distinct].astype(np.int32))


def prism_faces(edges: Array, axis: int, low: float, high: float) -> Faces:
    """What an odd number of lines surround in the plane across ``axis``, drawn out from ``low`` to ``high``.

    edges: (n, 4) u and v of both ends, of closed lines that do not cross and have the inside at their left.
    """
    quads = np.asarray(_trapezoids(edges), float).reshape(-1, 4, 2)
    at = [np.full(quads.shape[:2], end) for end in (low, high)]
    walls = np.stack([edges[:, :2], edges[:, 2:], edges[:, 2:], edges[:, :2]], axis=1)
    up = np.broadcast_to([low, low, high, high], (len(walls), 4))
    flat = np.concatenate([quads[:, ::-1], quads, walls]).reshape(-1, 2)
    along = np.concatenate([at[0].ravel(), at[1].ravel(), up.ravel()])
    points = np.empty((len(flat), 3))
    points[:, [each for each in range(3) if each != axis]], points[:, axis] = flat, along
    first = 4 * np.arange(len(flat) // 4)[:, None]
    triangles = np.concatenate([first + np.array([0, 1, 2]), first + np.array([0, 2, 3])])
    if axis == 1:  # (x, z) are no right-handed pair with y
        triangles = triangles[:, ::-1]
    return Faces(points, triangles.astype(np.int32))


def _trapezoids(edges: Array) -> list[Array]:
    """Corners (m, 4, 2) of the pieces that lines at the heights of all corners cut the inside into."""
    u0, v0, u1, v1 = np.asarray(edges, float).T
    heights = np.unique(np.concatenate([v0, v1]))
    found = []
    for low, high in pairwise(heights):
        middle = 0.5 * (low + high)
        crossing = (v0 < middle) != (v1 < middle)
        slope = (u1[crossing] - u0[crossing]) / (v1[crossing] - v0[crossing])
        at_low, at_high = (u0[crossing] + slope * (v - v0[crossing]) for v in (low, high))
        order = np.argsort(at_low + at_high)
        left, right = order[0::2], order[1::2]
        left = left[: len(right)]
        corners = ((at_low[left], low), (at_low[right], low), (at_high[right], high), (at_high[left], high))
        found.append(np.stack([np.stack([u, np.full(len(u), v)], axis=1) for u, v in corners], axis=1))
    return [each for piece in found for each in piece]


def joined(parts: Iterable[Faces]) -> Faces | None:
    """All in one; None of none."""
    parts = list(parts)
    if not parts:
        return None
    starts = np.cumsum([0, *(len(part.points) for part in parts[:-1])])
    triangles = [part.triangles + start for part, start in zip(parts, starts, strict=True)]
    return Faces(np.concatenate([part.points for part in parts]), np.concatenate(triangles).astype(np.int32))
