"""The language of typed laws: lines ``name = value`` of which one defines the damage ``d``, parsed and checked.

Python's parser reads the text; nothing of it is ever executed. What is not known is refused by name. What is left is a
short list of definitions, whose values are trees of numbers, names, arithmetic, comparisons, choices and calls of a
few functions; ``code.py`` writes code from them.
"""

from __future__ import annotations

import ast
import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass

from engines.api.errors import ProblemError

STRETCH, DAMAGE = "s", "d"
GIVEN = ("s0", "sb", "sc")
"""s0: the elastic limit; sb: where a brittle bond would break; sc: chosen so that a crack takes the fracture energy."""
FUNCTIONS = {"exp": 1, "log": 1, "sqrt": 1, "abs": 1, "tanh": 1, "min": 2, "max": 2}
"""Functions and their least number of arguments; those with two take more."""
MOST_NODES = 1000
MOST_DEPTH = 60
PRODUCTS = (2, 3, 4)
"""Powers that are written as products."""
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


@dataclass(frozen=True)
class Definition:
    """``name`` (no two definitions have the same) is ``value``; ``line`` from 0."""

    name: str
    value: ast.expr
    line: int


@dataclass(frozen=True)
class Formula:
    """Definitions in order; each uses s, d, the given names and definitions before it. ``result`` is the damage."""

    definitions: tuple[Definition, ...]
    result: str

    @property
    def uses(self) -> frozenset[str]:
        """All names that values use."""
        return frozenset().union(*(names_in(each.value) for each in self.definitions))


def parse(lines: Sequence[str]) -> Formula:
    """Raises ProblemError whose ``place`` is the line (from 0)."""
    text = "\n".join(lines)
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        line = min(max((error.lineno or 1) - 1, 0), max(len(lines) - 1, 0))
        raise _refusal(line, f"'{lines[line].strip()}' is not understood ({error.msg})") from None
    except (RecursionError, MemoryError, ValueError):  # ValueError: a null byte
        raise _refusal(0, "the law is too long or not a text") from None
    checker = _Checker(lines)
    if sum(1 for _ in ast.walk(tree)) > MOST_NODES:
        raise _refusal(0, "the law is too long")
    for statement in tree.body:
        checker.define(statement)
    if checker.names[DAMAGE] == DAMAGE:
        line = max(len(lines) - 1, 0)
        raise _refusal(line, "no line says what the damage is: one begins with 'd ='")
    return Formula(tuple(checker.definitions), checker.names[DAMAGE])


def check(lines: Sequence[str]) -> tuple[int, str] | None:
    """The first line (from 0) that is not understood and the sentence that says why; None if all are."""
    try:
        parse(lines)
    except ProblemError as error:
        return int(error.place[-1]), str(error)
    return None


def names_in(value: ast.AST) -> frozenset[str]:
    """Names that a checked value uses, functions apart."""
    called = {id(node.func) for node in ast.walk(value) if isinstance(node, ast.Call)}
    return frozenset(node.id for node in ast.walk(value) if isinstance(node, ast.Name) and id(node) not in called)


def _refusal(line: int, reason: str) -> ProblemError:
    return ProblemError(f"Line {line + 1}: {reason}.", (line,))


def _says_true(node: ast.expr) -> bool:
    """Whether ``node`` is true or false, and no number."""
    return isinstance(node, (ast.Compare, ast.BoolOp)) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


