"""Code of a law from its checked trees: CUDA text, a Numba function, and values of NumPy arrays.

What depends neither on stretch nor on damage is worked out once and becomes a parameter of the code, so a number with a
name that is changed compiles nothing anew.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import cfunc

from engines.api.errors import ProblemError
from engines.peridynamics.material.laws.language import DAMAGE, GIVEN, STRETCH, Definition, Formula, names_in

_TEXT: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==",
    ast.NotEq: "!=", ast.And: "&&", ast.Or: "||",
}  # fmt: skip
_CALLED: dict[type, str] = {ast.Mult: "law_product", ast.Div: "law_quotient", ast.Pow: "law_power"}
_VALUES: dict[type, Any] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Pow: np.power,
    ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal, ast.Eq: np.equal,
    ast.NotEq: np.not_equal, ast.And: np.logical_and, ast.Or: np.logical_or, ast.Not: np.logical_not,
    ast.USub: np.negative,
}  # fmt: skip
_FUNCTIONS: dict[str, Any] = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh, "abs": np.abs, "min": np.minimum, "max": np.maximum,
}  # fmt: skip
_NUMBA: dict[str, Any] = {**_FUNCTIONS, "abs": abs, "min": min, "max": max}
PART = "part"
"""How names of parts of lines begin that are worked out once; one on the side of a choice that is never taken need not
be a number."""
SIGNATURE = "void(float64[::1], float64[::1], int64[::1], float64[:, ::1], int64)"
"""Of laws in Numba: stretches, damages (which become the new ones), which row of the parameters is a bond's, the
parameters, and how many bonds there are. A call for each bond would take longer than most laws."""
_LOOP = """
def law_damages(stretches, damages, which, parameters, count):
    for bond in range(count):
        s, d, row = stretches[bond], damages[bond], which[bond]
