"""Which part of a rate is white noise: ``sigma*xi``, of mean 0 and ⟨ξ(x, t) ξ(x', t')⟩ = δ(x − x') δ(t − t').

``xi`` is of the line that it stands in, its own in each; ``xi_a`` is the same wherever it stands. In a cell of the
volume V a step of Δt takes √(Δt/V) g N(0, 1) of g ξ (Euler and Maruyama): g is what it is as the step begins, which is
Itô's integral where g hangs on fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce

from engines.formulas import rules
from engines.formulas.graph import Node, const, make, ordered, symbol
from engines.formulas.linear import linear_in
from engines.stencil.equations.spatial import SPACINGS, SpatialError, differentiated

WHITE = "xi"
MOST = 8
"""Noises of a system."""
_NAME = re.compile(rf"(?<![\w.]){WHITE}(?:_\w+)?(?![\w.])")
_MARK = "~"
"""Before the name of a noise in the graphs of lines, where a parameter may be called the same."""
DRAWN = "@xi"
"""Before the number of a noise in the formulas of passes."""


def named(formula: str, line: str) -> dict[str, Node]:
    """What each noise of a line is known as: ``xi`` by the name that the line defines."""
    return {
        name: symbol(f"{_MARK}{WHITE}_{line}" if name == WHITE else f"{_MARK}{name}")
        for name in _NAME.findall(formula)
    }  # fmt: skip


def noises_in(*roots: Node) -> tuple[str, ...]:
    names = [str(node.value) for node in ordered(roots) if node.op == "symbol"]
    return tuple(name for name in names if name.startswith(_MARK))


def called(noise: str) -> str:
    """As it is typed."""
    return noise.removeprefix(_MARK)


def split(root: Node) -> tuple[Node, dict[str, Node]]:
    """(what of a formula is without noise, the factor of each noise). Raises SpatialError, whose message goes on where
    a line has been named."""
    for op, inner in differentiated(root):
        if noises_in(inner):
            raise SpatialError(f"takes '{op}' of white noise, which has no derivatives: add it to the line of a field")
    factors: dict[str, Node] = {}
    for name in noises_in(root):
        parts = linear_in(root, name)
        if parts is None or noises_in(parts[1]):
            raise SpatialError(
                f"has '{called(name)}' in other than a sum with factors, as in '+ sigma*xi': white noise has no powers "
                "and no functions"
            )
        root, factors[name] = parts[0], rules.negate(parts[1])
    return root, factors


def kick(factors: Mapping[str, Node], noises: Sequence[str], dt: Node, dimensions: int) -> Node:
    """What a step adds, given the factors as formulas of cells."""
    if not factors:
        return const(0.0)
    volume = reduce(lambda a, b: make("mul", a, b), [symbol(each) for each in SPACINGS[:dimensions]])
    strength = make("sqrt", make("div", dt, volume))
    parts = [rules.multiply(rules.multiply(strength, factor), symbol(f"{DRAWN}{noises.index(name)}"))
             for name, factor in factors.items()]  # fmt: skip
    return reduce(rules.add, parts)
