"""Formulae in one variable ``x``, typed as text: parsed to a syntax tree, checked, compiled to NumPy calls.

Nothing of the text is ever run: Python's parser gives the tree, of which only numbers, ``x``, the arithmetic operators
and the functions below are taken. What is left is a list of operations on a stack, so that a sum of a thousand terms
needs no recursion when it is called.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api.errors import ProblemError

LONGEST = 20_000
"""Characters of a formula; published fits have some hundred."""

FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "exp": np.exp,
    "tanh": np.tanh,
    "cosh": np.cosh,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "log": np.log,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "atan": np.arctan,
    "arctan": np.arctan,
    "abs": np.abs,
}
"""BPX has exp, tanh and cosh; the others are met in files that people wrote."""

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}

_Operation = tuple[int, Any]
"""(number of arguments, function) or (0, a number; None stands for x)."""


@dataclass(frozen=True)
class Expression:
    """A compiled formula; called with an array it gives one of the same shape.

    Anything else with arithmetic and NumPy's functions will do for x too (:mod:`engines.battery.bpx.tracing`).
    """

    text: str
    _program: tuple[_Operation, ...]

    def __call__(self, x: Any) -> Any:
        """Where it is no number (a logarithm of zero), the result is NaN or infinite."""
        stack: list[Any] = []
        with np.errstate(all="ignore"):
            for count, what in self._program:
                if count == 0:
                    stack.append(x if what is None else what)
                elif count == 1:
                    stack[-1] = what(stack[-1])
                else:
                    last = stack.pop()
                    stack[-1] = what(stack[-1], last)
        value = stack[0]
        alike = isinstance(x, np.ndarray) and isinstance(value, float)  # a formula without x
        return np.full(x.shape, value) if alike else value


def parse(text: str, where: str) -> Expression:
    """Compile ``text``. Raises ProblemError that begins with ``where`` and names what is not understood."""
    if len(text) > LONGEST:
        raise ProblemError(f"{where} is a formula of {len(text):,} characters: give a table instead.")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        program: list[_Operation] = []
        _compile(tree.body, program, where)
    except (RecursionError, MemoryError) as error:
        raise ProblemError(f"{where} is a formula nested too deeply: give a table instead.") from error
    except (SyntaxError, ValueError, OverflowError) as error:
        place = f", at character {error.offset}" if isinstance(error, SyntaxError) and error.offset else ""
        raise ProblemError(f"{where} is no formula in x that can be read{place}: '{_short(text)}'.") from error
    return Expression(text.strip(), tuple(program))


def _compile(node: ast.expr, program: list[_Operation], where: str) -> None:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            program.append((0, np.float64(value)))
        case ast.Name(id="x"):
            program.append((0, None))
        case ast.Name(id=name):
            raise ProblemError(f"{where} uses '{_short(name)}', but the only variable of a formula is x.")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            _compile(operand, program, where)
            program.append((1, _negative))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            _compile(operand, program, where)
        case ast.BinOp(op=ast.BitXor()):
            raise ProblemError(f"{where} uses '^': write powers as '**'.")
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            _compile(left, program, where)
            _compile(right, program, where)
            program.append((2, _BINARY[type(op)]))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            _compile(argument, program, where)
            program.append((1, FUNCTIONS[name]))
        case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
            raise ProblemError(f"{where} calls {name} with other than one argument.")
        case ast.Call(func=function):
            known = ", ".join(FUNCTIONS)
            raise ProblemError(
                f"{where} calls the unknown function '{_short(ast.unparse(function))}'; known are {known}."
            )
        case _:
            raise ProblemError(
                f"{where} holds '{_short(ast.unparse(node))}': a formula has numbers, x, + - * / ** and functions only."
            )


def _negative(value: Any) -> Any:
    return -value


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"