"""


@dataclass(frozen=True, eq=False)
class Code:
    """``once`` are definitions that are worked out once, ``lines`` those that are not; ``names`` is what the parameters
    are, in order, and ``result`` the name of the damage."""

    key: str
    cuda: str
    names: tuple[str, ...]
    once: tuple[Definition, ...]
    lines: tuple[Definition, ...]
    result: str

    @property
    def remembers(self) -> bool:
        """Whether the damage so far is in it."""
        return any(DAMAGE in names_in(each.value) for each in self.lines)

    def parameters(self, given: Mapping[str, float]) -> tuple[float, ...]:
        """``given``: values of the given names. Raises ProblemError for a definition that is no number."""
        values: dict[str, Any] = {name: np.float64(value) for name, value in given.items()}
        for each in self.once:
            with np.errstate(all="ignore"):
                values[each.name] = _value(each.value, values)
            if not (np.isfinite(values[each.name]) or each.name.startswith(PART)):
                raise ProblemError(f"Line {each.line + 1}: its value is not a finite number.", (each.line,))
        return tuple(float(values[name]) for name in self.names)

    def damage(self, stretch: Any, damage: Any, parameters: tuple[float, ...]) -> Any:
        """What the law says of arrays or numbers; NaN where that is no number. It may be below ``damage``."""
        values = dict(zip(self.names, map(np.float64, parameters), strict=True))
        values |= {STRETCH: stretch, DAMAGE: damage}
        with np.errstate(all="ignore"):
            for each in self.lines:
                values[each.name] = _value(each.value, values)
        return values[self.result] + 0 * stretch

    def function(self) -> Any:
        """Compiled with Numba, for many bonds at a time: see SIGNATURE."""
        return _compiled(self)


def coded(formula: Formula) -> Code:
    """Formulas of one key differ in the values of parameters only."""
    moving = {STRETCH, DAMAGE}
    once: list[Definition] = []
    lines: list[Definition] = []
    for each in formula.definitions:
        if names_in(each.value) & moving:
            moving.add(each.name)
            lines.append(replace(each, value=_Parts(moving, once, each.line).visit(deepcopy(each.value))))
        else:
            once.append(each)
    used = frozenset({formula.result}).union(*(names_in(each.value) for each in lines)) - moving
    names = tuple(name for name in (*GIVEN, *(each.name for each in once)) if name in used)
    known = {name: f"p[{place}]" for place, name in enumerate(names)} | {STRETCH: STRETCH, DAMAGE: DAMAGE}
    body = []
    for place, each in enumerate(lines):
        body.append(f"    const REAL v{place} = {_cuda(each.value, known)};\n")
        known[each.name] = f"v{place}"
    result = known[formula.result]
    cuda = (
        '#include "peridynamics/material/laws/law.cuh"\n'
        "DEVICE REAL law_damage(const REAL s, const REAL d, const REAL* p)\n{\n"
        f"{''.join(body)}    return {result} > d ? {result} : d;\n}}\n"
    )
    key = hashlib.sha256(cuda.encode()).hexdigest()[:16]
    return Code(key, cuda, names, tuple(once), tuple(lines), formula.result)


class _Parts(ast.NodeTransformer):
    """Takes the largest parts out of a value that depend on nothing that moves; they are worked out once."""

    def __init__(self, moving: set[str], once: list[Definition], line: int) -> None:
        self._moving, self._once, self._line = moving, once, line

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.BinOp, ast.Call, ast.IfExp)) and not names_in(node) & self._moving:
            name = f"{PART}{len(self._once)}"
            self._once.append(Definition(name, node, self._line))
            return ast.Name(name)
        return self.generic_visit(node)


def _cuda(node: ast.expr, known: Mapping[str, str]) -> str:
    """A checked tree as text; truth is C's."""
    match node:
        case ast.Constant(value=value):
            return f"REAL({value!r})"
        case ast.Name(id=name):
            return known[name]
        case ast.UnaryOp(op=op, operand=operand):
            return f"({'!' if isinstance(op, ast.Not) else '-'}{_cuda(operand, known)})"
        case ast.BinOp(left=left, op=(ast.Mult() | ast.Div() | ast.Pow()) as op, right=right):
            return f"{_CALLED[type(op)]}({_cuda(left, known)}, {_cuda(right, known)})"
        case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
            return f"({_cuda(left, known)} {_TEXT[type(op)]} {_cuda(right, known)})"
        case ast.BoolOp(op=op, values=parts):
            return f"({f' {_TEXT[type(op)]} '.join(_cuda(part, known) for part in parts)})"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return f"({_cuda(test, known)} ? {_cuda(body, known)} : {_cuda(orelse, known)})"
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return f"law_{name}({', '.join(_cuda(argument, known) for argument in arguments)})"
    raise TypeError(f"not a checked tree: {ast.dump(node)}")


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    """A checked tree's value; both sides of a choice are worked out, one of them is taken."""
    match node:
        case ast.Constant(value=float() as value):
            return np.float64(value)
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(op=op, operand=operand):
            return _VALUES[type(op)](_value(operand, values))
        case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
            return _VALUES[type(op)](_value(left, values), _value(right, values))
        case ast.BoolOp(op=op, values=parts):
            first, *rest = (_value(part, values) for part in parts)
            for other in rest:
                first = _VALUES[type(op)](first, other)
            return first
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return np.where(_value(test, values), _value(body, values), _value(orelse, values))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _FUNCTIONS[name](*(_value(argument, values) for argument in arguments))
    raise TypeError(f"not a checked tree: {ast.dump(node)}")


class _Parameters(ast.NodeTransformer):
    """Parameters' names become places in a row of them."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._places = {name: place for place, name in enumerate(names)}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self._places:
            place = ast.Tuple([_read("row"), ast.Constant(self._places[node.id])], ast.Load())
            return ast.Subscript(_read("parameters"), place, ast.Load())
        return _read(node.id)


def _read(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


_functions: dict[str, Any] = {}


def _compiled(code: Code) -> Any:
    """The trees as a Python function, compiled: no text of a person's is executed, and no name that one gave is in
    it."""
    if code.key in _functions:
        return _functions[code.key]
    put = _Parameters(code.names)
    body: list[ast.stmt] = [
        ast.Assign([ast.Name(each.name, ast.Store())], put.visit(deepcopy(each.value))) for each in code.lines
    ]
    result = put.visit(_read(code.result))
    found = ast.IfExp(ast.Compare(result, [ast.Gt()], [_read(DAMAGE)]), result, _read(DAMAGE))
    body.append(ast.Assign([ast.Subscript(_read("damages"), _read("bond"), ast.Store())], found))
    tree = ast.parse(_LOOP)
    defined = tree.body[0]
    assert isinstance(defined, ast.FunctionDef)
    loop = defined.body[0]
    assert isinstance(loop, ast.For)
    loop.body += body
    names = dict(_NUMBA)
    exec(compile(ast.fix_missing_locations(tree), "<law>", "exec"), names)  # noqa: S102 - the trees of the checker
    # as on a GPU, what is divided by zero is infinite
    _functions[code.key] = cfunc(SIGNATURE, error_model="numpy")(names["law_damages"])
    return _functions[code.key]
