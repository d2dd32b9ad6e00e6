"""Derivatives of expressions: graphs in, graphs out.

Forward accumulation over the nodes that depend on the symbol, each once, so that the derivative shares what the
expression has computed already. A choice is differentiated case by case; at the point where the case changes, the
derivative is that of the case taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from engines.formulas.graph import CONDITIONS, Node, const, depends_on, make, ordered
from engines.formulas.rules import add, choose, divide, multiply, negate, subtract

Found = Mapping[Node, Node]
"""Derivatives of the nodes that depend on the symbol."""


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
            found[node] = _RULES[node.op](node, found)
        elif node.op not in CONDITIONS:
            raise ValueError(f"{node.op} has no derivative by {name}")
    return tuple(found.get(root, const(0.0)) for root in roots)


def _sum(node: Node, found: Found) -> Node:
    x, y = node.args
    return add(found[x], found[y]) if x in found and y in found else found[x if x in found else y]


def _difference(node: Node, found: Found) -> Node:
    x, y = node.args
    if y not in found:
        return found[x]
    return subtract(found[x], found[y]) if x in found else negate(found[y])


def _product(node: Node, found: Found) -> Node:
    x, y = node.args
    parts = []
    if x in found:
        parts.append(multiply(found[x], y))
    if y in found:
        parts.append(multiply(x, found[y]))
    return parts[0] if len(parts) == 1 else add(*parts)


def _quotient(node: Node, found: Found) -> Node:
    """(x/y)' = x'/y − (x/y)·(y'/y): the quotient itself is there already."""
    x, y = node.args
    if y not in found:
        return divide(found[x], y)
    sigmoid = _sigmoid(y)
    if sigmoid is None:
        change = multiply(node, found[y])
        return divide(subtract(found[x], change) if x in found else negate(change), y)
    constant, argument = sigmoid
    # y = k·e^u + c has y'/y = (1 − c/y)·u', which stays finite where e^u overflows.
    share = multiply(divide(constant, x), node) if x.op == "const" and x.number != 0.0 else divide(constant, y)
    change = multiply(node, multiply(subtract(const(1.0), share), found[argument]))
    return subtract(divide(found[x], y), change) if x in found else negate(change)


def _sigmoid(y: Node) -> tuple[Node, Node] | None:
    """(c, u) if ``y`` is e^u + c, or a multiple of e^u, with a number c."""
    if y.op != "add":
        return None
    for constant, rest in (y.args, y.args[::-1]):
        if constant.op == "const":
            power = rest.args[1] if rest.op == "mul" and rest.args[0].op == "const" else rest
            return (constant, power.args[0]) if power.op == "exp" else None
    return None


def _power(node: Node, found: Found) -> Node:
    x, n = node.args
    if n in found:
        raise ValueError("a power whose exponent depends on the symbol has no derivative here")
    return multiply(multiply(n, make("pow", x, subtract(n, const(1.0)))), found[x])


def _choice(node: Node, found: Found) -> Node:
    condition, yes, no = node.args
    return choose(condition, found.get(yes, const(0.0)), found.get(no, const(0.0)))


def _larger(a: Node, b: Node, found: Found, args: tuple[Node, ...]) -> Node:
    """The derivative of the first of ``args`` where a > b, else that of the second."""
    first, second = (found.get(arg, const(0.0)) for arg in args)
    return choose(make("lt", b, a), first, second)


def _goldman(node: Node, found: Found) -> Node:
    """The second argument is the exponential of the first, so the first tells all."""
    return multiply(make("goldman_slope", *node.args), found[node.args[0]])


_RULES: dict[str, Callable[[Node, Found], Node]] = {
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "div": _quotient,
    "neg": lambda node, found: negate(found[node.args[0]]),
    "exp": lambda node, found: multiply(node, found[node.args[0]]),
    "log": lambda node, found: divide(found[node.args[0]], node.args[0]),
    "sqrt": lambda node, found: divide(multiply(const(0.5), found[node.args[0]]), node),
    "pow": _power,
    "goldman": _goldman,
    "select": _choice,
    "log10": lambda node, found: divide(multiply(const(1 / math.log(10)), found[node.args[0]]), node.args[0]),
    "sinh": lambda node, found: multiply(make("cosh", node.args[0]), found[node.args[0]]),
    "cosh": lambda node, found: multiply(make("sinh", node.args[0]), found[node.args[0]]),
    "tanh": lambda node, found: multiply(subtract(const(1.0), multiply(node, node)), found[node.args[0]]),
    "sin": lambda node, found: multiply(make("cos", node.args[0]), found[node.args[0]]),
    "cos": lambda node, found: negate(multiply(make("sin", node.args[0]), found[node.args[0]])),
    "tan": lambda node, found: multiply(add(const(1.0), multiply(node, node)), found[node.args[0]]),
    "atan": lambda node, found: divide(found[node.args[0]], add(const(1.0), multiply(node.args[0], node.args[0]))),
    "abs": lambda node, found: choose(
        make("lt", node.args[0], const(0.0)), negate(found[node.args[0]]), found[node.args[0]]
    ),
    "floor": lambda node, found: const(0.0),
    "min": lambda node, found: _larger(node.args[1], node.args[0], found, node.args),
    "max": lambda node, found: _larger(node.args[0], node.args[1], found, node.args),
}
