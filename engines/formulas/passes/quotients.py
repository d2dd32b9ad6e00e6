"""Fewer divisions in float64, where one is a dozen instructions: quotients merged, and reciprocals shared.

a/b + c/d = (a·d + c·b)/(b·d) is one division, two products and a multiply-add in place of two divisions and a sum: 9
instructions for 13 by the thesis' costs; (a/b)·(c/d) = (a·c)/(b·d) saves 4 as well, and a/b + c/b a whole division.
Only quotients that nothing else needs are taken. Two divisions that do not depend on each other share one: 1/b and 1/d
are d·r and b·r with r = 1/(b·d). No product is made that comes near the ends of the range at any sample state.

In float32 the hardware divides in two instructions, and both rewrites made the kernel of TT06 longer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engines.api import Array
from engines.formulas.graph import OPERATIONS, Node, const, make, ordered, uses

GROUP = 2
"""Divisions that share one. For TT06 by RL on sm_90 groups of 1, 2, 3 and 4 take 1662, 1464, 1452 and 1431 instructions
and 110, 122, 128 and 156 registers: more than two save little."""
LARGEST = 1e100
"""Products above this, or below one over it, are not made: float64 ends at 1e308, and the states of a tissue may go
beyond those that were looked at."""


class _Values:
    """float64 values of nodes at sample states, each computed once."""

    def __init__(self, symbols: Mapping[str, Array]) -> None:
        self.symbols, self.found = symbols, dict[Node, Array]()

    def of(self, node: Node) -> Array:
        with np.errstate(all="ignore"):
            for part in [node] if all(arg in self.found for arg in node.args) else ordered([node]):
                if part not in self.found:
                    self.found[part] = self._computed(part)
        return self.found[node]

    def _computed(self, node: Node) -> Array:
        if node.op == "const":
            return np.asarray(node.number)
        if node.op == "symbol":
            return np.asarray(self.symbols[str(node.value)], np.float64)
        return np.asarray(OPERATIONS[node.op](*(self.found[arg] for arg in node.args)))


def merge_quotients(roots: Sequence[Node], samples: Mapping[str, Array]) -> tuple[Node, ...]:
    """The roots with quotients merged. ``samples``: for each symbol, values at states at which products are tried."""
    taken, values = uses(roots), _Values(samples)
    made: dict[Node, Node] = {}
    for node in ordered(roots):
        if not node.args:
            made[node] = node
            continue
        args = [made[arg] for arg in node.args]
        free = [taken[arg] == 1 and made[arg].op == "div" for arg in node.args]
        merged = None
        if node.op in ("add", "sub", "mul") and all(free):
            merged = _merged(node.op, args[0], args[1], values)
        elif node.op == "div" and any(free):
            merged = _nested(args[0], args[1], free, values)
        made[node] = merged if merged is not None else make(node.op, *args)
    return tuple(made[root] for root in roots)


def _merged(op: str, left: Node, right: Node, values: _Values) -> Node | None:
    (a, b), (c, d) = left.args, right.args
    if op == "mul":
        above, below = make("mul", a, c), make("mul", b, d)
        return make("div", above, below) if _fits((above, below), values) else None
    if b is d:
        return make("div", make(op, a, c), b)
    parts = make("mul", a, d), make("mul", c, b), make("mul", b, d)
    return make("div", make(op, parts[0], parts[1]), parts[2]) if _fits(parts, values) else None


def _nested(above: Node, below: Node, free: Sequence[bool], values: _Values) -> Node | None:
    """(a/b)/(c/d) with one division, where one of the two or both are quotients that may be taken apart."""
    a, b = above.args if free[0] else (above, None)
    c, d = below.args if free[1] else (below, None)
    products = [make("mul", x, y) for x, y in ((a, d), (c, b)) if x is not None and y is not None]
    if not _fits(products, values):
        return None
    top = a if d is None else make("mul", a, d)
    bottom = c if b is None else make("mul", c, b)
    return make("div", top, bottom)


def _fits(products: Sequence[Node], values: _Values) -> bool:
    """Whether all sizes are within 1/LARGEST and LARGEST, zeros above apart."""
    for product in products:
        size = np.abs(values.of(product))
        if not np.all((size < LARGEST) & ((size > 1 / LARGEST) | (size == 0))):
            return False
    return bool(np.all(values.of(products[-1]) != 0))


def share_reciprocals(roots: Sequence[Node], samples: Mapping[str, Array]) -> tuple[Node, ...]:
    """The roots with divisions in groups of :data:`GROUP` that share one reciprocal.

    Denominators that change their sign at the samples are left alone: where one is zero, what shares with it is lost.
    """
    values = _Values(samples)
    depth: dict[Node, int] = {}
    levels: dict[int, list[Node]] = {}
    for node in ordered(roots):
        depth[node] = max((depth[arg] for arg in node.args), default=0) + (node.op == "div")
        if node.op == "div" and _tame(values.of(node.args[1])):
            levels.setdefault(depth[node.args[1]], []).append(node)
    group: dict[Node, tuple[Node, ...]] = {}
    for members in levels.values():  # no denominator of a level needs another's inverse
        below = list(dict.fromkeys(node.args[1] for node in members))
        for k in range(0, len(below), GROUP):
            some = tuple(below[k : k + GROUP])
            group |= dict.fromkeys(some, some) if len(some) > 1 else {}
    grouped = {node for members in levels.values() for node in members if node.args[1] in group}
    made: dict[Node, Node] = {}
    inverse: dict[Node, Node] = {}
    # A quotient needs only what is less deep: with the quotients of a depth first, all their denominators are there.
    nodes = ordered(roots)
    nodes.sort(key=lambda node: (depth[node], node.op != "div"))
    for node in nodes:
        args = [made[arg] for arg in node.args]
        if node in grouped:
            if node.args[1] not in inverse:
                some = group[node.args[1]]
                inverse |= zip(some, _inverses([made[part] for part in some]), strict=True)
            one = inverse[node.args[1]]
            made[node] = one if args[0].op == "const" and args[0].number == 1.0 else make("mul", args[0], one)
        else:
            made[node] = make(node.op, *args) if args else node
    return tuple(made[root] for root in roots)


def _tame(denominator: Array) -> bool:
    """Whether it has one sign, and a size of which :data:`GROUP` make a product in range."""
    size, least = np.abs(denominator), LARGEST ** (-1 / GROUP)
    one_sign = np.all(denominator > 0) or np.all(denominator < 0)
    return bool(one_sign and np.all((size > least) & (size < 1 / least)))


def _inverses(below: Sequence[Node]) -> list[Node]:
    """1/b of each b by one division and three products for each but the first."""
    partial = [below[0]]
    for part in below[1:]:
        partial.append(make("mul", partial[-1], part))
    rest = make("div", const(1.0), partial[-1])
    found: list[Node] = []
    for k in range(len(below) - 1, 0, -1):
        found.append(make("mul", rest, partial[k - 1]))
        rest = make("mul", rest, below[k])
    return [rest, *found[::-1]]
