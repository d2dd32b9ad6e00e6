"""The Numba twins of ``poisson.cu``.

Rows along x are contiguous and become SIMD: the residual of a whole row goes to a small array in the first-level
cache, in several loops of few arrays each, for LLVM checks at most eight pairs for overlap before it gives up. Both
colours are computed and one is stored; red runs one layer ahead of black, so that a sweep reads memory once.

``level`` is :class:`Tables`, ``faces`` None or the three arrays of conductivities, ``u`` and ``source`` (nz, ny, nx).
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np

from engines.api import Array


class Tables(NamedTuple):
    """Of each axis: coefficients (4, n), ghosts (4, n), neighbours (2, n) (:class:`axes.Axis`); whether z acts.

    ``diagonal`` is the first of the two rows of coefficients that make the diagonal: 0 or 2; ``absorption``: a of a u.
    """

    x: Array
    x_ghosts: Array
    x_neighbours: Array
    y: Array
    y_ghosts: Array
    y_neighbours: Array
    z: Array
    z_ghosts: Array
    z_neighbours: Array
    three: bool
    diagonal: int
    absorption: float


class Passage(NamedTuple):
    """Of each axis: shares, parents, weights (:class:`axes.Transfer`), and the three steps."""

    x_shares: Array
    x_parents: Array
    x_weights: Array
    y_shares: Array
    y_parents: Array
    y_weights: Array
    z_shares: Array
    z_parents: Array
    z_weights: Array
    x_step: int
    y_step: int
    z_step: int


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _across_two(r, source, offset, centre, south, north, a, b):
    for x in range(len(r)):
        r[x] = source[x] - offset + (a * (south[x] - centre[x]) + b * (north[x] - centre[x]))


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _across_three(r, source, offset, centre, south, north, below, above, a, b, c, d):
    for x in range(len(r)):
        along_y = a * (south[x] - centre[x]) + b * (north[x] - centre[x])
        along_z = c * (below[x] - centre[x]) + d * (above[x] - centre[x])
        r[x] = source[x] - offset + (along_y + along_z)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_conducted_pair(r, centre, lower, upper, a, b, k_lower, k_upper):
    for x in range(len(r)):
        r[x] += a * k_lower[x] * (lower[x] - centre[x]) + b * k_upper[x] * (upper[x] - centre[x])


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_ghost(r, centre, a, scale, shift):
    """What a ghost adds where the cell itself stood in for it as a neighbour."""
    for x in range(len(r)):
        r[x] += a * (scale * centre[x] + shift - centre[x])


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_conducted_ghost(r, centre, a, scale, shift, conductivity):
    for x in range(len(r)):
        r[x] += a * conductivity[x] * (scale * centre[x] + shift - centre[x])


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_inner_x(r, centre, west, east, lower, upper):
    for x in range(len(r)):
        r[x] += lower[x] * (west[x] - centre[x]) + upper[x] * (east[x] - centre[x])


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_conducted_inner_x(r, centre, west, east, lower, upper, k_lower, k_upper):
    for x in range(len(r)):
        r[x] += lower[x] * k_lower[x] * (west[x] - centre[x]) + upper[x] * k_upper[x] * (east[x] - centre[x])


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_ghosts(r, centre, i, coefficients, ghosts):
    """The ghosts of the two neighbours along y or z; i: cell of that axis."""
    if ghosts[0, i] != 1 or ghosts[1, i] != 0:
        _add_ghost(r, centre, coefficients[0, i], ghosts[0, i], ghosts[1, i])
    if ghosts[2, i] != 1 or ghosts[3, i] != 0:
        _add_ghost(r, centre, coefficients[1, i], ghosts[2, i], ghosts[3, i])


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_conducted_ghosts(r, centre, i, coefficients, ghosts, k_lower, k_upper):
    if ghosts[0, i] != 1 or ghosts[1, i] != 0:
        _add_conducted_ghost(r, centre, coefficients[0, i], ghosts[0, i], ghosts[1, i], k_lower)
    if ghosts[2, i] != 1 or ghosts[3, i] != 0:
        _add_conducted_ghost(r, centre, coefficients[1, i], ghosts[2, i], ghosts[3, i], k_upper)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _residual_row(r, u, source, offset, k, j, level, faces):
    """r: (nx,) = source - offset - a u + div(k grad u) of the row (k, j)."""
    centre, nx = u[k, j], u.shape[2]
    south, north = u[k, level.y_neighbours[0, j]], u[k, level.y_neighbours[1, j]]
    below, above = u[level.z_neighbours[0, k], j], u[level.z_neighbours[1, k], j]
    if faces is None:
        if level.three:
            a, b, c, d = level.y[0, j], level.y[1, j], level.z[0, k], level.z[1, k]
            _across_three(r, source[k, j], offset, centre, south, north, below, above, a, b, c, d)
            _add_ghosts(r, centre, k, level.z, level.z_ghosts)
        else:
            _across_two(r, source[k, j], offset, centre, south, north, level.y[0, j], level.y[1, j])
        _add_ghosts(r, centre, j, level.y, level.y_ghosts)
    else:
        ky, kz = faces[1], faces[2]
        for x in range(nx):
            r[x] = source[k, j, x] - offset
        _add_conducted_pair(r, centre, south, north, level.y[0, j], level.y[1, j], ky[k, j], ky[k, j + 1])
        _add_conducted_ghosts(r, centre, j, level.y, level.y_ghosts, ky[k, j], ky[k, j + 1])
        if level.three:
            _add_conducted_pair(r, centre, below, above, level.z[0, k], level.z[1, k], kz[k, j], kz[k + 1, j])
            _add_conducted_ghosts(r, centre, k, level.z, level.z_ghosts, kz[k, j], kz[k + 1, j])
    inner, west, east = centre[1:-1], centre[:-2], centre[2:]
    if faces is None:
        _add_inner_x(r[1:-1], inner, west, east, level.x[0, 1:-1], level.x[1, 1:-1])
    else:
        kx = faces[0][k, j]
        _add_conducted_inner_x(r[1:-1], inner, west, east, level.x[0, 1:-1], level.x[1, 1:-1], kx[1:-2], kx[2:-1])
    for x in range(0, nx, max(1, nx - 1)):  # the two ends
        g = level.x_ghosts
        low = level.x[0, x] * (g[0, x] * centre[level.x_neighbours[0, x]] + g[1, x] - centre[x])
        high = level.x[1, x] * (g[2, x] * centre[level.x_neighbours[1, x]] + g[3, x] - centre[x])
        if faces is None:
            r[x] += low + high
        else:
            r[x] += faces[0][k, j, x] * low + faces[0][k, j, x + 1] * high
    if level.absorption != 0:
        _add_scaled(r, centre, -level.absorption)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_products(d, a, k_a, b, k_b):
    for x in range(len(d)):
        d[x] += a * k_a[x] + b * k_b[x]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _divide(omega, d):
    for x in range(len(d)):
        d[x] = omega / d[x]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _gain_row(gain, omega, k, j, level, faces):
    """gain[:nx] = omega / diagonal of the row (k, j).

    gain: (nx + 1,); the last remembers what y and z add to the diagonal, for most rows are alike where k is constant.
    """
    p, nx = level.diagonal, len(gain) - 1
    lower, upper, d = level.x[p], level.x[p + 1], gain[:nx]
    if faces is None:
        base = level.y[p, j] + level.y[p + 1, j] + level.absorption
        if level.three:
            base += level.z[p, k] + level.z[p + 1, k]
        if gain[nx] == base:
            return
        gain[nx] = base
        for x in range(nx):
            d[x] = base + (lower[x] + upper[x])
    else:
        west, east = faces[0][k, j, :-1], faces[0][k, j, 1:]
        for x in range(nx):
            d[x] = level.absorption + (lower[x] * west[x] + upper[x] * east[x])
        _add_products(d, level.y[p, j], faces[1][k, j], level.y[p + 1, j], faces[1][k, j + 1])
        if level.three:
            _add_products(d, level.z[p, k], faces[2][k, j], level.z[p + 1, k], faces[2][k + 1, j])
    _divide(omega, d)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _relaxed_row(new, gain, centre):
    """new: the residual at first, then what the row becomes."""
    for x in range(len(new)):
        new[x] = centre[x] + gain[x] * new[x]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _scratch(row):
    """What relaxing rows like this one needs: a new row, and gains of no row yet."""
    gain = np.empty(len(row) + 1, row.dtype)
    gain[-1] = -1
    return np.empty_like(row), gain


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _relax_row(u, source, offset, omega, level, faces, k, j, colour, cells, scratch):
    """One colour of the cells x0 to x1 of the row (k, j), in place."""
    (x0, x1), (new, gain) = cells, scratch
    _residual_row(new, u, source, offset, k, j, level, faces)
    _gain_row(gain, omega, k, j, level, faces)
    row = u[k, j]
    _relaxed_row(new, gain, row)
    for x in range(x0 + ((colour + x0 + j + k) & 1), x1, 2):
        row[x] = new[x]


@nb.njit(cache=True, nogil=True, parallel=True, error_model="numpy")
def jacobi(u, source, offset, omega, level, faces, out, chunks):
    """out = u + omega r / diagonal, r = source − offset + div(k grad u). Bytes of a cell: u and source read, out
    written, 12 in float32; three conductivities more where they vary.
    """
    nz, ny = u.shape[:2]
    for chunk in nb.prange(chunks):
        _, gain = _scratch(u[0, 0])
        for row in range(chunk * nz * ny // chunks, (chunk + 1) * nz * ny // chunks):
            k, j = row // ny, row % ny
            _residual_row(out[k, j], u, source, offset, k, j, level, faces)
            _gain_row(gain, omega, k, j, level, faces)
            _relaxed_row(out[k, j], gain, u[k, j])


@nb.njit(cache=True, nogil=True, parallel=True, error_model="numpy")
def sweep(u, source, offset, omega, level, faces, chunks):
    """Red, then black, u += omega r / diagonal, in ``chunks`` runs of rows. No axis may be periodic with an odd number
    of cells.

    Within a chunk black follows red at the distance of one layer. Its first and last layer touch other chunks, whose
    red cells read their black ones: these wait until all red cells are done. Bytes of a cell: u and source read, u
    written.
    """
    nz, ny, nx = u.shape
    layer = ny if nz > 1 else 1
    cells, black = (np.int64(0), nx), np.int64(1)  # literals would compile _relax_row anew for each
    for chunk in nb.prange(chunks):
        first, end = chunk * nz * ny // chunks, (chunk + 1) * nz * ny // chunks
        scratch = _scratch(u[0, 0])
        for row in range(first, end):
            for colour in range(2):  # one call: the compiler writes out each one whole
                at = row - colour * layer
                if colour == 0 or at >= first + layer:
                    _relax_row(u, source, offset, omega, level, faces, at // ny, at % ny, colour, cells, scratch)
    for chunk in nb.prange(chunks):
        first, end = chunk * nz * ny // chunks, (chunk + 1) * nz * ny // chunks
        scratch = _scratch(u[0, 0])
        for row in range(first, end):
            if row < first + layer or row >= end - layer:
                _relax_row(u, source, offset, omega, level, faces, row // ny, row % ny, black, cells, scratch)


@nb.njit(cache=True, nogil=True, parallel=True, error_model="numpy")
def relax_box(u, source, offset, omega, level, faces, colour, box):
    """One colour of a box: cells x0 to x1, y0 to y1, z0 to z1 (exclusive). Bytes as of ``sweep``."""
    x0, x1, y0, y1, z0, z1 = box
    ny = y1 - y0
    for row in nb.prange((z1 - z0) * ny):
        scratch = _scratch(u[0, 0])
        k, j = z0 + row // ny, y0 + row % ny
        _relax_row(u, source, offset, omega, level, faces, k, j, colour, (x0, x1), scratch)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_pairs(out, row, shares, weight):
    """out[i] += weight (shares[2i] row[2i] + shares[2i+1] row[2i+1])"""
    for x in range(len(out)):
        out[x] += weight * (shares[2 * x] * row[2 * x] + shares[2 * x + 1] * row[2 * x + 1])


@nb.njit(cache=True, nogil=True, parallel=True, error_model="numpy")
def restrict(u, source, offset, level, faces, passage, error, residual):
    """residual (coarse) = mean of the fine one over each coarse cell; error (coarse) = 0. Bytes of a fine cell: u and
    source read; of a coarse one: both written.
    """
    nz, ny, nx = u.shape
    mz, my = residual.shape[:2]
    for row in nb.prange(mz * my):
        kc, jc = row // my, row % my
        fine = np.zeros(nx + 1, u.dtype)  # an odd last cell has a partner of zero
        out = residual[kc, jc]
        error[kc, jc, :] = 0
        out[:] = 0
        for k in range(passage.z_step * kc, min(passage.z_step * (kc + 1), nz)):
            for j in range(passage.y_step * jc, min(passage.y_step * (jc + 1), ny)):
                _residual_row(fine[:nx], u, source, offset, k, j, level, faces)
                weight = passage.z_shares[k] * passage.y_shares[j]
                if passage.x_step == 2:
                    _add_pairs(out, fine, passage.x_shares, weight)
                else:
                    for x in range(nx):
                        out[x] += weight * fine[x]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_scaled(out, row, weight):
    for x in range(len(out)):
        out[x] += weight * row[x]


@nb.njit(cache=True, nogil=True, parallel=True, error_model="numpy")
def prolong(error, passage, u):
    """u += the coarse error, interpolated linearly. Bytes of a fine cell: u read and written."""
    nz, ny, nx = u.shape
    for row in nb.prange(nz * ny):
        k, j = row // ny, row % ny
        between = np.zeros(error.shape[2], u.dtype)
        for a in range(2):
            for b in range(2):
                weight = passage.z_weights[a, k] * passage.y_weights[b, j]
                if weight != 0:
                    _add_scaled(between, error[passage.z_parents[a, k], passage.y_parents[b, j]], weight)
        own, other, weights, fine = passage.x_parents[0], passage.x_parents[1], passage.x_weights, u[k, j]
        for x in range(nx):
            fine[x] += weights[0, x] * between[own[x]] + weights[1, x] * between[other[x]]


@nb.njit(cache=True, nogil=True, parallel=True, error_model="numpy")
def squares(u, source, offset, level, faces, sums):
    """sums: (nz ny,) float64, of the residual's squares in each row. Bytes of a cell: u and source read."""
    nz, ny, nx = u.shape
    for row in nb.prange(nz * ny):
        r = np.empty(nx, u.dtype)
        _residual_row(r, u, source, offset, row // ny, row % ny, level, faces)
        total = 0.0
        for x in range(nx):
            total += np.float64(r[x]) * np.float64(r[x])
        sums[row] = total


@nb.njit(cache=True, nogil=True, parallel=True, error_model="numpy")
def row_sums(values, sums):
    """sums: (nz ny,) float64 of values: (nz, ny, nx), which are read once."""
    nz, ny, nx = values.shape
    for row in nb.prange(nz * ny):
        total = 0.0
        for x in range(nx):
            total += values[row // ny, row % ny, x]
        sums[row] = total


@nb.njit(cache=True, nogil=True, parallel=True, error_model="numpy")
def subtract(values, amount):
    """values −= amount, in place; values: (nz, ny, nx), read and written once."""
    nz, ny, nx = values.shape
    for row in nb.prange(nz * ny):
        for x in range(nx):
            values[row // ny, row % ny, x] -= amount
