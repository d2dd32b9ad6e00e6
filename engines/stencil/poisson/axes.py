"""One axis of a grid level: coefficients, ghosts, and how values pass to the next coarser level.

Cells of an axis may differ in width (an odd number of cells leaves a last coarse cell of one fine cell), so that every
size coarsens down to one cell. With widths h and distances d between centres the second difference is

    (1/h_i) [ (u_{i+1} - u_i) / d_{i+1/2} - (u_i - u_{i-1}) / d_{i-1/2} ]

A ghost at a side is as wide as the cell there. All is float64 on the host; the solvers take it in their precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engines.api import Array
from engines.stencil.setup.sides import Ghost

LOWER, UPPER, LOWER_DIAGONAL, UPPER_DIAGONAL = range(4)
"""Rows of :attr:`Axis.coefficients`."""


@dataclass(frozen=True, eq=False)
class Axis:
    """``widths: (n,)`` of the cells [mm], ghosts at both ends, and whether the operator acts along this axis at all."""

    widths: Array
    ends: tuple[Ghost, Ghost]
    acts: bool = True

    @property
    def n(self) -> int:
        return len(self.widths)

    @property
    def wraps(self) -> bool:
        return self.ends[0].wraps

    @property
    def insulates(self) -> bool:
        """Whether constants are in its null space."""
        return not self.acts or self.wraps or all(end.scale == 1.0 for end in self.ends)

    @cached_property
    def coefficients(self) -> Array:
        """(4, n) [1/mm²]: of the differences to the lower and the upper neighbour, and what each adds to the diagonal.

        The latter differ at a side, where the ghost follows the cell itself: ``1 - scale`` times the former.
        """
        h = self.widths
        found = np.zeros((4, self.n))
        if not self.acts:
            return found
        before, after = np.roll(h, 1), np.roll(h, -1)
        if not self.wraps:
            before[0], after[-1] = h[0], h[-1]
        found[LOWER] = found[LOWER_DIAGONAL] = 2.0 / (h * (h + before))
        found[UPPER] = found[UPPER_DIAGONAL] = 2.0 / (h * (h + after))
        for row, cell, end in ((LOWER_DIAGONAL, 0, self.ends[0]), (UPPER_DIAGONAL, -1, self.ends[1])):
            if not self.wraps:
                found[row, cell] *= 1.0 - end.scale
            elif self.n == 1:
                found[row, cell] = 0.0  # it is its own neighbour
        return found

    @cached_property
    def ghosts(self) -> Array:
        """(4, n): scale and shift of the lower neighbour, scale and shift of the upper; 1, 0 where it is a cell."""
        found = np.tile([[1.0], [0.0], [1.0], [0.0]], self.n)
        if not self.wraps:
            found[:2, 0] = self.ends[0].scale, self.ends[0].shift
            found[2:, -1] = self.ends[1].scale, self.ends[1].shift
        return found

    @cached_property
    def neighbours(self) -> Array:
        """(2, n) int32: the lower and the upper neighbour; the cell itself where a ghost stands for it."""
        cells = np.arange(self.n)
        found = np.stack([cells - 1, cells + 1])
        found = found % self.n if self.wraps else np.clip(found, 0, self.n - 1)
        return found.astype(np.int32)

    def homogeneous(self) -> Axis:
        """The same axis for the error, which is zero on a side with a value and insulated on one with a gradient."""
        low, high = (Ghost(end.wraps, end.scale) for end in self.ends)
        return Axis(self.widths, (low, high), self.acts)

    def coarsened(self) -> Axis:
        """Pairs of cells joined, the last one alone if their number is odd; homogeneous ghosts."""
        pairs = np.add.reduceat(self.widths, np.arange(0, self.n, 2))
        low, high = (
            Ghost(end.wraps, farther(end.scale, float(pairs[at] / self.widths[at])))
            for at, end in zip((0, -1), self.ends, strict=True)
        )
        return Axis(pairs, (low, high), self.acts)


def farther(scale: float, times: float) -> float:
    """The scale of a ghost for cells so many times as wide: (2 − a h)/(2 + a h) of an exchange; -1 and 1 stay."""
    return ((1 + scale) - times * (1 - scale)) / ((1 + scale) + times * (1 - scale))


FLAT = Axis(np.ones(1), (Ghost(False), Ghost(False)), acts=False)
"""The third axis of a grid of two dimensions."""


@dataclass(frozen=True)
class Transfer:
    """Between an axis of n cells and the coarser one of m.

    shares:  (2 m) which part of its coarse cell each fine cell is: 0 beyond the last; (m) ones if not coarsened
    parents: (2, n) int32: the coarse cells that a fine value is interpolated from: its own, and the nearer neighbour
    weights: (2, n): of these two. At a side the coarse ghost stands in for the neighbour and is folded into the first.
    """

    step: int
    shares: Array
    parents: Array
    weights: Array


def transfer(fine: Axis, coarse: Axis, step: int) -> Transfer:
    """Averages downwards, linear interpolation upwards; ``step`` 1 (the axis stays as it is) or 2."""
    cells = np.arange(fine.n)
    if step == 1:
        parents = np.stack([cells, cells]).astype(np.int32)
        return Transfer(1, np.ones(fine.n), parents, np.stack([np.ones(fine.n), np.zeros(fine.n)]))
    own = cells // 2
    shares = np.zeros(2 * coarse.n)
    shares[: fine.n] = fine.widths / coarse.widths[own]
    fine_centres = np.cumsum(fine.widths) - fine.widths / 2
    coarse_centres = np.cumsum(coarse.widths) - coarse.widths / 2
    offset = fine_centres - coarse_centres[own]
    side = (offset > 0).astype(int)
    other = coarse.neighbours[side, own]
    beyond = ~np.array(coarse.wraps) & (other == own)
    gap = (coarse.widths[own] + np.where(beyond, coarse.widths[own], coarse.widths[other])) / 2
    weight = np.abs(offset) / gap
    scale = coarse.ghosts[2 * side, own]
    weights = np.stack([1.0 - weight + np.where(beyond, scale * weight, 0.0), np.where(beyond, 0.0, weight)])
    return Transfer(2, shares, np.stack([own, other]).astype(np.int32), weights)
