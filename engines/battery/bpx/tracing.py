"""The formula behind a function: it is called with an ``x`` that writes down what is done to it."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

_OPERATORS = {np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/", np.power: "**"}
_FUNCTIONS = {np.exp: "exp", np.tanh: "tanh", np.cosh: "cosh"}
"""What the standard knows; a function that needs more becomes a table."""
_BINDING = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 3}
_WHOLE = 4
"""How tightly a number, ``x`` or a call holds together."""


def formula(function: Callable[[Any], Any]) -> str | float | None:
    """The formula of ``function`` in BPX's terms, a number if it is constant, or None if it has none.

    Read again, it takes the same operations in the same order.
    """
    try:
        value = function(_Traced("x"))
    except (TypeError, ValueError, AttributeError, IndexError):
        return None  # it looks at the numbers, as tables do
    if isinstance(value, _Traced):
        return value.text
    return float(value) if isinstance(value, (int, float)) and isfinite(value) else None


class _Traced:
    """A text that arithmetic makes longer; ``binding`` is that of the operator that was applied last."""

    def __init__(self, text: str, binding: int = _WHOLE) -> None:
        self.text, self.binding = text, binding

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        if ufunc in _OPERATORS:
            return _joined(inputs[0], _OPERATORS[ufunc], inputs[1])
        if ufunc in _FUNCTIONS:
            return _Traced(f"{_FUNCTIONS[ufunc]}({self.text})")
        return -self if ufunc is np.negative else NotImplemented

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function is np.zeros_like:
            return 0.0
        if function is np.full_like:
            return float(arguments[1])
        return NotImplemented

    def __neg__(self) -> Any:
        return _joined(-1.0, "*", self)

    def __add__(self, other: Any) -> Any:
        return _joined(self, "+", other)

    def __radd__(self, other: Any) -> Any:
        return _joined(other, "+", self)

    def __sub__(self, other: Any) -> Any:
        return _joined(self, "-", other)

    def __rsub__(self, other: Any) -> Any:
        return _joined(other, "-", self)

    def __mul__(self, other: Any) -> Any:
        return _joined(self, "*", other)

    def __rmul__(self, other: Any) -> Any:
        return _joined(other, "*", self)

    def __truediv__(self, other: Any) -> Any:
        return _joined(self, "/", other)

    def __rtruediv__(self, other: Any) -> Any:
        return _joined(other, "/", self)

    def __pow__(self, other: Any) -> Any:
        return _joined(self, "**", other)


def _joined(left: Any, operator: str, right: Any) -> Any:
    binding, sides = _BINDING[operator], []
    for side, enough in ((left, binding if operator != "**" else _WHOLE), (right, binding + 1)):
        if isinstance(side, _Traced):
            sides.append(side.text if side.binding >= enough else f"({side.text})")
        elif isinstance(side, (int, float)) and isfinite(side):
            sides.append(repr(float(side)) if side >= 0 else f"({float(side)!r})")
        else:
            return NotImplemented
    return _Traced(f"{sides[0]} {operator} {sides[1]}", binding)
