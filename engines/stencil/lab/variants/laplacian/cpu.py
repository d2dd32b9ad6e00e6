"""Laplacians of one and three dimensions on a CPU, in Numba and NumPy. The formulae are in the ``.cu`` files."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

import numpy as np
from numba import njit, prange

CHUNK = 1 << 14
"""Points of a one-dimensional field that a thread takes at a time."""


@njit(parallel=True, nogil=True, cache=True)
def laplace1d_chunks(y, x):
    """Chunk by chunk, so that the inner loop runs in vectors; the two ends of the ring apart."""
    n = x.size
    two = np.float32(2)
    for chunk in prange((n - 2 + CHUNK - 1) // CHUNK):
        start = 1 + chunk * CHUNK
        stop = min(start + CHUNK, n - 1)
        left, here, right, out = x[start - 1 : stop - 1], x[start:stop], x[start + 1 : stop + 1], y[start:stop]
        for i in range(stop - start):
            out[i] = right[i] - two * here[i] + left[i]
    y[0] = x[1] - two * x[0] + x[n - 1]
    y[n - 1] = x[0] - two * x[n - 1] + x[n - 2]


def laplace1d_sliced(y, x):
    """NumPy in place: four passes."""
    np.multiply(x, np.float32(-2), out=y)
    y[:-1] += x[1:]
    y[-1] += x[0]
    y[1:] += x[:-1]
    y[0] += x[-1]


@njit(parallel=True, nogil=True, cache=True)
def laplace3d_rows(y, x):
    """Row by row; the inner loop runs in vectors, the two ends of a row apart."""
    nz, ny, nx = x.shape
    six = np.float32(6)
    for row in prange(nz * ny):
        k, j = row // ny, row % ny
        here, out = x[k, j], y[k, j]
        up, down = x[k, j - 1 if j > 0 else ny - 1], x[k, j + 1 if j < ny - 1 else 0]
        below, above = x[k - 1 if k > 0 else nz - 1, j], x[k + 1 if k < nz - 1 else 0, j]
        for i in range(1, nx - 1):
            across = here[i + 1] + here[i - 1] + down[i] + up[i]
            out[i] = across + above[i] + below[i] - six * here[i]
        for i in (0, nx - 1):
            across = here[i + 1 if i < nx - 1 else 0] + here[i - 1 if i > 0 else nx - 1] + down[i] + up[i]
            out[i] = across + above[i] + below[i] - six * here[i]


def laplace3d_sliced(y, x):
    """NumPy in place: seven passes."""
    np.multiply(x, np.float32(-6), out=y)
    for axis in range(3):
        field, out = np.moveaxis(x, axis, 0), np.moveaxis(y, axis, 0)
        out[:-1] += field[1:]
        out[-1] += field[0]
        out[1:] += field[:-1]
        out[0] += field[-1]
