"""SIMD vectors for Numba kernels, with exp, log and sqrt that run in vector registers.

LLVM does not vectorise a loop that calls ``math.exp`` unless Intel's SVML is installed, nor one with dozens of
arrays that might overlap. Here a vector is a value: ``load`` gives one, arithmetic and comparisons work on
all of its lanes, ``store`` writes it back. A kernel reads like scalar code and is SIMD by construction, with
the widest registers of the processor that runs it (AVX-512, AVX, NEON):

    @njit
    def decay(values, rates):                       # length: a multiple of the lanes
        for i in range(0, len(values), lanes(values)):
            store(values, i, load(values, i) * exp(-0.1 * load(rates, i)))

Numbers that meet a vector take its precision, so a float32 kernel has no hidden float64. Vectors live inside
jitted functions only. Multiply-add pairs are fused where the processor can; nothing else is reordered.

Accuracy in float32 and float64, measured against longdouble NumPy by the tests: exp within 1.2 ulp (measured: 1.0
and 1.1), log within 1 ulp; exp saturates (to the least and largest normal number) instead of overflowing; log is for
positive normal numbers and NaN for zero and below, so that a solution that has gone wrong shows.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.extending import register_model
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import lower_builtin, lower_cast, overload


def _register_bytes() -> int:
    features = binding.get_host_cpu_features()
    if features.get("avx512f"):
        return 64
    return 32 if features.get("avx") else 16


REGISTER_BYTES = _register_bytes()
"""Size of the vectors, decided by the processor when this module is imported."""


intrinsic: Any = numba_intrinsic
"""Numba's types say that an intrinsic is called with its typing context; callers in jitted code do not see it."""


class Lanes(types.Type):
    """Numba type of a vector: ``count`` lanes of a scalar type (booleans for the result of a comparison)."""

    def __init__(self, element: Any, count: int) -> None:
        self.element, self.count = element, count
        super().__init__(name=f"Lanes({element} x {count})")

    @property
    def key(self) -> tuple[Any, int]:
        return self.element, self.count

    def can_convert_from(self, typingctx: Any, other: types.Type) -> Any:
        return Conversion.safe if isinstance(other, types.Number) else None


_LLVM: dict[Any, ir.Type] = {
    types.boolean: ir.IntType(1),
    types.uint8: ir.IntType(8),
    types.uint32: ir.IntType(32),
    types.float32: ir.FloatType(),
    types.float64: ir.DoubleType(),
}


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Lanes) -> None:
        super().__init__(dmm, fe_type, ir.VectorType(_LLVM[fe_type.element], fe_type.count))


def _splat(builder: ir.IRBuilder, value: ir.Value, count: int) -> ir.Value:
    if isinstance(value, ir.Constant):
        return ir.Constant(ir.VectorType(value.type, count), [value] * count)
    vector = ir.VectorType(value.type, count)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)


@lower_cast(types.Number, Lanes)
def _broadcast(context: Any, builder: ir.IRBuilder, fromty: types.Type, toty: Lanes, value: ir.Value) -> ir.Value:
    return _splat(builder, context.cast(builder, value, fromty, toty.element), toty.count)


def _common(a: types.Type, b: types.Type) -> Lanes | None:
    """The vector type of an operation on a and b, or None if neither is a vector or they do not match."""
    if isinstance(a, Lanes) and (a == b or isinstance(b, types.Number)):
        return a
    return b if isinstance(b, Lanes) and isinstance(a, types.Number) else None


def _arithmetic(symbol: Any, instruction: str) -> None:
    @infer_global(symbol)
    class Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            vector = _common(*args) if len(args) == 2 else None
            return signature(vector, vector, vector) if vector is not None else None

    @lower_builtin(symbol, Lanes, Lanes)
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        if isinstance(sig.return_type.element, types.Float):
            return getattr(builder, "f" + instruction)(*args, flags=("contract",))
        return getattr(builder, instruction)(*args)


for _symbol, _name in ((operator.add, "add"), (operator.sub, "sub"), (operator.mul, "mul"), (operator.truediv, "div")):
    _arithmetic(_symbol, _name)


def _bitwise(symbol: Any, instruction: str) -> None:
    @infer_global(symbol)
    class Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            vector = _common(*args) if len(args) == 2 else None
            return signature(vector, vector, vector) if vector is not None else None

    @lower_builtin(symbol, Lanes, Lanes)
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return getattr(builder, instruction)(*args)


