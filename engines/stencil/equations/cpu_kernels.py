"""The Numba kernel of a pass over the grid: rows by whole SIMD vectors, from where they stand.

:func:`sweep`, which knows the sides, is compiled once for all equations. What is of one pass works out a part of a row
and is called by its address. Its graph is written as instructions by one intrinsic, :func:`cells`, which finds it by
its key, a digest of the pass and of the code that writes it; the row's function closes over that, so that the cache
on disk knows which machine code is whose.

Rows of neighbours are told by their addresses, a row beyond a side that is not periodic by that of a copy that a thread
makes. The first and the last vector of a row, which have ghosts beside them, are worked out in copies, too.
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
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic

from engines.backend import vector_math
from engines.backend.compile.digest import noticing
from engines.backend.vector_math import Lanes, lanes
from engines.formulas.emit_numba import digest, instructions
from engines.formulas.graph import ordered
from engines.formulas.noise import normals
from engines.formulas.noise.normals import Lane
from engines.stencil.equations.noise import drawn
from engines.stencil.equations.noise.drawn import cell_normals
from engines.stencil.equations.noise.terms import DRAWN
from engines.stencil.equations.passes import BANKS, Pass
from engines.stencil.equations.spatial import INDICES, cell_of

SOURCES = __file__, str(normals.__file__), str(drawn.__file__)
"""Of the code that writes a pass's instructions: a change makes them anew."""
_passes: dict[int, tuple[Pass, tuple[str, ...]]] = {}
intrinsic: Any = numba_intrinsic


@intrinsic(prefer_literal=True)
def cells(
    typingctx: Any, key: Any, rows: Any, beside: Any, numbers: Any, x: Any, place: Any, stride: Any, at: Any
) -> Any:
    """Work a pass out for one vector of cells from column x on.

    key: a constant; rows: (9 · names,) addresses, see :func:`address_rows`; beside: (base, second, third, out), flat;
    place: of the first cell in them; stride: from field to field; numbers: (numbers,); at: (y, z, step, seed)
    """
    if not isinstance(key, types.IntegerLiteral):
        return None
    one, fields = _passes[key.literal_value]
    vector = Lanes(numbers.dtype, vector_math._lane_count(numbers.dtype))

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        writer = _Writer(context, builder, sig, args, vector)
        symbols = {name: writer.symbol(name, one, fields) for name in _names(one)}
        for row, value in zip(one.into, instructions(context, builder, one.roots, symbols, vector), strict=True):
            vector_math._vector_store(builder, writer.beside(3, row), value, vector)
        return context.get_dummy_value()

    return types.void(key, rows, beside, numbers, types.intp, types.intp, types.intp, at), codegen


def _names(one: Pass) -> list[str]:
    return list(dict.fromkeys(str(node.value) for node in ordered(one.roots) if node.op == "symbol"))


