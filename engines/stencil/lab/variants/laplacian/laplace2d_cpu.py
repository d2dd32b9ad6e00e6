"""The five-point Laplacian on a CPU: Numba, NumPy and SciPy. The formula is in laplace2d.cu."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit, prange

from engines.api.device import Backend
from engines.api.errors import DeviceError
from engines.api.lab import Case

BAND_ROWS = 16
"""Rows that a thread takes at a time."""
LARGEST_SPARSE = 1 << 22
"""Points up to which a sparse matrix is tried: it takes 40 bytes for each."""


@njit(parallel=True, nogil=True, cache=True)
def laplace2d_rows(y, x):
    """Bands of rows; the inner loop runs over slices in vectors, the two ends of a row apart.

    Slices, because an index that is not known to be positive is wrapped at each access: twice as fast where the
    caches hold the field (1024²), equally fast where the memory limits.
    """
    ny, nx = x.shape
    four = np.float32(4)
    for band in prange((ny + BAND_ROWS - 1) // BAND_ROWS):
        for j in range(band * BAND_ROWS, min(ny, (band + 1) * BAND_ROWS)):
            here, out = x[j], y[j]
            up = x[j - 1 if j > 0 else ny - 1]
            down = x[j + 1 if j < ny - 1 else 0]
            left, middle, right = here[: nx - 2], here[1 : nx - 1], here[2:nx]
            above, below, inner = up[1 : nx - 1], down[1 : nx - 1], out[1 : nx - 1]
            for i in range(nx - 2):
                inner[i] = right[i] + left[i] + below[i] + above[i] - four * middle[i]
            out[0] = here[1] + here[nx - 1] + down[0] + up[0] - four * here[0]
            out[nx - 1] = here[0] + here[nx - 2] + down[nx - 1] + up[nx - 1] - four * here[nx - 1]


@njit(parallel=True, nogil=True, cache=True)
def laplace2d_points(y, x):
    """Point by point as the formula is written, with the wrap in every index."""
    ny, nx = x.shape
    for j in prange(ny):
        for i in range(nx):
            sides = x[j, (i + 1) % nx] + x[j, (i - 1) % nx] + x[(j + 1) % ny, i] + x[(j - 1) % ny, i]
            y[j, i] = sides - np.float32(4) * x[j, i]


def laplace2d_rolled(backend: Backend, case: Case) -> Callable[..., None]:
    """NumPy as one writes it first: four rolled copies."""

    def compute(y, x):
        y[:] = np.roll(x, -1, 1) + np.roll(x, 1, 1) + np.roll(x, -1, 0) + np.roll(x, 1, 0) - 4 * x

    return compute


def laplace2d_sliced(backend: Backend, case: Case) -> Callable[..., None]:
    """NumPy without temporary arrays: each neighbour is added in place, the wrapped rows and columns apart."""

    def compute(y, x):
        np.multiply(x, np.float32(-4), out=y)
        y[:, :-1] += x[:, 1:]
        y[:, -1] += x[:, 0]
        y[:, 1:] += x[:, :-1]
        y[:, 0] += x[:, -1]
        y[:-1] += x[1:]
        y[-1] += x[0]
        y[1:] += x[:-1]
        y[0] += x[-1]

    return compute


def laplace2d_convolved(backend: Backend, case: Case) -> Callable[..., None]:
    """SciPy's convolution with the five weights."""
    from scipy import ndimage

    weights = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], np.float32)

    def compute(y, x):
        ndimage.convolve(x, weights, output=y, mode="wrap")

    return compute


def laplace2d_sparse(backend: Backend, case: Case) -> Callable[..., None]:
    """SciPy's sparse matrix times the field; the matrix is read with it, 40 bytes a point."""
    from scipy import sparse

    if case.points > LARGEST_SPARSE:
        raise DeviceError(f"The sparse matrix of {case.name} would take {40 * case.points / 1e9:.1f} GB; not tried.")
    ny, nx = case.size
    along_x, along_y = (_ring(n, sparse) for n in (nx, ny))
    matrix = (sparse.kron(sparse.identity(ny), along_x) + sparse.kron(along_y, sparse.identity(nx))).tocsr()
    matrix = matrix.astype(np.float32)

    def compute(y, x):
        y.reshape(-1)[:] = matrix @ x.reshape(-1)

    return compute


def _ring(n, sparse):
    """Second differences on a ring of n points."""
    return sparse.diags([1.0, 1.0, -2.0, 1.0, 1.0], [1 - n, -1, 0, 1, n - 1], shape=(n, n), dtype=np.float32)
