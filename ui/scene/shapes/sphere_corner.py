"""The corner that is cut out of spheres to show what is inside: an eighth, which turns with the camera.

It stands where the three products of a place (from the sphere's centre) with the rows of :data:`CORNER` are positive.
Drawing and picking both go by it.
"""

from __future__ import annotations

import numba
import numpy as np

from engines.api import Array

TURN, RISE = np.deg2rad(16.0), np.deg2rad(33.0)
"""How far the corner opens to the right, and how steeply the eye looks down on its floor. All three faces are seen,
the one at the left best: they keep 0.73, 0.41 and 0.54 of their width."""


def _corner() -> Array:
    """(3, 3): unit vectors at right angles; the floor's last."""
    level = np.array([[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0], [0.0, np.sqrt(2.0), 0.0]]) / np.sqrt(2.0)
    turned = _rotation(1, TURN) @ level.T
    return np.asarray((_rotation(0, RISE) @ turned).T)


def _rotation(axis: int, angle: float) -> Array:
    """(3, 3): right-handed, about one axis."""
    first, second = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[first, first] = matrix[second, second] = np.cos(angle)
    matrix[second, first], matrix[first, second] = np.sin(angle), -np.sin(angle)
    return matrix


CORNER = _corner()
"""(3, 3): the normals of the three planes as rows, in the eye's space (right, up, towards the eye)."""


def first_sphere(
    positions: Array, radii: Array, origin: Array, direction: Array, corner: Array | None = None
) -> tuple[int, float] | None:
    """Row of the sphere that a ray meets first, and how far along the unit ``direction``; None if it meets none.

    ``positions: (n, 3)``, ``radii: (n,)``; ``corner: (3, 3)`` is :data:`CORNER` turned into the world, where it is
    cut out. A sphere that the origin is in does not count, as none is drawn.
    """
    planes = np.zeros((0, 3)) if corner is None else np.ascontiguousarray(corner, np.float64)
    row, distance = _nearest(positions, radii, np.asarray(origin, float), np.asarray(direction, float), planes)
    return None if row < 0 else (int(row), float(distance))


@numba.njit(cache=True, nogil=True)
def _nearest(positions: Array, radii: Array, origin: Array, direction: Array, planes: Array) -> tuple[int, float]:
    """All spheres, one after the other: 2 to 7 ms for a million."""
    best, best_row = np.inf, -1
    for row in range(len(radii)):
        x, y, z = positions[row, 0] - origin[0], positions[row, 1] - origin[1], positions[row, 2] - origin[2]
        radius = radii[row]
        middle = x * direction[0] + y * direction[1] + z * direction[2]
        under = middle * middle - (x * x + y * y + z * z) + radius * radius
        if under < 0:
            continue
        half = np.sqrt(under)
        distance = middle - half
        if distance <= 0 or distance >= best:
            continue
        leaves, inside = np.inf, len(planes) > 0
        for k in range(len(planes)):
            a, b, c = planes[k, 0], planes[k, 1], planes[k, 2]
            rate = a * direction[0] + b * direction[1] + c * direction[2]
            place = rate * distance - (a * x + b * y + c * z)
            inside = inside and place > 0
            if rate < 0:
                leaves = min(leaves, place / -rate)
        if inside:
            distance += leaves
            if distance > middle + half:
                continue
        if distance < best:
            best, best_row = distance, row
    return best_row, best