class _Checker:
    """Turns Python's tree into definitions; what a person calls things becomes v0, v1, …"""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._line = 0
        self._truths: set[str] = set()
        self.definitions: list[Definition] = []
        self.names = {name: name for name in (STRETCH, DAMAGE, *GIVEN)}

    def define(self, statement: ast.stmt) -> None:
        self._line = statement.lineno - 1
        if isinstance(statement, (ast.If, ast.For, ast.While, ast.FunctionDef)):
            raise self._refused("write a choice as 'a if s < s1 else b', or where(s < s1, a, b)")
        if not (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
        ):
            raise self._refused(f"'{self._lines[self._line].strip()}' does not begin with a name and '='")
        name = statement.targets[0].id
        if name in (STRETCH, *GIVEN) or name in FUNCTIONS or name == "where":
            raise self._refused(f"'{name}' has a meaning here: choose another name")
        defined = self._defined(self._number(statement.value, 0))
        self.names[name] = defined
        if _says_true(statement.value):
            self._truths.add(defined)

    def _defined(self, value: ast.expr) -> str:
        name = f"v{len(self.definitions)}"
        self.definitions.append(Definition(name, value, self._line))
        return name

    def _refused(self, reason: str) -> ProblemError:
        return _refusal(self._line, reason)

    def _number(self, node: ast.expr, depth: int) -> ast.expr:
        """``node`` as a number; what is true counts 1, what is not 0."""
        self._line, depth = node.lineno - 1, self._deeper(depth)
        match node:
            case ast.expr() if _says_true(node):
                return ast.IfExp(self._truth(node, depth), ast.Constant(1.0), ast.Constant(0.0))
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return self._constant(value)
            case ast.Name(id=name):
                return self._name(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return ast.UnaryOp(ast.USub(), self._number(operand, depth))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._number(operand, depth)
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self._power(self._number(left, depth), self._number(right, depth))
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
                return ast.BinOp(self._number(left, depth), op, self._number(right, depth))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return ast.IfExp(self._truth(test, depth), self._number(body, depth), self._number(orelse, depth))
            case ast.Call():
                return self._call(node, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
            raise self._refused("write a power with '**'")
        raise self._refused(f"'{ast.unparse(node)[:40]}' is not something that a law can use")

    def _truth(self, node: ast.expr, depth: int) -> ast.expr:
        self._line, depth = node.lineno - 1, self._deeper(depth)
        match node:
            case ast.Compare(left=left, ops=ops, comparators=comparators) if all(
                isinstance(op, _COMPARISONS) for op in ops
            ):
                values = [self._number(each, depth) for each in (left, *comparators)]
                pairs = zip(values, ops, values[1:], strict=False)
                compared: list[ast.expr] = [ast.Compare(first, [op], [second]) for first, op, second in pairs]
                return compared[0] if len(compared) == 1 else ast.BoolOp(ast.And(), compared)
            case ast.BoolOp(op=op, values=parts):
                return ast.BoolOp(op, [self._truth(part, depth) for part in parts])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ast.UnaryOp(ast.Not(), self._truth(operand, depth))
            case ast.Name(id=name) if self.names.get(name) in self._truths:
                return ast.Compare(self._name(name), [ast.NotEq()], [ast.Constant(0.0)])
        raise self._refused(f"'{ast.unparse(node)[:40]}' is neither true nor false: compare it with something")

    def _deeper(self, depth: int) -> int:
        if depth >= MOST_DEPTH:
            raise self._refused("this is nested too deeply: give a part of it a name of its own")
        return depth + 1

    def _constant(self, value: float) -> ast.expr:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self._refused("this number is too large")
        return ast.Constant(number)

    def _name(self, name: str) -> ast.expr:
        if name in self.names:
            return ast.Name(self.names[name])
        if name in FUNCTIONS or name == "where":
            raise self._refused(f"'{name}' needs its arguments in brackets")
        known = ", ".join(self.names)
        close = difflib.get_close_matches(name, self.names, 1)
        hint = f" (perhaps {close[0]})" if close else ""
        raise self._refused(f"'{name}' is not known{hint}: there are {known}, and what lines above define")

    def _power(self, base: ast.expr, exponent: ast.expr) -> ast.expr:
        times = exponent.value if isinstance(exponent, ast.Constant) else None
        if times in PRODUCTS:
            if not isinstance(base, ast.Name):
                base = ast.Name(self._defined(base))
            product: ast.expr = base
            for _ in range(PRODUCTS.index(times) + 1):
                product = ast.BinOp(product, ast.Mult(), base)
            return product
        return ast.BinOp(base, ast.Pow(), exponent)

    def _call(self, node: ast.Call, depth: int) -> ast.expr:
        name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)[:40]
        if name not in FUNCTIONS and name != "where":
            known = ", ".join((*FUNCTIONS, "where"))
            close = difflib.get_close_matches(name, (*FUNCTIONS, "where"), 1)
            hint = f" (perhaps {close[0]})" if close else ""
            raise self._refused(f"the function '{name}' is not known{hint}: there are {known}")
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise self._refused(f"{name}() takes its arguments in order")
        if name == "where":
            if len(node.args) != 3:
                raise self._refused("where() takes a condition and two values")
            test, body, orelse = node.args
            return ast.IfExp(self._truth(test, depth), self._number(body, depth), self._number(orelse, depth))
        least = FUNCTIONS[name]
        if len(node.args) < least or (least == 1 and len(node.args) > 1):
            raise self._refused(f"{name}() takes {'one value' if least == 1 else 'two values or more'}")
        first, *rest = (self._number(argument, depth) for argument in node.args)
        if not rest:
            return ast.Call(ast.Name(name), [first], [])
        for other in rest:
            first = ast.Call(ast.Name(name), [first, other], [])
        return first