for _symbol, _name in ((operator.and_, "and_"), (operator.or_, "or_")):
    _bitwise(_symbol, _name)


def _comparison(symbol: Any, predicate: str) -> None:
    @infer_global(symbol)
    class Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            vector = _common(*args)
            return signature(Lanes(types.boolean, vector.count), vector, vector) if vector is not None else None

    @lower_builtin(symbol, Lanes, Lanes)
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        if isinstance(sig.args[0].element, types.Float):
            return builder.fcmp_ordered(predicate, *args)
        return builder.icmp_unsigned(predicate, *args)


for _symbol, _name in (
    (operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">="),
    (operator.eq, "=="), (operator.ne, "!="),
):  # fmt: skip
    _comparison(_symbol, _name)


@infer_global(operator.neg)
class _NegTyping(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(args[0], args[0]) if isinstance(args[0], Lanes) else None


@lower_builtin(operator.neg, Lanes)
def _neg(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
    return builder.fneg(args[0])


# --- Memory: pointers into C-contiguous arrays ---------------------------------------------------------------------


def _pointer(context: Any, builder: ir.IRBuilder, array_type: Any, array: ir.Value, row: Any, i: ir.Value) -> ir.Value:
    struct = context.make_array(array_type)(context, builder, array)
    if row is not None:
        length = builder.extract_value(struct.shape, 1)
        i = builder.add(builder.mul(row, length), i)
    return builder.gep(struct.data, [i])


def _check_array(array: Any, ndim: int) -> bool:
    return isinstance(array, types.Array) and array.ndim == ndim and array.layout == "C"


def _lane_count(dtype: Any) -> int:
    return REGISTER_BYTES * 8 // dtype.bitwidth


def _vector_load(builder: ir.IRBuilder, pointer: ir.Value, vector: Lanes) -> ir.Value:
    llvm = ir.VectorType(_LLVM[vector.element], vector.count)
    return builder.load(builder.bitcast(pointer, llvm.as_pointer()), align=max(1, vector.element.bitwidth // 8))


def _vector_store(builder: ir.IRBuilder, pointer: ir.Value, value: ir.Value, vector: Lanes) -> None:
    builder.store(value, builder.bitcast(pointer, value.type.as_pointer()), align=max(1, vector.element.bitwidth // 8))


@intrinsic
def lanes(typingctx: Any, array: Any) -> Any:
    """Number of elements of ``array`` in one vector."""
    count = _lane_count(array.dtype)

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return context.get_constant(types.intp, count)

    return types.intp(array), codegen


@intrinsic
def load(typingctx: Any, array: Any, i: Any) -> Any:
    """The vector that starts at ``array[i]`` (1D)."""
    if not _check_array(array, 1):
        return None
    vector = Lanes(array.dtype, _lane_count(array.dtype))

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return _vector_load(builder, _pointer(context, builder, sig.args[0], args[0], None, args[1]), vector)

    return vector(array, types.intp), codegen


@intrinsic
def load_row(typingctx: Any, array: Any, row: Any, i: Any) -> Any:
    """The vector that starts at ``array[row, i]`` (2D)."""
    if not _check_array(array, 2):
        return None
    vector = Lanes(array.dtype, _lane_count(array.dtype))

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return _vector_load(builder, _pointer(context, builder, sig.args[0], *args), vector)

    return vector(array, types.intp, types.intp), codegen


@intrinsic
def load_like(typingctx: Any, like: Any, array: Any, i: Any) -> Any:
    """As many elements of ``array`` from ``array[i]`` as vector ``like`` has lanes (masks beside floats)."""
    if not _check_array(array, 1) or not isinstance(like, Lanes):
        return None
    vector = Lanes(array.dtype, like.count)

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return _vector_load(builder, _pointer(context, builder, sig.args[1], args[1], None, args[2]), vector)

    return vector(like, array, types.intp), codegen


@intrinsic
def gather(typingctx: Any, like: Any, array: Any, row: Any, indices: Any) -> Any:
    """``array[row, indices[k]]`` in lane k (2D), of the type of ``like``; indices: vector of integers, not checked."""
    if not _check_array(array, 2) or not isinstance(indices, Lanes) or array.dtype != like.element:
        return None

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        result = ir.Constant(ir.VectorType(_LLVM[like.element], like.count), ir.Undefined)
        for k in range(like.count):
            lane = ir.Constant(ir.IntType(32), k)
            index = builder.zext(builder.extract_element(args[3], lane), ir.IntType(64))
            value = builder.load(_pointer(context, builder, sig.args[1], args[1], args[2], index))
            result = builder.insert_element(result, value, lane)
        return result

    return like(like, array, types.intp, indices), codegen


@intrinsic
def store(typingctx: Any, array: Any, i: Any, value: Any) -> Any:
    """Write vector ``value`` from ``array[i]`` on (1D)."""
    if not _check_array(array, 1) or not isinstance(value, Lanes) or value.element != array.dtype:
        return None

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        _vector_store(builder, _pointer(context, builder, sig.args[0], args[0], None, args[1]), args[2], value)
        return context.get_dummy_value()

    return types.none(array, types.intp, value), codegen


@intrinsic
def store_row(typingctx: Any, array: Any, row: Any, i: Any, value: Any) -> Any:
    """Write vector ``value`` from ``array[row, i]`` on (2D)."""
    if not _check_array(array, 2) or not isinstance(value, Lanes) or value.element != array.dtype:
        return None

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        _vector_store(builder, _pointer(context, builder, sig.args[0], *args[:3]), args[3], value)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.intp, value), codegen


def lookup(like: Any, table: Any, row: Any, columns: Any, first: Any, uniform: Any) -> Any:
    """``table[row, columns[k]]`` in lane k; one load if ``uniform``, when every lane has column ``first``.

    A plain function, for ``context.compile_internal``.
    """
    if uniform:
        return splat(like, table[row, first])
    return gather(like, table, row, columns)


# --- Choice ----------------------------------------------------------------------------------------------------------


@intrinsic
def splat(typingctx: Any, like: Any, value: Any) -> Any:
    """A vector of the type of ``like`` with ``value`` in every lane."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return args[1]

    return like(like, like), codegen


@intrinsic
def select(typingctx: Any, mask: Any, yes: Any, no: Any) -> Any:
    """``yes`` where the mask is true, else ``no``, lane by lane; one of the two may be a number."""
    vector = _common(yes, no)
    if vector is None or not isinstance(mask, Lanes):
        return None

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return builder.select(*args)

    return vector(mask, vector, vector), codegen


def _reduction(combine_ones: bool) -> Any:
    def typed(typingctx: Any, mask: Any) -> Any:
        if not isinstance(mask, Lanes) or mask.element != types.boolean:
            return None

        def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
            bits = builder.bitcast(args[0], ir.IntType(mask.count))
            if combine_ones:
                return builder.icmp_unsigned("==", bits, ir.Constant(bits.type, (1 << mask.count) - 1))
            return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

        return types.boolean(mask), codegen

    return typed


any_lane = intrinsic(_reduction(False))
all_lanes = intrinsic(_reduction(True))


@intrinsic
def sqrt(typingctx: Any, x: Any) -> Any:
    """Square root, correctly rounded."""
    if not isinstance(x, Lanes):
        return None

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        name = f"llvm.sqrt.v{x.count}f{x.element.bitwidth}"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(args[0].type, [args[0].type]), name)
        return builder.call(function, args)

    return x(x), codegen


# --- exp and log -----------------------------------------------------------------------------------------------------


def _integers(vector: Lanes) -> tuple[ir.VectorType, int]:
    """The integer vector of the same size, and the number of mantissa bits of its floats."""
    bits = vector.element.bitwidth
    return ir.VectorType(ir.IntType(bits), vector.count), 23 if bits == 32 else 52


@intrinsic
def _scale(typingctx: Any, x: Any, shifted: Any) -> Any:
    """x·2^k, where ``shifted`` = k + 1.5·2^mantissa holds k in its lowest bits."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        integers, mantissa = _integers(x)
        k = builder.shl(builder.bitcast(args[1], integers), ir.Constant(integers, [mantissa] * x.count))
        return builder.bitcast(builder.add(builder.bitcast(args[0], integers), k), args[0].type)

    return x(x, x), codegen


@intrinsic
def _split(typingctx: Any, x: Any) -> Any:
    """(m, k) with x = m·2^k and m in [√½, √2), both as vectors of floats."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        integers, mantissa = _integers(x)

        def constant(value: int) -> ir.Constant:
            return ir.Constant(integers, [value] * x.count)

        root_half = int(np.sqrt(0.5).astype(f"f{x.element.bitwidth // 8}").view(f"i{x.element.bitwidth // 8}"))
        offset = builder.sub(builder.bitcast(args[0], integers), constant(root_half))
        k = builder.ashr(offset, constant(mantissa))
        within = builder.add(builder.and_(offset, constant((1 << mantissa) - 1)), constant(root_half))
        parts = (builder.bitcast(within, args[0].type), builder.sitofp(k, args[0].type))
        return context.make_tuple(builder, sig.return_type, parts)

    return types.UniTuple(x, 2)(x), codegen


def exp(x: Any) -> Any:
    """e to the power of each lane."""
    raise TypeError("exp of vectors works inside jitted functions only")


def log(x: Any) -> Any:
    """Natural logarithm of each lane; NaN for zero and negative numbers."""
    raise TypeError("log of vectors works inside jitted functions only")


# exp: x = k ln2 + r, |r| ≤ ln2/2; e^r = 1 + r + r²·p(r), p fitted at Chebyshev nodes (relative error 1e-8 and 2e-17).
# Adding 1.5·2^mantissa rounds x/ln2 to an integer that then stands in the lowest bits.


@overload(exp, inline="never", jit_options={"forceinline": True})
def _exp(x: Any) -> Any:
    if not isinstance(x, Lanes):
        return None
    if x.element == types.float32:

        def exp32(x: Any) -> Any:
            x = select(x < -87.3, -87.3, select(x > 88.3, 88.3, x))
            shifted = x * 1.4426950408889634 + 12582912.0
            k = shifted - 12582912.0
            r = (x - k * 0.693359375) + k * 2.12194440e-4
            p = r * 0.0013926250831497611 + 0.008363232883682618
            p = p * r + 0.04166655421298415
            p = p * r + 0.16666576666119928
            p = p * r + 0.5
            return _scale((p * r) * r + r + 1.0, shifted)

        return exp32

    def exp64(x: Any) -> Any:
        x = select(x < -708.3, -708.3, select(x > 709.4, 709.4, x))
        shifted = x * 1.4426950408889634 + 6755399441055744.0
        k = shifted - 6755399441055744.0
        r = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10
        p = r * 2.5100472505694996e-08 + 2.7620201591031547e-07
        p = p * r + 2.7557268276905696e-06
        p = p * r + 2.4801521057868204e-05
        p = p * r + 0.00019841269863171557
        p = p * r + 0.0013888888917367081
        p = p * r + 0.008333333333330039
        p = p * r + 0.041666666666623824
        p = p * r + 0.16666666666666669
        p = p * r + 0.5
        return _scale((p * r) * r + r + 1.0, shifted)

    return exp64


# log: x = m·2^k; log m = 2 atanh(s) with s = (m−1)/(m+1), arranged so that its leading term f = m − 1 is exact.


@overload(log, inline="never", jit_options={"forceinline": True})
def _log(x: Any) -> Any:
    if not isinstance(x, Lanes):
        return None
    if x.element == types.float32:

        def log32(x: Any) -> Any:
            m, k = _split(x)
            f = m - 1.0
            s = f / (f + 2.0)
            z = s * s
            p = z * 0.2958202356203656 + 0.39988734820244165
            p = (p * z + 0.6666668515145278) * z
            half = 0.5 * f * f
            value = k * 0.693359375 + (f - (half - (s * (half + p) - k * 2.12194440e-4)))
            return select(x > 0.0, value, np.nan)

        return log32

    def log64(x: Any) -> Any:
        m, k = _split(x)
        f = m - 1.0
        s = f / (f + 2.0)
        z = s * s
        p = z * 0.1461916613488797 + 0.1533150161114533
        p = p * z + 0.18182895750119193
        p = p * z + 0.22222211043776857
        p = p * z + 0.2857142862653362
        p = p * z + 0.3999999999989827
        p = (p * z + 0.666666666666667) * z
        half = 0.5 * f * f
        value = k * 0.6931471803691238 + (f - (half - (s * (half + p) + k * 1.9082149292705877e-10)))
        return select(x > 0.0, value, np.nan)

    return log64
