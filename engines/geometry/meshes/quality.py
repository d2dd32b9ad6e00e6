"""How well shaped the tetrahedra of a mesh are."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from dataclasses import dataclass

import numba as nb
import numpy as np

from engines.api import Array, Finding
from engines.backend.threads import in_parts

SLIVER_ANGLE = 5.0
"""Smallest dihedral angle [degrees] below which a cell is called a sliver (meshers aim at ≥ 10)."""


@dataclass(frozen=True)
class MeshQuality:
    """Shape measures of each cell.

    mean_ratio:   (n,) float32 in (0, 1]: 12 (3V)^(2/3) / Σ l² (Liu & Joe 1994); 1 is regular, 0 flat
    min_dihedral: (n,) float32 [degrees], the smallest of the six; 70.53 in a regular tetrahedron
    shortest, longest: (n,) float32 [mm], edges
    """

    mean_ratio: Array
    min_dihedral: Array
    shortest: Array
    longest: Array

    @property
    def worst_cell(self) -> int:
        """The cell with the smallest mean ratio."""
        return int(self.mean_ratio.argmin())

    @property
    def slivers(self) -> Array:
        """Cells whose smallest dihedral angle is below :data:`SLIVER_ANGLE`, worst first."""
        cells = np.flatnonzero(self.min_dihedral < SLIVER_ANGLE)
        return cells[np.argsort(self.min_dihedral[cells], kind="stable")]

    def summary(self) -> str:
        """One line for a log."""
        worst = self.worst_cell
        return (
            f"{len(self.mean_ratio):,} cells, edges {self.shortest.min():.3g}–{self.longest.max():.3g} mm, "
            f"mean ratio {self.mean_ratio.mean():.2f} on average, {self.mean_ratio[worst]:.2f} at worst "
            f"(cell {worst}), smallest dihedral angle {self.min_dihedral.min():.1f}°"
        )

    def findings(self) -> tuple[Finding, ...]:
        """A warning when there are slivers."""
        slivers = self.slivers
        if not len(slivers):
            return ()
        worst = int(slivers[0])
        return (
            Finding(
                f"{len(slivers):,} of {len(self.mean_ratio):,} cells are slivers (dihedral angle below "
                f"{SLIVER_ANGLE:g}°; the worst is cell {worst} with {self.min_dihedral[worst]:.2f}°); they lower the "
                "largest stable step, so run a mesh optimiser if the step turns out too small."
            ),
        )


def measure_quality(points: Array, cells: Array) -> MeshQuality:
    """Shape measures of tetrahedra. points: (n_points, 3) [mm]; cells: (n, 4)."""
    result = MeshQuality(*(np.empty(len(cells), np.float32) for _ in range(4)))
    measures = result.mean_ratio, result.min_dihedral, result.shortest, result.longest
    _measure(len(cells), points, np.asarray(cells, np.int32), *measures)
    return result


@in_parts
@nb.njit(cache=True, nogil=True)
def _measure(first, last, points, cells, mean_ratio, min_dihedral, shortest, longest):
    """Fills (n,) arrays of the shape of each of cells: (n, 4)."""
    for i in range(first, last):
        mean_ratio[i], min_dihedral[i], shortest[i], longest[i] = _shape(
            points[cells[i, 0]], points[cells[i, 1]], points[cells[i, 2]], points[cells[i, 3]]
        )


@nb.njit(nogil=True)
def _shape(a, b, c, d):
    """Mean ratio, smallest dihedral angle [degrees], shortest and longest edge of a tetrahedron."""
    ab, ac, ad = _from(a, b), _from(a, c), _from(a, d)
    bc, bd, cd = _from(b, c), _from(b, d), _from(c, d)
    total, least, most = 0.0, np.inf, 0.0
    for edge in (ab, ac, ad, bc, bd, cd):
        square = _dot(edge, edge)
        total, least, most = total + square, min(least, square), max(most, square)
    ratio = 12.0 * np.cbrt(_dot(ab, _cross(ac, ad)) * 0.5) ** 2 / total if total > 0 else 0.0
    # of the face opposite each corner, outward for positive orientation
    normals = (_cross(bc, bd), _cross(ad, ac), _cross(ab, ad), _cross(ac, ab))
    angle = np.pi
    for i in range(3):
        for j in range(i + 1, 4):  # at an edge, π minus the angle between the normals of the faces that share it
            across = _cross(normals[i], normals[j])
            angle = min(angle, np.arctan2(np.sqrt(_dot(across, across)), -_dot(normals[i], normals[j])))
    return ratio, np.degrees(angle), np.sqrt(least), np.sqrt(most)


@nb.njit(nogil=True)
def _from(a, b):
    return b[0] - a[0], b[1] - a[1], b[2] - a[2]


@nb.njit(nogil=True)
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@nb.njit(nogil=True)
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
