"""Numbers with units in a Brian2 text: ``20*ms``, ``(60*0.27/10)*mV``, ``we*2``. They are worked out by our own parser
of formulas, of expressions that have the shape of one; nothing of them is run."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import const, symbol
from engines.formulas.parse import Language, parse
from engines.formulas.typed.units import NONE, SYMBOLS, UNITS, Dimension, UnitError, dimension_of, in_kept, named, unit
from engines.spiking.typed.names import CONSTANTS, KNOWN

LONGEST_UNIT = 60
"""Characters, as a parameter's field takes them."""
_ALLOWED = (
    ast.BinOp, ast.UnaryOp, ast.Constant, ast.Name, ast.Load, ast.Call, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow,
    ast.UAdd, ast.USub,
)  # fmt: skip


class Quantity(NamedTuple):
    """value: in the kept units; number, unit: as it is written, or in usual units where that is no such product"""

    value: float
    dimension: Dimension
    number: float
    unit: str

    @property
    def text(self) -> str:
        """As formulas have it."""
        number = repr(self.number).removesuffix(".0")
        if self.unit == "1":
            return number
        return f"{number}*{self.unit}" if self.unit.isidentifier() else f"{number}*({self.unit})"


class Numbers(NamedTuple):
    """Of an array. values: (k,) float64 in the kept unit"""

    values: Array
    dimension: Dimension


class WithoutModules(ast.NodeTransformer):
    """``b2.ms`` and ``np.random.rand`` are ``ms`` and ``rand``, where the first name is none of the ``known``."""

    def __init__(self, known: Mapping[str, object]) -> None:
        self._known = known

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        first: ast.expr = node
        while isinstance(first, ast.Attribute):
            first = first.value
        if isinstance(first, ast.Name) and first.id not in self._known:
            return ast.copy_location(ast.Name(node.attr, ast.Load()), node)
        return node


def evaluated(node: ast.expr, known: Mapping[str, Quantity]) -> Quantity:
    """Raises ProblemError for what is no number; the sentence goes on after the name of a line."""
    for each in ast.walk(node):
        plain = not isinstance(each, ast.Constant) or (type(each.value) in (int, float))
        if not isinstance(each, _ALLOWED) or not plain or (isinstance(each, ast.Call) and each.keywords):
            raise ProblemError(f"'{brief(node)}' is no number that can be read.")
    node = _Whole(known).visit(copy.deepcopy(node))
    value, dimension = _worked_out(ast.unparse(node), known)
    written = _as_written(node, known)
    if written is not None:
        number, told = written
        try:
            same = unit(told)[0] == dimension and abs(number * unit(told)[1] - value) <= 1e-9 * abs(value)
        except ProblemError:
            same = False
        if same and len(told) <= LONGEST_UNIT:
            return Quantity(value, dimension, number, told)
    told = named(dimension, small=True)
    try:
        return Quantity(value, dimension, value / unit(told)[1], told)
    except ProblemError:
        raise ProblemError(f"'{brief(node)}' has a unit that is not known here.") from None


class _Whole(ast.NodeTransformer):
    """``int(0.8*N)`` as the number that it is."""

    def __init__(self, known: Mapping[str, Quantity]) -> None:
        self._known = known

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        kinds: dict[str, Callable[[float], float]] = {"int": int, "round": round, "float": float}
        kind = kinds.get(getattr(node.func, "id", ""))
        if kind is None or len(node.args) != 1:
            return node
        value, dimension = _worked_out(ast.unparse(node.args[0]), self._known)
        if dimension != NONE:
            raise ProblemError(f"'{brief(node)}' is of what has a unit.")
        size = ast.Constant(abs(kind(value)))
        return ast.UnaryOp(ast.USub(), size) if value < 0 else size


def formula_value(text: str, known: Mapping[str, Quantity]) -> Quantity:
    """Of a formula in a string, as ``G.I = '2*I0'`` has it. Raises ProblemError."""
    value, dimension = _worked_out(text, known)
    told = named(dimension, small=True)
    return Quantity(value, dimension, value / unit(told)[1], told)


def dimension_in(text: str, known: Mapping[str, Dimension]) -> Dimension:
    """Of a formula. Raises ProblemError."""
    constants = {name: const(value) for name, value in CONSTANTS.items()}
    node = parse(text, Language({**{name: symbol(name) for name in known}, **SYMBOLS, **constants}, KNOWN), "It")
    return dimension_of(node, known)


def _worked_out(text: str, known: Mapping[str, Quantity]) -> tuple[float, Dimension]:
    names = {name: symbol(name) for name in known}
    constants = {name: const(value) for name, value in CONSTANTS.items()}
    language = Language({**names, **SYMBOLS, **constants}, KNOWN, conditions=False, listed=(*list(names)[:5], "…"))
    shown = text if len(text) <= 40 else f"{text[:37]}…"
    node = parse(text, language, f"'{shown}'")
    try:
        dimension = dimension_of(node, {name: each.dimension for name, each in known.items()})
    except UnitError as error:
        raise ProblemError(f"'{shown}'{error}") from None
    try:
        with np.errstate(all="ignore"):
            (value,) = Program([in_kept(node)])({name: np.float64(each.value) for name, each in known.items()})
    except (ArithmeticError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise ProblemError(f"'{shown}' is no finite number.")
    return float(value), dimension


def _as_written(node: ast.expr, known: Mapping[str, Quantity]) -> tuple[float, str] | None:
    """(number, unit) of a product of numbers and units; None of anything else."""
    numbers, units = "1", ""
    for factor, divides in _factors(node, False):
        names = {each.id for each in ast.walk(factor) if isinstance(each, ast.Name)}
        text = f"({ast.unparse(factor)})" if isinstance(factor, ast.BinOp) else ast.unparse(factor)
        if names and names <= UNITS.keys():
            units = f"{units or '1'}/{text}" if divides else f"{units}*{text}" if units else text
        elif names & UNITS.keys():
            return None
        else:
            numbers = f"{numbers}{'/' if divides else '*'}({ast.unparse(factor)})"
    try:
        number, dimension = _worked_out(numbers, known)
    except ProblemError:
        return None
    return (number, units.removeprefix("1*") or "1") if dimension == NONE else None


def _factors(node: ast.expr, divides: bool) -> Iterator[tuple[ast.expr, bool]]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        yield from _factors(node.left, divides)
        yield from _factors(node.right, divides != isinstance(node.op, ast.Div))
    else:
        yield node, divides


def brief(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 40 else f"{text[:37]}…"
