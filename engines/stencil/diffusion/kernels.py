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

from typing import Any, NamedTuple

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


class Scheme(NamedTuple):
    """What holds in the whole grid.

    numbers: (19,) rate x, rate y, rate z, dt, 2, 4, 6, then scale and shift of the ghosts at x low, x high, y low …, in
             the precision of the grid
    wraps:   (3,) whether x, y, z are periodic
    flat:    two dimensions
    equal:   whether all rates are the same
    """

    numbers: Any
    wraps: Any
    flat: Any
    equal: Any


class Numbers(NamedTuple):
    """What the update of a cell is made with, in the precision of the grid: constants of another would widen it."""

    rate_x: Any
    rate_y: Any
    rate_z: Any
    dt: Any
    two: Any
    four: Any
    six: Any
    flat: Any
    equal: Any


class Domain(NamedTuple):
    """The grid: cells along z, y, x; whether x, y, z are periodic; (scale, shift) of the ghosts at both sides."""

    shape: Any
    wraps: Any
    laws: Any


class Tile(NamedTuple):
    """``steps`` steps of the cells from ``first`` to ``last`` (z, y, x; exclusive)."""

    steps: Any
    first: Any
    last: Any


class Arrays(NamedTuple):
    """Pointers to the grid before and after, to the source (where ``heated``), and to room for the levels between."""

    u: Any
    out: Any
    source: Any
    heated: Any
    ring: Any


class Beside(NamedTuple):
    """Rows beside a row: south and north (y), below and above (z)."""

    south: Any
    north: Any
    below: Any
    above: Any


class RowFaces(NamedTuple):
    """Conductivities of a row's faces: along x (one more than cells), and towards the rows beside it."""

    x: Any
    south: Any
    north: Any
    below: Any
    above: Any


# The updates of one cell c: neighbours west, east (x), south, north (y), below, above (z), conductivities k of the
# faces towards them.


@nb.njit(forceinline=True)
def _equal_2(c, w, e, b, a, n):
    return c + n.rate_x * (((w + e) + (b + a)) - n.four * c)


@nb.njit(forceinline=True)
def _any_2(c, w, e, b, a, n):
    return (c + n.rate_x * ((w + e) - n.two * c)) + n.rate_z * ((b + a) - n.two * c)


@nb.njit(forceinline=True)
def _equal_3(c, w, e, s, t, b, a, n):
    return c + n.rate_x * ((((w + e) + (s + t)) + (b + a)) - n.six * c)


@nb.njit(forceinline=True)
def _any_3(c, w, e, s, t, b, a, n):
    flat = (c + n.rate_x * ((w + e) - n.two * c)) + n.rate_y * ((s + t) - n.two * c)
    return flat + n.rate_z * ((b + a) - n.two * c)


@nb.njit(forceinline=True)
def _flux_2(c, i, w, e, beside, k, n):
    along_x = k.x[i + 1] * (e - c) - k.x[i] * (c - w)
    return (c + n.rate_x * along_x) + n.rate_z * (
        k.above[i] * (beside.above[i] - c) - k.below[i] * (c - beside.below[i])
    )


@nb.njit(forceinline=True)
def _flux_3(c, i, w, e, beside, k, n):
    along_x = k.x[i + 1] * (e - c) - k.x[i] * (c - w)
    along_y = k.north[i] * (beside.north[i] - c) - k.south[i] * (c - beside.south[i])
    along_z = k.above[i] * (beside.above[i] - c) - k.below[i] * (c - beside.below[i])
    return ((c + n.rate_x * along_x) + n.rate_y * along_y) + n.rate_z * along_z


@nb.njit(forceinline=True)
def _cell(i, w, e, row, beside, faces, n):
    """One cell with given neighbours along x; faces: RowFaces, or None."""
    c = row[i]
    if faces is None:
        if n.flat and n.equal:
            return _equal_2(c, w, e, beside.below[i], beside.above[i], n)
        if n.flat:
            return _any_2(c, w, e, beside.below[i], beside.above[i], n)
        if n.equal:
            return _equal_3(c, w, e, beside.south[i], beside.north[i], beside.below[i], beside.above[i], n)
        return _any_3(c, w, e, beside.south[i], beside.north[i], beside.below[i], beside.above[i], n)
    else:
        if n.flat:
            return _flux_2(c, i, w, e, beside, faces, n)
        return _flux_3(c, i, w, e, beside, faces, n)


@nb.njit
def _update_row(target, count, west, east, row, beside, faces, n):
    """``count`` cells of one row; ``west`` and ``east`` are the neighbours of the first and the last along x."""
    south, north, below, above = beside.south, beside.north, beside.below, beside.above
    first = _cell(0, west, row[1] if count > 1 else east, row, beside, faces, n)
    if count > 1:
        i = count - 1
        target[i] = _cell(i, row[i - 1], east, row, beside, faces, n)
    target[0] = first
    if faces is None:
        if n.flat and n.equal:
            for i in range(1, count - 1):
                target[i] = _equal_2(row[i], row[i - 1], row[i + 1], below[i], above[i], n)
        elif n.flat:
            for i in range(1, count - 1):
                target[i] = _any_2(row[i], row[i - 1], row[i + 1], below[i], above[i], n)
        elif n.equal:
            for i in range(1, count - 1):
                target[i] = _equal_3(row[i], row[i - 1], row[i + 1], south[i], north[i], below[i], above[i], n)
        else:
            for i in range(1, count - 1):
                target[i] = _any_3(row[i], row[i - 1], row[i + 1], south[i], north[i], below[i], above[i], n)
    else:
        if n.flat:
            for i in range(1, count - 1):
                target[i] = _flux_2(row[i], i, row[i - 1], row[i + 1], beside, faces, n)
        else:
            for i in range(1, count - 1):
                target[i] = _flux_3(row[i], i, row[i - 1], row[i + 1], beside, faces, n)


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


