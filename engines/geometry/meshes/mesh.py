"""A tetrahedral mesh: points, cells, regions and fibres."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from engines.api import Array, Finding
from engines.backend.fields.rows import taken
from engines.geometry.meshes import shapes

CHUNK = 1_000_000
"""Cells whose distances are computed at once: 24 MB of temporaries, whatever the size of the mesh."""


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
        part = replace(
            self,
            cells=taken(self.cells, order),
            regions=taken(self.regions, order),
            fibres=None if self.fibres is None else taken(self.fibres, order),
            sheets=None if self.sheets is None else taken(self.sheets, order),
        )
        for name in vars(self).keys() & {"centroids", "volumes"}:  # that somebody has asked for
            vars(part)[name] = taken(vars(self)[name], order)
        return part

    @property
    def n_points(self) -> int:
        return len(self.points)

    @property
    def n_cells(self) -> int:
        return len(self.cells)

    @property
    def length_unit(self) -> str:
        return "mm"

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """Lowest and highest corner of the points, (3,) each [mm]"""
        return shapes.extent(self.points)

    def centers(self, elements: Array) -> Array:
        """(n, 3) float64: the centroids of the cells ``elements: (n,)`` [mm]"""
        return self.points[self.cells[elements]].mean(axis=1)

    def nearest(self, positions: Array) -> Array:
        """(n,) int64: the cell whose centroid is nearest to each of ``positions: (n, 3)`` [mm]; the first of equals"""
        wanted = np.atleast_2d(np.asarray(positions, float))
        found, best = np.zeros(len(wanted), np.int64), np.full(len(wanted), np.inf)
        for first in range(0, self.n_cells, CHUNK):
            centroids = self.centroids[first : first + CHUNK]
            for place, position in enumerate(wanted):
                offsets = centroids - position
                distances = np.einsum("ij,ij->i", offsets, offsets)
                nearest = int(distances.argmin())
                if distances[nearest] < best[place]:
                    found[place], best[place] = first + nearest, distances[nearest]
        return found

    @cached_property
    def centroids(self) -> Array:
        """(n_cells, 3) float64 [mm]"""
        return shapes.centroids(self.points, self.cells)

    @cached_property
    def volumes(self) -> Array:
        """(n_cells,) float64 [mm³], positive"""
        return shapes.volumes(self.points, self.cells)
