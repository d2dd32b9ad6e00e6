"""Derivatives of expressions: graphs in, graphs out.

Forward accumulation over the nodes that depend on the symbol, each once, so that the derivative shares what the
expression has computed already. A choice is differentiated case by case; at the point where the case changes, the
derivative is that of the case taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.cardiac.compiler.graph import Node, const, depends_on, make, ordered
from engines.cardiac.compiler.rules import add, choose, divide, multiply, negate, subtract

Parts = tuple[Node | None, ...]
"""Derivatives of a node's arguments; None where an argument does not depend on the symbol."""


def derivatives(roots: Sequence[Node], name: str) -> tuple[Node, ...]:
    """∂root/∂name of each root; the constant 0 where it does not depend on that symbol.

    Raises ValueError for an operation without a derivative: a power whose exponent depends on the symbol.
    """
    found: dict[Node, Node] = {}
    dependent = depends_on(roots, name)
    for node in ordered(roots):
        if node not in dependent:
            continue
        if node.op == "symbol":
            found[node] = const(1.0)
        elif node.op in _RULES:
            found[node] = _RULES[node.op](node, tuple(found.get(arg) for arg in node.args))
        elif node.op not in _CONDITIONS:
            raise ValueError(f"{node.op} has no derivative by {name}")
    return tuple(found.get(root, const(0.0)) for root in roots)


_CONDITIONS = ("lt", "le", "eq", "and", "or", "not")


def _sum(node: Node, parts: Parts) -> Node:
    a, b = parts
    if a is None or b is None:
        return a if a is not None else _given(b)
    return add(a, b)


def _difference(node: Node, parts: Parts) -> Node:
    a, b = parts
    if b is None:
        return _given(a)
    return negate(b) if a is None else subtract(a, b)


def _product(node: Node, parts: Parts) -> Node:
    (x, y), (a, b) = node.args, parts
    left = None if a is None else multiply(a, y)
    right = None if b is None else multiply(x, b)
    return _sum(node, (left, right))


def _quotient(node: Node, parts: Parts) -> Node:
    """(a/b)' = (a' − (a/b)·b')/b: the quotient itself is there already."""
    (_, y), (a, b) = node.args, parts
    if b is None:
        return divide(_given(a), y)
    change = multiply(node, b)
    return divide(negate(change) if a is None else subtract(a, change), y)


def _power(node: Node, parts: Parts) -> Node:
    (x, n), (a, b) = node.args, parts
    if b is not None:
        raise ValueError("a power whose exponent depends on the symbol has no derivative here")
    return multiply(multiply(n, make("pow", x, subtract(n, const(1.0)))), _given(a))


def _choice(node: Node, parts: Parts) -> Node:
    zero = const(0.0)
    _, yes, no = parts
    return choose(node.args[0], zero if yes is None else yes, zero if no is None else no)


def _goldman(node: Node, parts: Parts) -> Node:
    """The second argument is the exponential of the first, so the first tells all."""
    return multiply(make("goldman_slope", *node.args), _given(parts[0]))


def _given(part: Node | None) -> Node:
    assert part is not None  # the node depends on the symbol through this argument
    return part


_RULES: dict[str, Callable[[Node, Parts], Node]] = {
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "div": _quotient,
    "neg": lambda node, parts: negate(_given(parts[0])),
    "exp": lambda node, parts: multiply(node, _given(parts[0])),
    "log": lambda node, parts: divide(_given(parts[0]), node.args[0]),
    "sqrt": lambda node, parts: divide(multiply(const(0.5), _given(parts[0])), node),
    "pow": _power,
    "goldman": _goldman,
    "select": _choice,
}
