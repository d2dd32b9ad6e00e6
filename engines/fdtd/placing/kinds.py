"""The kinds of objects, sources and monitors as figures: one function for each, entered by :func:`drawn`.

A kind without an entry is listed but not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.figures import Figure, triple
from engines.api.placing import Position
from engines.fdtd.grid.yee import Yee
from engines.fdtd.parameters import FdtdParameters


@dataclass(frozen=True, eq=False)
class Space:
    """Where figures stand. low, high: corners of the grid; inner_low, inner_high: of what the absorbing layers leave;
    thin: axes of one cell."""

    parameters: FdtdParameters
    yee: Yee
    low: Array
    high: Array
    inner_low: Array
    inner_high: Array

    @property
    def thin(self) -> tuple[bool, ...]:
        return tuple(count == 1 for count in self.yee.counts)

    @property
    def middle(self) -> Array:
        return 0.5 * (self.inner_low + self.inner_high)

    @property
    def reach(self) -> float:
        """A length that is well seen: a tenth of the longest side, and no more than a part of the others."""
        sides = (self.high - self.low)[self.free() or [0]]
        return float(min(0.1 * sides.max(), 0.2 * sides.min()))

    @property
    def unit(self) -> str:
        return self.parameters.grid.length_unit.replace("um", "µm")

    def free(self) -> list[int]:
        """Axes along which something may move."""
        return [axis for axis in range(3) if not self.thin[axis]]

    def on_nodes(self, position: Array) -> Position:
        """The nearest nodes; along an axis of one cell as it is."""
        nodes = (
            value if self.thin[axis] else self.yee.nodes(axis)[self.yee.node_at(axis, value)]
            for axis, value in enumerate(position)
        )  # fmt: skip
        return triple(np.array(list(nodes)))

    def length(self, value: float) -> str:
        return f"{value:.4g} {self.unit}"

    def place(self, position: Position | Array) -> str:
        """A position in words: ``x 2, y 1.5, z 2 µm``."""
        parts = (f"{'xyz'[axis]} {position[axis]:.4g}" for axis in range(3) if not self.thin[axis])
        return f"{', '.join(parts)} {self.unit}"


@dataclass(frozen=True)
class Kind:
    """How one class of parameters is drawn, and the fields of a new one that fits the grid."""

    figure: Callable[[Any, Space], Figure]
    fresh: Callable[[Space], Mapping[str, Any]]


KINDS: dict[type[BaseModel], Kind] = {}


def drawn(
    model: type[BaseModel], fresh: Callable[[Space], Mapping[str, Any]]
) -> Callable[[Callable[[Any, Space], Figure]], Callable[[Any, Space], Figure]]:
    """Enter the figure of ``model``."""

    def enter(figure: Callable[[Any, Space], Figure]) -> Callable[[Any, Space], Figure]:
        KINDS[model] = Kind(figure, fresh)
        return figure

    return enter


def touching(space: Space, low: Array, high: Array) -> None:
    """Raises ProblemError if a body from ``low`` to ``high`` is nowhere in the grid."""
    for axis in range(3):
        if high[axis] <= space.low[axis] or low[axis] >= space.high[axis]:
            raise ProblemError(f"There it would be outside of the grid along {'xyz'[axis]}: keep a part of it inside.")


def in_open(space: Space, position: Position) -> None:
    """Raises ProblemError for a place outside of the grid or in an absorbing layer."""
    for axis in range(3):
        low, high = space.inner_low[axis], space.inner_high[axis]
        if not low <= position[axis] <= high:
            where = "outside of the grid" if not space.low[axis] <= position[axis] <= space.high[axis] else ""
            raise ProblemError(
                f"That place is {where or 'in the absorbing layer of ' + 'xyz'[axis]}: "
                f"stay between {low:.4g} and {high:.4g} {space.unit} along {'xyz'[axis]}."
            )
