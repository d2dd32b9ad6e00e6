"""Removable singularities: x/(e^x − 1) and its reciprocal where a formula has a quotient that is 0/0 at one point.

Such a quotient becomes ``goldman``, which is exact on both sides and at the point itself, and a case distinction that
the formula makes there for itself is dropped: it takes a constant within a tiny distance of the point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from engines.formulas.graph import Node, const, make, ordered, rebuild
from engines.formulas.rules import divide, linear_form, multiply, simplified

GUARD = 1e-3
"""A case that holds on a wider strip around the point than this is part of what is modelled and kept."""
LONGEST_PRODUCT = 256
"""Factors that are looked through for a pair; what is left of a longer product is one factor."""


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
    """(constant, factors above, factors below) of a product or quotient, at most :data:`LONGEST_PRODUCT` of them."""
    number, taken = 1.0, 0
    sides: tuple[list[Node], list[Node]] = ([], [])
    left: list[tuple[Node, int]] = [(node, 0)]
    while left:
        part, side = left.pop()
        taken += 1
        if part.op == "neg":
            number = -number
            left.append((part.args[0], side))
        elif part.op in ("mul", "div") and taken <= LONGEST_PRODUCT:
            left += [(part.args[1], side if part.op == "mul" else 1 - side), (part.args[0], side)]
        elif part.op == "const" and not (side == 1 and part.number == 0.0):
            number = number / part.number if side else number * part.number
        else:
            sides[side].append(part)
    return number, *sides


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
