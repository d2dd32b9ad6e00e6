"""Assembly of the finite-volume weights (thesis §3.2; derived in README.md).

``du_i/dt = (1/V_i) sum over faces of [alpha (u_j - u_i) + a_i . g_i + a_j . g_j]`` with the least-squares
gradients g of both cells: at most 16 cells besides i. Where the correction of a cell could feed more energy into the
solution than its two-point fluxes take out, its gradient is scaled down, towards monotone two-point flux.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from dataclasses import dataclass

import numba as nb
import numpy as np

from engines.api import Array, Progress, no_progress
from engines.cardiac.diffusion.ell import BLOCK, WIDTH, EllMatrix, block_count
from engines.cardiac.diffusion.faces import dot, face_flux, gradient_row, solve3
from engines.cardiac.diffusion.stability import growing_cells
from engines.cardiac.diffusion.tensors import check_tensors
from engines.errors import MeshError
from engines.geometry.adjacency import face_neighbours
from engines.geometry.mesh import TetMesh

RELAXATION_CAP = 4.0
"""Largest ratio of a two-point coefficient to that of the minimum correction (README, "What was measured")."""
ENERGY_LIMIT = 2.0
"""Energy need of a cell up to which its gradient is left alone: 1 is proved to be stable, 2 was in all that was tried
and keeps second order on anisotropic meshes; a mode that grows all the same is found and its cells get 1."""
ROUNDS = 5


@dataclass(frozen=True)
class DiffusionOperator:
    """The assembled operator and what was found on the way.

    matrix: rates [1/ms], float64. volumes: (n_cells,) [mm³].
    correction: (n_cells,) float64 in [0, 1], the share of each cell's gradient that was kept (1: second order).
    """

    matrix: EllMatrix
    volumes: Array
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
    gradients = _gradients(*geometry, neighbours)
    if not np.isfinite(energy_limit):
        matrix = _assemble_rows(geometry, neighbours, gradients, relaxation_cap)
        return DiffusionOperator(matrix, mesh.volumes, np.ones(mesh.n_cells))

    progress("Weighing the corrections", 0.3)
    need = _energy_need(*geometry, neighbours, gradients, relaxation_cap)
    allowed = np.full(mesh.n_cells, energy_limit)
    for round_ in range(ROUNDS + 1):
        correction = _corrections(mesh.volumes, neighbours, need, allowed)
        progress("Assembling weights", 0.5)
        weakened = (correction < 1.0).any()  # rarely: a copy of the gradients is worth avoiding
        kept = gradients * correction[:, None, None] if weakened else gradients
        matrix = _assemble_rows(geometry, neighbours, kept, relaxation_cap)
        if _proved_stable(mesh.volumes, neighbours, need * correction):
            break
        progress("Looking for growing modes", 0.7)
        growing = growing_cells(matrix, mesh.volumes)
        if len(growing) == 0:
            break
        # where a mode grows, and everywhere if that was not enough
        allowed[growing if round_ < ROUNDS - 1 else slice(None)] = 1.0
    return DiffusionOperator(matrix, mesh.volumes, correction)


def _assemble_rows(
    geometry: tuple[Array, ...], neighbours: Array, gradients: Array, relaxation_cap: float
) -> EllMatrix:
    n = len(neighbours)
    columns = np.full((block_count(n), WIDTH, BLOCK), n - 1, np.int32)
    weights = np.zeros(columns.shape)
    _rows(*geometry, neighbours, gradients, relaxation_cap, columns, weights)
    return EllMatrix(n, columns, weights)


@nb.njit(cache=True, nogil=True, parallel=True)
def _gradients(points, cells, volumes, centroids, tensors, neighbours):
    """Least squares: ``g_i = sum_k c[i, k] (u_j(k) - u_i)``, c: (n_cells, 4, 3) (README eq. 6).

    Across the boundary the difference is zero by construction, and so is c.
    """
    n = len(cells)
    coefficients = np.zeros((n, 4, 3))
    for i in nb.prange(n):
        directions = np.empty((4, 3))
        normal = np.zeros((3, 3))
        for k in range(4):
            e, weight = gradient_row(points, cells, volumes, centroids, tensors, i, neighbours[i, k], k)
            for r in range(3):
                directions[k, r] = weight * e[r]
                for c in range(3):
                    normal[r, c] += weight * e[r] * e[c]
        for k in range(4):
            if neighbours[i, k] >= 0:
                g = solve3(normal, directions[k])
                for r in range(3):
                    coefficients[i, k, r] = g[r]
    return coefficients


@nb.njit(cache=True, nogil=True, parallel=True)
def _energy_need(points, cells, volumes, centroids, tensors, neighbours, gradients, relaxation_cap):
    """The part of its share of two-point energy that each cell's correction can consume (README eq. 8)."""
    need = np.empty(len(cells))
    for i in nb.prange(len(cells)):
        d = np.ones(4)
        b = np.zeros((4, 4))
        for k in range(4):
            j = neighbours[i, k]
            if j < 0:
                continue
            alpha, a_i, _ = face_flux(points, cells, volumes, centroids, tensors, i, j, k, relaxation_cap)
            d[k] = alpha * volumes[j] / (volumes[i] + volumes[j])
            for m in range(4):
                b[k, m] = dot(a_i, gradients[i, m])
        form = np.empty((4, 4))
        for k in range(4):
            for n in range(4):
                form[k, n] = 0.5 * (b[k, n] + b[n, k]) / np.sqrt(d[k] * d[n])
        # most cells need so little that a bound will do: it spares 1 µs a cell of LAPACK
        bound = np.sqrt((form**2).sum())
        need[i] = bound if bound <= 0.5 else max(0.0, -np.linalg.eigvalsh(form)[0])
    return need


