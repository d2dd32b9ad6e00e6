"""Assembly of the finite-volume weights (thesis §3.2; derived in README.md).

``du_i/dt = (1/V_i) sum over faces of [alpha (u_j - u_i) + a_i . g_i + a_j . g_j]`` with the least-squares
gradients g of both cells: at most 16 cells besides i. Where the correction of a cell could feed more energy into the
solution than its two-point fluxes take out, its gradient is scaled down, towards monotone two-point flux.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array, Progress, no_progress
from engines.api.errors import MeshError
from engines.cardiac.diffusion.kernels import energy_need, fill_rows, kept_shares, least_squares, proved_stable
from engines.cardiac.diffusion.sliced import SlicedMatrix, row_lengths, slice_starts
from engines.cardiac.diffusion.stability import growing_cells
from engines.cardiac.diffusion.tensors import check_tensors
from engines.geometry.meshes.adjacency import face_neighbours
from engines.geometry.meshes.mesh import TetMesh

RELAXATION_CAP = 4.0
"""Largest ratio of a two-point coefficient to that of the minimum correction (README, "What was measured")."""
ENERGY_LIMIT = 2.0
"""Energy need of a cell up to which its gradient is left alone: 1 is proved to be stable, 2 was in all that was tried
and keeps second order on anisotropic meshes; a mode that grows all the same is found and its cells get 1."""
ROUNDS = 5


@dataclass(frozen=True)
class DiffusionOperator:
    """The assembled operator and what was found on the way.

    matrix: rates [1/ms], float64.
    correction: (n_cells,) float64 in [0, 1], the share of each cell's gradient that was kept (1: second order).
    """

    matrix: SlicedMatrix
    correction: Array


def assemble(
    mesh: TetMesh,
    diffusion_tensors: Array,
    neighbours: Array | None = None,
    relaxation_cap: float = RELAXATION_CAP,
    energy_limit: float = ENERGY_LIMIT,
    progress: Progress = no_progress,
) -> DiffusionOperator:
    """Weights of ``div(D grad u)`` with zero flux through the boundary.

    diffusion_tensors: (n_cells, 3, 3) or (3, 3) symmetric positive definite [mm²/ms].
    neighbours: (n_cells, 4) from :func:`face_neighbours`, computed if not given.
    relaxation_cap: infinity for the over-relaxed split, 1 for the minimum correction (README eq. 7).
    energy_limit: infinity leaves every gradient alone, and growing modes where there are any.
    Raises ProblemError for tensors that are not positive definite, MeshError for a mesh that is no manifold or has
    cells without volume.
    """
    tensors = check_tensors(diffusion_tensors, mesh.n_cells)
    if mesh.n_cells == 0:
        raise MeshError("The mesh has no tetrahedra; load a volume mesh.")
    if not (mesh.volumes > 0).all():
        cell = int(np.argmin(mesh.volumes > 0))
        raise MeshError(f"Cell {cell} has volume {mesh.volumes[cell]:.3g} mm³; remove or reorient it.")
    if neighbours is None:
        progress("Finding face neighbours", 0.0)
        neighbours = face_neighbours(mesh.cells)
    geometry = (mesh.points, mesh.cells, mesh.volumes, mesh.centroids, tensors)
    progress("Computing cell gradients", 0.1)
    gradients = least_squares(*geometry, neighbours)
    starts = slice_starts(row_lengths(neighbours))
    columns, weights = np.empty(starts[-1], np.int32), np.empty(starts[-1])

    def rows(kept: Array) -> SlicedMatrix:
        """In the same memory each time: two of them may be more than there is."""
        fill_rows(*geometry, neighbours, gradients, kept, relaxation_cap, starts, columns, weights)
        return SlicedMatrix(mesh.n_cells, starts, columns, weights)

    if not np.isfinite(energy_limit):
        all_kept = np.ones(mesh.n_cells)
        return DiffusionOperator(rows(all_kept), all_kept)

    progress("Weighing the corrections", 0.3)
    need = energy_need(*geometry, neighbours, gradients, relaxation_cap, min(energy_limit, 1.0))
    allowed = np.full(mesh.n_cells, energy_limit)
    for round_ in range(ROUNDS + 1):
        correction = kept_shares(mesh.volumes, neighbours, need, allowed)
        progress("Assembling weights", 0.5)
        matrix = rows(correction)
        if proved_stable(mesh.volumes, neighbours, need * correction):
            break
        progress("Looking for growing modes", 0.7)
        growing = growing_cells(matrix, mesh.volumes)
        if len(growing) == 0:
            break
        # where a mode grows, and everywhere if that was not enough
        allowed[growing if round_ < ROUNDS - 1 else slice(None)] = 1.0
    return DiffusionOperator(matrix, correction)
