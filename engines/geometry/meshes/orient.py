"""Orientation and thickness of tetrahedra."""

from __future__ import annotations

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import MeshError

FLAT = 1e-7
"""6V / (longest edge)³ below which a cell counts as flat: it is no thicker than float32 rounds its coordinates."""
CHUNK = 1 << 19


def signed_thickness(points: Array, cells: Array) -> Array:
    """(n,) float64: 6V / (longest edge)³, 0.707 for a regular cell, negative where the cell is inverted."""
    thickness = np.empty(len(cells))
    for start in range(0, len(cells), CHUNK):
        part = slice(start, start + CHUNK)
        a, b, c, d = (points[cells[part, k]] for k in range(4))
        ab, ac, ad = b - a, c - a, d - a
        longest = np.max([np.einsum("ij,ij->i", e, e) for e in (ab, ac, ad, c - b, d - b, d - c)], axis=0)
        six_volumes = np.einsum("ij,ij->i", ab, np.cross(ac, ad))
        thickness[part] = six_volumes / np.maximum(longest, np.finfo(float).tiny) ** 1.5
    return thickness


def orient(points: Array, cells: Array, name: str) -> tuple[Array, list[Finding]]:
    """Cells, all positively oriented, and a finding if some had to be turned round. Raises MeshError on flat cells."""
    thickness = signed_thickness(points, cells)
    flat = np.flatnonzero(np.abs(thickness) < FLAT)
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
