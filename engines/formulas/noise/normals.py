"""Normal random numbers of a counter: by Philox-4x32-10 (Salmon et al. 2011) and Box and Muller's method.

Written once, for arrays of NumPy and for LLVM vectors (:class:`Lane`), with the operators that both have;
``normals.cuh`` has the same for CUDA. Integers are words of 32 bits in 64; floats are single precision, each operation
rounded, none fused, so that all three give the same bits. The largest number there is, √(2·31·ln 2), is 6.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from engines.api import Array

_MASK = 0xFFFFFFFF
_ROOT_HALF = 0x3F3504F3
"""The bits of √½."""
_LOG = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_SINE = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COSINE = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2, -0.5, 1.0)
"""Polynomials of Cephes, of single precision (Moshier 1992)."""
TURN = 9.362676e-8
"""π/2 by 2²⁴."""


def philox(counter: Sequence[Any], key: Sequence[Any]) -> tuple[Any, Any, Any, Any]:
    """Four words of a counter of four words and a key of two."""
    (x, y, z, w), (low, high) = counter, key
    for _ in range(10):
        a, b = x * 0xD2511F53, z * 0xCD9E8D57
        x, y, z, w = (b >> 32) ^ y ^ low, b & _MASK, (a >> 32) ^ w ^ high, a & _MASK
        low, high = (low + 0x9E3779B9) & _MASK, (high + 0xBB67AE85) & _MASK
    return x, y, z, w


def normals(counter: Sequence[Any], key: Sequence[Any], kind: Any) -> list[Any]:
    """Four, each of mean 0 and variance 1. kind: :class:`OfArrays` or :class:`Lane`"""
    x, y, z, w = philox(counter, key)
    return [*_pair(x, y, kind), *_pair(z, w, kind)]


def _pair(first: Any, second: Any, kind: Any) -> tuple[Any, Any]:
    # −2 ln u of u = (first/2, made odd)/2³¹: of u 2³¹ = m 2^k with m from √½ to √2 the logarithm is k ln 2 + ln m.
    offset = kind.bits(kind.number((first >> 1) | 1)) - _ROOT_HALF
    f = kind.of_bits((offset & 0x7FFFFF) + _ROOT_HALF) + -1.0
    small = f + (f * f) * (_polynomial(_LOG, f) * f + -0.5)
    radius = kind.root(((kind.number(offset >> 23) + -31.0) * 0.693147181 + small) * -2.0)
    # The angle: quarters of a turn by two bits, and by 24 others one from −π/4 to π/4.
    quarter = second >> 30
    angle = (kind.number((second & 0x3FFFFFFF) >> 6) + -8388607.5) * TURN
    square = angle * angle
    s, c = _polynomial(_SINE, square) * square * angle + angle, _polynomial(_COSINE, square)
    odd = quarter & 1
    signs = [kind.number(bit) * -2.0 + 1.0 for bit in (((quarter + 1) >> 1) & 1, quarter >> 1)]
    return radius * signs[0] * kind.choose(odd, s, c), radius * signs[1] * kind.choose(odd, c, s)


def _polynomial(factors: Sequence[float], x: Any) -> Any:
    found = x * factors[0] + factors[1]
    for factor in factors[2:]:
        found = found * x + factor
    return found


class OfArrays:
    """Words as uint64, numbers as float32 arrays."""

    @staticmethod
    def number(word: Array) -> Array:
        return word.astype(np.float32)

    @staticmethod
    def bits(number: Array) -> Array:
        return number.view(np.uint32).astype(np.uint64)

    @staticmethod
    def of_bits(word: Array) -> Array:
        return word.astype(np.uint32).view(np.float32)

    root = staticmethod(np.sqrt)

    @staticmethod
    def choose(word: Array, yes: Array, no: Array) -> Array:
        return np.where(word != 0, yes, no)


class Lane:
    """A vector of words (64 bits a lane) or numbers (float32) in LLVM; operators write instructions."""

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self._builder, self.value = builder, value

    @property
    def _floats(self) -> bool:
        return isinstance(self.value.type.element, ir.FloatType)

    def _with(self, real: str, whole: str, other: Any) -> Lane:
        right = other.value if isinstance(other, Lane) else self._constant(other)
        return Lane(self._builder, getattr(self._builder, real if self._floats else whole)(self.value, right))

    def _constant(self, value: float) -> ir.Value:
        held = float(np.float32(value)) if self._floats else value
        return ir.Constant(self.value.type, [held] * self.value.type.count)

    def __add__(self, other: Any) -> Lane:
        return self._with("fadd", "add", other)

    def __sub__(self, other: Any) -> Lane:
        return self._with("fsub", "sub", other)

    def __mul__(self, other: Any) -> Lane:
        return self._with("fmul", "mul", other)

    def __xor__(self, other: Any) -> Lane:
        return self._with("", "xor", other)

    def __and__(self, other: Any) -> Lane:
        return self._with("", "and_", other)

    def __or__(self, other: Any) -> Lane:
        return self._with("", "or_", other)

    def __rshift__(self, other: int) -> Lane:
        return self._with("", "lshr", other)

    def _of(self, element: ir.Type) -> ir.Type:
        return ir.VectorType(element, self.value.type.count)

    @classmethod
    def number(cls, word: Lane) -> Lane:
        narrow = word._builder.trunc(word.value, word._of(ir.IntType(32)))
        return cls(word._builder, word._builder.sitofp(narrow, word._of(ir.FloatType())))

    @classmethod
    def bits(cls, number: Lane) -> Lane:
        narrow = number._builder.bitcast(number.value, number._of(ir.IntType(32)))
        return cls(number._builder, number._builder.zext(narrow, number._of(ir.IntType(64))))

    @classmethod
    def of_bits(cls, word: Lane) -> Lane:
        narrow = word._builder.trunc(word.value, word._of(ir.IntType(32)))
        return cls(word._builder, word._builder.bitcast(narrow, word._of(ir.FloatType())))

    @classmethod
    def root(cls, number: Lane) -> Lane:
        kind = number.value.type
        name = f"llvm.sqrt.v{kind.count}f32"
        function = number._builder.module.globals.get(name) or ir.Function(
            number._builder.module, ir.FunctionType(kind, [kind]), name
        )
        return cls(number._builder, number._builder.call(function, [number.value]))

    @classmethod
    def choose(cls, word: Lane, yes: Lane, no: Lane) -> Lane:
        mask = word._builder.icmp_unsigned("!=", word.value, word._constant(0))
        return cls(word._builder, word._builder.select(mask, yes.value, no.value))
