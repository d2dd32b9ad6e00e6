"""Linear finite elements with lumped mass on tetrahedra: the rate of change of the value at each vertex.

``du_i/dt = (1/m_i) sum_j k_ij (u_j - u_i)``, ``k_ij = -sum over tetrahedra of V grad phi_i . D grad phi_j``,
``m_i = sum over tetrahedra of V/4``. Rows of ``k`` add up to nothing, so that constants stay, and ``k`` is symmetric,
so that mass is kept (Hughes, The Finite Element Method, 2000). Lumping makes fronts slow on coarse meshes (Pathmanathan
et al. 2012, Int. J. Numer. Meth. Biomed. Eng. 28, 890).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from engines.api import Array, Progress, no_progress
from engines.api.errors import MeshError
from engines.cardiac.diffusion.tensors import check_tensors
from engines.cardiac.p1.sites import VertexSites, vertex_sites
from engines.geometry.meshes.edges import EDGES
from engines.geometry.meshes.linear_elements import shape_gradients
from engines.geometry.meshes.mesh import TetMesh

CHUNK = 500_000
"""Tetrahedra whose elements are in memory at once: 150 MB."""


@dataclass(frozen=True)
class VertexOperator:
    """``rates: (n, n)`` CSR, float64 [1/ms], off-diagonal entries ``k_ij / m_i`` alone, for
    ``du_i/dt = sum_j rates_ij (u_j - u_i)``, in the order of ``sites``, whose volumes are the lumped masses.
    """

    rates: scipy.sparse.csr_matrix
    sites: VertexSites

    @property
    def volumes(self) -> Array:
        """(n,) [mm³]: the lumped masses."""
        return self.sites.volumes

    @property
    def vertices(self) -> Array:
        """(n,): the mesh's point of each row; points that belong to no tetrahedron have none."""
        return self.sites.vertices


def assemble_vertices(
    mesh: TetMesh, diffusion_tensors: Array, progress: Progress = no_progress, insulating: Array | None = None
) -> VertexOperator:
    """The operator ``div(D grad u)`` with zero flux through the boundary.

    diffusion_tensors: (n_cells, 3, 3) or (3, 3) symmetric positive definite [mm²/ms]. insulating: (n_cells,) bool,
    tetrahedra that are left out; vertices with none but these around them have rows without entries. Raises
    ProblemError for tensors that are not positive definite, MeshError for cells without volume.
    """
    tensors = check_tensors(diffusion_tensors, mesh.n_cells)
    if mesh.n_cells == 0:
        raise MeshError("The mesh has no tetrahedra; load a volume mesh.")
    if not (mesh.volumes > 0).all():
        cell = int(np.argmin(mesh.volumes > 0))
        raise MeshError(f"Cell {cell} has volume {mesh.volumes[cell]:.3g} mm³; remove or reorient it.")
    insulating = np.zeros(mesh.n_cells, bool) if insulating is None else insulating
    sites, conducting = vertex_sites(mesh, insulating), np.flatnonzero(~insulating)
    n = sites.n_cells
    upper = scipy.sparse.csr_matrix((n, n))
    for first in range(0, len(conducting), CHUNK):
        progress("Assembling vertices", first / len(conducting))
        part = conducting[first : first + CHUNK]
        slopes, _ = shape_gradients(mesh.points, mesh.cells[part])
        upper = scipy.sparse.csr_matrix(
            upper + _upper(slopes, mesh.volumes[part], tensors[part], sites.corners[part], n)
        )
    stiffness = scipy.sparse.csr_matrix(upper + upper.T)
    rates = scipy.sparse.csr_matrix(scipy.sparse.diags(1.0 / sites.volumes) @ stiffness)
    rates.eliminate_zeros()  # edges across a right angle
    rates.sort_indices()
    return VertexOperator(rates, sites)


def _upper(slopes: Array, volumes: Array, tensors: Array, cells: Array, n: int) -> scipy.sparse.csr_matrix:
    """(n, n): the entries k_ij of some tetrahedra, each edge once with i < j; slopes: (cells, 4, 3) [1/mm]."""
    fluxes = np.einsum("nij,nbj->nbi", tensors, slopes)
    rows, columns, values = [], [], []
    for a, b in EDGES:
        values.append(-volumes * np.einsum("ni,ni->n", slopes[:, a], fluxes[:, b]))
        rows.append(np.minimum(cells[:, a], cells[:, b]))
        columns.append(np.maximum(cells[:, a], cells[:, b]))
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return scipy.sparse.coo_matrix(entries, shape=(n, n)).tocsr()
