"""Diffusion steps on a CPU: Numba kernels and NumPy expressions. The formulae are in the ``.cu`` files."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

import numpy as np
from numba import njit, prange


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
