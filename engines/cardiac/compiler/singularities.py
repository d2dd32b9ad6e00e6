"""Removable singularities: x/(e^x − 1) and its reciprocal where the file has a quotient that is 0/0 at one voltage.

Such a quotient becomes ``goldman``, which is exact on both sides and at the point itself, and a case distinction that
the file makes there for itself is dropped: it takes a constant within a tiny distance of the point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from engines.cardiac.compiler.graph import Node, const, make, ordered, rebuild
from engines.cardiac.compiler.rules import divide, linear_form, multiply, simplified

GUARD = 1e-3
"""A case that holds on a wider strip around the point than this [mV] is part of the model and kept."""


def remove_singularities(roots: Sequence[Node]) -> tuple[Node, ...]:
    return rebuild(roots, _build)


def _build(op: str, *args: Node) -> Node:
    node = simplified(op, *args)
    if node.op in ("mul", "div"):
        return _paired(node)
    if node.op == "select":
        return _unguarded(node)
    return node


def _factors(node: Node) -> tuple[float, list[Node], list[Node]]:
    """(constant, factors above, factors below) of a product or quotient."""
    if node.op == "const":
        return node.number, [], []
    if node.op == "neg":
        number, above, below = _factors(node.args[0])
        return -number, above, below
    if node.op in ("mul", "div"):
        left, right = _factors(node.args[0]), _factors(node.args[1])
        if node.op == "mul":
            return left[0] * right[0], left[1] + right[1], left[2] + right[2]
        if right[0] != 0.0:
            return left[0] / right[0], left[1] + right[2], left[2] + right[1]
    return 1.0, [node], []


def _less_one(node: Node) -> tuple[float, Node] | None:
    """(sign, u) if ``node`` is sign·(e^u − 1)."""
    if node.op == "add" and node.args[0].op == "exp" and node.args[1].op == "const" and node.args[1].number == -1.0:
        return 1.0, node.args[0].args[0]
    if node.op == "sub" and node.args[0].op == "const" and node.args[0].number == 1.0 and node.args[1].op == "exp":
        return -1.0, node.args[1].args[0]
    return None


def _proportion(a: Node, b: Node) -> float | None:
    """a/b if that is one number for all values of the symbols."""
    (left, a0), (right, b0) = linear_form(a), linear_form(b)
    if not left or left.keys() != right.keys():
        return None
    term = next(iter(left))
    ratio = left[term] / right[term]
    scale = max(abs(a0), abs(ratio * b0), abs(left[term]))
    same = all(math.isclose(left[key], ratio * right[key], rel_tol=1e-12) for key in left)
    return ratio if same and abs(a0 - ratio * b0) <= 1e-12 * scale else None


def _paired(node: Node) -> Node:
    number, above, below = _factors(node)
    for sides, inverse in (((above, below), False), ((below, above), True)):
        plain, exponentials = sides
        for e in exponentials:
            match = _less_one(e)
            if match is None:
                continue
            sign, u = match
            for x in plain:
                ratio = _proportion(x, u)
                if ratio is None:
                    continue
                plain.remove(x)
                exponentials.remove(e)
                (below if inverse else above).append(make("goldman", u, make("exp", u)))
                factor = ratio * sign
                return _product(number / factor if inverse else number * factor, above, below)
    return node


def _product(number: float, above: list[Node], below: list[Node]) -> Node:
    top, bottom = const(number), const(1.0)
    for factor in above:
        top = multiply(top, factor)
    for factor in below:
        bottom = multiply(bottom, factor)
    return divide(top, bottom)


def _unguarded(node: Node) -> Node:
    condition, _, case = node.args
    point = _point(condition)
    if point is None:
        return node
    for inner in ordered([case]):
        if inner.op == "goldman" and _proportion(point, inner.args[0]) is not None:
            return case
    return node


def _point(condition: Node) -> Node | None:
    """The expression that is zero, or nearly so, where the condition holds."""
    if condition.op == "eq":
        return simplified("sub", *condition.args)
    if condition.op in ("lt", "le") and condition.args[1].op == "const" and condition.args[1].number <= GUARD:
        a = condition.args[0]
        if a.op == "select" and a.args[0].op == "lt" and a.args[0].args[0] is a.args[2]:
            return a.args[2]  # select(x < 0, −x, x), which is |x|
    return None
