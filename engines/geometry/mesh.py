"""A tetrahedral mesh: points, cells, regions and fibres."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from engines.api import Array, Finding


@dataclass(frozen=True, eq=False)
class TetMesh:
    """Tetrahedra with named regions and, where there are any, fibres.

    Two meshes are equal only if they are the same object.

    points:  (n_points, 3) float64 [mm]
    cells:   (n_cells, 4) int32, positively oriented
    regions: (n_cells,) int32, keys of ``region_names``
    fibres:  (n_cells, 3) float32 unit vectors, or None (isotropic)
    sheets:  (n_cells, 3) float32 unit vectors orthogonal to the fibres, or None (transversely isotropic)
    findings: what its reader repaired or noticed and the owner should know
    quality: its reader's report on the shape of the cells, one line; empty for a mesh that was not read
    """

    points: Array
    cells: Array
    regions: Array
    region_names: dict[int, str] = field(default_factory=dict)
    fibres: Array | None = None
    sheets: Array | None = None
    findings: tuple[Finding, ...] = ()
    quality: str = ""

    def take_cells(self, order: Array) -> TetMesh:
        """The same mesh with its cells in another order, or only some of them; all points are kept."""
        return replace(
            self,
            cells=self.cells[order],
            regions=self.regions[order],
            fibres=None if self.fibres is None else self.fibres[order],
            sheets=None if self.sheets is None else self.sheets[order],
        )

    @property
    def n_points(self) -> int:
        return len(self.points)

    @property
    def n_cells(self) -> int:
        return len(self.cells)

    @cached_property
    def centroids(self) -> Array:
        """(n_cells, 3) float64 [mm]"""
        return self.points[self.cells].mean(axis=1)

    @cached_property
    def volumes(self) -> Array:
        """(n_cells,) float64 [mm³], positive"""
        a, b, c, d = (self.points[self.cells[:, k]] for k in range(4))
        return np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) / 6.0
