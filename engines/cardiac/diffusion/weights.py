"""Assembly of the finite-volume weights (thesis §3.2; derived in README.md).

``du_i/dt = (1/V_i) sum over faces of [alpha (u_j - u_i) + a_i . g_i + a_j . g_j]`` with the least-squares
gradients g of both cells: at most 16 cells besides i. Cells whose correction could feed energy into the
solution have it reduced to zero where needed (:func:`_limit_gradients`).
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
from engines.cardiac.diffusion.tensors import check_tensors
from engines.geometry.adjacency import face_neighbours
from engines.geometry.mesh import TetMesh


@dataclass(frozen=True)
class DiffusionOperator:
    """The assembled operator and what was found on the way.

    matrix: rates [1/ms], float64. correction: (n_cells,) float64 in [0, 1], the share of each cell's gradient
    correction that was kept (1 for good cells, 0 for pure two-point flux).
    """

    matrix: EllMatrix
    volumes: Array
    correction: Array


def assemble(
    mesh: TetMesh,
    diffusion_tensors: Array,
    neighbours: Array | None = None,
    relaxation_cap: float = np.inf,
    energy_limit: float = 1.0,
    progress: Progress = no_progress,
) -> DiffusionOperator:
    """Weights of ``div(D grad u)`` with zero flux through the boundary.

    diffusion_tensors: (n_cells, 3, 3) or (3, 3) symmetric positive definite [mm²/ms].
    neighbours: (n_cells, 4) from :func:`face_neighbours`, computed if not given.
    relaxation_cap: 1 for the over-relaxed split, 0 for the minimum correction (README eq. 8).
    Raises ProblemError for tensors that are not positive definite, MeshError for a mesh that is no manifold.
    """
    tensors = check_tensors(diffusion_tensors, mesh.n_cells)
    if neighbours is None:
        progress("Finding face neighbours", 0.0)
        neighbours = face_neighbours(mesh.cells)
    geometry = (mesh.points, mesh.cells, mesh.volumes, mesh.centroids, tensors)
    progress("Computing cell gradients", 0.2)
    gradients = _gradients(*geometry, neighbours)
    correction = np.ones(mesh.n_cells)
    if np.isfinite(energy_limit):
        progress("Checking that no mode can grow", 0.4)
        need = _energy_need(*geometry, neighbours, gradients, relaxation_cap)
        correction = _limit_gradients(mesh.volumes, neighbours, need / energy_limit, gradients)
    progress("Assembling weights", 0.6)
    blocks = block_count(mesh.n_cells)
    columns = np.full((blocks, WIDTH, BLOCK), mesh.n_cells - 1, np.int32)
    weights = np.zeros((blocks, WIDTH, BLOCK))
    _rows(*geometry, neighbours, gradients, relaxation_cap, columns, weights)
    return DiffusionOperator(EllMatrix(mesh.n_cells, columns, weights), mesh.volumes, correction)


@nb.njit(cache=True, nogil=True, parallel=True)
def _gradients(points, cells, volumes, centroids, tensors, neighbours):
    """Least squares weighted with the two-point coefficients: ``g_i = sum_k c[i, k] (u_j(k) - u_i)``, c: (n_cells, 4, 3).

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
    """Share of its faces' two-point energy that each cell's correction may consume, in units of its weights (README eq. 10)."""
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
        m = np.empty((4, 4))
        for k in range(4):
            for l in range(4):
                m[k, l] = 0.5 * (b[k, l] + b[l, k]) / np.sqrt(d[k] * d[l])
        need[i] = max(0.0, -np.linalg.eigvalsh(m)[0])
    return need


@nb.njit(cache=True, nogil=True, parallel=True)
def _limit_gradients(volumes, neighbours, need, gradients):
    """Reduce the gradients of cells that need more energy than their neighbours leave them; returns what was kept."""
    correction = np.ones(len(need))
    for i in nb.prange(len(need)):
        if need[i] <= 1.0:
            continue
        for k in range(4):
            j = neighbours[i, k]
            if j < 0:
                continue
            w_i = volumes[j] / (volumes[i] + volumes[j])
            left = 1.0 - (1.0 - w_i) * min(need[j], 1.0)
            correction[i] = min(correction[i], left / (w_i * need[i]))
        for k in range(4):
            for r in range(3):
                gradients[i, k, r] *= correction[i]
    return correction


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
