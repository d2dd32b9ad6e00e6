"""What holds at the sides of each field, as numbers that kernels take: a ghost is ``scale · u + shift`` of the cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import Node, const, make, ordered, symbol
from engines.stencil.equations.spatial import SPACINGS


@dataclass(frozen=True, eq=False)
class Law:
    """Of one side of one field; formulas of parameters, time and sizes. ``wraps``: the opposite side is beyond it."""

    wraps: bool
    scale: Node
    shift: Node


def value_law(value: Node) -> Law:
    """(g + u)/2 = b."""
    return Law(False, const(-1.0), make("mul", const(2.0), value))


def gradient_law(gradient: Node, axis: int) -> Law:
    """(g − u)/h = q, outwards."""
    return Law(False, const(1.0), make("mul", symbol(SPACINGS[axis]), gradient))


def exchange_law(coefficient: Node, outside: Node, axis: int) -> Law:
    """(g − u)/h = a (c − (g + u)/2): Robin's, as of heat that passes into surroundings at c."""
    half = make("mul", const(0.5), make("mul", coefficient, symbol(SPACINGS[axis])))
    whole = make("add", const(1.0), half)
    shift = make("mul", make("mul", make("mul", const(2.0), half), outside), make("div", const(1.0), whole))
    return Law(False, make("div", make("sub", const(1.0), half), whole), shift)


WRAPPED = Law(True, const(1.0), const(0.0))
Laws = tuple[tuple[tuple[Law, Law], ...], ...]
"""For each field and stored name, for x, y (and z): (low, high)."""


class Sides:
    """Laws as arrays. wraps: (fields, 3) bool; numbers: (fields, 3, 2, 2) of axis, low or high, scale and shift."""

    def __init__(self, laws: Laws) -> None:
        self.wraps = np.zeros((len(laws), 3), np.bool_)
        for field, axes in enumerate(laws):
            for axis, (low, _) in enumerate(axes):
                self.wraps[field, axis] = low.wraps
        self._count = len(laws)
        places = [(f, a, s) for f, axes in enumerate(laws) for a, pair in enumerate(axes) for s in range(2)]
        self._at: Sequence[tuple[int, int, int]] = places
        roots = self._roots = [node for f, a, s in places for node in (laws[f][a][s].scale, laws[f][a][s].shift)]
        self._program = Program(roots)

    def uses(self, name: str) -> bool:
        """Whether what holds at a side depends on a parameter, or on time."""
        return any(node.value == name for node in ordered(self._roots))

    def numbers(self, given: Mapping[str, Any]) -> Array:
        """float64, given parameters, time and sizes by name."""
        found = np.zeros((self._count, 3, 2, 2))
        found[..., 0] = 1.0
        values = self._program({name: np.float64(value) for name, value in given.items()})
        for number, (field, axis, side) in enumerate(self._at):
            found[field, axis, side] = values[2 * number], values[2 * number + 1]
        return found
