"""A graph as LLVM instructions, written into the code that Numba compiles: on whole SIMD vectors.

A graph may have more than a thousand operations. As Python they would take Numba half a minute to infer types for; an
intrinsic that calls :func:`instructions` writes them on the vectors of :mod:`engines.backend.vector_math`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from engines.backend import vector_math
from engines.backend.vector_math import Lanes, exp, lanes, log, select, sqrt
from engines.formulas.graph import Node, ordered


def _goldman(z: Any, e: Any) -> Any:
    """z/(eᶻ − 1) of vectors, with its Bernoulli series around 0."""
    y = z * z
    b = y * (1 / 74724249600) - 691 / 1307674368000
    b = b * y + 1 / 47900160
    b = b * y - 1 / 1209600
    b = b * y + 1 / 30240
    b = b * y - 1 / 720
    b = b * y + 1 / 12
    near = y < 0.25
    return select(near, 1.0 - 0.5 * z + b * y, z / select(near, 1.0, e - 1.0))


def _goldman_slope(z: Any, e: Any) -> Any:
    """The derivative of z/(eᶻ − 1), by the series of it around 0."""
    y = z * z
    b = y * (14 / 74724249600) - 12 * 691 / 1307674368000
    b = b * y + 10 / 47900160
    b = b * y - 8 / 1209600
    b = b * y + 6 / 30240
    b = b * y - 4 / 720
    b = b * y + 2 / 12
    near = y < 0.25
    far = select(near, 1.0, z)
    g = far / select(near, 1.0, e - 1.0)
    return select(near, z * b - 0.5, g * (1.0 - far - g) / far)


def _growth(z: Any, h: Any) -> Any:
    """(eᶻ − 1)/z of h = e^(z/2); around 0 h·sinh(z/2)/(z/2) by its series, as ``_expm1`` has it."""
    y = 0.25 * z * z
    b = y * (1 / 39916800) + 1 / 362880
    b = b * y + 1 / 5040
    b = b * y + 1 / 120
    b = b * y + 1 / 6
    b = b * y + 1.0
    near = y < 0.0625
    return select(near, h * b, (h * h - 1.0) / select(near, 1.0, z))


def _expm1(z: Any, h: Any) -> Any:
    """eᶻ − 1 of h = e^(z/2); around 0 z·h·sinh(z/2)/(z/2)."""
    y = 0.25 * z * z
    b = y * (1 / 39916800) + 1 / 362880
    b = b * y + 1 / 5040
    b = b * y + 1 / 120
    b = b * y + 1 / 6
    b = b * y + 1.0
    return select(y < 0.0625, z * (h * b), h * h - 1.0)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exp": lambda x: exp(x),
    "log": lambda x: log(x),
    "sqrt": lambda x: sqrt(x),
    "goldman": _goldman,
    "goldman_slope": _goldman_slope,
    "growth": _growth,
    "expm1": _expm1,
}
ONE_BY_ONE: dict[str, Callable[..., Any]] = {
    "pow": lambda x, n: x**n,
    "log10": lambda x: math.log10(x) if x > 0.0 else (-math.inf if x == 0.0 else math.nan),
    "sinh": lambda x: math.sinh(x),
    "cosh": lambda x: math.cosh(x),
    "tanh": lambda x: math.tanh(x),
    "sin": lambda x: math.sin(x),
    "cos": lambda x: math.cos(x),
    "tan": lambda x: math.tan(x),
    "atan": lambda x: math.atan(x),
    "floor": lambda x: np.floor(x),
}
"""Functions that :mod:`engines.backend.vector_math` does not have, called for one lane after the other."""
_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_COMPARISONS = {"lt": "<", "le": "<=", "eq": "=="}


def instructions(
    context: Any,
    builder: ir.IRBuilder,
    roots: Sequence[Node],
    symbols: Mapping[str, ir.Value],
    vector: Lanes,
    bounded: bool = False,
) -> list[ir.Value]:
    """Writes what computes the roots, given vectors for their symbols; returns their values.

    bounded: exponentials saturate, and there is no logarithm of 0, as ``vector_math`` has it, for cells whose formulas
    live from their exponentials; else both are infinite where they are on a GPU."""
    lane_type = context.get_value_type(vector)
    rounded = np.float32 if vector.element == types.float32 else np.float64
    compiled = {name: _call(context, builder, function, vector) for name, function in _FUNCTIONS.items()}
    values: dict[Node, ir.Value] = {}
    for node in ordered(roots):
        args = [values[arg] for arg in node.args]
        if node.op == "const":
            values[node] = ir.Constant(lane_type, [float(rounded(node.number))] * vector.count)
        elif node.op == "symbol":
            values[node] = symbols[str(node.value)]
        elif node.op in ONE_BY_ONE:
            values[node] = _one_by_one(context, builder, ONE_BY_ONE[node.op], vector, args)
        elif node.op in compiled:
            values[node] = compiled[node.op](args)
            if node.op in _ENDS and not bounded:
                values[node] = _infinite(builder, node.op, args[0], values[node], vector)
        else:
            values[node] = arithmetic(builder, node.op, args, ("contract",))
    return [values[root] for root in roots]


_ENDS = {
    "exp": ((">", {32: 88.3, 64: 709.4}, math.inf),),
    "log": (("==", {32: 0.0, 64: 0.0}, -math.inf), ("==", {32: math.inf, 64: math.inf}, math.inf)),
}
"""Where a function is infinite: how its argument compares with a number of so many bits."""


def _infinite(builder: ir.IRBuilder, op: str, x: ir.Value, value: ir.Value, vector: Lanes) -> ir.Value:
    for compared, bounds, end in _ENDS[op]:
        bound, infinite = (
            ir.Constant(x.type, [number] * vector.count) for number in (bounds[vector.element.bitwidth], end)
        )
        value = builder.select(builder.fcmp_ordered(compared, x, bound), infinite, value)
    return value


def arithmetic(builder: ir.IRBuilder, op: str, args: Sequence[ir.Value], flags: tuple[str, ...] = ()) -> ir.Value:
    """An operation that needs no function, on vectors or numbers."""
    if op in _ARITHMETIC:
        return getattr(builder, _ARITHMETIC[op])(*args, flags=flags)
    if op in _COMPARISONS:
        return builder.fcmp_ordered(_COMPARISONS[op], *args)
    if op == "neg":
        return builder.fneg(args[0])
    if op in ("and", "or"):
        return getattr(builder, f"{op}_")(*args)
    if op == "not":
        return builder.not_(args[0])
    if op == "select":
        return builder.select(*args)
    if op == "abs":
        zero = ir.Constant(args[0].type, None)
        return builder.select(builder.fcmp_ordered("<=", args[0], zero), builder.fsub(zero, args[0]), args[0])
    if op in ("min", "max"):
        # NaN if one of the two is, as NumPy has it
        first = builder.fcmp_ordered("<" if op == "min" else ">", *args)
        return builder.select(builder.or_(first, builder.fcmp_unordered("uno", args[0], args[0])), *args)
    raise ValueError(f"no operation without a function: {op}")


def _call(context: Any, builder: ir.IRBuilder, function: Any, vector: Lanes) -> Callable[[list[ir.Value]], ir.Value]:
    def call(args: list[ir.Value]) -> ir.Value:
        return context.compile_internal(builder, function, vector(*[vector] * len(args)), args)

    return call


def _one_by_one(context: Any, builder: ir.IRBuilder, function: Any, vector: Lanes, args: list[ir.Value]) -> ir.Value:
    kind = vector.element
    found = ir.Constant(context.get_value_type(vector), ir.Undefined)
    for lane in range(vector.count):
        at = ir.Constant(ir.IntType(32), lane)
        parts = [builder.extract_element(arg, at) for arg in args]
        value = context.compile_internal(builder, function, kind(*[kind] * len(parts)), parts)
        found = builder.insert_element(found, value, at)
    return found


_graphs: dict[int, tuple[tuple[Node, ...], tuple[str, ...]]] = {}


@intrinsic(prefer_literal=True)
def _write_rows(typingctx: Any, key: Any, inputs: Any, outputs: Any, i: Any) -> Any:
    """Works out the graph of ``key`` for one vector of columns from i on."""
    if not isinstance(key, types.IntegerLiteral):
        return None
    roots, names = _graphs[key.literal_value]
    vector = Lanes(inputs.dtype, vector_math._lane_count(inputs.dtype))

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        def at(kind: Any, array: ir.Value, row: int) -> ir.Value:
            place = context.get_constant(types.intp, row)
            return vector_math._pointer(context, builder, kind, array, place, args[3])

        symbols = {
            name: vector_math._vector_load(builder, at(sig.args[1], args[1], row), vector)
            for row, name in enumerate(names)
        }
        for row, value in enumerate(instructions(context, builder, roots, symbols, vector)):
            vector_math._vector_store(builder, at(sig.args[2], args[2], row), value, vector)
        return context.get_dummy_value()

    return types.void(key, inputs, outputs, types.intp), codegen


def rows_function(roots: Sequence[Node], names: Sequence[str]) -> Callable[[Any, Any], None]:
    """``function(inputs, outputs)`` that works out the roots for each column: (names, n) and (roots, n), of one type
    and with n a multiple of the lanes of a vector. It compiles at its first call, or is found in Numba's cache."""
    key = digest(roots, tuple(names))
    _graphs[key] = tuple(roots), tuple(names)
    return _rows_function(key)


def _rows_function(sources: int) -> Callable[[Any, Any], None]:
    @njit(nogil=True, cache=True)
    def rows(inputs: Any, outputs: Any) -> None:
        for i in range(0, inputs.shape[1], lanes(inputs[0])):
            _write_rows(sources, inputs, outputs, i)

    return rows


def digest(roots: Sequence[Node], *with_it: object) -> int:
    """A number for a graph, for what is written ``with_it`` (paths: the content of a file; else representations), and
    for all code that :func:`instructions` writes it by: what machine code on disk is found by."""
    nodes = ordered(roots)
    number = {node: k for k, node in enumerate(nodes)}
    text = [f"{node.op} {[number[arg] for arg in node.args]} {node.value!r}" for node in nodes]
    text += [repr([number[root] for root in roots]), *(repr(each) for each in with_it if not isinstance(each, Path))]
    files = [Path(str(vector_math.__file__)), Path(__file__), *(each for each in with_it if isinstance(each, Path))]
    code = b"".join(file.read_bytes() for file in files)
    return int.from_bytes(hashlib.sha256("\n".join(text).encode() + code).digest()[:7], "big")
