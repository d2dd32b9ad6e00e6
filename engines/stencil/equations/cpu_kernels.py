"""The Numba kernel of a pass over the grid: rows by whole SIMD vectors, from where they stand.

:func:`march`, which knows the sides, is compiled once for all equations. What is of one pass works out a part of a row
and is called by its address. Its graph is written as instructions by one intrinsic, :func:`cells`, which finds it by
its key, a digest of the pass and of the code that writes it; the row's function closes over that, so that the cache
on disk knows which machine code is whose.

All rows are told by their addresses: one beyond a side that is not periodic by that of a copy that a thread makes, and
so one that is read to the left or right as far as it has ghosts beside it: all of it where it is short, its first and
its last vector where it is long. What is left where rows are no whole vectors is worked out in copies altogether.

Who works on a short row feels each array that is handed on, seven numbers and more of which none stays in a register:
so these functions take addresses.
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
ARRAYS = ("fields", "stored", *BANKS, "out")
"""What rows stand in."""
OUT = 5
SHORT = 1024
"""Columns up to which a row that is read to the left or right is copied from end to end."""
_passes: dict[int, tuple[Pass, tuple[str, ...]]] = {}
intrinsic: Any = numba_intrinsic


def rows_of(one: Pass, fields: Sequence[str]) -> dict[tuple[int, int, int, int], tuple[bool, int]]:
    """Of each row that a pass reads or writes beside a cell of it, (array, field in it, dy, dz): whether it is read to
    the left or right, too, and which of the names it is, whose sides it has. The arrays are those of :data:`ARRAYS`."""
    found: dict[tuple[int, int, int, int], tuple[bool, int]] = {}
    for name, offsets in one.reads.items():
        number = one.names.index(name)
        array, row = (0, number) if number < len(fields) else (1, number - len(fields))
        for dx, dy, dz in sorted(offsets):
            sideways = found.get((array, row, dy, dz), (False, 0))[0] or dx != 0
            found[array, row, dy, dz] = sideways, number
    for bank, field in one.beside:
        found[ARRAYS.index(bank), fields.index(field), 0, 0] = False, 0
    for row in one.into:
        found[OUT, row, 0, 0] = False, 0
    return found


@intrinsic(prefer_literal=True)
def cells(typingctx: Any, key: Any, rows: Any, numbers: Any, x: Any, at: Any) -> Any:
    """Work a pass out for one vector of cells from column x on.

    key: a constant; rows: where column 0 of each of :func:`rows_of` stands; numbers: (numbers,); at: (y, z, step, seed)
    """
    if not isinstance(key, types.IntegerLiteral):
        return None
    one, fields = _passes[key.literal_value]
    vector = Lanes(numbers.dtype, vector_math._lane_count(numbers.dtype))

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        writer = _Writer(context, builder, sig, args, vector, list(rows_of(one, fields)))
        symbols = {name: writer.symbol(name, one, fields) for name in _names(one)}
        for row, value in zip(one.into, instructions(context, builder, one.roots, symbols, vector), strict=True):
            vector_math._vector_store(builder, writer.place(OUT, row), value, vector)
        return context.get_dummy_value()

    return types.void(key, rows, numbers, types.intp, at), codegen


def _names(one: Pass) -> list[str]:
    return list(dict.fromkeys(str(node.value) for node in ordered(one.roots) if node.op == "symbol"))


class _Writer:
    """Loads of symbols, as instructions."""

    def __init__(
        self, context: Any, builder: ir.IRBuilder, sig: Any, args: Any, vector: Lanes, rows: list[tuple[int, ...]]
    ) -> None:
        self._context, self._builder, self._sig, self._args, self._vector = context, builder, sig, args, vector
        self._rows, self._drawn = rows, dict[int, list[Lane]]()

    def symbol(self, name: str, one: Pass, fields: Sequence[str]) -> ir.Value:
        cell, (bank, _, field) = cell_of(name), name.partition("@")
        if cell is not None:
            number, (dx, dy, dz) = one.names.index(cell[0]), cell[1]
            stored = number >= len(fields)
            return self._load(self.place(int(stored), number - stored * len(fields), dx, dy, dz))
        if bank in BANKS:
            return self._load(self.place(ARRAYS.index(bank), fields.index(field)))
        if name in INDICES:
            return self._index(INDICES.index(name))
        if name.startswith(DRAWN):
            return self._noise(int(name.removeprefix(DRAWN)))
        return self._number(int(name[1:]))

    def _load(self, pointer: ir.Value) -> ir.Value:
        return vector_math._vector_load(self._builder, pointer, self._vector)

    def _constant(self, value: int) -> ir.Value:
        return self._context.get_constant(types.intp, value)

    def place(self, array: int, row: int, dx: int = 0, dy: int = 0, dz: int = 0) -> ir.Value:
        """Where the vector beside the cells stands."""
        builder, args, slot = self._builder, self._args, self._constant(self._rows.index((array, row, dy, dz)))
        address = builder.load(vector_math._pointer(self._context, builder, self._sig.args[1], args[1], None, slot))
        pointer = builder.inttoptr(address, vector_math._LLVM[self._vector.element].as_pointer())
        return builder.gep(pointer, [builder.add(args[3], self._constant(dx))])

    def _number(self, place: int) -> ir.Value:
        at = self._constant(place)
        pointer = vector_math._pointer(self._context, self._builder, self._sig.args[2], self._args[2], None, at)
        return vector_math._splat(self._builder, self._builder.load(pointer), self._vector.count)

    def _noise(self, which: int) -> ir.Value:
        """One of the four normal numbers of a group, which are drawn together."""
        builder, (group, place) = self._builder, divmod(which, 4)
        if group not in self._drawn:
            words = ir.VectorType(ir.IntType(64), self._vector.count)
            y, z, step, seed = (builder.extract_value(self._args[4], number) for number in range(4))
            ramp = ir.Constant(words, list(range(self._vector.count)))
            column = Lane(builder, builder.add(vector_math._splat(builder, self._args[3], ramp.type.count), ramp))
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
        whole = self._args[3] if axis == 0 else builder.extract_value(self._args[4], axis - 1)
        value = vector_math._splat(builder, builder.sitofp(whole, real), count)
        if axis:
            return value
        ramp = ir.Constant(ir.VectorType(real, count), [float(lane) for lane in range(count)])
        return builder.fadd(value, ramp)


def row_signature(real: Any) -> Any:
    """Of a row's function: addresses of :func:`rows_of`, numbers, (first column, end), (y, z, step, seed)."""
    whole = types.intp
    kinds = types.Array(whole, 1, "C"), types.Array(real, 1, "C")
    return types.void(*kinds, types.UniTuple(whole, 2), types.UniTuple(whole, 4))


