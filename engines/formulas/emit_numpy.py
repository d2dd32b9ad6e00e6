"""A graph in float64 by NumPy: what the other emitters are tested against, and what is used where speed is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.formulas.graph import OPERATIONS, Node, ordered


class Program:
    """Some roots as operations in order, made once and called often."""

    def __init__(self, roots: Sequence[Node]) -> None:
        nodes = ordered(roots)
        place = {node: k for k, node in enumerate(nodes)}
        self._leaves = [(place[node], str(node.value)) for node in nodes if node.op == "symbol"]
        self._start = [np.float64(node.number) if node.op == "const" else None for node in nodes]
        self._steps: list[tuple[int, Callable[..., Any], tuple[int, ...]]] = [
            (place[node], OPERATIONS[node.op], tuple(place[arg] for arg in node.args)) for node in nodes if node.args
        ]
        self._roots = [place[root] for root in roots]

    def __call__(self, values: Mapping[str, Any]) -> list[Any]:
        """Each root's value; ``values`` of the symbols are arrays, or whatever NumPy's functions and operators take.

        Where it is no number (a logarithm of zero), it is NaN or infinite."""
        found: list[Any] = self._start.copy()
        for k, name in self._leaves:
            found[k] = values[name]
        with np.errstate(all="ignore"):  # the case of a select that is not taken may overflow
            for k, operation, args in self._steps:
                found[k] = operation(*(found[arg] for arg in args))
        return [found[k] for k in self._roots]


def evaluate(roots: Sequence[Node], values: Mapping[str, Any]) -> list[Array]:
    """float64 value of each root, given arrays (or numbers) for its symbols."""
    numbers = {name: np.asarray(value, dtype=np.float64) for name, value in values.items()}
    return [np.asarray(value) for value in Program(roots)(numbers)]
