"""Shapes on the lattice: which particles they hold, and which bonds pass through them.

Coordinates are lattice spacings from the first particle, so particles are at whole numbers. As in ``cuts.py``, numbers
within ``TOUCH`` of a spacing of a decision count as equal: the edge of a body or a region belongs to it, that of a hole
to the body, and a bond that touches a shape passes through it. So a mirrored shape holds the mirrored particles.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.peridynamics.body.cuts import TOUCH

AT_ONCE = 1 << 18
"""Points that are asked about at once: their coordinates fit into a cache."""


class Figure(ABC):
    """A set of points of the plane or of space; a figure of the plane goes through space along z."""

    @abstractmethod
    def bounds(self) -> tuple[Array, Array]:
        """Two corners (d,) of a box that holds it."""

    @abstractmethod
    def contains(self, points: Array, slack: float = TOUCH) -> Array:
        """(n,) bool for ``points: (n, d)``; slack: how far outside of it still counts, below 0: how far inside."""

    @abstractmethod
    def crosses(self, first: Array, second: Array) -> Array:
        """(n,) bool: whether the bonds between ``first`` and ``second``, (n, d) each, pass through it."""

    def near(self, points: Array, reach: float) -> Array:
        """(n,) bool: whether bonds of ``points: (n, d)`` no longer than ``reach`` may pass through it."""
        low, high = self.bounds()
        return np.asarray(((points >= low - reach - TOUCH) & (points <= high + reach + TOUCH)).all(axis=1))

    def on_lattice(self, counts: tuple[int, int, int], slack: float = TOUCH) -> Array:
        """(nz, ny, nx) bool: the lattice points that it holds."""
        found = np.zeros(counts[::-1], bool)
        bounds = self.bounds()
        d = len(bounds[0])
        low = [max(0, int(np.ceil(max(at, -1.0) - TOUCH))) for at in bounds[0]] + [0] * (3 - d)
        high = [
            min(count, int(np.floor(min(at, count + 1.0) + TOUCH)) + 1)
            for at, count in zip(bounds[1], counts, strict=False)
        ] + list(counts[d:])  # fmt: skip
        if any(b <= a for a, b in zip(low, high, strict=True)):
            return found
        part = found[low[2] : high[2], low[1] : high[1], low[0] : high[0]]
        rows = part.reshape(-1, part.shape[2]) if d == 3 else part[:1].reshape(-1, part.shape[2])
        x, ny = np.arange(low[0], high[0], dtype=float), high[1] - low[1]
        step = max(1, AT_ONCE // len(x))
        held = np.empty(rows.shape, bool)
        for first in range(0, len(rows), step):
            z, y = np.divmod(np.arange(first, min(first + step, len(rows))), ny)
            points = np.empty((len(y), len(x), d))
            points[..., 0], points[..., 1] = x, (y + low[1])[:, None]
            if d == 3:
                points[..., 2] = (z + low[2])[:, None]
            held[first : first + len(y)] = self.contains(points.reshape(-1, d), slack).reshape(len(y), len(x))
        part[:] = held.reshape(-1, *part.shape[1:])
        return found


@dataclass(frozen=True, eq=False)
class Round(Figure):
    """Points with |rows (p − center)| <= radius and low <= slabs p <= high: balls, ellipses, cylinders, boxes.

    center (d,), rows (k, d), slabs (m, d) of length one, low and high (m,), box: two corners (d,) around it.
    """

    center: Array
    rows: Array
    radius: float
    slabs: Array
    low: Array
    high: Array
    box: tuple[Array, Array]

    def bounds(self) -> tuple[Array, Array]:
        return self.box

    def contains(self, points: Array, slack: float = TOUCH) -> Array:
        found = np.ones(len(points), bool)
        for slab, low, high in zip(self.slabs, self.low, self.high, strict=True):
            along = points @ slab
            found &= (along >= low - slack) & (along <= high + slack)
        if len(self.rows):
            away = (points - self.center) @ self.rows.T
            found &= (away * away).sum(axis=1) <= max(self.radius + slack, 0.0) ** 2
        return found

    def crosses(self, first: Array, second: Array) -> Array:
        step = second - first
        begin, end = np.zeros(len(first)), np.ones(len(first))
        for slab, low, high in zip(self.slabs, self.low, self.high, strict=True):
            along, slope = first @ slab, step @ slab
            flat = np.abs(slope) < TOUCH
            slope = np.where(flat, 1.0, slope)
            enter, leave = (low - TOUCH - along) / slope, (high + TOUCH - along) / slope
            beside = (along < low - TOUCH) | (along > high + TOUCH)
            begin = np.where(flat, np.where(beside, 2.0, begin), np.maximum(begin, np.minimum(enter, leave)))
            end = np.where(flat, end, np.minimum(end, np.maximum(enter, leave)))
        found = begin <= end
        if len(self.rows):
            away, moved = (first - self.center) @ self.rows.T, step @ self.rows.T
            square = (moved * moved).sum(axis=1)
            # a bond along the axis stays as far from it as it is
            nearest = -(away * moved).sum(axis=1) / np.where(square > 0, square, 1.0)
            away += np.clip(nearest, begin, np.maximum(begin, end))[:, None] * moved
            found &= (away * away).sum(axis=1) <= (self.radius + TOUCH) ** 2
        return found


def ball(center: Array, radius: float) -> Round:
    """In the plane a circle."""
    d = len(center)
    return Round(center, np.eye(d), radius, *_no_slabs(d), (center - radius, center + radius))


def along_z(figure: Round) -> Round:
    """A figure of the plane drawn out through space."""

    def wide(values: Array) -> Array:
        return np.hstack([values, np.zeros((len(values), 1))])

    low, high = (np.append(corner, end) for corner, end in zip(figure.box, (-np.inf, np.inf), strict=True))
    return Round(
        np.append(figure.center, 0.0), wide(figure.rows), figure.radius, wide(figure.slabs), figure.low, figure.high,
        (low, high),
    )  # fmt: skip


def ellipse(center: Array, radii: tuple[float, float], degrees: float) -> Round:
    """In the plane; ``radii`` along its length and across."""
    x, y = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    axes, (a, b) = np.array([[x, y], [-y, x]]), radii
    radius = float(np.sqrt(a * b))
    reach = np.sqrt(((np.array([[a], [b]]) * axes) ** 2).sum(axis=0))
    scale = np.array([[radius / a], [radius / b]])
    return Round(center, scale * axes, radius, *_no_slabs(2), (center - reach, center + reach))


def rod(start: Array, end: Array, radius: float) -> Round:
    """A cylinder between two points of space."""
    length = float(np.linalg.norm(end - start))
    axis = (end - start) / length
    across = np.eye(3) - np.outer(axis, axis)
    reach = radius * np.sqrt(np.maximum(0.0, 1.0 - axis**2))
    low = float(start @ axis)
    box = np.minimum(start, end) - reach, np.maximum(start, end) + reach
    return Round(start, across, radius, axis[None], np.array([low]), np.array([low + length]), box)


def box(low: Array, high: Array) -> Round:
    return Round(low, np.zeros((0, len(low))), 0.0, np.eye(len(low)), low, high, (low, high))


def _no_slabs(dimensions: int) -> tuple[Array, Array, Array]:
    return np.zeros((0, dimensions)), np.zeros(0), np.zeros(0)


@dataclass(frozen=True, eq=False)
class Outline(Figure):
    """A polygon of the plane: corners (n, 2) in turn; inside is from where a ray crosses an odd number of edges."""

    corners: Array
    dimensions: int

    @property
    def _edges(self) -> tuple[Array, Array]:
        return self.corners, np.roll(self.corners, -1, axis=0)

    def bounds(self) -> tuple[Array, Array]:
        low, high = self.corners.min(axis=0), self.corners.max(axis=0)
        beyond = [np.inf] * (self.dimensions - 2)
        return np.append(low, np.negative(beyond)), np.append(high, beyond)

    def on_lattice(self, counts: tuple[int, int, int], slack: float = TOUCH) -> Array:
        """By rows, where edges cross them: the work does not grow with corners times particles."""
        nx, ny, _ = counts
        first, last = self._edges
        low, high = np.minimum(first[:, 1], last[:, 1]), np.maximum(first[:, 1], last[:, 1])
        edge, row = _runs(np.ceil(low - TOUCH), np.floor(high + TOUCH), ny)
        upright = np.where(high > low, last[:, 1] - first[:, 1], 1.0)
        share = np.clip((row - first[edge, 1]) / upright[edge], 0.0, 1.0)
        at = first[edge, 0] + share * (last[edge, 0] - first[edge, 0])
        toggles = np.zeros((ny, nx + 1), np.int32)
        crossed = (low[edge] <= row) & (row < high[edge])
        np.add.at(toggles, (row[crossed], np.clip(np.ceil(at[crossed]), 0, nx).astype(int)), 1)
        inside = (np.cumsum(toggles[:, :nx], axis=1) & 1).astype(bool)
        # the outline itself: where it crosses a row, and edges along a row
        flat = np.abs(high - low)[edge] <= 2 * TOUCH
        begin, end = np.where(flat, np.minimum(first[edge, 0], last[edge, 0]), at), at.copy()
        end[flat] = np.maximum(first[edge, 0], last[edge, 0])[flat]
        member, column = _runs(np.ceil(begin - TOUCH), np.floor(end + TOUCH), nx)
        inside[row[member], column] = slack >= 0
        return np.broadcast_to(inside, (counts[2], ny, nx))

    def contains(self, points: Array, slack: float = TOUCH) -> Array:
        order = np.argsort(points[:, 1], kind="stable")  # an edge concerns the points beside it alone
        xs, ys = points[order, 0], points[order, 1]
        inside, edge = np.zeros(len(points), bool), np.zeros(len(points), bool)
        for (xa, ya), (xb, yb) in zip(*self._edges, strict=True):
            beside = slice(*np.searchsorted(ys, (min(ya, yb) - TOUCH, np.nextafter(max(ya, yb) + TOUCH, np.inf))))
            x, y, length = xs[beside], ys[beside], float(np.hypot(xb - xa, yb - ya))
            if yb != ya:
                passes = (min(ya, yb) <= y) & (y < max(ya, yb))
                inside[beside] ^= passes & (x > xa + (y - ya) / (yb - ya) * (xb - xa))
            if length > 0:
                along = ((x - xa) * (xb - xa) + (y - ya) * (yb - ya)) / length
                across = ((y - ya) * (xb - xa) - (x - xa) * (yb - ya)) / length
                edge[beside] |= (np.abs(across) <= TOUCH) & (along >= -TOUCH) & (along <= length + TOUCH)
        inside[edge] = slack >= 0
        found = np.empty(len(points), bool)
        found[order] = inside
        return found

    def crosses(self, first: Array, second: Array) -> Array:
        found = self.contains(first)
        for a, b in zip(*self._edges, strict=True):
            if np.hypot(*(b - a)) > 0:
                left = np.flatnonzero(~found)
                found[left] = _touching(first[left, :2], second[left, :2], a, b)
        return found


def _runs(low: Array, high: Array, count: int) -> tuple[Array, Array]:
    """(whose, number): all whole numbers from low to high of each, within 0 … count − 1."""
    first, last = np.clip(low, 0, count).astype(int), np.clip(high, -1, count - 1).astype(int)
    lengths = np.maximum(last - first + 1, 0)
    whose = np.repeat(np.arange(len(lengths)), lengths)
    return whose, np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths) + first[whose]


def _touching(first: Array, second: Array, a: Array, b: Array) -> Array:
    """(n,) bool: whether the lines from first to second (n, 2) and that from a to b have a point in common."""
    near, far = _height(first, a, b), _height(second, a, b)
    along = second - first
    length = np.hypot(along[:, 0], along[:, 1])
    upright = length < TOUCH  # a bond along z is a point of the plane
    unit = along / np.where(upright, 1.0, length)[:, None]
    low, high = (_snapped(unit[:, 0] * (end[1] - first[:, 1]) - unit[:, 1] * (end[0] - first[:, 0])) for end in (a, b))
    crossing = (near * far <= 0) & (low * high <= 0)
    edge = (b - a) / np.hypot(*(b - a))
    ways = [(each - a) @ edge for each in (first, second)]
    beside = (np.maximum(*ways) < -TOUCH) | (np.minimum(*ways) > np.hypot(*(b - a)) + TOUCH)
    return np.asarray(crossing & ~beside)


def _height(points: Array, a: Array, b: Array) -> Array:
    """(n,) signed distance from the line through a and b; 0 within ``TOUCH``."""
    x, y = (b - a) / np.hypot(*(b - a))
    return _snapped(x * (points[:, 1] - a[1]) - y * (points[:, 0] - a[0]))


def _snapped(heights: Array) -> Array:
    return np.where(np.abs(heights) < TOUCH, 0.0, heights)
