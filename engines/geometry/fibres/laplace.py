"""Laplace's equation on a tetrahedral mesh by linear finite elements (P1), and the gradients of its solutions."""

from __future__ import annotations

from collections.abc import Callable

import numba as nb
import numpy as np
import scipy

from engines.api import Array
from engines.api.errors import ProblemError
from engines.geometry.meshes.edges import number_edges
from engines.geometry.meshes.linear_elements import shape_gradients
from engines.geometry.meshes.mesh import TetMesh

TOLERANCE = 1e-8
"""Residual over right-hand side at which conjugate gradients stop: potentials of 0..1 to about six digits."""
MOST_ITERATIONS = 20_000
_CALL_EVERY = 20


class Laplace:
    """Laplace's equation on one mesh, for several boundary values.

    ``volumes: (n_cells,)`` [mm³] and ``shapes: (n_cells, 4, 3)`` [1/mm], the gradients of the shape functions, belong
    to the cells.
    """

    def __init__(self, mesh: TetMesh) -> None:
        self.mesh = mesh
        ends, of_cell = number_edges(mesh.cells, mesh.n_points)
        self.shapes, self.volumes = shape_gradients(mesh.points, mesh.cells)
        weights = np.zeros(len(ends))
        _add_stiffness(self.shapes, self.volumes, of_cell, weights)
        self.matrix = _symmetric(ends, weights, mesh.n_points)

    def solve(self, fixed: Array, values: Array, still: Callable[[], None] = lambda: None) -> Array:
        """(n_points,): the solution that takes ``values: (n,)`` at the points ``fixed: (n,)``, with no flux elsewhere.

        Conjugate gradients with the diagonal as preconditioner. ``still`` is called now and then; what it raises ends
        the solution. Raises ProblemError where they do not converge (a piece of the mesh without fixed points).
        """
        solution = np.zeros(self.mesh.n_points)
        solution[fixed] = values
        free = np.ones(self.mesh.n_points, bool)
        free[fixed] = False
        if not free.any():
            return solution
        rows = self.matrix[np.flatnonzero(free)]
        matrix = rows[:, np.flatnonzero(free)]
        load = -(rows @ solution)
        found = _conjugate_gradients(matrix, load, still)
        if found is None:
            raise ProblemError(
                f"Laplace's equation has not converged on this mesh in {MOST_ITERATIONS:,} iterations: "
                "run a mesh optimiser, for there are cells without thickness or pieces apart from the others."
            )
        solution[free] = found
        return solution

    def gradients(self, potential: Array) -> Array:
        """(n_cells, 3) [1/mm] of ``potential: (n_points,)``, recovered: volume-weighted to the points and back.

        One gradient a cell jumps from cell to cell, and a cell with all its points on one surface has none at all; the
        means are smooth and of higher order (O. C. Zienkiewicz & J. Z. Zhu, Int. J. Numer. Methods Eng. 24, 1987).
        """
        at_points, weight = np.zeros((self.mesh.n_points, 3)), np.zeros(self.mesh.n_points)
        _to_points(self.mesh.cells, self.shapes, self.volumes, potential, at_points, weight)
        at_points /= weight[:, None]
        return self.at_cells(at_points)

    def at_cells(self, values: Array) -> Array:
        """Means of the four points: (n_cells,) or (n_cells, k) of (n_points,) or (n_points, k)."""
        cells = self.mesh.cells
        total = values[cells[:, 0]].copy()
        for k in range(1, 4):
            total += values[cells[:, k]]
        total *= 0.25
        return total


def _conjugate_gradients(matrix: scipy.sparse.csr_matrix, load: Array, still: Callable[[], None]) -> Array | None:
    """Solution of ``matrix @ x = load``, preconditioned with the diagonal; None where it does not converge.

    Not SciPy's: its scalar products are BLAS calls on many threads, which on a machine that also runs a simulation
    fight for the cores (10 s instead of 0.3 s on 25,000 points with two busy ones). einsum stays on this thread.
    """
    inverse = 1.0 / matrix.diagonal()
    x, residual = np.zeros_like(load), load.copy()
    direction = inverse * residual
    steepness = np.einsum("i,i", residual, direction)
    enough = TOLERANCE**2 * np.einsum("i,i", load, load)
    for iteration in range(MOST_ITERATIONS):
        if np.einsum("i,i", residual, residual) <= enough:
            return x
        if iteration % _CALL_EVERY == 0:
            still()
        image = matrix @ direction
        step = steepness / np.einsum("i,i", direction, image)
        x += step * direction
        residual -= step * image
        conditioned = inverse * residual
        before, steepness = steepness, np.einsum("i,i", residual, conditioned)
        direction *= steepness / before
        direction += conditioned
    return None


def _symmetric(ends: Array, weights: Array, n: int) -> scipy.sparse.csr_matrix:
    """Stiffness of off-diagonal entries ``weights``; rows sum to zero."""
    upper = scipy.sparse.csr_matrix((weights, (ends[:, 0], ends[:, 1])), shape=(n, n))
    matrix = upper + upper.T
    diagonal = scipy.sparse.csr_matrix(
        (-np.asarray(matrix.sum(axis=1)).ravel(), (np.arange(n), np.arange(n))), shape=(n, n)
    )
    return scipy.sparse.csr_matrix(matrix + diagonal)


@nb.njit(cache=True, nogil=True)
def _add_stiffness(shapes, volumes, of_cell, weights):
    for cell in range(len(volumes)):
        edge = 0
        for i in range(3):
            for j in range(i + 1, 4):
                product = 0.0
                for axis in range(3):
                    product += shapes[cell, i, axis] * shapes[cell, j, axis]
                weights[of_cell[cell, edge]] += volumes[cell] * product
                edge += 1


@nb.njit(cache=True, nogil=True)
def _to_points(cells, shapes, volumes, potential, at_points, weight):
    """Sums of the cells' gradients, and of what they are weighted with, at the points."""
    for cell in range(len(cells)):
        for axis in range(3):
            slope = 0.0
            for k in range(4):
                slope += potential[cells[cell, k]] * shapes[cell, k, axis]
            for k in range(4):
                at_points[cells[cell, k], axis] += volumes[cell] * slope
        for k in range(4):
            weight[cells[cell, k]] += volumes[cell]
