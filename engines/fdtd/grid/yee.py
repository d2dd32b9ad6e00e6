"""Yee's grid: where the components stand, and how they are kept.

A grid of nx × ny × nz cells has nodes 0 … n and, between them, halves 0 … n - 1 along each axis. ``E_c`` stands at the
halves along c and at the nodes along the two other axes, ``H_c`` at the nodes along c and the halves along the others.

Both fields are arrays (3, nz + 1, ny + 1, row), x fastest, with a place for each node; ``row`` is nx + 1 rounded up to
whole vectors. A half n does not exist, so its place is zero for ever and serves as the field beyond a wall: index n
stands for −1 too. On a periodic axis node n is node 0 once more, and both are kept and stepped alike.

Nothing varies along a *flat* axis (z in two dimensions, y and z in one): it has one cell between periodic faces, its
differences are zero and it has no part in the limit of the step. Along a flat z the passes step plane 0 alone; plane 1,
its twin, is made up at the end of ``advance``.

H is kept as η₀H [V/m], so that both fields are of one size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engines.api import Array

SPEED_OF_LIGHT = 0.299792458
"""In µm/fs, mm/ps and m/ns."""
VACUUM_IMPEDANCE = 376.730313668
"""η₀ [Ω]."""
VECTOR = 16
"""Values of a row that begin together: 64 bytes of fp32."""

VACUUM_PERMITTIVITY = 1.0 / (VACUUM_IMPEDANCE * SPEED_OF_LIGHT * 1e9)
"""ε₀ [F/m]."""
TIME_UNITS = {"um": "fs", "mm": "ps", "m": "ns"}
FREQUENCY_UNITS = {"um": "THz", "mm": "GHz", "m": "MHz"}
PER_UNIT = 1e3
"""Of these in one oscillation per unit of time: 1/fs is 1000 THz."""
METRES = {"um": 1e-6, "mm": 1e-3, "m": 1.0}
SECONDS = {"um": 1e-15, "mm": 1e-12, "m": 1e-9}


@dataclass(frozen=True, eq=False)
class Yee:
    """counts: cells along x, y, z; spacing: their size along x, y, z, of graded axes the smallest [length unit]

    origin: the corner of lowest coordinates; flat: axes along which nothing varies
    lines: (n + 1,) nodes of graded axes, None for axes of equal cells
    """

    counts: tuple[int, int, int]
    spacing: tuple[float, float, float]
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    flat: tuple[bool, bool, bool] = (False, False, False)
    lines: tuple[Array | None, Array | None, Array | None] = (None, None, None)

    @property
    def row(self) -> int:
        """Places of a row along x."""
        return -(-(self.counts[0] + 1) // VECTOR) * VECTOR

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of one component, (nz + 1, ny + 1, row)."""
        return self.counts[2] + 1, self.counts[1] + 1, self.row

    @property
    def planes(self) -> int:
        """Planes that the passes step."""
        return 1 if self.flat[2] else self.counts[2] + 1

    @property
    def places(self) -> int:
        return self.shape[0] * self.shape[1] * self.shape[2]

    @property
    def cells(self) -> int:
        return self.counts[0] * self.counts[1] * self.counts[2]

    @property
    def varying(self) -> tuple[int, ...]:
        """The axes that are not flat."""
        return tuple(axis for axis in range(3) if not self.flat[axis])

    def part(self, spans: Sequence[tuple[int, int]]) -> Yee:
        """The cells from the first to before the last along x, y, z as a grid of their own."""
        x, y, z = (self.nodes(axis)[first : last + 1] for axis, (first, last) in enumerate(spans))
        return replace(self, counts=(len(x) - 1, len(y) - 1, len(z) - 1), lines=(x, y, z))

    @property
    def smallest(self) -> float:
        """The unit of length of the kernels [length unit]."""
        return min(self.spacing[axis] for axis in self.varying)

    def place(self, component: int, i: Any, j: Any, k: Any) -> Any:
        """Where component 0, 1, 2 at indices i, j, k (numbers or arrays) stands in a flat field (3, …)."""
        nz, ny, row = self.shape
        return ((component * nz + k) * ny + j) * row + i

    def nodes(self, axis: int) -> Array:
        """(n + 1,) float64: where the nodes of an axis are [length unit]."""
        line = self.lines[axis]
        if line is not None:
            return line
        return self.origin[axis] + np.arange(self.counts[axis] + 1) * self.spacing[axis]

    def halves(self, axis: int) -> Array:
        """(n,) float64: where the middles of the cells of an axis are [length unit]."""
        nodes = self.nodes(axis)
        return 0.5 * (nodes[1:] + nodes[:-1])

    def sizes(self, axis: int) -> Array:
        """(n,) float64: of the cells of an axis [length unit]."""
        line = self.lines[axis]
        return np.full(self.counts[axis], self.spacing[axis]) if line is None else np.diff(line)

    def around(self, axis: int, wraps: bool = False) -> Array:
        """(n + 1,) float64: what belongs to each node of an axis, half of the cells beside it [length unit].

        Beyond the ends the cells are mirrored; on an axis that ``wraps`` they are those of the other end.
        """
        sizes = self.sizes(axis)
        ends = (sizes[-1:], sizes[:1]) if wraps else (sizes[:1], sizes[-1:])
        return 0.5 * (np.concatenate([ends[0], sizes]) + np.concatenate([sizes, ends[1]]))

    def node_at(self, axis: int, place: float) -> int:
        """The node of an axis that is nearest to ``place`` [length unit]."""
        return int(np.abs(self.nodes(axis) - place).argmin())

    def cell_at(self, axis: int, place: float) -> int:
        """The cell of an axis in which ``place`` [length unit] lies, or the nearest."""
        return int(np.clip(np.searchsorted(self.nodes(axis), place, "right") - 1, 0, self.counts[axis] - 1))

    def largest_step(self, slowness: float = 1.0) -> float:
        """Limit of the time step [time unit] by the smallest cells: ``Δt = √(ε_r μ_r) / (c √Σ 1/Δ²)`` over the axes
        that are not flat; slowness: the least √(ε_r μ_r)."""
        return float(slowness / (SPEED_OF_LIGHT * sum(self.spacing[axis] ** -2 for axis in self.varying) ** 0.5))


def around_center(name: str) -> list[tuple[int, int, int]]:
    """(dx, dy, dz) of the places of a component, ``"Ex"`` … ``"Hz"``, around the centre of a cell."""
    axis = "xyz".index(name[1])
    double = [(d == axis) == (name[0] == "H") for d in range(3)]
    return [(i, j, k) for k in range(1 + double[2]) for j in range(1 + double[1]) for i in range(1 + double[0])]
