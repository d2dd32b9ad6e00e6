"""The vertices of a mesh as sites of cells: each stands for a quarter of every tetrahedron around it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array, Selection
from engines.geometry.meshes.mesh import TetMesh


@dataclass(frozen=True)
class VertexSites:
    """See :class:`engines.cardiac.tissue.sites.Sites`.

    vertices: (n,) int32, the mesh's point of each site, ascending; points of no tetrahedron are none.
    corners: (mesh.n_cells, 4) int32, the sites at the corners of each tetrahedron.
    """

    vertices: Array
    corners: Array
    centroids: Array
    volumes: Array
    regions: Array
    region_names: dict[int, str]
    bounds: tuple[Array, Array]

    @property
    def n_cells(self) -> int:
        return len(self.vertices)

    def selection(self, elements: Selection) -> Selection:
        """The sites of a selection of cells: runs of cells are runs of their vertices, or one vertex where it means the
        cells around it."""
        if elements.points is not None:
            return Selection(self.of_points(np.asarray(elements.points)).astype(np.int32))
        corners = self.corners[elements.elements].ravel()
        runs = np.arange(len(elements.elements) + 1) if elements.offsets is None else np.asarray(elements.offsets)
        return Selection(corners, (4 * runs.astype(np.int64)).astype(np.int32))

    def of_points(self, points: Array) -> Array:
        """(n,) int64: the sites at ``points: (n,)`` of the mesh, all of which have one."""
        return np.searchsorted(self.vertices, points)

    def a_cell_at(self, site: int) -> int:
        """The first tetrahedron around a site."""
        return int((self.corners == site).any(axis=1).argmax())


def vertex_sites(mesh: TetMesh, insulating: Array) -> VertexSites:
    """``insulating: (n_cells,)`` bool, tetrahedra that are cut out of the tissue.

    A vertex belongs to the region with the largest share of the conducting volume around it. It is part of an
    insulating region only where nothing around it conducts.
    """
    used = np.zeros(mesh.n_points, bool)
    used[mesh.cells] = True
    vertices = np.flatnonzero(used).astype(np.int32)
    corners = (np.cumsum(used, dtype=np.int32) - 1)[mesh.cells]

    def volume_of(cells: Array) -> Array:
        return np.bincount(corners[cells].ravel(), np.repeat(mesh.volumes[cells] / 4.0, 4), minlength=len(vertices))

    conducting = volume_of(~insulating)
    inside = conducting == 0.0
    largest, regions = np.zeros(len(vertices)), np.zeros(len(vertices), mesh.regions.dtype)
    for region in np.unique(mesh.regions):
        chosen = mesh.regions == region
        share = np.where(inside, volume_of(chosen), volume_of(chosen & ~insulating))
        regions[share > largest] = region
        largest = np.maximum(largest, share)
    volumes = np.where(inside, volume_of(insulating), conducting)
    return VertexSites(vertices, corners, mesh.points[vertices], volumes, regions, mesh.region_names, mesh.bounds)
