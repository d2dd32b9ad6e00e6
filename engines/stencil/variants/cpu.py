"""The other studies on a CPU: Numba kernels and NumPy expressions. The formulae are in the ``.cu`` files."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

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
def diffusion2d_rows(out, u, rx, ry):
    """Row by row inside a border that stays as it is."""
    ny, nx = u.shape
    two = np.float32(2)
    for j in prange(ny):
        here, row = u[j], out[j]
        if j == 0 or j == ny - 1:
            row[:] = here
        else:
            up, down = u[j - 1], u[j + 1]
            row[0] = here[0]
            for i in range(1, nx - 1):
                c = here[i]
                across = here[i - 1] - two * c + here[i + 1]
                row[i] = c + rx * across + ry * (up[i] - two * c + down[i])
            row[nx - 1] = here[nx - 1]


def diffusion2d_sliced(out, u, rx, ry):
    """NumPy as one writes it first."""
    out[:] = u
    c = u[1:-1, 1:-1]
    across = u[1:-1, :-2] - 2 * c + u[1:-1, 2:]
    out[1:-1, 1:-1] = c + rx * across + ry * (u[:-2, 1:-1] - 2 * c + u[2:, 1:-1])


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


@njit(parallel=True, nogil=True, cache=True)
def fusion_fused(out, u, r, b):
    """Laplacian, update and border in one pass."""
    ny, nx = u.shape
    four = np.float32(4)
    for j in prange(ny):
        here, row = u[j], out[j]
        if j == 0 or j == ny - 1:
            row[:] = b
        else:
            up, down = u[j - 1], u[j + 1]
            row[0] = b
            for i in range(1, nx - 1):
                row[i] = here[i] + r * (here[i + 1] + here[i - 1] + down[i] + up[i] - four * here[i])
            row[nx - 1] = b


@njit(parallel=True, nogil=True, cache=True)
def fusion_laplacian(lap, u):
    """First of the separate passes."""
    ny, nx = u.shape
    four = np.float32(4)
    for j in prange(1, ny - 1):
        here, up, down, row = u[j], u[j - 1], u[j + 1], lap[j]
        for i in range(1, nx - 1):
            row[i] = here[i + 1] + here[i - 1] + down[i] + up[i] - four * here[i]


@njit(parallel=True, nogil=True, cache=True)
def fusion_update(out, u, lap, r):
    """Second of the separate passes."""
    ny, nx = u.shape
    for j in prange(1, ny - 1):
        here, change, row = u[j], lap[j], out[j]
        for i in range(1, nx - 1):
            row[i] = here[i] + r * change[i]


def fusion_separate(out, u, lap, r, b):
    """Three passes, the Laplacian through memory."""
    fusion_laplacian(lap, u)
    fusion_update(out, u, lap, r)
    out[0] = out[-1] = b
    out[:, 0] = out[:, -1] = b


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


@njit(nogil=True, cache=True)
def _step(after, now, r, start, stop):
    """One periodic step on rows start … stop - 1 of a band."""
    nx = now.shape[1]
    four = np.float32(4)
    for t in range(start, stop):
        here, up, down, row = now[t], now[t - 1], now[t + 1], after[t]
        for i in range(1, nx - 1):
            row[i] = here[i] + r * (here[i + 1] + here[i - 1] + down[i] + up[i] - four * here[i])
        row[0] = here[0] + r * (here[1] + here[nx - 1] + down[0] + up[0] - four * here[0])
        beside = here[0] + here[nx - 2] + down[nx - 1] + up[nx - 1]
        row[nx - 1] = here[nx - 1] + r * (beside - four * here[nx - 1])


@njit(nogil=True, cache=True)
def _band(out, u, r, depth, first, rows):
    """``depth`` steps on rows first … first + rows - 1."""
    ny, nx = u.shape
    height = rows + 2 * depth
    buffers = np.empty((2, height, nx), np.float32)
    for t in range(height):
        buffers[0, t] = u[(first - depth + t) % ny]
    for step in range(1, depth + 1):
        _step(buffers[step % 2], buffers[(step - 1) % 2], r, step, height - step)
    for t in range(min(rows, ny - first)):
        out[first + t] = buffers[depth % 2, depth + t]


@njit(parallel=True, nogil=True, cache=True)
def temporal2d_bands(out, u, r, depth, rows):
    """``depth`` steps on bands of ``rows`` rows, each with a rim of ``depth`` rows that its neighbours compute too.

    A band's two buffers stay in a core's second-level cache between the steps.
    """
    for band in prange((u.shape[0] + rows - 1) // rows):
        _band(out, u, r, depth, band * rows, rows)
