"""Rewrites of single operations, equal in exact arithmetic: what :func:`simplified` makes of a node.

Constants move to the front of products and to the end of sums, division by a constant becomes a product, powers become
products and roots, logarithms of quotients with a constant lose their division (thesis, 5.4.3), and exponentials in a
denominator move to the numerator.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence

from engines.formulas.graph import Node, const, make, rebuild


def simplify(roots: Sequence[Node]) -> tuple[Node, ...]:
    """The roots with every operation rewritten by :func:`simplified`."""
    return rebuild(roots, simplified)


def simplified(op: str, *args: Node) -> Node:
    rule = _RULES.get(op)
    return rule(*args) if rule is not None else make(op, *args)


def _sound(number: float) -> bool:
    """Whether a constant made of others has neither overflowed nor lost digits: else they are left as they are."""
    return sys.float_info.min <= abs(number) < math.inf


def add(a: Node, b: Node) -> Node:
    if a.op == "const":
        a, b = b, a
    if b.op == "const":
        if b.number == 0.0:
            return a
        if a.op == "add" and a.args[1].op == "const" and math.isfinite(a.args[1].number + b.number):
            return add(a.args[0], const(a.args[1].number + b.number))
        if a.op == "sub" and a.args[0].op == "const" and math.isfinite(a.args[0].number + b.number):
            return subtract(const(a.args[0].number + b.number), a.args[1])
    if b.op == "neg":
        return subtract(a, b.args[0])
    if a.op == "neg":
        return subtract(b, a.args[0])
    return make("add", a, b)


def subtract(a: Node, b: Node) -> Node:
    if b.op == "const":
        return add(a, const(-b.number))
    if a is b:
        return const(0.0)
    if a.op == "const" and a.number == 0.0:
        return negate(b)
    if b.op == "neg":
        return add(a, b.args[0])
    if a.op == "const" and b.op == "add" and b.args[1].op == "const" and math.isfinite(a.number - b.args[1].number):
        return subtract(const(a.number - b.args[1].number), b.args[0])
    return make("sub", a, b)


def negate(a: Node) -> Node:
    if a.op == "const":
        return const(0.0 - a.number)  # 0 stays 0: −0 is another constant
    if a.op == "neg":
        return a.args[0]
    if a.op == "mul" and a.args[0].op == "const":
        return multiply(const(-a.args[0].number), a.args[1])
    if a.op == "sub":
        return subtract(a.args[1], a.args[0])
    if a.op == "div" and a.args[0].op == "const":
        return divide(const(-a.args[0].number), a.args[1])
    return make("neg", a)


def multiply(a: Node, b: Node) -> Node:
    if b.op == "const":
        a, b = b, a
    if a.op == "const":
        if b.op == "const":
            return make("mul", a, b)
        if a.number in (0.0, 1.0, -1.0):
            return const(0.0) if a.number == 0.0 else b if a.number == 1.0 else negate(b)
        if b.op == "mul" and b.args[0].op == "const" and _sound(a.number * b.args[0].number):
            return multiply(const(a.number * b.args[0].number), b.args[1])
        if b.op == "neg":
            return multiply(const(-a.number), b.args[0])
        if b.op == "div" and b.args[0].op == "const" and _sound(a.number * b.args[0].number):
            return divide(const(a.number * b.args[0].number), b.args[1])
        return make("mul", a, b)
    for x, y in ((a, b), (b, a)):
        if x.op == "neg":
            return negate(multiply(x.args[0], y))
        if x.op == "mul" and x.args[0].op == "const":
            return multiply(x.args[0], multiply(x.args[1], y))
        if x.op == "div" and x.args[0].op == "const":
            return divide(multiply(x.args[0], y), x.args[1])
    return make("mul", a, b)


def divide(a: Node, b: Node) -> Node:
    if b.op == "const" and b.number != 0.0 and _sound(1.0 / b.number):
        return multiply(const(1.0 / b.number), a)
    if a is b:
        return const(1.0)
    if b.op == "exp":
        return multiply(a, exponential(negate(b.args[0])))
    if b.op == "mul" and b.args[0].op == "const" and b.args[0].number != 0.0 and _sound(1.0 / b.args[0].number):
        return divide(multiply(const(1.0 / b.args[0].number), a), b.args[1])
    if b.op == "neg":
        return divide(negate(a), b.args[0])
    if a.op == "neg":
        return negate(divide(a.args[0], b))
    if a.op == "div":
        return divide(a.args[0], multiply(a.args[1], b))
    if b.op == "div":
        return divide(multiply(a, b.args[1]), b.args[0])
    return make("div", a, b)


def exponential(a: Node) -> Node:
    return make("exp", a)


def logarithm(a: Node) -> Node:
    if a.op == "exp":
        return a.args[0]
    if a.op == "div" and a.args[0].op == "const" and a.args[0].number > 0.0:
        return subtract(const(math.log(a.args[0].number)), logarithm(a.args[1]))
    if a.op == "mul" and a.args[0].op == "const" and a.args[0].number > 0.0:
        return add(logarithm(a.args[1]), const(math.log(a.args[0].number)))
    return make("log", a)


LARGEST_POWER = 16
"""Whole powers up to this are products."""


def power(a: Node, b: Node) -> Node:
    """NaN of a negative ``a`` where ``b`` is no whole number."""
    if b.op == "const" and abs(b.number) < sys.float_info.max / 2:
        twice = 2.0 * b.number
        if b.number < 0.0 and twice == round(twice):
            return divide(const(1.0), power(a, const(-b.number)))
        if twice == round(twice) and b.number <= LARGEST_POWER:
            whole = _whole_power(a, int(b.number))
            return whole if twice % 2 == 0 else multiply(whole, make("sqrt", a))
    if a.op == "exp":
        return exponential(multiply(b, a.args[0]))
    broken = b.op == "const" and b.number != round(b.number)
    if broken or (a.op == "const" and a.number > 0.0):
        return exponential(multiply(b, logarithm(a)))
    size = exponential(multiply(b, logarithm(make("abs", a))))
    if b.op == "const":
        below = size if b.number % 2.0 == 0.0 else negate(size)
    else:
        half = multiply(const(0.5), b)
        odd = choose(make("eq", make("floor", b), b), negate(size), make("sqrt", a))
        below = choose(make("eq", make("floor", half), half), size, odd)
    return choose(make("lt", a, const(0.0)), below, size)


def _whole_power(a: Node, n: int) -> Node:
    if n == 0:
        return const(1.0)
    if a.op == "exp" and n > 1:
        return exponential(multiply(const(n), a.args[0]))
    if a.op == "div":
        return divide(_whole_power(a.args[0], n), _whole_power(a.args[1], n))
    if a.op == "mul" and a.args[0].op == "const" and _sound(math.prod([a.args[0].number] * n)):
        return multiply(const(a.args[0].number ** n), _whole_power(a.args[1], n))
    half = _whole_power(a, n // 2)
    square = multiply(half, half)
    return square if n % 2 == 0 else multiply(square, a)


def choose(condition: Node, yes: Node, no: Node) -> Node:
    return yes if yes is no else make("select", condition, yes, no)


_RULES: dict[str, Callable[..., Node]] = {
    "add": add,
    "sub": subtract,
    "mul": multiply,
    "div": divide,
    "neg": negate,
    "exp": exponential,
    "log": logarithm,
    "pow": power,
    "select": choose,
}


LONGEST_SUM = 1024


def linear_form(node: Node) -> tuple[dict[Node, float], float]:
    """``node`` as Σ coefficient·term + constant, terms in the order in which they are met.

    What is left of a sum beyond :data:`LONGEST_SUM` parts is one term."""
    terms: dict[Node, float] = {}
    constant, taken = 0.0, 0
    left = [(node, 1.0)]
    while left:
        part, factor = left.pop()
        taken += 1
        if part.op == "const":
            constant += factor * part.number
        elif part.op in ("add", "sub") and taken <= LONGEST_SUM:
            left += [(part.args[1], -factor if part.op == "sub" else factor), (part.args[0], factor)]
        elif part.op == "neg":
            left.append((part.args[0], -factor))
        elif part.op == "mul" and part.args[0].op == "const" and _sound(factor * part.args[0].number):
            left.append((part.args[1], factor * part.args[0].number))
        else:
            terms[part] = terms.get(part, 0.0) + factor
    return {term: factor for term, factor in terms.items() if factor != 0.0}, constant
