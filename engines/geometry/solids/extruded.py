"""Solids with a plane shape drawn out along an axis: boxes, polygons, pictures."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numba as nb
import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.placing import Faces
from engines.backend.threads import parallel_region
from engines.geometry.solids.faces import box_faces, prism_faces
from engines.geometry.solids.solid import Solid

ACROSS = ((1, 2), (0, 2), (0, 1))
"""The two axes of the plane across an axis."""
BESIDE = 1e-6
"""How far beside a line, in its lengths, it is asked on which side the inside is."""
PAIRS_AT_ONCE = 1 << 20


class Block(Solid):
    """A box along the axes; its lower faces belong to it, so that two boxes side by side share no point."""

    def __init__(self, low: Sequence[float], high: Sequence[float]) -> None:
        self._low, self._high = np.array(low, float), np.array(high, float)

    def bounds(self) -> tuple[Array, Array]:
        return self._low, self._high

    def contains(self, points: Array) -> Array:
        return np.asarray(((points >= self._low) & (points < self._high)).all(axis=1))

    def on_grid(self, x: Array, y: Array, z: Array, backend: Any = None) -> Array:
        inside = [(at >= low) & (at < high) for at, low, high in zip((x, y, z), self._low, self._high, strict=True)]
        return np.asarray(inside[2][:, None, None] & inside[1][:, None] & inside[0])

    def faces(self) -> Faces:
        return box_faces(self._low, self._high)


class Extruded(Solid):
    """From ``low`` to below ``high`` along ``axis`` what :meth:`covers` across it."""

    def __init__(self, axis: int, low: float, high: float) -> None:
        if high <= low:
            raise ProblemError(f"It ends at {high:g} and begins at {low:g}: let it end above where it begins.")
        self._axis, self._low, self._high = axis, low, high

    @abstractmethod
    def plane_bounds(self) -> tuple[Array, Array]:
        """Corners (2,) of what it covers."""

    @abstractmethod
    def covers(self, u: Array, v: Array) -> Array:
        """(m,) bool for points of the plane, u and v (m,)."""

    def edges(self) -> Array:
        """(n, 4): the lines around what it covers, u and v of both ends."""
        return np.zeros((0, 4))

    def faces(self) -> Faces | None:
        edges = self.edges()
        if not len(edges):
            return None
        along = edges[:, 2:] - edges[:, :2]
        beside = 0.5 * (edges[:, :2] + edges[:, 2:]) + BESIDE * np.stack([-along[:, 1], along[:, 0]], axis=1)
        outside = ~self.covers(*beside.T)
        edges = np.where(outside[:, None], edges[:, [2, 3, 0, 1]], edges)  # what it covers is at the left
        return prism_faces(edges, self._axis, self._low, self._high)

    def bounds(self) -> tuple[Array, Array]:
        low, high = np.full(3, self._low), np.full(3, self._high)
        low[list(ACROSS[self._axis])], high[list(ACROSS[self._axis])] = self.plane_bounds()
        return low, high

    def contains(self, points: Array) -> Array:
        along = points[:, self._axis]
        found = np.asarray((along >= self._low) & (along < self._high))
        u, v = (points[found, axis] for axis in ACROSS[self._axis])
        found[found] = self.covers(u, v)
        return found

    def on_grid(self, x: Array, y: Array, z: Array, backend: Any = None) -> Array:
        at = (x, y, z)
        first, second = ACROSS[self._axis]
        u, v = np.broadcast_arrays(at[first], at[second][:, None])
        plane = self.covers(u.reshape(-1), v.reshape(-1)).reshape(u.shape)
        along = at[self._axis]
        layers = (along >= self._low) & (along < self._high)
        if self._axis == 0:
            return np.asarray(plane[:, :, None] & layers)
        if self._axis == 1:
            return np.asarray(plane[:, None, :] & layers[:, None])
        return np.asarray(plane[None] & layers[:, None, None])


Outline = tuple[tuple[float, float], ...]


class Prism(Extruded):
    """Polygons across an axis: inside is what an odd number of outlines surround."""

    def __init__(self, axis: int, low: float, high: float, outlines: Sequence[Outline]) -> None:
        super().__init__(axis, low, high)
        for outline in outlines:
            check_outline(outline)
        corners = [np.array(outline, float) for outline in outlines]
        self._edges = np.concatenate([np.hstack([each, np.roll(each, -1, axis=0)]) for each in corners])
        self._bounds = corners[0].min(axis=0), corners[0].max(axis=0)
        for each in corners[1:]:
            self._bounds = np.minimum(self._bounds[0], each.min(axis=0)), np.maximum(self._bounds[1], each.max(axis=0))

    def plane_bounds(self) -> tuple[Array, Array]:
        return self._bounds

    def edges(self) -> Array:
        return self._edges

    def covers(self, u: Array, v: Array) -> Array:
        found = np.zeros(len(u), bool)
        with parallel_region():
            _odd_crossings(np.ascontiguousarray(u), np.ascontiguousarray(v), self._edges, found)
        return found


@nb.njit(cache=True, nogil=True, parallel=True)
def _odd_crossings(u, v, edges, found):
    """Points from which a ray along u crosses ``edges: (n, 4)``, half open in v, an odd number of times."""
    for p in nb.prange(len(u)):
        inside = False
        for e in range(len(edges)):
            v0, v1 = edges[e, 1], edges[e, 3]
            if (v0 > v[p]) == (v1 > v[p]):
                continue
            if u[p] < edges[e, 0] + (v[p] - v0) / (v1 - v0) * (edges[e, 2] - edges[e, 0]):
                inside = not inside
        found[p] = inside


@lru_cache(maxsize=256)
def check_outline(outline: Outline) -> None:
    """Raises ProblemError if it has fewer than three corners or crosses itself."""
    corners = np.array([point for n, point in enumerate(outline) if point != outline[n - 1]], float).reshape(-1, 2)
    n = len(corners)
    if n < 3:
        raise ProblemError(f"Its outline has {n} different corners: give it three or more.")
    after = np.roll(corners, -1, axis=0)
    numbers = np.arange(n)
    for first in range(0, n, max(1, PAIRS_AT_ONCE // n)):
        rows = numbers[first : first + max(1, PAIRS_AT_ONCE // n)]
        a, b = corners[rows, None], after[rows, None]
        crosses = (_side(a, b, corners) * _side(a, b, after) < 0) & (
            _side(corners[None], after[None], a) * _side(corners[None], after[None], b) < 0
        )
        if crosses.any():
            row, other = np.argwhere(crosses)[0]
            raise ProblemError(
                f"Its outline crosses itself: the line from {_told(corners[rows[row]])} to {_told(after[rows[row]])} "
                f"and the line from {_told(corners[other])} to {_told(after[other])} cross, so put the corners in turn."
            )


def _side(a: Array, b: Array, p: Array) -> Array:
    """Sign of the side of the line from a to b on which p is."""
    return np.asarray(
        np.sign((b[..., 0] - a[..., 0]) * (p[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (p[..., 0] - a[..., 0]))
    )


def _told(point: Array) -> str:
    return f"({point[0]:g}, {point[1]:g})"
