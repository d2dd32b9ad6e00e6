"""Expressions as a graph in which equal expressions are one node.

Nodes are made by :func:`make` and live as long as something refers to them; equal operation and arguments give the
same object, so common subexpressions are shared by construction and ``is`` compares values. Nothing is simplified
here but operations on constants alone; rewrites are in :mod:`engines.formulas.rules`.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from engines.api import Array


class Node:
    """One operation. ``value`` is the number of a ``"const"`` and the name of a ``"symbol"``, else None.

    ``op`` is one of :data:`OPERATIONS`. Three have a removable singularity at z = 0: ``"goldman"`` of (z, e^z) is
    z/(e^z − 1), ``"goldman_slope"`` of the same its derivative, and ``"growth"`` of (z, e^(z/2)) is (e^z − 1)/z.
    ``"expm1"`` of (z, e^(z/2)) is e^z − 1 without its cancellation. ``rank`` orders nodes by what they compute, alike
    in every process: what is written in an order of its own is the same text each time.
    """

    __slots__ = ("__weakref__", "args", "op", "rank", "value")

    def __init__(self, op: str, args: tuple[Node, ...], value: float | str | None) -> None:
        self.op, self.args, self.value = op, args, value
        own = f"{op} {value!r}".encode()
        self.rank: bytes = blake2b(own + b"".join(arg.rank for arg in args), digest_size=8).digest()

    def __repr__(self) -> str:
        """The operation and its arguments, theirs left out."""
        if not self.args:
            return str(self.value)
        return f"{self.op}({', '.join(f'{arg.op}(…)' if arg.args else str(arg.value) for arg in self.args)})"

    @property
    def number(self) -> float:
        """The value of a constant."""
        assert isinstance(self.value, float)
        return self.value


def goldman(z: Array, e: Array) -> Array:
    """z/(e − 1) with e = e^z in float64; ``expm1`` where that would cancel."""
    near = np.abs(z) < 0.5
    small = np.where(z == 0, 1.0, z)
    return np.where(near, np.where(z == 0, 1.0, small / np.expm1(small)), z / np.where(near, 1.0, e - 1.0))


def goldman_slope(z: Array, e: Array) -> Array:
    """The derivative of z/(e^z − 1), g (1 − z − g)/z with g that quotient; its series where that would cancel."""
    near = np.abs(z) < 0.5
    small, far = np.where(near, z, 0.0), np.where(near, 1.0, z)
    y, series = small * small, np.zeros_like(small)
    for factor in GOLDMAN_SLOPE:
        series = series * y + factor
    g = goldman(far, np.where(near, math.e, e))
    return np.where(near, small * series - 0.5, g * (1.0 - far - g) / far)


def growth(z: Array, h: Array) -> Array:
    """(e^z − 1)/z with h = e^(z/2) in float64; ``expm1`` where that would cancel."""
    near, small = np.abs(z) < 0.5, np.where(z == 0, 1.0, z)
    return np.where(near, np.where(z == 0, 1.0, np.expm1(small) / small), (h * h - 1.0) / small)


def expm1(z: Array, h: Array) -> Array:
    """e^z − 1 with h = e^(z/2) in float64; ``expm1`` where that would cancel."""
    return np.where(np.abs(z) < 0.5, np.expm1(np.where(np.abs(z) < 0.5, z, 0.0)), h * h - 1.0)


GOLDMAN_SLOPE = (
    14 / 74724249600, -12 * 691 / 1307674368000, 10 / 47900160, -8 / 1209600, 6 / 30240, -4 / 720, 2 / 12,
)  # fmt: skip
"""Factors of (z², highest power first) in (d/dz (z/(e^z − 1)) + 1/2)/z: Bernoulli numbers."""
GROWTH = (1 / 39916800, 1 / 362880, 1 / 5040, 1 / 120, 1 / 6, 1.0)
"""Factors of (z²/4, highest power first) in sinh(z/2)/(z/2), which times e^(z/2) is (e^z − 1)/z."""
OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "pow": lambda a, b: a**b,
    "log10": np.log10,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "atan": np.arctan,
    "abs": np.abs,
    "floor": np.floor,
    "min": np.minimum,
    "max": np.maximum,
    "goldman": goldman,
    "goldman_slope": goldman_slope,
    "growth": growth,
    "expm1": expm1,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "select": np.where,
}
"""What each operation computes, on float64 arrays. ``select`` takes a condition, then its two cases."""

CONDITIONS = ("lt", "le", "eq", "and", "or", "not")
"""Those that are true or false, and no number."""

_nodes: WeakValueDictionary[tuple[Any, ...], Node] = WeakValueDictionary()
_making = threading.Lock()


def make(op: str, *args: Node, value: float | str | None = None) -> Node:
    """The node with this operation; a constant if all arguments are and the result is a finite number."""
    if args and op in _FOLDED and all(arg.op == "const" for arg in args):
        with np.errstate(all="ignore"):
            folded = float(OPERATIONS[op](*(np.float64(arg.number) for arg in args)))
        if math.isfinite(folded):
            return const(folded)
    # 0.0 and -0.0 are equal keys and different numbers.
    sign = math.copysign(1.0, value) if isinstance(value, float) else None
    key = (op, tuple(id(arg) for arg in args), value, sign)
    with _making:
        found = _nodes.get(key)
        if found is None:
            found = _nodes[key] = Node(op, args, value)
    return found


_FOLDED = {
    "add", "sub", "mul", "div", "neg", "exp", "log", "sqrt", "pow", "log10", "sinh", "cosh", "tanh", "sin", "cos",
    "tan", "atan", "abs", "floor", "min", "max",
}  # fmt: skip


def const(value: float) -> Node:
    return make("const", value=float(value))


def symbol(name: str) -> Node:
    return make("symbol", value=name)


def ordered(roots: Iterable[Node]) -> list[Node]:
    """All nodes that the roots need, each after its arguments, root by root."""
    seen: set[Node] = set()
    order: list[Node] = []
    for root in roots:
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack += [(arg, False) for arg in reversed(node.args) if arg not in seen]
    return order


def uses(roots: Sequence[Node]) -> dict[Node, int]:
    """How many operations and roots take each node."""
    counts: dict[Node, int] = {}
    for node in ordered(roots):
        for arg in node.args:
            counts[arg] = counts.get(arg, 0) + 1
    for root in roots:
        counts[root] = counts.get(root, 0) + 1
    return counts


def depends_on(roots: Sequence[Node], name: str) -> set[Node]:
    """The nodes among those of the roots that depend on a symbol."""
    found: set[Node] = set()
    for node in ordered(roots):
        if (node.op == "symbol" and node.value == name) or any(arg in found for arg in node.args):
            found.add(node)
    return found


def rebuild(
    roots: Sequence[Node], build: Callable[..., Node], given: Mapping[Node, Node] | None = None
) -> tuple[Node, ...]:
    """The roots made again from their leaves up: ``build(op, *arguments)`` for each node but those ``given``."""
    made: dict[Node, Node] = dict(given or {})
    for node in ordered(roots):
        if node not in made:
            made[node] = build(node.op, *(made[arg] for arg in node.args)) if node.args else node
    return tuple(made[root] for root in roots)
