"""Functions of typed neurons on the CPU, rounded in the order of ``functions.cuh``: the same bits on both backends."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba import njit

from engines.spiking.neurons.cpu_models import _linear, exp, expm1, log

_0, _1, _2, _HALF, _FLAT = (np.float32(value) for value in (0, 1, 2, 0.5, 1e-4))
_MANY, _MOST, _PER_QUARTER = np.float32(8192), np.float32(1e9), np.float32(0.636619772)
_PER_TURN, _TURN = 0.15915494309189535, 6.283185307179586
_Q1, _Q2, _Q3 = (np.float32(value) for value in (1.5703125, 4.837512969970703e-4, 7.549789948768648e-8))
_S2, _S1, _S0 = (np.float32(value) for value in (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1))
_C2, _C1, _C0 = (np.float32(value) for value in (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2))
_A3, _A2, _A1, _A0 = (
    np.float32(value) for value in (8.05374449538e-2, 1.38776856032e-1, 1.99777106478e-1, 3.33329491539e-1)
)
_FAR, _MIDDLE, _QUARTER, _EIGHTH = (np.float32(value) for value in (2.41421356, 0.414213562, 1.57079633, 0.785398163))
_LOG10 = np.float32(0.4342944819)
_NAN, _LOWEST, _LARGEST = np.float32(np.nan), np.float32(-np.inf), np.finfo(np.float32).max


@njit(nogil=True, error_model="numpy", forceinline=True)
def exponential(x):
    """What is no number stays so: ``exp`` bounds its exponent, and would have a number for it."""
    found = exp(x)
    return found if x == x else _NAN


@njit(nogil=True, error_model="numpy", forceinline=True)
def less_one(x):
    """e^x − 1, as :func:`exponential`."""
    found = expm1(x)
    return found if x == x else _NAN


@njit(nogil=True, error_model="numpy", forceinline=True)
def logarithm(x):
    """Of 0 and below, and of what is infinite, as IEEE 754 has it."""
    found = log(x)
    return (found if x <= _LARGEST else x) if x > _0 else (_LOWEST if x == _0 else _NAN)


@njit(nogil=True, error_model="numpy", forceinline=True)
def growth(z):
    """(e^z − 1)/z"""
    near, far = _1 + z * _HALF, expm1(z) / z
    return near if abs(z) < _FLAT else far


@njit(nogil=True, error_model="numpy", forceinline=True)
def tanh(x):
    e = less_one(x + x)
    return e / (e + _2)


@njit(nogil=True, error_model="numpy", forceinline=True)
def sinh(x):
    e = less_one(abs(x))
    found = _HALF * (e + e / (e + _1))
    return -found if x < _0 else found


@njit(nogil=True, error_model="numpy", forceinline=True)
def cosh(x):
    return _HALF * (exponential(x) + exponential(_0 - x))


@njit(nogil=True, error_model="numpy", forceinline=True)
def _turned(x, quarters):
    """Sine, of an angle a quarter turn further the cosine (Cephes). Larger angles lose their turns in double precision
    first; beyond 1e9, where float32 has steps of ten turns, there is no sine."""
    known = abs(x) <= _MOST
    x = x if known else _0
    turns = np.floor(np.float64(x) * _PER_TURN)
    left = np.float32(np.float64(x) - turns * _TURN)
    x = left if abs(x) > _MANY else x
    k = np.floor(x * _PER_QUARTER + _HALF)
    r = ((x - k * _Q1) - k * _Q2) - k * _Q3
    z = r * r
    sine = ((_S2 * z + _S1) * z + _S0) * z * r + r
    cosine = ((_C2 * z + _C1) * z + _C0) * z * z - _HALF * z + _1
    quadrant = np.int32(k) + np.int32(quarters)
    value = cosine if quadrant & np.int32(1) else sine
    value = -value if quadrant & np.int32(2) else value
    return value if known else _NAN


@njit(nogil=True, error_model="numpy", forceinline=True)
def left_of(x):
    """An angle without its turns, in float64; beyond 1e14 it has none that are known."""
    turns = np.floor(x * _PER_TURN)
    return x - turns * _TURN if abs(x) <= 1e14 else x


@njit(nogil=True, error_model="numpy", forceinline=True)
def atan(x):
    size = abs(x)
    far, middle = size > _FAR, size > _MIDDLE
    y = -_1 / size if far else ((size - _1) / (size + _1) if middle else size)
    z = y * y
    p = ((_A3 * z - _A2) * z + _A1) * z - _A0
    found = (p * z * y + y) + (_QUARTER if far else (_EIGHTH if middle else _0))
    return -found if x < _0 else found


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "exp": lambda x: exponential(x),
    "log": lambda x: logarithm(x),
    "log10": lambda x: logarithm(x) * _LOG10,
    "sqrt": lambda x: np.sqrt(x),
    "tanh": lambda x: tanh(x),
    "sinh": lambda x: sinh(x),
    "cosh": lambda x: cosh(x),
    "sin": lambda x: _turned(x, 0),
    "cos": lambda x: _turned(x, 1),
    "tan": lambda x: _turned(x, 0) / _turned(x, 1),
    "atan": lambda x: atan(x),
    "floor": lambda x: np.floor(x),
    "expm1": lambda z, _: less_one(z),
    "growth": lambda z, _: growth(z),
    "goldman": lambda z, _: _linear(z),
}
"""Operations of graphs that are more than arithmetic."""
