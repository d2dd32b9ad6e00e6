"""Data layouts on a CPU: Numba kernels and NumPy expressions. The formulae are in the ``.cu`` files."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

import numpy as np
from numba import njit, prange


@njit(parallel=True, nogil=True, cache=True)
def layout_arrays(out, f, r, s):
    """One array per field, (3, ny, nx); row by row."""
    _, ny, nx = f.shape
    four = np.float32(4)
    for j in prange(ny):
        up, down = j - 1 if j > 0 else ny - 1, j + 1 if j < ny - 1 else 0
        for k in range(3):
            here, above, below = f[k, j], f[k, up], f[k, down]
            first, second, row = f[(k + 1) % 3, j], f[(k + 2) % 3, j], out[k, j]
            for i in range(1, nx - 1):
                lap = here[i + 1] + here[i - 1] + below[i] + above[i] - four * here[i]
                row[i] = here[i] + r * lap + s * (first[i] - second[i])
            for i in (0, nx - 1):
                right, left = here[i + 1 if i < nx - 1 else 0], here[i - 1 if i > 0 else nx - 1]
                lap = right + left + below[i] + above[i] - four * here[i]
                row[i] = here[i] + r * lap + s * (first[i] - second[i])


@njit(parallel=True, nogil=True, cache=True)
def layout_structures(out, f, r, s):
    """The three fields of a point side by side, (ny, nx, 3); row by row."""
    ny, nx, _ = f.shape
    four = np.float32(4)
    for j in prange(ny):
        up, down = j - 1 if j > 0 else ny - 1, j + 1 if j < ny - 1 else 0
        here, above, below, row = f[j], f[up], f[down], out[j]
        for i in range(nx):
            left, right = i - 1 if i > 0 else nx - 1, i + 1 if i < nx - 1 else 0
            for k in range(3):
                lap = here[right, k] + here[left, k] + below[i, k] + above[i, k] - four * here[i, k]
                row[i, k] = here[i, k] + r * lap + s * (here[i, (k + 1) % 3] - here[i, (k + 2) % 3])


def layout_rolled(out, f, r, s):
    """NumPy on one array per field."""
    for k in range(3):
        u = f[k]
        lap = np.roll(u, -1, 1) + np.roll(u, 1, 1) + np.roll(u, -1, 0) + np.roll(u, 1, 0) - 4 * u
        out[k] = u + r * lap + s * (f[(k + 1) % 3] - f[(k + 2) % 3])
