"""What holds at the sides of a grid, and how a kernel sees it: one ghost cell beyond each side.

Values live at cell centres, so a side lies half a cell beyond the last centre. With u the value of the cell at the
side, g that of its ghost and h the spacing:

    value b        (g + u) / 2 = b      g = 2 b - u
    gradient q     (g - u) / h = q      g = u + h q        (q = du/dn, n points outwards)
    periodic                            g = the cell at the opposite side

All three keep the scheme of second order, and the eigenvalues 4 sin²(mπ/2N) of one dimension with N cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api.errors import ProblemError
from engines.stencil.parameters.sides import FixedGradient, FixedValue, Side

AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Ghost:
    """A ghost cell: the wrapped neighbour, or ``scale * u + shift`` of the cell at the side."""

    wraps: bool
    scale: float = 1.0
    shift: float = 0.0


Ghosts = tuple[tuple[Ghost, Ghost], ...]
"""(low, high) for x, y (and z)."""


def ghosts(sides: Sequence[tuple[Side, Side]], spacing: Sequence[float]) -> Ghosts:
    """The ghosts of ``sides``: (low, high) for x, y (and z), with the cell sizes in the same order.

    Raises ProblemError if a side is periodic and the opposite one is not.
    """
    found = []
    for axis, (low, high), h in zip(AXES, sides, spacing, strict=False):
        if (low.kind == "periodic") != (high.kind == "periodic"):
            raise ProblemError(
                f"One side along {axis} is periodic and the other is not: make both periodic or neither."
            )
        found.append((_ghost(low, h), _ghost(high, h)))
    return tuple(found)


def _ghost(side: Side, spacing: float) -> Ghost:
    if isinstance(side, FixedValue):
        return Ghost(False, -1.0, 2.0 * side.value)
    if isinstance(side, FixedGradient):
        return Ghost(False, 1.0, spacing * side.gradient)
    return Ghost(True)


def sides_for_kernels(ghosts: Ghosts, dtype: Any) -> tuple[np.int32, Any]:
    """(bit k: axis k wraps; (low scale, low shift, high scale, high shift) for each axis)."""
    wraps = sum(1 << axis for axis, (low, _) in enumerate(ghosts) if low.wraps)
    numbers = [number for pair in ghosts for ghost in pair for number in (ghost.scale, ghost.shift)]
    return np.int32(wraps), np.array(numbers, dtype)
