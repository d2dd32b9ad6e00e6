"""How well shaped the tetrahedra of a mesh are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from engines.api import Array, Finding

CHUNK = 1 << 18
EDGES = tuple(combinations(range(4), 2))
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
    """Shape measures of tetrahedra. points: (n_points, 3) [mm]; cells: (n, 4). In chunks: 10 M cells fit a laptop."""
    n = len(cells)
    result = MeshQuality(*(np.empty(n, np.float32) for _ in range(4)))
    for start in range(0, n, CHUNK):
        part = slice(start, min(start + CHUNK, n))
        corners = points[cells[part]]
        edges = {pair: corners[:, pair[1]] - corners[:, pair[0]] for pair in EDGES}
        squares = np.stack([np.einsum("ij,ij->i", e, e) for e in edges.values()])
        six_volumes = np.einsum("ij,ij->i", edges[0, 1], np.cross(edges[0, 2], edges[0, 3]))
        total = squares.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = 12.0 * np.cbrt(six_volumes * 0.5) ** 2 / total
        result.mean_ratio[part] = np.where(total > 0, ratio, 0.0)
        result.min_dihedral[part] = np.degrees(_smallest_dihedral(edges))
        result.shortest[part] = np.sqrt(squares.min(axis=0))
        result.longest[part] = np.sqrt(squares.max(axis=0))
    return result


def _smallest_dihedral(edges: dict[tuple[int, int], Array]) -> Array:
    """(n,) [rad]: at an edge, π minus the angle between the outward normals of the two faces that share it."""
    normals = [
        np.cross(edges[1, 2], edges[1, 3]),  # face opposite corner 0, outward for positive orientation
        np.cross(edges[0, 3], edges[0, 2]),
        np.cross(edges[0, 1], edges[0, 3]),
        np.cross(edges[0, 2], edges[0, 1]),
    ]
    smallest = np.full(len(normals[0]), np.pi)
    for i, j in combinations(range(4), 2):
        across = np.linalg.norm(np.cross(normals[i], normals[j]), axis=1)
        along = -np.einsum("ij,ij->i", normals[i], normals[j])
        np.minimum(smallest, np.arctan2(across, along), out=smallest)
    return smallest
