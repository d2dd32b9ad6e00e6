"""Steps of explicit diffusion with constant rates: four rows at a time, in vectors by construction.

Rows that are updated together share their loads: six rows are read for four that are written, where one by one each row
comes three times, twice of it from the second-level cache. In a plane they are neighbours, in a box the same row of
four planes, which are four streams from memory where neighbours would be one. On grids that no cache holds, results
go past the caches (non-temporal stores): a plain store reads the line that it is about to overwrite.

A vector holds the cells ``i … i + lanes - 1`` of a row. In the first one of a row the ghost stands in for the western
neighbour of its first cell, in the last one for the eastern neighbour of its last cell; the last may overlap the one
before it, so no cell is left for scalar code. The operations and their order are those of ``kernels.py``, without
contraction to FMA: the results are the same to the last bit.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,attr-defined"

from __future__ import annotations

from typing import Any, NamedTuple

import numba as nb
import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.extending import intrinsic

_FEATURES = binding.get_host_cpu_features()
VECTOR_BYTES = 64 if _FEATURES.get("avx512f") else 32 if _FEATURES.get("avx") else 16
ROWS = 4
"""Rows that are updated together."""


class Numbers(NamedTuple):
    """Rates of x, y (in a plane that of the rows) and z; factor: 2 with different rates, else 4 or 6; the time step."""

    rates: Any
    factor: Any
    dt: Any


class Beside(NamedTuple):
    """Pointers to the rows before and after ROWS rows, to those south and north of them (None in two dimensions), and
    to their neighbours west of their first cells and east of their last; strides: how far rows lie apart, and those
    south and north of them."""

    low: Any
    high: Any
    south: Any
    north: Any
    west: Any
    east: Any
    strides: Any


class Vectors(NamedTuple):
    """How rows are taken: values in VECTOR_BYTES, equal rates, stores past the caches."""

    lanes: Any
    equal: Any
    past_caches: Any


class Domain(NamedTuple):
    """Planes, rows of a plane, cells of a row; whether x, the rows' axis and the third are periodic; ghosts' laws."""

    shape: Any
    wraps: Any
    laws: Any
    flat: Any


class Arrays(NamedTuple):
    """The grid before and after, the source (or None), room for 2 ROWS + 2 rows of ghosts and the ends."""

    u: Any
    out: Any
    source: Any
    spare: Any


@intrinsic
def _pointer(context, array):
    """To the first value of a C-ordered array; None stays None. Who passes the array keeps it alive."""
    if array == types.none:
        return types.none(types.none), lambda context, *_: context.get_dummy_value()

    def generate(context, builder, signature, arguments):
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), generate


@intrinsic
def _at(context, pointer, index):
    """The pointer to ``pointer[index]``; None stays None."""
    if pointer == types.none:
        return types.none(types.none, types.int64), lambda context, *_: context.get_dummy_value()

    def generate(context, builder, signature, arguments):
        return builder.gep(arguments[0], [arguments[1]])

    return pointer(pointer, types.int64), generate


@intrinsic
def _fence(context):
    """What was stored past the caches is seen by every thread that goes on after the loop over bands."""

    def generate(context, builder, signature, arguments):
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.none(), generate


class _Vectors:
    """Emits the instructions of one call of ``_update``."""

    def __init__(self, builder, dtype, index):
        self.builder, self.index = builder, index
        self.bytes = dtype.bitwidth // 8
        self.lanes = VECTOR_BYTES // self.bytes
        self.type = ir.VectorType(ir.FloatType() if dtype == types.float32 else ir.DoubleType(), self.lanes)

    def _address(self, pointer, offset):
        start = self.builder.gep(pointer, [self.builder.add(self.index, ir.Constant(self.index.type, offset))])
        return self.builder.bitcast(start, self.type.as_pointer())

    def load(self, pointer, offset=0):
        return self.builder.load(self._address(pointer, offset), align=self.bytes)

    def store(self, value, pointer, past_caches):
        if past_caches:
            store = self.builder.store(value, self._address(pointer, 0), align=VECTOR_BYTES)
            one = self.builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)])
            store.set_metadata("nontemporal", one)
        else:
            self.builder.store(value, self._address(pointer, 0), align=self.bytes)

    def all_lanes(self, value):
        undefined = ir.Constant(self.type, ir.Undefined)
        one = self.builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
        return self.builder.shuffle_vector(one, undefined, self._lanes([0] * self.lanes))

    def before(self, vector, value):
        """``vector`` moved by one lane, with ``value`` in the first."""
        order = self._lanes([self.lanes, *range(self.lanes - 1)])
        return self.builder.shuffle_vector(vector, self.all_lanes(value), order)

    def behind(self, vector, value):
        return self.builder.shuffle_vector(vector, self.all_lanes(value), self._lanes(range(1, self.lanes + 1)))

    def _lanes(self, numbers):
        kind = ir.IntType(32)
        return ir.Constant(ir.VectorType(kind, self.lanes), [ir.Constant(kind, number) for number in numbers])

    def diffused(self, c, pairs, rates, equal, factor):
        """c and its neighbours (w, e), (s, n) …, in the order of ``kernels.py``."""
        b = self.builder
        sums = [b.fadd(low, high) for low, high in pairs]
        if equal:
            total = sums[0]
            for one in sums[1:]:
                total = b.fadd(total, one)
            return b.fadd(c, b.fmul(rates[0], b.fsub(total, b.fmul(factor, c))))
        value = c
        for one, rate in zip(sums, rates, strict=True):
            value = b.fadd(value, b.fmul(rate, b.fsub(one, b.fmul(factor, c))))
        return value


def _make_update(place, equal, past_caches):
    """``_update``: one vector of each of ROWS rows.

    place: ``"first"``, ``"inner"`` or ``"last"`` vector of a row. Pointers: target, row, south, north and source to the
    first of ROWS rows (south and north None in two dimensions, source None without one), which lie ``strides`` apart;
    low and high: to the rows before and after; ends: ROWS neighbours of the first or the last cells. numbers: Numbers.
    """

    @intrinsic
    def _update(context, target, row, low, high, south, north, ends, source, numbers, i, strides):
        def generate(context, builder, signature, arguments):
            target, row, low, high, south, north, ends, source, numbers, i, strides = arguments
            v = _Vectors(builder, signature.args[0].dtype, i)
            rates, factor, dt = cgutils.unpack_tuple(builder, numbers)
            rates = [v.all_lanes(rate) for rate in cgutils.unpack_tuple(builder, rates)]
            factor, dt = v.all_lanes(factor), v.all_lanes(dt)
            three, heated = signature.args[4] != types.none, signature.args[7] != types.none
            stride, of_south, of_north = cgutils.unpack_tuple(builder, strides)
            shifts, souths, norths = (
                [builder.mul(each, ir.Constant(each.type, k)) for k in range(ROWS)]
                for each in (stride, of_south, of_north)
            )
            centres = [v.load(p) for p in (low, *(builder.gep(row, [shift]) for shift in shifts), high)]
            for k, shift in enumerate(shifts):
                c, here = centres[k + 1], builder.gep(row, [shift])
                end = builder.load(builder.gep(ends, [ir.Constant(stride.type, k)]))
                west = v.before(c, end) if place == "first" else v.load(here, -1)
                east = v.behind(c, end) if place == "last" else v.load(here, 1)
                pairs = [(west, east), (centres[k], centres[k + 2])]
                if three:
                    beside = builder.gep(south, [souths[k]]), builder.gep(north, [norths[k]])
                    pairs.insert(1, (v.load(beside[0]), v.load(beside[1])))
                value = v.diffused(c, pairs, rates[: len(pairs)], equal, factor)
                if heated:
                    value = builder.fadd(value, builder.fmul(dt, v.load(builder.gep(source, [shift]))))
                v.store(value, builder.gep(target, [shift]), past_caches)
            return context.get_dummy_value()

        arguments = (target, row, low, high, south, north, ends, source, numbers, types.int64, strides)
        return types.none(*arguments), generate

    return _update


def _make_update_rows(equal, past_caches):
    """``_update_rows``: all cells of ROWS rows; ``count``, at least two vectors, of each."""
    first, inner, last = (_make_update(place, equal, past_caches) for place in ("first", "inner", "last"))

    @nb.njit
    def _update_rows(target, row, beside, source, numbers, count, lanes):
        low, high, south, north, west, east, strides = beside
        end = count - lanes
        first(target, row, low, high, south, north, west, source, numbers, 0, strides)
        for i in range(lanes, end, lanes):
            inner(target, row, low, high, south, north, west, source, numbers, i, strides)
        last(target, row, low, high, south, north, east, source, numbers, end, strides)

    return _update_rows


_equal, _any = _make_update_rows(True, False), _make_update_rows(False, False)
_equal_past, _any_past = _make_update_rows(True, True), _make_update_rows(False, True)


@nb.njit
def _chosen(target, row, beside, heat, numbers, nx, vectors):
    lanes = vectors.lanes
    if vectors.equal and vectors.past_caches:
        _equal_past(target, row, beside, heat, numbers, nx, lanes)
    elif vectors.equal:
        _equal(target, row, beside, heat, numbers, nx, lanes)
    elif vectors.past_caches:
        _any_past(target, row, beside, heat, numbers, nx, lanes)
    else:
        _any(target, row, beside, heat, numbers, nx, lanes)


@nb.njit
def _ghosts(target, row, count, law):
    """Ghosts beyond a side that is not periodic."""
    for i in range(count):
        target[i] = law[0] * row[i] + law[1]
    return target


@nb.njit
def _ghost_rows(target, row, count, stride, law):
    """:func:`_ghosts` of ROWS rows, one after the other."""
    for k in range(ROWS):
        _ghosts(_at(target, k * count), _at(row, k * stride), count, law)
    return target


@nb.njit
def _step_rows(arrays, z, y, domain, numbers, vectors):
    """The rows y … y + ROWS - 1 of a plane, or row y of the planes z … z + ROWS - 1."""
    (nz, ny, nx), wraps, laws = domain.shape, domain.wraps, domain.laws
    u, spare, flat = arrays.u, arrays.spare, domain.flat
    stride = nx if flat else ny * nx
    at, count, axis = (y, ny, 1) if flat else (z, nz, 2)
    row = _at(u, (z * ny + y) * nx)
    last = _at(row, (ROWS - 1) * stride)
    low, high = _at(row, -stride), _at(last, stride)
    if at == 0:
        low = _at(row, (count - 1) * stride) if wraps[axis] else _ghosts(spare, row, nx, laws[axis][0])
    if at + ROWS == count:
        high = _at(last, -(count - 1) * stride) if wraps[axis] else _ghosts(_at(spare, nx), last, nx, laws[axis][1])
    west = _at(spare, (2 * ROWS + 2) * nx)
    east = _at(west, ROWS)
    for k in range(ROWS):
        first, final = row[k * stride], row[k * stride + nx - 1]
        west[k] = final if wraps[0] else laws[0][0][0] * first + laws[0][0][1]
        east[k] = first if wraps[0] else laws[0][1][0] * final + laws[0][1][1]
    start = (z * ny + y) * nx
    target, heat = _at(arrays.out, start), _at(arrays.source, start)
    if flat:
        beside = Beside(low, high, None, None, west, east, (stride, stride, stride))
        _chosen(target, row, beside, heat, numbers, nx, vectors)
    else:
        south, north, of_south, of_north = _at(row, -nx), _at(row, nx), stride, stride
        if y == 0 and wraps[1]:
            south = _at(row, (ny - 1) * nx)
        elif y == 0:
            south, of_south = _ghost_rows(_at(spare, 2 * nx), row, nx, stride, laws[1][0]), nx
        if y == ny - 1 and wraps[1]:
            north = _at(row, -(ny - 1) * nx)
        elif y == ny - 1:
            north, of_north = _ghost_rows(_at(spare, (ROWS + 2) * nx), row, nx, stride, laws[1][1]), nx
        beside = Beside(low, high, south, north, west, east, (stride, of_south, of_north))
        _chosen(target, row, beside, heat, numbers, nx, vectors)


@nb.njit
def _run_rows(u, out, source, spare, z, y, shape, scheme, vectors, begins):
    """``_step_rows`` with the arrays kept alive here; begins: the planes of a box that ``u`` and ``out`` begin with."""
    v, flat = scheme.numbers, scheme.flat
    y_at, y_law = (2, 15) if flat else (1, 11)
    laws = (
        ((v[7], v[8]), (v[9], v[10])),
        ((v[y_law], v[y_law + 1]), (v[y_law + 2], v[y_law + 3])),
        ((v[15], v[16]), (v[17], v[18])),
    )
    wraps = (scheme.wraps[0], scheme.wraps[y_at], scheme.wraps[2])
    factor = v[4] if not scheme.equal else v[5] if flat else v[6]
    plane = shape[1] * shape[2]
    before, after = _at(_pointer(u), -begins[0] * plane), _at(_pointer(out), -begins[1] * plane)
    arrays = Arrays(before, after, _pointer(source), _pointer(spare))
    numbers = Numbers((v[0], v[y_at], v[2]), factor, v[3])
    _step_rows(arrays, z, y, Domain(shape, wraps, laws, flat), numbers, vectors)


@nb.njit
def _march(u, out, source, spare, band, shape, scheme, vectors, steps):
    """Planes ``band`` of a box after ``steps`` steps, with those beside them in arrays of its own: one fewer at each
    step, so that bands do not wait for each other."""
    low, high = max(0, band[0] - steps + 1), min(shape[0], band[1] + steps - 1)
    room = np.empty((min(2, steps - 1), (high - low) * shape[1] * shape[2]), u.dtype)
    read, begin = u, 0
    for step in range(1, steps + 1):
        beside = steps - step
        first, last = max(0, band[0] - beside), min(shape[0], band[1] + beside)
        written, start = (out, 0) if beside == 0 else (room[(step - 1) % 2], low)
        for at in range(first, last, ROWS):
            four = min(at, last - ROWS)
            for y in range(shape[1]):
                _run_rows(read, written, source, spare, four, y, shape, scheme, vectors, (begin, start))
        read, begin = written, start


@nb.njit(cache=True, nogil=True, parallel=True)
def step(u, out, source, shape, scheme, lanes, past_caches, bands, block, steps):
    """``out``: ``u`` after ``steps`` steps; the arguments are those of ``kernels.advance``.

    lanes: values in VECTOR_BYTES. Rows have at least two vectors. bands: parts of the axis along which ROWS rows lie
    (y of a plane, z of a box), each at least so long, and of the rows of a box, for threads to share. block: rows of a
    box that a thread takes through all its planes before the next ones, so that a cache holds those of the planes
    at hand. past_caches: store past the caches; then ``out`` begins at a multiple of VECTOR_BYTES, and rows have
    whole vectors. steps: several of a box whose third axis is not periodic, of bands along it alone.
    """
    nz, ny, nx = shape
    (planes, rows), (count, others) = ((1, nz), (nz, 1)) if scheme.flat else ((nz, ny), (nz, ny))
    along, across = bands
    for band in nb.prange(along * across):
        spare = np.empty((2 * ROWS + 2) * nx + 2 * ROWS, u.dtype)
        part, other = band // across, band % across
        first, last = part * count // along, (part + 1) * count // along
        begin, end = other * others // across, (other + 1) * others // across
        box, vectors = (planes, rows, nx), Vectors(lanes, scheme.equal, past_caches)
        if steps > 1:
            _march(u, out, source, spare, (first, last), box, scheme, vectors, steps)
        else:
            for start in range(begin, end, block):
                for at in range(first, last, ROWS):
                    # the last rows may overlap those before: what is written is the same
                    four = min(at, last - ROWS)
                    for y in range(start, min(start + block, end)):
                        place = (0, four) if scheme.flat else (four, y)
                        _run_rows(u, out, source, spare, place[0], place[1], box, scheme, vectors, (0, 0))
        if past_caches:
            _fence()
