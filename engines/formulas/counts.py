"""How many instructions a graph takes by the thesis' cost model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engines.formulas.graph import Node, ordered, uses

COSTS: Mapping[str, tuple[int, int, int]] = {
    "add": (1, 0, 0),
    "sub": (1, 0, 0),
    "mul": (0, 1, 0),
    "neg": (0, 0, 0),
    "div": (0, 1, 5),
    "exp": (1, 0, 14),
    "log": (8, 4, 16),
    "sqrt": (0, 1, 5),
    "pow": (9, 5, 30),
    # A quotient, and seven multiply-adds of the series beside it.
    "goldman": (1, 3, 12),
    "goldman_slope": (3, 3, 18),
    "growth": (0, 4, 11),
    "expm1": (0, 4, 6),
    "log10": (8, 5, 16),
    "tanh": (2, 1, 19),
    "sinh": (2, 2, 19),
    "cosh": (2, 2, 19),
    "sin": (1, 0, 14),
    "cos": (1, 0, 14),
    "tan": (2, 1, 33),
    "atan": (2, 1, 19),
}
"""(add, mul, fma) of each operation in float64: thesis, table 2.5; a root as a division, a general power as a logarithm
and an exponential. Hyperbolic functions as an exponential and a quotient, sines as an exponential. Signs, comparisons
and choices are no arithmetic."""


DIVISIONS: Mapping[str, int] = {"div": 1, "goldman": 1, "goldman_slope": 2, "growth": 1}
"""Quotients in each operation."""


@dataclass(frozen=True)
class Instructions:
    """float64 instructions of one evaluation, as the columns of its tables 3.3, 5.1 and 5.2. Both cases of a
    choice count."""

    add: int
    mul: int
    fma: int
    exponentials: int
    divisions: int

    @property
    def total(self) -> int:
        return self.add + self.mul + self.fma


def count(roots: Sequence[Node]) -> Instructions:
    """Each node once; a product that only one sum takes is fused with it."""
    taken = uses(roots)
    totals = [0, 0, 0]
    exponentials = divisions = 0
    for node in ordered(roots):
        cost = COSTS.get(node.op, (0, 0, 0))
        totals = [total + part for total, part in zip(totals, cost, strict=True)]
        exponentials += node.op == "exp"
        divisions += DIVISIONS.get(node.op, 0)
        if node.op in ("add", "sub") and any(arg.op == "mul" and taken[arg] == 1 for arg in node.args):
            totals = [totals[0] - 1, totals[1] - 1, totals[2] + 1]
    return Instructions(totals[0], totals[1], totals[2], exponentials, divisions)
