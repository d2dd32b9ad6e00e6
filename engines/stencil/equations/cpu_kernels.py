"""The Numba kernel of a pass over the grid: rows with their ghosts in a buffer of each thread, then whole SIMD vectors.

:func:`sweep`, which fills the buffers, is compiled once for all equations. What is of one pass works out a row, and is
called by its address. Its graph is written as instructions by one intrinsic, :func:`cells`, which finds it by its
key, a digest of the pass and of the code that writes it; the row's function closes over that, so that the cache on
disk knows which machine code is whose.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import cfunc, from_dtype, njit, prange, types
from numba.extending import intrinsic as numba_intrinsic

from engines.backend import vector_math
from engines.backend.vector_math import Lanes, lanes
from engines.formulas.emit_numba import digest, instructions
from engines.formulas.graph import ordered
from engines.stencil.equations.passes import BANKS, Pass
from engines.stencil.equations.spatial import INDICES, cell_of

_passes: dict[int, tuple[Pass, tuple[str, ...]]] = {}
intrinsic: Any = numba_intrinsic


@intrinsic(prefer_literal=True)
def cells(
    typingctx: Any, key: Any, rows: Any, turn: Any, x: Any, beside: Any, place: Any, stride: Any, numbers: Any, at: Any
) -> Any:
    """Work a pass out for one vector of cells from column x on.

    key: a constant; rows: (9 · names, row with ghosts), see :func:`slot`; turn: three places of the rows y − 1, y, y
    + 1; beside: (base, second, third, out), flat; place: of the first cell in them; stride: from field to field;
    numbers: (numbers,); at: (y, z)
    """
    if not isinstance(key, types.IntegerLiteral):
        return None
    one, fields = _passes[key.literal_value]
    vector = Lanes(rows.dtype, vector_math._lane_count(rows.dtype))

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        writer = _Writer(context, builder, sig, args, vector)
        symbols = {name: writer.symbol(name, one, fields) for name in _names(one)}
        for row, value in zip(one.into, instructions(context, builder, one.roots, symbols, vector), strict=True):
            vector_math._vector_store(builder, writer.beside(3, row), value, vector)
        return context.get_dummy_value()

    return types.void(key, rows, turn, types.intp, beside, types.intp, types.intp, numbers, at), codegen


def _names(one: Pass) -> list[str]:
    return list(dict.fromkeys(str(node.value) for node in ordered(one.roots) if node.op == "symbol"))


class _Writer:
    """Loads of symbols, as instructions."""

    def __init__(self, context: Any, builder: ir.IRBuilder, sig: Any, args: Any, vector: Lanes) -> None:
        self._context, self._builder, self._sig, self._args, self._vector = context, builder, sig, args, vector

    def symbol(self, name: str, one: Pass, fields: Sequence[str]) -> ir.Value:
        cell, (bank, _, field) = cell_of(name), name.partition("@")
        if cell is not None:
            return self._load(self._row(one.names.index(cell[0]), *cell[1]))
        if bank in BANKS:
            return self._load(self.beside(BANKS.index(bank), fields.index(field)))
        if name in INDICES:
            return self._index(INDICES.index(name))
        return self._number(int(name[1:]))

    def _load(self, pointer: ir.Value) -> ir.Value:
        return vector_math._vector_load(self._builder, pointer, self._vector)

    def _constant(self, value: int) -> ir.Value:
        return self._context.get_constant(types.intp, value)

    def _row(self, name: int, dx: int, dy: int, dz: int) -> ir.Value:
        """Where the vector beside the cells stands; the first cell is behind a ghost."""
        builder, args = self._builder, self._args
        turn = builder.extract_value(args[2], dy + 1)
        slot = builder.add(self._constant(9 * name + 3 * (dz + 1)), turn)
        column = builder.add(args[3], self._constant(1 + dx))
        return vector_math._pointer(self._context, builder, self._sig.args[1], args[1], slot, column)

    def beside(self, bank: int, row: int) -> ir.Value:
        builder, args = self._builder, self._args
        array = builder.extract_value(args[4], bank)
        place = builder.add(args[5], builder.mul(args[6], self._constant(row)))
        return vector_math._pointer(self._context, builder, self._sig.args[4].types[bank], array, None, place)

    def _number(self, place: int) -> ir.Value:
        at = self._constant(place)
        pointer = vector_math._pointer(self._context, self._builder, self._sig.args[7], self._args[7], None, at)
        return vector_math._splat(self._builder, self._builder.load(pointer), self._vector.count)

    def _index(self, axis: int) -> ir.Value:
        builder, count = self._builder, self._vector.count
        real = vector_math._LLVM[self._vector.element]
        whole = self._args[3] if axis == 0 else builder.extract_value(self._args[8], axis - 1)
        value = vector_math._splat(builder, builder.sitofp(whole, real), count)
        if axis:
            return value
        ramp = ir.Constant(ir.VectorType(real, count), [float(lane) for lane in range(count)])
        return builder.fadd(value, ramp)


@njit(nogil=True)
def fill(target, values, z, y, law, wraps):
    """target = the row y of the plane z of values (nz, ny, nx) between its ghosts; y and z may be one beyond the sides.
    law: (3, 2, 2) scale and shift of ghosts; wraps: (3,)"""
    nz, ny, nx = values.shape
    inner_z = z if 0 <= z < nz else ((z + nz) % nz if wraps[2] else min(max(z, 0), nz - 1))
    inner_y = y if 0 <= y < ny else ((y + ny) % ny if wraps[1] else min(max(y, 0), ny - 1))
    row = values[inner_z, inner_y]
    for i in range(nx):
        target[i + 1] = row[i]
    target[0] = row[nx - 1] if wraps[0] else law[0, 0, 0] * row[0] + law[0, 0, 1]
    target[nx + 1] = row[0] if wraps[0] else law[0, 1, 0] * row[nx - 1] + law[0, 1, 1]
    if y != inner_y and not wraps[1]:
        side = 0 if y < 0 else 1
        for i in range(nx + 2):
            target[i] = law[1, side, 0] * target[i] + law[1, side, 1]
    if z != inner_z and not wraps[2]:
        side = 0 if z < 0 else 1
        for i in range(nx + 2):
            target[i] = law[2, side, 0] * target[i] + law[2, side, 1]


@njit(nogil=True)
def fill_ahead(rows, values, first, z, y, fresh, reach, laws, wraps):
    """Rows that the row y needs and the one before it did not; all where it is ``fresh``. first: number of values[0]"""
    for field in range(values.shape[0]):
        name = first + field
        for plane in range(3):
            low, high = reach[name, plane]
            for row in range(low if fresh else high, high + 1):
                slot = 9 * name + 3 * plane + (y + row + 3) % 3
                fill(rows[slot], values[field], z + plane - 1, y + row, laws[name], wraps[name])


@njit(nogil=True)
def take_rest(ends, beside, fields, place, cells_each, width, count):
    """ends = the ``count`` cells at the end of a row, of each field."""
    for bank in range(3):
        for field in range(fields):
            for i in range(count):
                ends[bank][field * width + i] = beside[bank][field * cells_each + place + i]


@njit(nogil=True)
def give_rest(ends, out, into, place, cells_each, width, count):
    """What was worked out of them goes where it belongs."""
    for row in into:
        for i in range(count):
            out[row * cells_each + place + i] = ends[3][row * width + i]


@njit(nogil=True)
def band(row_of, fields, stored, beside, into, laws, wraps, reach, numbers, width, part, bands):
    """One of ``bands`` parts of all rows of all planes, counted through."""
    nz, ny, nx = fields.shape[1:]
    cells_each, whole = nz * ny * nx, nx - nx % width
    rows = np.zeros((9 * len(reach), nx + 2 + width), fields.dtype)
    rest = np.zeros((4, max(len(fields), into.max() + 1) * width), fields.dtype)
    ends = (rest[0], rest[1], rest[2], rest[3])
    first, last = part * nz * ny // bands, (part + 1) * nz * ny // bands
    for index in range(first, last):
        z, y = index // ny, index % ny
        fresh = index == first or y == 0
        fill_ahead(rows, fields, 0, z, y, fresh, reach, laws, wraps)
        if len(reach) > len(fields):
            fill_ahead(rows, stored, len(fields), z, y, fresh, reach, laws, wraps)
        turn, place = ((y + 2) % 3, y % 3, (y + 1) % 3), index * nx
        row_of(rows, turn, beside, numbers, (0, whole, place, cells_each), (y, z))
        if whole < nx:
            take_rest(ends, beside, len(fields), place + whole, cells_each, width, nx - whole)
            row_of(rows, turn, ends, numbers, (whole, nx, 0, width), (y, z))
            give_rest(ends, beside[3], into, place + whole, cells_each, width, nx - whole)


@njit(parallel=True, nogil=True, cache=True)
def sweep(row_of, fields, stored, beside, into, laws, wraps, reach, numbers, width, bands):
    """One pass over a grid. row_of: :func:`row_function`; fields, stored: (n, nz, ny, nx) that are read with
    neighbours; beside: (base, second, third, out), flat, of the cell itself, the last one written in the rows
    ``into``; laws: (names, 3, 2, 2) scale and shift of ghosts of x, y, z; wraps: (names, 3); reach: as
    ``cpu.reach_of``; numbers: what is the same in all cells; width: lanes of a vector; bands: parts, each of one
    thread. Bytes: each array that is read, once, and each that is written (``explicit.traffic``)."""
    for part in prange(bands):
        band(row_of, fields, stored, beside, into, laws, wraps, reach, numbers, width, part, bands)


def row_function(one: Pass, fields: tuple[str, ...], dtype: Any) -> Any:
    """``row(rows, turn, beside, numbers, (first column, end, place of the first, stride), (y, z))`` of a pass, a
    vector at a time; compiled now, or found in Numba's cache."""
    key = digest(one.roots, one.names, one.into, fields, Path(__file__))
    _passes[key] = one, fields
    return _compiled(key, from_dtype(dtype))


def _compiled(sources: int, real: Any) -> Any:
    flat, whole = types.Array(real, 1, "C"), types.intp
    kinds = types.Array(real, 2, "C"), types.UniTuple(whole, 3), types.UniTuple(flat, 4), flat

    @cfunc(types.void(*kinds, types.UniTuple(whole, 4), types.UniTuple(whole, 2)), cache=True)
    def row(rows, turn, beside, numbers, span, at):
        for x in range(span[0], span[1], lanes(rows[0])):
            cells(sources, rows, turn, x, beside, span[2] + x - span[0], span[3], numbers, at)

    return row
