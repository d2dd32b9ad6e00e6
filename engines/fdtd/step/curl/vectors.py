"""Rows of fields in vectors: pointers, and what only some lanes of a vector do.

Arithmetic on vectors, choices and comparisons are those of :mod:`engines.backend.vector_math`. Here vectors are loaded
through plain pointers, of which a row takes a dozen: an array is seven numbers, a pointer one.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic

from engines.backend.vector_math import REGISTER_BYTES, Lanes

intrinsic: Any = numba_intrinsic
_INT = ir.IntType(32)
_LLVM = {types.float32: ir.FloatType(), types.float64: ir.DoubleType(), types.uint16: ir.IntType(16)}


def _lanes(element: Any) -> int:
    return REGISTER_BYTES * 8 // element.bitwidth


def _vector(lanes: Any) -> ir.VectorType:
    return ir.VectorType(_LLVM[lanes.element], lanes.count)


def _constants(values: Any) -> ir.Constant:
    numbers = list(values)
    return ir.Constant(ir.VectorType(_INT, len(numbers)), numbers)


@intrinsic
def width(context, start):
    """Lanes of a vector of what ``start`` points to."""
    count = _lanes(start.dtype)
    return types.int64(start), lambda context, *_: context.get_constant(types.int64, count)


@intrinsic
def load(context, start, i):
    """The vector that begins at ``start[i]``."""
    lanes = Lanes(start.dtype, _lanes(start.dtype))

    def generate(context, builder, signature, arguments):
        place = builder.bitcast(builder.gep(arguments[0], [arguments[1]]), _vector(lanes).as_pointer())
        return builder.load(place, align=start.dtype.bitwidth // 8)

    return lanes(start, types.int64), generate


@intrinsic
def store(context, start, i, value):
    """``value`` from ``start[i]`` on."""

    def generate(context, builder, signature, arguments):
        place = builder.bitcast(builder.gep(arguments[0], [arguments[1]]), arguments[2].type.as_pointer())
        builder.store(arguments[2], place, align=start.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.none(start, types.int64, value), generate


def _declared(builder: ir.IRBuilder, name: str, result: ir.Type, arguments: list[ir.Type]) -> ir.Function:
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)


def _suffix(lanes: Lanes) -> str:
    return f"v{lanes.count}f{lanes.element.bitwidth}.p0"


@intrinsic
def load_some(context, start, i, mask):
    """As ``load`` in the lanes of ``mask``, 0 in the others, which are not read."""
    lanes = Lanes(start.dtype, _lanes(start.dtype))

    def generate(context, builder, signature, arguments):
        vector, first = _vector(lanes), builder.gep(arguments[0], [arguments[1]])
        place = builder.bitcast(first, vector.as_pointer())
        kinds = [place.type, _INT, arguments[2].type, vector]
        function = _declared(builder, f"llvm.masked.load.{_suffix(lanes)}", vector, kinds)
        align = ir.Constant(_INT, start.dtype.bitwidth // 8)
        return builder.call(function, [place, align, arguments[2], ir.Constant(vector, [0.0] * lanes.count)])

    return lanes(start, types.int64, mask), generate


@intrinsic
def store_some(context, start, i, value, mask):
    """As ``store`` in the lanes of ``mask``; the others are not written."""

    def generate(context, builder, signature, arguments):
        vector, first = arguments[2].type, builder.gep(arguments[0], [arguments[1]])
        place = builder.bitcast(first, vector.as_pointer())
        kinds = [vector, place.type, _INT, arguments[3].type]
        function = _declared(builder, f"llvm.masked.store.{_suffix(value)}", ir.VoidType(), kinds)
        builder.call(function, [arguments[2], place, ir.Constant(_INT, start.dtype.bitwidth // 8), arguments[3]])
        return context.get_dummy_value()

    return types.none(start, types.int64, value, mask), generate


@intrinsic
def within(context, like, first, last):
    """The lanes ``first … last - 1`` of a vector such as ``like``; either may lie beyond it."""
    mask = Lanes(types.boolean, like.count)

    def generate(context, builder, signature, arguments):
        numbers = _constants(range(like.count))

        def everywhere(number):
            undefined = ir.Constant(numbers.type, ir.Undefined)
            one = builder.insert_element(undefined, builder.trunc(number, _INT), ir.Constant(_INT, 0))
            return builder.shuffle_vector(one, undefined, _constants([0] * like.count))

        from_first = builder.icmp_signed(">=", numbers, everywhere(arguments[1]))
        return builder.and_(from_first, builder.icmp_signed("<", numbers, everywhere(arguments[2])))

    return mask(like, types.int64, types.int64), generate


@intrinsic
def equal_ids(context, like, ids, i, number):
    """The lanes of a vector such as ``like`` for which ``ids[i + lane]`` is ``number``."""
    mask = Lanes(types.boolean, like.count)

    def generate(context, builder, signature, arguments):
        kind = ir.VectorType(_LLVM[ids.dtype], like.count)
        place = builder.bitcast(builder.gep(arguments[1], [arguments[2]]), kind.as_pointer())
        undefined = ir.Constant(kind, ir.Undefined)
        one = builder.insert_element(undefined, arguments[3], ir.Constant(_INT, 0))
        numbers = builder.shuffle_vector(one, undefined, _constants([0] * like.count))
        return builder.icmp_unsigned("==", builder.load(place, align=ids.dtype.bitwidth // 8), numbers)

    return mask(like, ids, types.int64, ids.dtype), generate


@intrinsic
def looked_up(context, like, table, ids, i):
    """``table[ids[i + lane]]`` in each lane of a vector such as ``like``."""

    def generate(context, builder, signature, arguments):
        result = ir.Constant(_vector(like), ir.Undefined)
        for lane in range(like.count):
            number = builder.load(
                builder.gep(arguments[2], [builder.add(arguments[3], ir.Constant(arguments[3].type, lane))])
            )
            value = builder.load(builder.gep(arguments[1], [builder.zext(number, ir.IntType(64))]))
            result = builder.insert_element(result, value, ir.Constant(_INT, lane))
        return result

    return like(like, table, ids, types.int64), generate
