"""A small picture of a surface, drawn on the processor: each triangle's pixels, of which the nearest are seen."""

from __future__ import annotations

import numba
import numpy as np

from engines.api import Array

FINE = 2
"""Dots along a pixel's side, whose mean it is."""
FILLED = 0.88
"""Of the picture's side."""
LIGHT = np.array([-0.35, 0.5, 0.79])
DARKEST = 0.32


def drawn(
    triangles: Array, colours: Array, side: int, ground: tuple[int, int, int], *,
    turn: float = 0.7, tilt: float = 0.4, fine: int = FINE,
) -> Array:  # fmt: skip
    """(side, side, 3) uint8, seen from a direction that is turned around z by ``turn`` and raised by ``tilt`` [rad], z
    upwards.

    triangles: (m, 3, 3); colours: (m, 3) uint8
    """
    height = fine * side
    picture = np.empty((height, height, 3), np.float32)
    picture[:] = ground
    corners = _seen(triangles.astype(np.float64), turn, tilt)
    low, high = corners.reshape(-1, 3).min(axis=0), corners.reshape(-1, 3).max(axis=0)
    scale = FILLED * height / max(float((high - low)[:2].max()), 1e-300)
    corners = (corners - 0.5 * (low + high)) * scale
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.maximum(np.linalg.norm(normals, axis=1), 1e-30)
    shade = DARKEST + (1 - DARKEST) * np.abs(normals @ LIGHT) / lengths
    corners[:, :, 0] += 0.5 * height
    corners[:, :, 1] = 0.5 * height - corners[:, :, 1]
    depth = np.full((height, height), -np.inf)
    _fill(picture, depth, corners, (shade[:, None] * colours).astype(np.float32))
    mean = picture.reshape(side, fine, side, fine, 3).mean(axis=(1, 3))
    return np.ascontiguousarray(np.clip(mean, 0, 255).astype(np.uint8))


def _seen(triangles: Array, turn: float, tilt: float) -> Array:
    """With x to the right, y upwards and z towards the eye."""
    right = np.array([np.cos(turn), np.sin(turn), 0.0])
    up = np.array([-np.sin(tilt) * np.sin(turn), np.sin(tilt) * np.cos(turn), np.cos(tilt)])
    return triangles @ np.stack([right, up, np.cross(right, up)], axis=1)


@numba.njit(cache=True, nogil=True)
def _fill(picture: Array, depth: Array, corners: Array, colours: Array) -> None:
    """Rows go down. picture: (h, h, 3) float32; depth: (h, h), the larger is the nearer; corners: (m, 3, 3)"""
    height = len(picture)
    for k in range(len(corners)):
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners[k, 0], corners[k, 1], corners[k, 2]
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        if area == 0.0:
            continue
        first, last = max(int(min(ay, by, cy)), 0), min(int(max(ay, by, cy)) + 1, height)
        left, right = max(int(min(ax, bx, cx)), 0), min(int(max(ax, bx, cx)) + 1, height)
        for row in range(first, last):
            for column in range(left, right):
                x, y = column + 0.5 - ax, row + 0.5 - ay
                along = (x * (cy - ay) - y * (cx - ax)) / area
                across = (y * (bx - ax) - x * (by - ay)) / area
                if along < 0.0 or across < 0.0 or along + across > 1.0:
                    continue
                near = az + along * (bz - az) + across * (cz - az)
                if near > depth[row, column]:
                    depth[row, column] = near
                    for channel in range(3):
                        picture[row, column, channel] = colours[k, channel]
