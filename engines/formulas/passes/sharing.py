"""Exponentials of multiples of one expression, computed from a few of them (thesis, 5.4.3 and 5.4.4).

Each argument is a sum of multiples of other expressions; its constant goes in front as a factor, exp(a + b) =
exp(b)·exp(a). Arguments that are then multiples of each other by quotients of small whole numbers form a family, for
which :mod:`engines.formulas.passes.chains` finds the cheapest exponentials, reciprocals and products.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from engines.formulas.graph import Node, const, make, ordered, rebuild
from engines.formulas.passes.chains import LONGEST, Cost, plan
from engines.formulas.rules import add, linear_form, multiply, simplified

LARGEST_ARGUMENT = 80.0
"""Of an exponential that is split off or multiplied up: e^80 still fits in float32."""
LARGEST_LOGARITHM = 20.0
"""Bound on logarithms in judging that: of numbers between 2e-9 and 5e8."""
LARGEST_RATIO = 300
"""Numerator and denominator of two multiples of one family, in lowest terms."""


def share_exponentials(
    roots: Sequence[Node], largest: Mapping[str, float], cost: Cost | None = None, longest: int = LONGEST
) -> tuple[Node, ...]:
    """The roots with their exponentials split and shared. ``largest``: sizes that symbols, by name, do not exceed;
    a factor is split off an exponential only if all symbols in it are known so."""
    split = rebuild(roots, lambda op, *args: _split(simplified(op, *args), largest))
    families: dict[tuple[tuple[Node, float], ...], list[tuple[Node, float]]] = {}
    for node in ordered(split):
        if node.op == "exp":
            direction, multiple = _direction(node.args[0])
            if direction:
                families.setdefault(direction, []).append((node, multiple))
    given: dict[Node, Node] = {}
    for direction, members in families.items():
        for family in _commensurable(members):
            if len(family) > 1:
                given |= _computed(direction, family, cost, longest)
    # Products with powers may fold with their neighbours again. A given exponential's own argument is not rebuilt.
    return rebuild(split, simplified, given)


def _split(node: Node, largest: Mapping[str, float]) -> Node:
    """exp(a + constant) as a product, where neither factor leaves the range of float32."""
    if node.op != "exp":
        return node
    terms, constant = linear_form(node.args[0])
    if constant == 0.0 or not terms:
        return make("exp", _sum(terms, 0.0)) if terms else node
    reach = sum(abs(factor) * _bound(term, largest) for term, factor in terms.items())
    if abs(constant) + reach > LARGEST_ARGUMENT:
        return node
    return multiply(const(math.exp(constant)), make("exp", _sum(terms, 0.0)))


def _bound(term: Node, largest: Mapping[str, float]) -> float:
    bounds: dict[Node, float] = {}
    for node in ordered([term]):
        sizes = [bounds[arg] for arg in node.args]
        if node.op == "symbol":
            bounds[node] = largest.get(str(node.value), math.inf)
        elif node.op == "const":
            bounds[node] = abs(node.number)
        elif node.op == "log":
            bounds[node] = LARGEST_LOGARITHM
        elif node.op in ("mul", "add", "sub", "neg"):
            bounds[node] = math.prod(sizes) if node.op == "mul" else sum(sizes)
        else:
            bounds[node] = math.inf
    return bounds[term]


def _sum(terms: dict[Node, float], constant: float) -> Node:
    """Σ factor·term + constant, with the first factor taken out: equal directions give equal nodes."""
    first = next(iter(terms.values()))
    if not all(math.isfinite(factor / first) for factor in terms.values()):
        first = 1.0
    total: Node | None = None
    for term, factor in terms.items():
        part = multiply(const(factor / first), term)
        total = part if total is None else add(total, part)
    assert total is not None
    return add(multiply(const(first), total), const(constant))


def _direction(argument: Node) -> tuple[tuple[tuple[Node, float], ...], float]:
    """(terms with factors whose first is 1, the multiple of them); no terms if there is a constant."""
    terms, constant = linear_form(argument)
    if constant != 0.0 or not terms:
        return (), 0.0
    # The terms in an order of their own, so that a − b and b − a are multiples.
    items = sorted(terms.items(), key=lambda item: item[0].rank)
    first = items[0][1]
    return tuple((term, float(f"{factor / first:.13g}")) for term, factor in items), first


def _ratio(a: float, b: float) -> Fraction | None:
    ratio = a / b
    if ratio == 0.0 or not math.isfinite(ratio):
        return None
    close = Fraction(ratio).limit_denominator(LARGEST_RATIO)
    if close == 0 or abs(close.numerator) > LARGEST_RATIO:
        return None
    return close if abs(ratio - float(close)) <= 1e-13 * abs(ratio) else None


def _commensurable(members: list[tuple[Node, float]]) -> list[list[tuple[Node, Fraction, float]]]:
    """The members grouped: (node, its multiple of the group's first, that one's factor)."""
    groups: list[list[tuple[Node, Fraction, float]]] = []
    for node, factor in members:
        for group in groups:
            ratio = _ratio(factor, group[0][2])
            if ratio is not None:
                group.append((node, ratio, group[0][2]))
                break
        else:
            groups.append([(node, Fraction(1), factor)])
    return groups


def _computed(
    direction: tuple[tuple[Node, float], ...],
    family: list[tuple[Node, Fraction, float]],
    cost: Cost | None,
    longest: int,
) -> dict[Node, Node]:
    """What each exponential of a family becomes."""
    scale = math.lcm(*(ratio.denominator for _, ratio, _ in family))
    powers = {node: int(ratio * scale) for node, ratio, _ in family}
    unit = family[0][2] / scale
    base = _sum(dict(direction), 0.0)
    found = plan(set(powers.values()), cost, longest)
    made: dict[int, Node] = {n: make("exp", multiply(const(unit * n), base)) for n in found.exponentials}
    left: list[tuple[int, tuple[int, ...]]] = [(n, (-n,)) for n in found.reciprocals]
    left += [(n, (a, b)) for n, a, b in found.products]
    while left:
        for item in [item for item in left if all(need in made for need in item[1])]:
            n, needs = item
            parts = [made[need] for need in needs]
            made[n] = make("div", const(1.0), parts[0]) if len(parts) == 1 else make("mul", *parts)
            left.remove(item)
    return {node: made[n] for node, n in powers.items()}
