"""Orientation and thickness of tetrahedra."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numba as nb
import numpy as np

from engines.api import Array, Finding
from engines.api.errors import MeshError
from engines.backend.threads import in_parts

FLAT = 1e-7
"""6V / (longest edge)³ below which a cell counts as flat: it is no thicker than float32 rounds its coordinates."""
TINY = np.finfo(float).tiny


def signed_thickness(points: Array, cells: Array) -> Array:
    """(n,) float64: 6V / (longest edge)³, 0.707 for a regular cell, negative where the cell is inverted."""
    thickness = np.empty(len(cells))
    _thickness(len(cells), points, cells, thickness)
    return thickness


@in_parts
@nb.njit(cache=True, nogil=True)
def _thickness(first, last, points, cells, thickness):
    """Fills (n,) thickness; how many from ``first`` to ``last`` are flat, and how many inverted."""
    flat, inverted = 0, 0
    for i in range(first, last):
        a, b, c, d = points[cells[i, 0]], points[cells[i, 1]], points[cells[i, 2]], points[cells[i, 3]]
        px, py, pz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        qx, qy, qz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        rx, ry, rz = d[0] - a[0], d[1] - a[1], d[2] - a[2]
        longest = max(px * px + py * py + pz * pz, qx * qx + qy * qy + qz * qz, rx * rx + ry * ry + rz * rz)
        for e, f in ((b, c), (b, d), (c, d)):
            x, y, z = f[0] - e[0], f[1] - e[1], f[2] - e[2]
            longest = max(longest, x * x + y * y + z * z)
        six_volumes = px * (qy * rz - qz * ry) + py * (qz * rx - qx * rz) + pz * (qx * ry - qy * rx)
        thickness[i] = six_volumes / longest / np.sqrt(longest) if longest > TINY else 0.0
        flat += not abs(thickness[i]) >= FLAT
        inverted += thickness[i] < 0.0
    return flat, inverted


def orient(points: Array, cells: Array, name: str) -> tuple[Array, list[Finding]]:
    """Cells, all positively oriented, and a finding if some had to be turned round. Raises MeshError on flat cells."""
    thickness = np.empty(len(cells))
    parts = _thickness(len(cells), points, cells, thickness)
    if any(flat for flat, _ in parts):
        flat = np.flatnonzero(~(np.abs(thickness) >= FLAT))
        worst = int(flat[np.abs(thickness[flat]).argmin()])
        x, y, z = points[cells[worst]].mean(axis=0)
        raise MeshError(
            f"{name} has {_cells(len(flat))} without volume (the worst is cell {worst} near "
            f"{x:.4g}, {y:.4g}, {z:.4g} mm); collapse them in the mesher or run its optimiser."
        )
    count = sum(inverted for _, inverted in parts)
    if not count:
        return cells, []
    turned = np.empty_like(cells)
    _turn(len(cells), thickness, cells, turned)
    if count == len(cells):
        return turned, [Finding("All cells were numbered inside out and have been turned round.", "info")]
    message = f"Inverted and turned round: {_cells(count)} of {len(cells):,}; the mesh may be folded there."
    return turned, [Finding(message)]


@in_parts
def _turn(first: int, last: int, thickness: Array, cells: Array, turned: Array) -> None:
    """turned: ``cells``, the inverted ones with their last two corners exchanged."""
    inverted = (thickness[first:last] < 0)[:, None]
    turned[first:last, :2] = cells[first:last, :2]
    turned[first:last, 2:] = np.where(inverted, cells[first:last, :1:-1], cells[first:last, 2:])


def _cells(count: int) -> str:
    return f"{count:,} cell" if count == 1 else f"{count:,} cells"
