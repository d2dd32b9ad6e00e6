"""Expressions that are linear in one symbol: what has an exponential step."""

from __future__ import annotations

from engines.formulas.graph import Node, const, depends_on, ordered
from engines.formulas.rules import add, choose, divide, multiply, negate, subtract

Parts = tuple[Node, Node]
"""(A, C) of A + C·x."""


def linear_in(rate: Node, name: str) -> tuple[Node, Node] | None:
    """(A, B) with rate = A − B·x where neither depends on x; None if the rate is not of this form."""
    dependent = depends_on([rate], name)
    zero = const(0.0)
    found: dict[Node, Parts | None] = {}
    for node in ordered([rate]):
        if node not in dependent:
            found[node] = node, zero
        elif node.op == "symbol":
            found[node] = zero, const(1.0)
        elif node.op == "select":
            found[node] = None
            yes, no = found[node.args[1]], found[node.args[2]]
            if node.args[0] not in dependent and yes is not None and no is not None:
                found[node] = choose(node.args[0], yes[0], no[0]), choose(node.args[0], yes[1], no[1])
        else:
            parts = [each for each in map(found.get, node.args) if each is not None]
            found[node] = _combined(node.op, parts) if len(parts) == len(node.args) else None
    whole = found[rate]
    return None if whole is None else (whole[0], negate(whole[1]))


def _combined(op: str, parts: list[Parts]) -> Parts | None:
    (a, c), (b, d) = parts[0], parts[-1]
    if op == "neg":
        return negate(a), negate(c)
    if op in ("add", "sub"):
        combine = add if op == "add" else subtract
        return combine(a, b), combine(c, d)
    if op == "mul":
        if _is_zero(d):
            return multiply(a, b), multiply(c, b)
        return (multiply(a, b), multiply(a, d)) if _is_zero(c) else None
    return (divide(a, b), divide(c, b)) if op == "div" and _is_zero(d) else None


def _is_zero(node: Node) -> bool:
    return node.op == "const" and node.number == 0.0