class _Writer:
    """Loads of symbols, as instructions."""

    def __init__(self, context: Any, builder: ir.IRBuilder, sig: Any, args: Any, vector: Lanes) -> None:
        self._context, self._builder, self._sig, self._args, self._vector = context, builder, sig, args, vector
        self._drawn: dict[int, list[Lane]] = {}

    def symbol(self, name: str, one: Pass, fields: Sequence[str]) -> ir.Value:
        cell, (bank, _, field) = cell_of(name), name.partition("@")
        if cell is not None:
            return self._load(self._row(one.names.index(cell[0]), *cell[1]))
        if bank in BANKS:
            return self._load(self.beside(BANKS.index(bank), fields.index(field)))
        if name in INDICES:
            return self._index(INDICES.index(name))
        if name.startswith(DRAWN):
            return self._noise(int(name.removeprefix(DRAWN)))
        return self._number(int(name[1:]))

    def _load(self, pointer: ir.Value) -> ir.Value:
        return vector_math._vector_load(self._builder, pointer, self._vector)

    def _constant(self, value: int) -> ir.Value:
        return self._context.get_constant(types.intp, value)

    def _row(self, name: int, dx: int, dy: int, dz: int) -> ir.Value:
        """Where the vector beside the cells stands."""
        builder, args = self._builder, self._args
        slot = self._constant(9 * name + 3 * (dz + 1) + dy + 1)
        row = builder.load(vector_math._pointer(self._context, builder, self._sig.args[1], args[1], None, slot))
        pointer = builder.inttoptr(row, vector_math._LLVM[self._vector.element].as_pointer())
        return builder.gep(pointer, [builder.add(args[4], self._constant(dx))])

    def beside(self, bank: int, row: int) -> ir.Value:
        builder, args = self._builder, self._args
        array = builder.extract_value(args[2], bank)
        place = builder.add(args[5], builder.mul(args[6], self._constant(row)))
        return vector_math._pointer(self._context, builder, self._sig.args[2].types[bank], array, None, place)

    def _number(self, place: int) -> ir.Value:
        at = self._constant(place)
        pointer = vector_math._pointer(self._context, self._builder, self._sig.args[3], self._args[3], None, at)
        return vector_math._splat(self._builder, self._builder.load(pointer), self._vector.count)

    def _noise(self, which: int) -> ir.Value:
        """One of the four normal numbers of a group, which are drawn together."""
        builder, (group, place) = self._builder, divmod(which, 4)
        if group not in self._drawn:
            words = ir.VectorType(ir.IntType(64), self._vector.count)
            y, z, step, seed = (builder.extract_value(self._args[7], number) for number in range(4))
            ramp = ir.Constant(words, list(range(self._vector.count)))
            column = Lane(builder, builder.add(vector_math._splat(builder, self._args[4], ramp.type.count), ramp))
            row, layer, now, below = (
                Lane(builder, vector_math._splat(builder, each, ramp.type.count)) for each in (y, z, step, seed)
            )
            self._drawn[group] = cell_normals(column, row, layer, now, below, group, Lane)
        value = self._drawn[group][place].value
        wide = self._vector.element == types.float64
        return builder.fpext(value, ir.VectorType(ir.DoubleType(), self._vector.count)) if wide else value

    def _index(self, axis: int) -> ir.Value:
        builder, count = self._builder, self._vector.count
        real = vector_math._LLVM[self._vector.element]
        whole = self._args[4] if axis == 0 else builder.extract_value(self._args[7], axis - 1)
        value = vector_math._splat(builder, builder.sitofp(whole, real), count)
        if axis:
            return value
        ramp = ir.Constant(ir.VectorType(real, count), [float(lane) for lane in range(count)])
        return builder.fadd(value, ramp)


def row_signature(real: Any) -> Any:
    """Of a row's function: addresses of rows, (base, second, third, out), numbers, (first column, end, place of the
    first in the arrays of the cell itself, stride from field to field), (y, z, step, seed)."""
    flat, whole = types.Array(real, 1, "C"), types.intp
    kinds = types.Array(whole, 1, "C"), types.UniTuple(flat, 4), flat
    return types.void(*kinds, types.UniTuple(whole, 4), types.UniTuple(whole, 4))


def row_function(one: Pass, fields: tuple[str, ...], dtype: Any) -> Any:
    """The C function of a pass, of :func:`row_signature`; compiled now, or found in Numba's cache."""
    key = digest(one.roots, one.names, one.into, fields, *map(Path, SOURCES))
    _passes[key] = one, fields
    return _compiled(key, from_dtype(dtype))


def _compiled(sources: int, real: Any) -> Any:
    @cfunc(row_signature(real), cache=True)
    def row(rows, beside, numbers, span, at):
        for x in range(span[0], span[1], lanes(numbers)):
            cells(sources, rows, beside, numbers, x, span[2] + x - span[0], span[3], at)

    return row


@intrinsic
def function_at(typingctx: Any, address: Any, numbers: Any) -> Any:
    """The row's function at this address: to hand over the function itself takes Python longer than small grids."""
    kind = types.FunctionType(row_signature(numbers.dtype))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = cgutils.create_struct_proxy(kind)(context, builder)
        function.py_addr = function.jit_addr = context.get_constant_null(types.voidptr)
        function.c_addr = builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))
        return function._getvalue()

    return kind(types.intp, numbers), generate