@nb.njit(cache=True, nogil=True, parallel=True)
def _corrections(volumes, neighbours, need, allowed):
    """Share of its gradient that each cell keeps: all up to ``allowed`` times what its two-point fluxes give, beyond
    that as much as the neighbours leave of it."""
    kept = np.ones(len(need))
    for i in nb.prange(len(need)):
        if need[i] <= allowed[i]:
            continue
        for k in range(4):
            j = neighbours[i, k]
            if j >= 0:
                w_i = volumes[j] / (volumes[i] + volumes[j])
                left = 1.0 - (1.0 - w_i) * min(need[j] / allowed[j], 1.0)
                kept[i] = min(kept[i], allowed[i] * left / (w_i * need[i]))
    return kept


@nb.njit(cache=True, nogil=True, parallel=True)
def _proved_stable(volumes, neighbours, need):
    """Whether no face owes more energy than it has (README eq. 9); rounding is left 1e-12."""
    failures = 0
    for i in nb.prange(len(need)):
        for k in range(4):
            j = neighbours[i, k]
            if j > i:
                w_i = volumes[j] / (volumes[i] + volumes[j])
                if w_i * need[i] + (1.0 - w_i) * need[j] > 1.0 + 1e-12:
                    failures += 1
    return failures == 0


@nb.njit(cache=True, nogil=True, inline="always")
def _add(columns, values, length, column, value):
    """Add ``value`` to the entry of ``column`` in a short row; returns the new length."""
    for e in range(length):
        if columns[e] == column:
            values[e] += value
            return length
    columns[length] = column
    values[length] = value
    return length + 1


@nb.njit(cache=True, nogil=True, parallel=True)
def _rows(points, cells, volumes, centroids, tensors, neighbours, gradients, relaxation_cap, columns, weights):
    """One row per cell: merge the contributions of its four faces and divide by its volume."""
    n = len(cells)
    for block in nb.prange((n + 31) // 32):
        row_columns = np.empty(WIDTH, np.int32)
        row_values = np.empty(WIDTH)
        for lane in range(BLOCK):
            i = block * BLOCK + lane
            if i >= n:
                break
            length = 0
            for k in range(4):
                j = neighbours[i, k]
                if j < 0:
                    continue
                alpha, a_i, a_j = face_flux(points, cells, volumes, centroids, tensors, i, j, k, relaxation_cap)
                length = _add(row_columns, row_values, length, j, alpha)
                for m in range(4):
                    if neighbours[i, m] >= 0:
                        value = dot(a_i, gradients[i, m])
                        length = _add(row_columns, row_values, length, neighbours[i, m], value)
                    other = neighbours[j, m]
                    if other >= 0:
                        # multiplies u_other - u_j; the part of u_j goes to the neighbour's own entry
                        value = dot(a_j, gradients[j, m])
                        length = _add(row_columns, row_values, length, j, -value)
                        if other != i:
                            length = _add(row_columns, row_values, length, other, value)
            order = np.argsort(row_columns[:length])
            for e in range(WIDTH):
                if e < length:
                    columns[block, e, lane] = row_columns[order[e]]
                    weights[block, e, lane] = row_values[order[e]] / volumes[i]
                else:
                    columns[block, e, lane] = i
