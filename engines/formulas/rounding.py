"""How far rounding in float32 can move a value: bounds of every operation by interval arithmetic.

Each node of the graph gets an interval that holds whatever float32 arithmetic makes of it, fused or not, on the CPU or
by a GPU's short functions: what comes of its arguments' intervals, widened by the operation's own error. Where a value
hangs on a small difference, or on a steep function of one, its interval is wide, and narrow where it does not: the
error that a kernel may have follows from the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.formulas.graph import GOLDMAN_SLOPE, GROWTH, OPERATIONS, Node, ordered

ROUNDING = 2.0**-24
"""Largest relative error of one rounded operation; one unit in the last place is twice that."""
SMALLEST = 2.0**-126
"""Below this results are flushed to zero."""
LARGEST = 2.0**126
"""Above this a short division gives zero (CUDA C++ Programming Guide, intrinsic functions)."""
Interval = tuple[Any, Any]
"""(lowest, highest), of equal shape; for a condition, whether it is surely true and whether it may be."""


def bounds(roots: Sequence[Node], values: Mapping[str, Any]) -> list[Interval]:
    """(lowest, highest) float64 value of each root in float32 arithmetic; symbols have exactly the values given."""
    found: dict[Node, Interval] = {}
    exact: Any
    with np.errstate(all="ignore"):
        for node in ordered(roots):
            if node.op == "const":
                exact = np.float64(np.float32(node.number))
                found[node] = (exact, exact)
            elif node.op == "symbol":
                exact = np.asarray(values[str(node.value)], np.float64)
                found[node] = (exact, exact)
            else:
                found[node] = _RULES[node.op](*(found[arg] for arg in node.args))
    return [found[root] for root in roots]


def _widened(low: Array, high: Array, relative: Any = ROUNDING) -> Interval:
    """Widened by a relative error, and by what is flushed to zero; everything where it is not a number."""
    low, high = low - relative * np.abs(low) - SMALLEST, high + relative * np.abs(high) + SMALLEST
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _among(*values: Array) -> Interval:
    """The hull of some values; everything where one is not a number."""
    stacked = np.array(np.broadcast_arrays(*values))
    lost = np.isnan(stacked).any(axis=0)
    return np.where(lost, -np.inf, stacked.min(axis=0)), np.where(lost, np.inf, stacked.max(axis=0))


def _product(a: Interval, b: Interval) -> Interval:
    return _widened(*_among(a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]))


def _quotient(a: Interval, b: Interval) -> Interval:
    """__fdividef: two units in the last place; zero for huge divisors."""
    through_zero = (b[0] <= 0) & (b[1] >= 0)
    low, high = _among(a[0] / b[0], a[0] / b[1], a[1] / b[0], a[1] / b[1])
    huge = np.maximum(np.abs(b[0]), np.abs(b[1])) > LARGEST
    low, high = np.where(huge, np.minimum(low, 0.0), low), np.where(huge, np.maximum(high, 0.0), high)
    return _widened(np.where(through_zero, -np.inf, low), np.where(through_zero, np.inf, high), 4 * ROUNDING)


def _exponential(a: Interval) -> Interval:
    """__expf: 2 + 1.173 |x| units in the last place."""
    size = np.maximum(np.abs(a[0]), np.abs(a[1]))
    low, high = _widened(np.exp(a[0]), np.exp(a[1]), 2 * ROUNDING * (2 + 1.173 * np.minimum(size, 104.0)))
    return np.minimum(np.maximum(low, 0.0), 2 * LARGEST), high


def _logarithm(a: Interval) -> Interval:
    """__logf: an error of 2^-21.41 near 1, three units in the last place elsewhere."""
    low, high = _widened(np.log(a[0]), np.log(a[1]), 6 * ROUNDING)
    return low - 2.0**-21.41, high + 2.0**-21.41


def _less(a: Interval, b: Interval) -> Interval:
    return a[1] < b[0], a[0] < b[1]


def _at_most(a: Interval, b: Interval) -> Interval:
    return a[1] <= b[0], a[0] <= b[1]


def _equal(a: Interval, b: Interval) -> Interval:
    same = (a[0] == a[1]) & (b[0] == b[1]) & (a[0] == b[0])
    return same, (a[0] <= b[1]) & (b[0] <= a[1])


def _chosen(condition: Interval, yes: Interval, no: Interval) -> Interval:
    surely, maybe = condition
    low = np.where(surely, yes[0], np.where(maybe, np.minimum(yes[0], no[0]), no[0]))
    return low, np.where(surely, yes[1], np.where(maybe, np.maximum(yes[1], no[1]), no[1]))


def _series(factors: Sequence[float], y: Interval) -> Interval:
    result: Interval = (np.zeros_like(y[0]), np.zeros_like(y[0]))
    for factor in factors:
        exact = np.float64(np.float32(factor))
        result = _widened(*_plus(_product(result, y), (exact, exact)))
    return result


def _plus(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def _near(z: Interval, inside: Interval, outside: Interval) -> Interval:
    """What the two sides of |z| < 1/2 give, both where that is not sure."""
    size = np.maximum(np.abs(z[0]), np.abs(z[1])), np.where((z[0] <= 0) & (z[1] >= 0), 0.0, np.abs(z).min(axis=0))
    return _chosen((size[0] < 0.5 - 1e-6, size[1] < 0.5 + 1e-6), inside, outside)


_ONE: Interval = (np.float64(1.0), np.float64(1.0))
_GOLDMAN = (
    1 / 74724249600, -691 / 1307674368000, 1 / 47900160, -1 / 1209600, 1 / 30240, -1 / 720, 1 / 12,
)  # fmt: skip


def _negative(a: Interval) -> Interval:
    return -a[1], -a[0]


def _sum(a: Interval, b: Interval) -> Interval:
    return _widened(*_plus(a, b))


def _difference(a: Interval, b: Interval) -> Interval:
    return _sum(a, _negative(b))


def _goldman(z: Interval, e: Interval) -> Interval:
    y, half = _product(z, z), (0.5 * z[0], 0.5 * z[1])
    inside = _sum(_difference(_ONE, half), _product(_series(_GOLDMAN, y), y))
    return _near(z, inside, _quotient(z, _difference(e, _ONE)))


def _goldman_slope(z: Interval, e: Interval) -> Interval:
    half = (np.float64(0.5), np.float64(0.5))
    inside = _difference(_product(z, _series(GOLDMAN_SLOPE, _product(z, z))), half)
    g = _quotient(z, _difference(e, _ONE))
    return _near(z, inside, _quotient(_product(g, _difference(_difference(_ONE, z), g)), z))


def _risen(z: Interval, h: Interval) -> tuple[Interval, Interval]:
    """(h·sinh(z/2)/(z/2), h² − 1)."""
    y = _product(z, z)
    return _product(h, _series(GROWTH, (0.25 * y[0], 0.25 * y[1]))), _difference(_product(h, h), _ONE)


def _growth(z: Interval, h: Interval) -> Interval:
    inside, outside = _risen(z, h)
    return _near(z, inside, _quotient(outside, z))


def _expm1(z: Interval, h: Interval) -> Interval:
    inside, outside = _risen(z, h)
    return _near(z, _product(z, inside), outside)


LIBRARY = 16 * ROUNDING
"""Eight units in the last place: CUDA's float functions keep within them (powf: 9 bits more than its logarithm)."""


