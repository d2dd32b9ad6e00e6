"""The Numba kernel of explicit diffusion: one pass over the grid takes ``depth`` steps (README.md).

Single and fused steps, planes and boxes, constant and per-cell conductivity go through the same row update, so a fused
pass equals single steps bit for bit: the same operations in the same order, without contraction to FMA, in vector
and scalar code alike.

A grid of two dimensions (ny, nx) is one of three with a middle axis of one cell that does not take part: (ny, 1, nx).

Rows are addressed by pointers: arrays that stand for one another cost an atomic count each time, some 100 ns a row,
and an index that might be negative keeps a loop from becoming SIMD. Who passes the array keeps it alive.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,attr-defined"

from __future__ import annotations

import numba as nb
import numpy as np
from numba.core import types
from numba.extending import intrinsic


@intrinsic
def _pointer(context, array):
    """To the first value of a C-ordered array."""

    def generate(context, builder, signature, arguments):
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), generate


@intrinsic
def _at(context, pointer, index):
    """The pointer to ``pointer[index]``."""

    def generate(context, builder, signature, arguments):
        return builder.gep(arguments[0], [arguments[1]])

    return pointer(pointer, types.int64), generate


# The updates of one cell c: neighbours west, east (x), south, north (y), below, above (z), conductivities k of the
# faces towards them, n: (rate x, rate y, rate z, dt, 2, 4, 6) in the precision of the grid.


@nb.njit(forceinline=True)
def _equal_2(c, w, e, b, a, n):
    return c + n[0] * (((w + e) + (b + a)) - n[5] * c)


@nb.njit(forceinline=True)
def _any_2(c, w, e, b, a, n):
    return (c + n[0] * ((w + e) - n[4] * c)) + n[2] * ((b + a) - n[4] * c)


@nb.njit(forceinline=True)
def _equal_3(c, w, e, s, t, b, a, n):
    return c + n[0] * ((((w + e) + (s + t)) + (b + a)) - n[6] * c)


@nb.njit(forceinline=True)
def _any_3(c, w, e, s, t, b, a, n):
    flat = (c + n[0] * ((w + e) - n[4] * c)) + n[1] * ((s + t) - n[4] * c)
    return flat + n[2] * ((b + a) - n[4] * c)


@nb.njit(forceinline=True)
def _flux_2(c, w, e, b, a, kw, ke, kb, ka, n):
    return (c + n[0] * (ke * (e - c) - kw * (c - w))) + n[2] * (ka * (a - c) - kb * (c - b))


@nb.njit(forceinline=True)
def _flux_3(c, w, e, s, t, b, a, kw, ke, ks, kt, kb, ka, n):
    flat = (c + n[0] * (ke * (e - c) - kw * (c - w))) + n[1] * (kt * (t - c) - ks * (c - s))
    return flat + n[2] * (ka * (a - c) - kb * (c - b))


@nb.njit(forceinline=True)
def _cell(i, w, e, row, south, north, below, above, flat, equal, n, x, ys, yn, zb, za):
    """One cell with given neighbours along x; x … za: the faces, or None five times."""
    c = row[i]
    if x is None:
        if flat and equal:
            return _equal_2(c, w, e, below[i], above[i], n)
        if flat:
            return _any_2(c, w, e, below[i], above[i], n)
        if equal:
            return _equal_3(c, w, e, south[i], north[i], below[i], above[i], n)
        return _any_3(c, w, e, south[i], north[i], below[i], above[i], n)
    else:
        if flat:
            return _flux_2(c, w, e, below[i], above[i], x[i], x[i + 1], zb[i], za[i], n)
        return _flux_3(
            c, w, e, south[i], north[i], below[i], above[i], x[i], x[i + 1], ys[i], yn[i], zb[i], za[i], n
        )  # fmt: skip


@nb.njit
def _update_row(target, count, west, east, row, south, north, below, above, flat, equal, n, x, ys, yn, zb, za):
    """``count`` cells of one row; ``west`` and ``east`` are the neighbours of the first and the last along x."""
    first = _cell(
        0, west, row[1] if count > 1 else east, row, south, north, below, above, flat, equal, n, x, ys, yn, zb, za
    )  # fmt: skip
    if count > 1:
        i = count - 1
        target[i] = _cell(i, row[i - 1], east, row, south, north, below, above, flat, equal, n, x, ys, yn, zb, za)
    target[0] = first
    if x is None:
        if flat and equal:
            for i in range(1, count - 1):
                target[i] = _equal_2(row[i], row[i - 1], row[i + 1], below[i], above[i], n)
        elif flat:
            for i in range(1, count - 1):
                target[i] = _any_2(row[i], row[i - 1], row[i + 1], below[i], above[i], n)
        elif equal:
            for i in range(1, count - 1):
                target[i] = _equal_3(row[i], row[i - 1], row[i + 1], south[i], north[i], below[i], above[i], n)
        else:
            for i in range(1, count - 1):
                target[i] = _any_3(row[i], row[i - 1], row[i + 1], south[i], north[i], below[i], above[i], n)
    else:
        if flat:
            for i in range(1, count - 1):
                target[i] = _flux_2(
                    row[i], row[i - 1], row[i + 1], below[i], above[i], x[i], x[i + 1], zb[i], za[i], n
                )  # fmt: skip
        else:
            for i in range(1, count - 1):
                target[i] = _flux_3(
                    row[i], row[i - 1], row[i + 1], south[i], north[i], below[i], above[i],
                    x[i], x[i + 1], ys[i], yn[i], zb[i], za[i], n,
                )  # fmt: skip


@nb.njit(forceinline=True)
def _ghosts(target, row, count, law):
    """The row of ghosts beyond a side that is not periodic."""
    for i in range(count):
        target[i] = law[0] * row[i] + law[1]
    return target


@nb.njit
def _heat(target, count, rate, dt):
    for i in range(count):
        target[i] += dt * rate[i]


@nb.njit(forceinline=True)
def _wrapped(index, count):
    return index if 0 <= index < count else index % count


@nb.njit
def _tile(u, out, source, heated, faces, ring, shape, wraps, laws, n, flat, equal, depth, first, last):
    """``depth`` steps of the cells from ``first`` to ``last`` (z, y, x; exclusive), streamed over z.

    Level k holds the values after k steps and is computed one plane behind level k - 1, on a tile wider by
    depth - k cells at each side; levels 1 … depth - 1 keep three planes each in ``ring``, level ``depth`` is ``out``.
    wraps: whether x, y, z are periodic; laws: (scale, shift) of the ghosts at the low and high side of x, y, z.
    """
    nz, ny, nx = shape
    z0, y0, x0 = first
    z1, y1, x1 = last
    halo = 0 if flat else depth
    width = x1 - x0 + 2 * depth
    plane = (y1 - y0 + 2 * halo) * width
    rest = _at(ring, (depth - 1) * 3 * plane)  # rows: ghosts of four sides
    for front in range(z0 - depth + 1, z1 + depth - 1):
        for k in range(1, depth + 1):
            z = front - (k - 1)
            reach = depth - k
            if z < z0 - reach or z >= z1 + reach or (not wraps[2] and (z < 0 or z >= nz)):
                continue
            zc, zb, za = _wrapped(z, nz), _wrapped(z - 1, nz), _wrapped(z + 1, nz)
            slot = (z - z0 + depth) % 3
            to_below = plane * (2 if slot == 0 else -1)
            to_above = plane * (-2 if slot == 2 else 1)
            level = ((k - 2) * 3 + slot) * plane
            ya, yb = 0, 1
            if not flat:
                ya, yb = y0 - reach, y1 + reach
                if not wraps[1]:
                    ya, yb = max(ya, 0), min(yb, ny)
            xa, xb = x0 - reach, x1 + reach
            if not wraps[0]:
                xa, xb = max(xa, 0), min(xb, nx)
            for y in range(ya, yb):
                yc, ys, yn = _wrapped(y, ny), _wrapped(y - 1, ny), _wrapped(y + 1, ny)
                start = (zc * ny + yc) * nx
                local = level + (y - y0 + halo) * width - x0 + depth
                begin = xa
                while begin < xb:  # a tile that reaches beyond a periodic side comes in parts
                    turns = 0 if 0 <= begin < nx else begin // nx * nx
                    end = min(xb, turns + nx)
                    count = end - begin
                    x = begin - turns
                    if k == 1:
                        row = _at(u, start + x)
                        south, north = _at(u, (zc * ny + ys) * nx + x), _at(u, (zc * ny + yn) * nx + x)
                        below, above = _at(u, (zb * ny + yc) * nx + x), _at(u, (za * ny + yc) * nx + x)
                        west = u[start + (x - 1 if x > 0 else nx - 1)]
                        east = u[start + (x + count if x + count < nx else 0)]
                    else:
                        row = _at(ring, local + begin)
                        south, north = _at(row, -width), _at(row, width)
                        below, above = _at(row, to_below), _at(row, to_above)
                        west, east = row[-1], row[count]
                    if not wraps[0]:
                        if x == 0:
                            west = laws[0][0][0] * row[0] + laws[0][0][1]
                        if x + count == nx:
                            east = laws[0][1][0] * row[count - 1] + laws[0][1][1]
                    if not flat and not wraps[1]:
                        if y == 0:
                            south = _ghosts(rest, row, count, laws[1][0])
                        if y == ny - 1:
                            north = _ghosts(_at(rest, width), row, count, laws[1][1])
                    if not wraps[2]:
                        if z == 0:
                            below = _ghosts(_at(rest, 2 * width), row, count, laws[2][0])
                        if z == nz - 1:
                            above = _ghosts(_at(rest, 3 * width), row, count, laws[2][1])
                    target = _at(ring, local + 3 * plane + begin) if k < depth else _at(out, start + x)
                    if faces is None:
                        _update_row(
                            target, count, west, east, row, south, north, below, above, flat, equal, n,
                            None, None, None, None, None,
                        )  # fmt: skip
                    else:
                        _update_row(
                            target, count, west, east, row, south, north, below, above, flat, equal, n,
                            _at(faces[0], start + zc * ny + yc + x),
                            _at(faces[1], start + zc * nx + x), _at(faces[1], start + (zc + 1) * nx + x),
                            _at(faces[2], start + x), _at(faces[2], start + ny * nx + x),
                        )  # fmt: skip
                    if heated:
                        _heat(target, count, _at(source, start + x), n[3])
                    begin = end


@nb.njit
def _run_tile(u, out, source, faces, ring, shape, numbers, wraps, flat, equal, depth, first, last):
    """``_tile`` with the arrays kept alive here, and the numbers in registers."""
    v = numbers
    n = (v[0], v[1], v[2], v[3], v[4], v[5], v[6])
    laws = (
        ((v[7], v[8]), (v[9], v[10])),
        ((v[11], v[12]), (v[13], v[14])),
        ((v[15], v[16]), (v[17], v[18])),
    )
    periodic = (wraps[0], wraps[1], wraps[2])
    heated = len(source) > 0
    if faces is None:
        _tile(
            _pointer(u), _pointer(out), _pointer(source), heated, None, _pointer(ring),
            shape, periodic, laws, n, flat, equal, depth, first, last,
        )  # fmt: skip
    else:
        pointers = (_pointer(faces[0]), _pointer(faces[1]), _pointer(faces[2]))
        _tile(
            _pointer(u), _pointer(out), _pointer(source), heated, pointers, _pointer(ring),
            shape, periodic, laws, n, flat, equal, depth, first, last,
        )  # fmt: skip


@nb.njit(cache=True, nogil=True, parallel=True)
def advance(u, out, source, faces, shape, numbers, wraps, flat, equal, depth, tile_y, tile_x, bands):
    """``out``: ``u`` after ``depth`` steps, all flat in C order of ``shape`` (nz, ny, nx).

    source: rate of change per cell, or of none; faces: None or the coefficients of the faces along x, y and z, flat
    (nz, ny, nx + 1), (nz, ny + 1, nx), (nz + 1, ny, nx);
    numbers: rate x, rate y, rate z, dt, 2, 4, 6, then scale and shift of the ghosts at x low, x high, y low …;
    wraps: (3,) whether x, y, z are periodic; flat: two dimensions; equal: whether all rates are the same;
    bands: parts along z, each of one thread; tiles of ``tile_y`` by ``tile_x`` cells within.
    """
    nz, ny, nx = shape
    width = min(tile_x, nx) + 2 * depth
    size = ((depth - 1) * 3 * (1 if flat else min(tile_y, ny) + 2 * depth) + 4) * width
    for band in nb.prange(bands):
        ring = np.empty(size, u.dtype)
        z0, z1 = band * nz // bands, (band + 1) * nz // bands
        for y0 in range(0, ny, tile_y):
            for x0 in range(0, nx, tile_x):
                _run_tile(
                    u, out, source, faces, ring, (nz, ny, nx), numbers, wraps, flat, equal, depth,
                    (z0, y0, x0), (z1, min(y0 + tile_y, ny), min(x0 + tile_x, nx)),
                )  # fmt: skip
