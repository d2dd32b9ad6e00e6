"""The same equations, slow, float64 and written another way: ghost layers, a sparse matrix face by face, plain sweeps.

Every function takes ``(shape, spacing, ghosts, conductivity)`` as :class:`engines.stencil.poisson.PoissonSolver`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from engines.api import Array
from engines.stencil.setup.sides import Ghosts


def system(
    shape: Sequence[int], spacing: Sequence[float], ghosts: Ghosts, conductivity: Array | None = None
) -> tuple[scipy.sparse.csr_matrix, Array]:
    """(A, b) of ``A u = s + b``: A: (n, n) of -div(k grad), b: (n,) what values and gradients on the sides add."""
    k = np.ones(shape) if conductivity is None else np.asarray(conductivity, float)
    n = k.size
    matrix, added = scipy.sparse.lil_matrix((n, n)), np.zeros(n)
    for cell in np.ndindex(*shape):
        i = np.ravel_multi_index(cell, tuple(shape))
        for axis, (h, pair) in enumerate(zip(spacing, ghosts, strict=True)):
            dimension = len(shape) - 1 - axis
            for direction, ghost in zip((-1, 1), pair, strict=True):
                other = list(cell)
                other[dimension] += direction
                outside = not 0 <= other[dimension] < shape[dimension]
                if outside and not ghost.wraps:
                    matrix[i, i] += k[cell] / h**2 * (1.0 - ghost.scale)
                    added[i] += k[cell] / h**2 * ghost.shift
                    continue
                other[dimension] %= shape[dimension]
                face = 2.0 * k[cell] * k[tuple(other)] / (k[cell] + k[tuple(other)])
                matrix[i, i] += face / h**2
                matrix[i, np.ravel_multi_index(other, tuple(shape))] -= face / h**2
    return matrix.tocsr(), added


def solve(source: Array, spacing: Sequence[float], ghosts: Ghosts, conductivity: Array | None = None) -> Array:
    """The direct solution; without a fixed value, that of the source without its mean, with the mean 0."""
    matrix, added = system(source.shape, spacing, ghosts, conductivity)
    right = np.asarray(source, float).ravel() + added
    if all(pair[0].wraps or (pair[0].scale == pair[1].scale == 1.0) for pair in ghosts):
        ones = np.ones((len(right), 1))
        columns = scipy.sparse.hstack([matrix, scipy.sparse.csr_matrix(ones)])
        bordered = scipy.sparse.vstack([columns, scipy.sparse.csr_matrix(np.append(ones.T, [[0.0]], axis=1))]).tocsc()
        return np.asarray(scipy.sparse.linalg.spsolve(bordered, np.append(right - right.mean(), 0.0)))[:-1].reshape(
            source.shape
        )
    return np.asarray(scipy.sparse.linalg.spsolve(matrix.tocsc(), right)).reshape(source.shape)


def residual(
    u: Array, source: Array, spacing: Sequence[float], ghosts: Ghosts, conductivity: Array | None = None
) -> tuple[Array, Array, Array]:
    """(r, d, e): ``s + div(k grad u)``, the matrix's diagonal, and that of Jacobi, where ghosts do not follow u."""
    k = np.ones(u.shape) if conductivity is None else np.asarray(conductivity, float)
    r, diagonal, jacobi = np.array(source, float), np.zeros(u.shape), np.zeros(u.shape)
    for axis, (h, (low, high)) in enumerate(zip(spacing, ghosts, strict=True)):
        dimension = u.ndim - 1 - axis
        for direction, ghost, edge in ((1, low, 0), (-1, high, -1)):
            neighbour, conducts = np.roll(u, direction, dimension), np.roll(k, direction, dimension)
            follows = np.zeros(u.shape)
            if not ghost.wraps:
                side = [slice(None)] * u.ndim
                side[dimension] = slice(edge, None if edge else 1)
                at = tuple(side)
                neighbour[at] = ghost.scale * u[at] + ghost.shift
                conducts[at] = k[at]
                follows[at] = ghost.scale
            elif u.shape[dimension] == 1:
                follows += 1.0
            face = 2.0 * k * conducts / (k + conducts) / h**2
            r += face * (neighbour - u)
            jacobi += face
            diagonal += face * (1.0 - follows)
    return r, diagonal, jacobi


def jacobi_sweep(u: Array, source: Array, omega: float, *grid: object) -> Array:
    """A sweep with all values, ghosts too, of the sweep before. grid: spacing, ghosts, conductivity."""
    r, _, diagonal = residual(u, source, *grid)  # type: ignore[arg-type]  # the caller gives what residual takes
    return u + omega * r / diagonal


def sor_sweep(u: Array, source: Array, omega: float, *grid: object) -> Array:
    """Red cells, then black ones; axes that are periodic must have even numbers of cells."""
    u = np.array(u, float)
    colour = np.indices(u.shape).sum(axis=0) % 2
    for which in (0, 1):
        r, diagonal, _ = residual(u, source, *grid)  # type: ignore[arg-type]  # as above
        u[colour == which] += (omega * r / diagonal)[colour == which]
    return u
