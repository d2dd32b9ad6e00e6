"""What a solid is, and solids that stand otherwise than they were made: turned, shifted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.placing import Faces

SLAB_POINTS = 1 << 18
"""Points that are asked about at once: their coordinates fit into a cache."""


class Solid(ABC):
    """A body in space; lengths are in the grid's unit."""

    @abstractmethod
    def bounds(self) -> tuple[Array, Array]:
        """Two corners (3,) of a box along the axes that holds it."""

    @abstractmethod
    def contains(self, points: Array) -> Array:
        """(m,) bool: which of ``points: (m, 3)`` it holds."""

    def on_grid(self, x: Array, y: Array, z: Array, backend: Any = None) -> Array:
        """(nz, ny, nx) bool: which points of a grid it holds. ``backend`` may help where it is much work."""
        found = np.zeros((len(z), len(y), len(x)), bool)
        planes = max(1, SLAB_POINTS // max(1, len(x) * len(y)))
        for first in range(0, len(z), planes):
            part = z[first : first + planes]
            found[first : first + planes] = self.contains(grid_points(x, y, part)).reshape(len(part), len(y), len(x))
        return found

    def faces(self) -> Faces | None:
        """Its surface, for pictures; None where there is none to draw."""
        return None


def grid_points(x: Array, y: Array, z: Array) -> Array:
    """(nz ny nx, 3) float64, x fastest."""
    points = np.empty((len(z), len(y), len(x), 3))
    points[..., 0], points[..., 1], points[..., 2] = x, y[:, None], z[:, None, None]
    return points.reshape(-1, 3)


class Shifted(Solid):
    """A solid moved by a vector (3,)."""

    def __init__(self, solid: Solid, by: Array) -> None:
        self._solid, self._by = solid, np.asarray(by, float)

    def bounds(self) -> tuple[Array, Array]:
        low, high = self._solid.bounds()
        return low + self._by, high + self._by

    def contains(self, points: Array) -> Array:
        return self._solid.contains(points - self._by)

    def on_grid(self, x: Array, y: Array, z: Array, backend: Any = None) -> Array:
        return self._solid.on_grid(x - self._by[0], y - self._by[1], z - self._by[2], backend)

    def faces(self) -> Faces | None:
        faces = self._solid.faces()
        return None if faces is None else Faces(faces.points + self._by, faces.triangles)


class Turned(Solid):
    """A solid turned about the middle of its bounds; ``rotation: (3, 3)``."""

    def __init__(self, solid: Solid, rotation: Array) -> None:
        self._solid, self._rotation = solid, rotation
        low, high = solid.bounds()
        self._middle = 0.5 * (low + high)
        reach = np.abs(rotation) @ (0.5 * (high - low))
        self._bounds = self._middle - reach, self._middle + reach

    def bounds(self) -> tuple[Array, Array]:
        return self._bounds

    def contains(self, points: Array) -> Array:
        # the rows of (p − m) Rᵀᵀ are R⁻¹ (p − m)
        return self._solid.contains((points - self._middle) @ self._rotation + self._middle)

    def faces(self) -> Faces | None:
        faces = self._solid.faces()
        if faces is None:
            return None
        return Faces((faces.points - self._middle) @ self._rotation.T + self._middle, faces.triangles)


def rotation_matrix(axis: tuple[float, float, float], degrees: float) -> Array:
    """(3, 3): about ``axis``, counterclockwise seen from where it points (Rodrigues). Raises ProblemError."""
    direction = np.array(axis, float)
    length = float(np.linalg.norm(direction))
    if length == 0:
        raise ProblemError("The axis of a turn has no direction: give it a length, such as (0, 0, 1).")
    x, y, z = direction / length
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    quarters = degrees / 90.0
    if quarters == round(quarters):  # exact, so that cells on the edge are not decided by rounding
        cosine, sine = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][round(quarters) % 4]
    else:
        cosine, sine = float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees)))
    return np.asarray(np.eye(3) + sine * cross + (1.0 - cosine) * cross @ cross)