def _abs(a: Interval) -> Interval:
    sides = np.abs(a[0]), np.abs(a[1])
    through_zero = (a[0] <= 0) & (a[1] >= 0)
    return np.where(through_zero, 0.0, np.minimum(*sides)), np.maximum(*sides)


def _wave(function: Callable[[Any], Any], a: Interval) -> Interval:
    """A sine or cosine, whose slope is at most 1."""
    middle, half = 0.5 * (a[0] + a[1]), 0.5 * (a[1] - a[0])
    value = function(middle)
    low, high = _widened(value - half, value + half, LIBRARY)
    return np.where(np.isfinite(low), np.maximum(low, -1.0), -1.0), np.where(
        np.isfinite(high), np.minimum(high, 1.0), 1.0
    )


def _power(a: Interval, b: Interval) -> Interval:
    """Of a positive base by its corners; of any other, surely a whole power, by those and zero; else everything."""
    corners = [x**n for x in a for n in b]
    low, high = _among(*corners)
    whole = (b[0] == b[1]) & (b[0] == np.round(b[0])) & (b[0] >= 0)
    through_zero = (a[0] <= 0) & (a[1] >= 0)
    low, high = np.where(through_zero, np.minimum(low, 0.0), low), np.where(through_zero, np.maximum(high, 0.0), high)
    known = (a[0] > 0) | whole
    return _widened(np.where(known, low, -np.inf), np.where(known, high, np.inf), LIBRARY)


_RULES: dict[str, Callable[..., Interval]] = {
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "div": _quotient,
    "neg": _negative,
    "exp": _exponential,
    "log": _logarithm,
    "sqrt": lambda a: _widened(np.sqrt(np.maximum(a[0], 0.0)), np.sqrt(a[1])),
    "goldman": _goldman,
    "goldman_slope": _goldman_slope,
    "growth": _growth,
    "expm1": _expm1,
    "lt": _less,
    "le": _at_most,
    "eq": _equal,
    "and": lambda a, b: (a[0] & b[0], a[1] & b[1]),
    "or": lambda a, b: (a[0] | b[0], a[1] | b[1]),
    "not": lambda a: (~np.asarray(a[1]), ~np.asarray(a[0])),
    "select": _chosen,
    "pow": _power,
    "log10": lambda a: _widened(np.log10(a[0]), np.log10(a[1]), LIBRARY),
    "sinh": lambda a: _widened(np.sinh(a[0]), np.sinh(a[1]), LIBRARY),
    "cosh": lambda a: _widened(np.cosh(_abs(a)[0]), np.cosh(_abs(a)[1]), LIBRARY),
    "tanh": lambda a: _widened(np.tanh(a[0]), np.tanh(a[1]), LIBRARY),
    "sin": lambda a: _wave(np.sin, a),
    "cos": lambda a: _wave(np.cos, a),
    "tan": lambda a: _quotient(_wave(np.sin, a), _wave(np.cos, a)),
    "atan": lambda a: _widened(np.arctan(a[0]), np.arctan(a[1]), LIBRARY),
    "abs": lambda a: _abs(a),
    "floor": lambda a: (np.floor(a[0]), np.floor(a[1])),
    "min": lambda a, b: (np.minimum(a[0], b[0]), np.minimum(a[1], b[1])),
    "max": lambda a, b: (np.maximum(a[0], b[0]), np.maximum(a[1], b[1])),
}
assert set(_RULES) == set(OPERATIONS)
