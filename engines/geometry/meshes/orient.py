"""Orientation and thickness of tetrahedra."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numba as nb
import numpy as np

from engines.api import Array, Finding
from engines.api.errors import MeshError

FLAT = 1e-7
"""6V / (longest edge)³ below which a cell counts as flat: it is no thicker than float32 rounds its coordinates."""
TINY = np.finfo(float).tiny


@nb.njit(cache=True, nogil=True)
def signed_thickness(points, cells):
    """(n,) float64: 6V / (longest edge)³, 0.707 for a regular cell, negative where the cell is inverted.

    On one core, 0.05 s for a million: for more than one it would take a second longer to compile.
    """
    thickness = np.empty(len(cells))
    for i in range(len(cells)):
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
    return thickness


def orient(points: Array, cells: Array, name: str) -> tuple[Array, list[Finding]]:
    """Cells, all positively oriented, and a finding if some had to be turned round. Raises MeshError on flat cells."""
    thickness = signed_thickness(points, cells)
    flat = np.flatnonzero(~(np.abs(thickness) >= FLAT))
    if len(flat):
        worst = int(flat[np.abs(thickness[flat]).argmin()])
        x, y, z = points[cells[worst]].mean(axis=0)
        raise MeshError(
            f"{name} has {_cells(len(flat))} without volume (the worst is cell {worst} near "
            f"{x:.4g}, {y:.4g}, {z:.4g} mm); collapse them in the mesher or run its optimiser."
        )
    inverted = thickness < 0
    count = int(inverted.sum())
    if not count:
        return cells, []
    cells = cells.copy()
    cells[inverted, 2], cells[inverted, 3] = cells[inverted, 3], cells[inverted, 2]
    if count == len(cells):
        return cells, [Finding("All cells were numbered inside out and have been turned round.", "info")]
    message = f"Inverted and turned round: {_cells(count)} of {len(cells):,}; the mesh may be folded there."
    return cells, [Finding(message)]


def _cells(count: int) -> str:
    return f"{count:,} cell" if count == 1 else f"{count:,} cells"