def row_function(one: Pass, fields: tuple[str, ...], dtype: Any) -> Any:
    """The C function of a pass, of :func:`row_signature`; compiled now, or found in Numba's cache."""
    key = digest(one.roots, one.names, one.into, fields, *map(Path, SOURCES))
    _passes[key] = one, fields
    return _compiled(key, from_dtype(dtype))


def _compiled(sources: int, real: Any) -> Any:
    @cfunc(row_signature(real), cache=True)
    def row(rows, numbers, span, at):
        for x in range(span[0], span[1], lanes(numbers)):
            cells(sources, rows, numbers, x, at)

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
def copy_bytes(typingctx: Any, to: Any, source: Any, count: Any) -> Any:
    """From one address to another, which do not overlap."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at, there = (builder.inttoptr(each, cgutils.voidptr_t) for each in arguments[:2])
        cgutils.raw_memcpy(builder, at, there, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.intp), generate


@njit(nogil=True)
def within(place, count, wraps):
    """Where a row or plane that may be one beyond the sides is found: at the other end, or the nearest one."""
    if place < 0:
        return count - 1 if wraps else 0
    if place >= count:
        return 0 if wraps else count - 1
    return place


@njit(nogil=True)
def beyond(copies, slot, first, count, nx, laws, along, each):
    """The row copies[slot, :count], whose columns from ``first`` on are those of a row of ``nx`` beside a side, becomes
    that of ghosts beyond it. along: of ``laws`` that of the first cell of the row; each: how far behind are those of
    others"""
    if each == 0:
        scale, shift = laws[along, 0], laws[along, 1]
        for i in range(count):
            copies[slot, i] = scale * copies[slot, i] + shift
    else:
        for i in range(count):
            law = along + each * min(first + i, nx)
            copies[slot, i] = laws[law, 0] * copies[slot, i] + laws[law, 1]


@njit(nogil=True)
def fill(copies, slot, source, span, name, row, wraps, at, laws):
    """copies[slot] = a row of a field or stored name, which is the number ``name`` of them, from column x − 1 on to the
    one behind its end, which may be beyond the sides. source: where it or the row nearest to it stands; span: (x, end,
    columns of the grid); row: (y and z of that row; −1, 0 or 1 where the one that is asked for is as far below or above
    the sides along y and z). laws: (n, 2) scale and shift of ghosts; wraps, at: (names, 3) and (names, 3, 2, 3), see
    :class:`engines.stencil.equations.laws.Sides`"""
    (x, end, nx), (y, z, below_y, below_z), size = span, row, copies.itemsize
    to, count = address_of(copies) + slot * copies.shape[1] * size, end - x + 2
    low, high = max(x - 1, 0), min(end + 1, nx)
    copy_bytes(to + (low - x + 1) * size, source + low * size, (high - low) * size)
    for side, ghost, inside in ((0, 0, 1), (1, count - 1, count - 2)):
        if (x > 0 and side == 0) or (end < nx and side == 1):
            continue
        if wraps[name, 0]:
            copy_bytes(to + ghost * size, source + (nx - 1 if side == 0 else 0) * size, size)
        else:
            law = at[name, 0, side, 0] + at[name, 0, side, 1] * y + at[name, 0, side, 2] * z
            copies[slot, ghost] = laws[law, 0] * copies[slot, inside] + laws[law, 1]
    if below_y != 0:
        side = 0 if below_y < 0 else 1
        along = at[name, 1, side, 0] + at[name, 1, side, 2] * z
        beyond(copies, slot, x - 1, count, nx, laws, along, at[name, 1, side, 1])
    if below_z != 0:
        side = 0 if below_z < 0 else 1
        along = at[name, 2, side, 0] + at[name, 2, side, 2] * (y + below_y)
        beyond(copies, slot, x - 1, count, nx, laws, along, at[name, 2, side, 1])


@njit(nogil=True)
def outside(place, count, wraps):
    """-1 or 1 of a row or plane that is beyond sides which are not periodic."""
    return 0 if wraps else -1 if place < 0 else 1 if place >= count else 0


@njit(nogil=True)
def band(row_of, bases, rows, copies, read, wraps, at, laws, numbers, box, shares, span):
    """Rows of all planes, counted through and around; span: the first, and how many. bases: where the six arrays stand;
    rows, copies: (rows,) and (rows, nx + 2 and a vector at least), to work in; read: (rows, 6), :func:`rows_of`; box:
    (nz, ny, nx); shares: as of :func:`march`"""
    (nz, ny, nx), size = box, copies.itemsize
    width, _, step, seed, first_y, whole_y, first_z, whole_z = shares
    whole = nx // width * width  # columns of whole vectors
    inner = (nx - 1 - width) // width * width if nx > SHORT else 0  # of those that have no side beside them
    for index in range(span[0], span[0] + span[1]):
        z, y = index // ny % nz, index % ny
        seen = (y + first_y) % whole_y, (z + first_z) % whole_z, step, seed
        for piece in range(4):
            ends = width if inner else 0, width + inner if inner else 0, whole, nx
            x, end = ends[piece - 1] if piece else 0, ends[piece]
            if x == end:
                continue
            for slot in range(len(read)):
                array, field, dy, dz, sideways, name = (
                    read[slot, 0], read[slot, 1], read[slot, 2], read[slot, 3], read[slot, 4], read[slot, 5]
                )  # fmt: skip
                y_in, z_in = within(y + dy, ny, wraps[name, 1]), within(z + dz, nz, wraps[name, 2])
                source = bases[array] + ((field * nz + z_in) * ny + y_in) * nx * size
                below_y, below_z = outside(y + dy, ny, wraps[name, 1]), outside(z + dz, nz, wraps[name, 2])
                if below_y != 0 or below_z != 0 or (sideways and piece != 1) or piece == 3:
                    if array < 2:
                        there = y_in, z_in, below_y, below_z
                        fill(copies, slot, source, (x, end, nx), name, there, wraps, at, laws)
                    else:
                        to = address_of(copies) + (slot * copies.shape[1] + 1) * size
                        copy_bytes(to, source + x * size, (end - x) * size)
                    rows[slot] = address_of(copies) + (slot * copies.shape[1] + 1 - x) * size
                else:
                    rows[slot] = source
            row_of(rows, numbers, (x, end), seen)
            if piece == 3:
                for slot in range(len(read)):
                    if read[slot, 0] == OUT:
                        to = bases[OUT] + ((read[slot, 1] * nz + z) * ny + y) * nx * size
                        copy_bytes(to + x * size, rows[slot] + x * size, (end - x) * size)


@njit(parallel=True, nogil=True, cache=True)
@noticing(vector_math)
def march(functions, bases, read, begins, sides, laws, numbers, box, shares, steps):
    """Steps over a grid, each of the same passes. functions: (passes,) addresses of row functions; bases: (turns,
    passes, 6) where the arrays of :data:`ARRAYS` stand, (n, nz, ny, nx) each, in steps of which as many take turns;
    read: (rows, 6), :func:`rows_of` of all passes, those of one from ``begins`` on; sides: (names, 3 + 18), whether x,
    y and z are periodic and where the laws are; laws: (n, 2) scale and shift of ghosts; numbers: (passes, numbers) that
    are the same in all cells; box: (nz, ny, nx); shares: lanes of a vector, bands, step and seed of what is drawn,
    first and number of rows and of planes in the whole grid.
    Bytes: each array that is read, once in a pass, and each that is written (``explicit.traffic``)."""
    wraps, at = sides[:, :3].copy(), sides[:, 3:].copy().reshape((len(sides), 3, 2, 3))
    width, bands, first, seed, first_y, whole_y, first_z, whole_z = shares
    rows = np.zeros((bands, len(read)), np.intp)
    copies = np.empty((bands, len(read), box[2] + 2 + width), numbers.dtype)
    every = box[0] * box[1]
    for step in range(steps):
        now = width, bands, first + step, seed, first_y, whole_y, first_z, whole_z
        for one in range(len(functions)):
            places, here = read[begins[one] : begins[one + 1]], bases[step % len(bases), one]
            if bands == 1:
                row_of = function_at(functions[one], numbers[one])
                band(row_of, here, rows[0], copies[0], places, wraps, at, laws, numbers[one], box, now, (0, every))
            else:
                for part in prange(bands):
                    row_of = function_at(functions[one], numbers[one])
                    room, work, begin = rows[part], copies[part], part * every // bands
                    count = (part + 1) * every // bands - begin
                    band(row_of, here, room, work, places, wraps, at, laws, numbers[one], box, now, (begin, count))


@njit(nogil=True)
def apart(passes, places, room, ends, work, sides, numbers, box, now, levels, part):
    """So many steps of one of the parts of the grid: of those before the last also what lies beyond the part as far as
    it is read. room: where arrays of its own stand, and bytes of each; ends: where fields are read, and written; work:
    rows and copies as of :func:`band`"""
    (address, each), (rows, copies), (nz, ny, _), (wraps, at, laws) = room, work, box, sides
    functions, read, begins, reaches = passes
    units, lines = (ny, 1) if nz == 1 else (nz, ny)
    width, bands, first, seed, first_y, whole_y, first_z, whole_z = now
    begin, end = part * units // bands, (part + 1) * units // bands
    around = wraps[:, 1 if nz == 1 else 2].any()
    beyond_it, here = levels * reaches.sum(), np.empty(places.shape[2], np.intp)
    for level in range(levels):
        shares = width, bands, first + level, seed, first_y, whole_y, first_z, whole_z
        for one in range(len(functions)):
            for array in range(len(here)):
                which, offset = places[level % len(places), one, array]
                here[array] = address + which * each + offset
                if array != OUT and which == 0 and level == 0:
                    here[array] = ends[0] + offset
                if array == OUT and which == levels % len(places) and level == levels - 1:
                    here[array] = ends[1] + offset
            beyond_it -= reaches[one]
            low, high = begin - beyond_it, end + beyond_it
            if not around:
                low, high = max(low, 0), min(high, units)
            count = min(high - low, units) * lines
            row_of = function_at(functions[one], numbers[one])
            of_pass = read[begins[one] : begins[one + 1]]
            place = low % units * lines
            band(row_of, here, rows, copies, of_pass, wraps, at, laws, numbers[one], box, shares, (place, count))


@njit(parallel=True, nogil=True, cache=True)
@noticing(vector_math)
def march_apart(passes, places, rooms, ends, sides, laws, numbers, box, shares, at_once, steps):
    """As :func:`march`, where threads meet after ``at_once`` steps only: for grids whose steps take them as long as
    waking does. passes: functions, read and begins, and (passes,) rows beside a row that each reads, or planes in a
    box; places: (turns, passes, 6, 2) of the arrays, which they are and where in them; rooms: (bands, arrays,
    bytes), for each thread arrays of its own; ends: where the fields stand, and the array that takes turns with
    them"""
    wraps, at = sides[:, :3].copy(), sides[:, 3:].copy().reshape((len(sides), 3, 2, 3))
    width, bands, first, seed, first_y, whole_y, first_z, whole_z = shares
    n_rows = len(passes[1])
    rows = np.zeros((bands, n_rows), np.intp)
    copies = np.empty((bands, n_rows, box[2] + 2 + width), numbers.dtype)
    for group in range(-(-steps // at_once)):
        levels = min(at_once, steps - group * at_once)
        now = width, bands, first + group * at_once, seed, first_y, whole_y, first_z, whole_z
        turned = ends if group % 2 == 0 else ends[::-1].copy()
        for part in prange(bands):
            room = address_of(rooms[part]), rooms.shape[2]
            work = rows[part], copies[part]
            apart(passes, places, room, turned, work, (wraps, at, laws), numbers, box, now, levels, part)