@nb.njit(forceinline=True)
def _span(first, last, reach, wraps, count):
    """Cells from first to last and ``reach`` more at each side, of a grid of ``count`` that may end there."""
    low, high = first - reach, last + reach
    return (low, high) if wraps else (max(low, 0), min(high, count))


@nb.njit(forceinline=True)
def _with_ghosts(row, beside, rest, width, y, z, domain, n):
    """``beside`` with rows of ghosts, made in ``rest``, where the row lies at a side that is not periodic."""
    row_values, count = row
    (south, north, below, above), (nz, ny, _), laws = beside, domain.shape, domain.laws
    if not n.flat and not domain.wraps[1]:
        if y == 0:
            south = _ghosts(rest, row_values, count, laws[1][0])
        if y == ny - 1:
            north = _ghosts(_at(rest, width), row_values, count, laws[1][1])
    if not domain.wraps[2]:
        if z == 0:
            below = _ghosts(_at(rest, 2 * width), row_values, count, laws[2][0])
        if z == nz - 1:
            above = _ghosts(_at(rest, 3 * width), row_values, count, laws[2][1])
    return Beside(south, north, below, above)


@nb.njit
def _run_tile(arrays, faces, domain, n, tile):
    """A tile's steps, streamed over z; faces: pointers to those along x, y and z, or None.

    Level k holds the values after k steps and is computed one plane behind level k - 1, on a tile wider by
    ``steps - k`` cells at each side; levels 1 … steps - 1 keep three planes each in ``arrays.ring``, level ``steps`` is
    ``arrays.out``.
    """
    u, ring, wraps, laws = arrays.u, arrays.ring, domain.wraps, domain.laws
    nz, ny, nx = domain.shape
    depth, (z0, y0, x0), (z1, y1, x1) = tile.steps, tile.first, tile.last
    halo = 0 if n.flat else depth
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
            ya, yb = (0, 1) if n.flat else _span(y0, y1, reach, wraps[1], ny)
            xa, xb = _span(x0, x1, reach, wraps[0], nx)
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
                    beside = Beside(south, north, below, above)
                    beside = _with_ghosts((row, count), beside, rest, width, y, z, domain, n)
                    target = _at(ring, local + 3 * plane + begin) if k < depth else _at(arrays.out, start + x)
                    if faces is None:
                        _update_row(target, count, west, east, row, beside, None, n)
                    else:
                        along = RowFaces(
                            _at(faces[0], start + zc * ny + yc + x),
                            _at(faces[1], start + zc * nx + x), _at(faces[1], start + (zc + 1) * nx + x),
                            _at(faces[2], start + x), _at(faces[2], start + ny * nx + x),
                        )  # fmt: skip
                        _update_row(target, count, west, east, row, beside, along, n)
                    if arrays.heated:
                        _heat(target, count, _at(arrays.source, start + x), n.dt)
                    begin = end


@nb.njit
def _keep_and_run(u, out, source, faces, ring, shape, scheme, tile):
    """``_run_tile`` with the arrays kept alive here, and the numbers in registers."""
    v = scheme.numbers
    n = Numbers(v[0], v[1], v[2], v[3], v[4], v[5], v[6], scheme.flat, scheme.equal)
    laws = (
        ((v[7], v[8]), (v[9], v[10])),
        ((v[11], v[12]), (v[13], v[14])),
        ((v[15], v[16]), (v[17], v[18])),
    )
    domain = Domain(shape, (scheme.wraps[0], scheme.wraps[1], scheme.wraps[2]), laws)
    arrays = Arrays(_pointer(u), _pointer(out), _pointer(source), len(source) > 0, _pointer(ring))
    if faces is None:
        _run_tile(arrays, None, domain, n, tile)
    else:
        _run_tile(arrays, (_pointer(faces[0]), _pointer(faces[1]), _pointer(faces[2])), domain, n, tile)


@nb.njit(cache=True, nogil=True, parallel=True)
def advance(u, out, source, faces, shape, scheme, tile, bands):
    """``out``: ``u`` after some steps, all flat in C order of ``shape`` (nz, ny, nx).

    source: rate of change per cell, or of none; faces: None or the coefficients of the faces along x, y and z, flat
    (nz, ny, nx + 1), (nz, ny + 1, nx), (nz + 1, ny, nx); scheme: a Scheme;
    tile: steps, and cells of a tile along y and along x; bands: parts along z, each of one thread, that tiles lie in.
    """
    nz, ny, nx = shape
    depth, tile_y, tile_x = tile
    width = min(tile_x, nx) + 2 * depth
    size = ((depth - 1) * 3 * (1 if scheme.flat else min(tile_y, ny) + 2 * depth) + 4) * width
    for band in nb.prange(bands):
        ring = np.empty(size, u.dtype)
        z0, z1 = band * nz // bands, (band + 1) * nz // bands
        for y0 in range(0, ny, tile_y):
            for x0 in range(0, nx, tile_x):
                last = (z1, min(y0 + tile_y, ny), min(x0 + tile_x, nx))
                _keep_and_run(
                    u, out, source, faces, ring, (nz, ny, nx), scheme, Tile(depth, (z0, y0, x0), last)
                )  # fmt: skip