@intrinsic
def address_of(typingctx: Any, array: Any) -> Any:
    """Of the first value of a C-ordered array, which lives on while it is used."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.ptrtoint(data, context.get_value_type(types.intp))

    return types.intp(array), generate


@intrinsic
def copy_vector(typingctx: Any, to: Any, source: Any, like: Any) -> Any:
    """A vector of the type of the array ``like`` from one address to another."""
    vector = Lanes(like.dtype, vector_math._lane_count(like.dtype))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = vector_math._LLVM[vector.element].as_pointer()
        value = vector_math._vector_load(builder, builder.inttoptr(arguments[1], kind), vector)
        vector_math._vector_store(builder, builder.inttoptr(arguments[0], kind), value, vector)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, like), generate


@njit(nogil=True)
def within(place, count, wraps):
    """Where a row or plane that may be one beyond the sides is found: at the other end, or the nearest one."""
    if place < 0:
        return count - 1 if wraps else 0
    if place >= count:
        return 0 if wraps else count - 1
    return place


@njit(nogil=True)
def beyond(copies, slot, first, nx, wraps, laws, along, each):
    """The row copies[slot], whose columns from ``first`` on are those of a row of ``nx`` beside a side, becomes that of
    ghosts beyond it. along: of ``laws`` that of the first cell of the row; each: how far behind are those of others"""
    count = copies.shape[1]
    if each == 0:
        scale, shift = laws[along, 0], laws[along, 1]
        for i in range(count):
            copies[slot, i] = scale * copies[slot, i] + shift
    else:
        for i in range(count):
            law = along + each * within(min(first + i, nx), nx, wraps)
            copies[slot, i] = laws[law, 0] * copies[slot, i] + laws[law, 1]


@njit(nogil=True)
def fill(copies, slot, values, field, name, place, laws, where, lanes_and_two):
    """copies[slot] = the row y of the plane z of a field of values (names, nz, ny, nx) from column x on, place = (z, y,
    x), each of which may be one beyond the sides. laws: (n, 2) scale and shift of ghosts; where: (wraps, at), (names,
    3) and (names, 3, 2, 3), see :class:`engines.stencil.equations.laws.Sides`

    Whole arrays and numbers of places in them: a view costs an atomic count, which a short row would feel. A vector and
    two more, ``lanes_and_two``, are copied as a vector."""
    z, y, first = place
    (wraps, at), (nz, ny, nx) = where, values.shape[1:]
    count = copies.shape[1]
    z_in, y_in = within(z, nz, wraps[name, 2]), within(y, ny, wraps[name, 1])
    if count == lanes_and_two and first + count - 1 <= nx:
        size = values.itemsize
        source = address_of(values) + (((field * nz + z_in) * ny + y_in) * nx + first + 1) * size
        copy_vector(address_of(copies) + (slot * count + 1) * size, source, copies)
        if first >= 0:
            copies[slot, 0] = values[field, z_in, y_in, first]
        if first + count <= nx:
            copies[slot, count - 1] = values[field, z_in, y_in, first + count - 1]
    else:
        for x in range(max(first, 0), min(first + count, nx)):
            copies[slot, x - first] = values[field, z_in, y_in, x]
    low, high = values[field, z_in, y_in, 0], values[field, z_in, y_in, nx - 1]
    if first < 0:
        law = at[name, 0, 0, 0] + at[name, 0, 0, 1] * y_in + at[name, 0, 0, 2] * z_in
        copies[slot, 0] = high if wraps[name, 0] else laws[law, 0] * low + laws[law, 1]
    if first + count > nx:
        law = at[name, 0, 1, 0] + at[name, 0, 1, 1] * y_in + at[name, 0, 1, 2] * z_in
        copies[slot, nx - first] = low if wraps[name, 0] else laws[law, 0] * high + laws[law, 1]
    if (y < 0 or y >= ny) and not wraps[name, 1]:
        side = 0 if y < 0 else 1
        along = at[name, 1, side, 0] + at[name, 1, side, 2] * z_in
        beyond(copies, slot, first, nx, wraps[name, 0], laws, along, at[name, 1, side, 1])
    if (z < 0 or z >= nz) and not wraps[name, 2]:
        side = 0 if z < 0 else 1
        along = at[name, 2, side, 0] + at[name, 2, side, 2] * y_in
        beyond(copies, slot, first, nx, wraps[name, 0], laws, along, at[name, 2, side, 1])


@njit(nogil=True)
def address_rows(rows, ghosts, values, first, z, y, reach, laws, where):
    """rows[9 name + 3 (dz + 1) + dy + 1]: where the row y + dy of the plane z + dz stands of each name from ``first``
    on, whose values (names, nz, ny, nx) are; ghosts: (9 · names, nx) for rows beyond sides"""
    (count, nz, ny, nx), (wraps, _) = values.shape, where
    size = values.itemsize * nx
    for field in range(count):
        name = first + field
        for plane in range(3):
            for dy in range(reach[name, plane, 0], reach[name, plane, 1] + 1):
                slot, dz = 9 * name + 3 * plane + dy + 1, plane - 1
                outside_y = (y + dy < 0 or y + dy >= ny) and not wraps[name, 1]
                outside_z = (z + dz < 0 or z + dz >= nz) and not wraps[name, 2]
                if outside_y or outside_z:
                    fill(ghosts, slot, values, field, name, (z + dz, y + dy, 0), laws, where, 0)
                    rows[slot] = address_of(ghosts) + slot * size
                else:
                    plane_there = field * nz + within(z + dz, nz, wraps[name, 2])
                    row = plane_there * ny + within(y + dy, ny, wraps[name, 1])
                    rows[slot] = address_of(values) + row * size


@njit(nogil=True)
def copy_rows(copies, values, first, z, y, x, reach, laws, where):
    """copies: (9 · names, vector and two more): rows as in ``address_rows`` from column x − 1 on, ghosts among them."""
    for field in range(len(values)):
        name = first + field
        for plane in range(3):
            for dy in range(reach[name, plane, 0], reach[name, plane, 1] + 1):
                slot = 9 * name + 3 * plane + dy + 1
                fill(copies, slot, values, field, name, (z + plane - 1, y + dy, x - 1), laws, where, copies.shape[1])


@njit(nogil=True)
def patch(row_of, fields, stored, beside, into, laws, where, reach, numbers, room, place, at):
    """The cells of a row from column at[2] on, at most a vector: all in copies. room: (copies, addresses of rows,
    arrays of the cell itself twice), to work in; place: of the first cell; at: (y, z, column, how many, (y and z in
    the whole grid, step, seed))"""
    y, z, x, count, seen = at
    copies, rows, rest, ends = room
    width, cells_each = copies.shape[1] - 2, fields.size // len(fields)
    copy_rows(copies, fields, 0, z, y, x, reach, laws, where)
    if len(reach) > len(fields):
        copy_rows(copies, stored, len(fields), z, y, x, reach, laws, where)
    for slot in range(len(copies)):
        rows[slot] = address_of(copies) + (slot * (width + 2) + 1 - x) * fields.itemsize
    if count == width:
        row_of(rows, beside, numbers, (x, x + width, place, cells_each), seen)
        return
    for bank in range(3):
        for field in range(len(fields)):
            for i in range(count):
                rest[bank, field * width + i] = beside[bank][field * cells_each + place + i]
    row_of(rows, ends, numbers, (x, x + count, 0, width), seen)
    for row in into:
        for i in range(count):
            beside[3][row * cells_each + place + i] = rest[3, row * width + i]


@njit(nogil=True)
def band(row_of, fields, stored, beside, into, laws, where, reach, numbers, shares, part):
    """One of the parts of all rows of all planes, counted through. shares: as of :func:`sweep`"""
    width, bands, step, seed, first_y, whole_y, first_z, whole_z = shares
    nz, ny, nx = fields.shape[1:]
    slots = 9 * len(reach)
    rows, ghosts = np.zeros(slots, np.intp), np.zeros((slots, nx), fields.dtype)
    rest = np.zeros((4, max(len(fields), into.max() + 1) * width), fields.dtype)
    ends = (rest[0], rest[1], rest[2], rest[3])
    room = np.zeros((slots, width + 2), fields.dtype), np.zeros(slots, np.intp), rest, ends
    inner = (nx - 1 - width) // width * width if nx > 2 * width else 0
    for index in range(part * nz * ny // bands, (part + 1) * nz * ny // bands):
        z, y, place = index // ny, index % ny, index * nx
        seen = (y + first_y) % whole_y, (z + first_z) % whole_z, step, seed
        if inner:
            address_rows(rows, ghosts, fields, 0, z, y, reach, laws, where)
            if len(reach) > len(fields):
                address_rows(rows, ghosts, stored, len(fields), z, y, reach, laws, where)
            row_of(rows, beside, numbers, (width, width + inner, place + width, nz * ny * nx), seen)
        x = 0
        while x < nx:
            at = y, z, x, min(width, nx - x), seen
            patch(row_of, fields, stored, beside, into, laws, where, reach, numbers, room, place + x, at)
            x += width if x or not inner else width + inner


@njit(parallel=True, nogil=True, cache=True)
@noticing(vector_math)
def sweep(address, fields, stored, base, second, third, out, into, laws, where, numbers, shares):
    """One pass over a grid. address: of a row's function; fields, stored: (n, nz, ny, nx) that are read with
    neighbours; base, second, third: flat, of the cell itself; out: flat, written in the rows ``into``; laws: (n, 2)
    scale and shift of ghosts; where: as ``cpu.where_of``; numbers: what is the same in all cells; shares: lanes of a
    vector, bands, step and seed of what is drawn, first and number of rows and of planes in the whole grid. Bytes:
    each array that is read, once, and each that is written (``explicit.traffic``)."""
    reach = where[:, :6].copy().reshape((len(where), 3, 2))
    beside_sides = where[:, 6:9].copy(), where[:, 9:].copy().reshape((len(where), 3, 2, 3))
    for part in prange(shares[1]):
        row_of = function_at(address, numbers)
        beside = (base, second, third, out)
        band(row_of, fields, stored, beside, into, laws, beside_sides, reach, numbers, shares, part)
