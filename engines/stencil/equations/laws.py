"""What holds at the sides of each field, as numbers that kernels take: a ghost is ``scale · u + shift`` of the cell.

These are the same all along a side, or of each cell at it, by the middle of its face."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import Node, const, make, ordered, symbol
from engines.stencil.equations.spatial import AXES, SPACINGS


@dataclass(frozen=True, eq=False)
class Law:
    """Of one side of one field; formulas of parameters, place, time and sizes. ``wraps``: the opposite side is beyond
    it."""

    wraps: bool
    scale: Node
    shift: Node

    def uses(self, *names: str) -> bool:
        """Whether it depends on one of these: on time, on a place."""
        return any(node.value in names for node in ordered((self.scale, self.shift)) if node.op == "symbol")


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
CLOSED = Law(False, const(1.0), const(0.0))
Laws = tuple[tuple[tuple[Law, Law], ...], ...]
"""For each field and stored name, for x, y (and z): (low, high)."""


def across(axis: int) -> tuple[int, int]:
    """The other two axes, in their order: those along a side."""
    first, second = (other for other in range(3) if other != axis)
    return first, second


class Sides:
    """Laws as arrays, on a grid of ``shape`` (ny, nx) or (nz, ny, nx) and ``spacing`` (x, y, z) [mm]; or on a part of
    one that has so many ``planes`` of the last axis as (which ones, of how many).

    wraps: (fields, 3) bool
    where: (fields, 3, 2, 3) int32 of axis, low or high: which of ``numbers`` is of the first cell at the side, and how
           far behind it those of the next ones along both other axes are, 0 where all have the same. Those of one more
           beyond either end are there, too, for ghosts in the corners
    """

    def __init__(
        self, laws: Laws, shape: Sequence[int], spacing: Sequence[float], planes: tuple[Array, int] | None = None
    ) -> None:
        self._laws, self._cells = laws, (1, *shape)[:-4:-1]
        cells = self._cells
        there, ends = [np.arange(count) for count in cells], list(cells)
        if planes is not None:
            there[len(shape) - 1], ends[len(shape) - 1] = planes
        self.wraps = np.zeros((len(laws), 3), np.bool_)
        self.where = np.zeros((len(laws), 3, 2, 3), np.int32)
        sides = [(f, a, s, law) for f, axes in enumerate(laws) for a, pair in enumerate(axes)
                 for s, law in enumerate(pair)]  # fmt: skip
        alike = [const(1.0), const(0.0)]  # of an axis that there is not, or that is periodic
        for field, axis, side, law in sides:
            self.wraps[field, axis] = law.wraps
            if not law.wraps and not law.uses(*AXES):
                self.where[field, axis, side, 0] = len(alike) // 2
                alike += [law.scale, law.shift]
        self._alike, self._count = Program(alike), len(alike) // 2
        self._varying: list[tuple[slice, _Rim, dict[str, Any], Program]] = []
        for field, axis, side, law in sides:
            if law.uses(*AXES):
                a, b = across(axis)
                places: dict[str, Any] = {"z": np.zeros(1)}  # of a plane
                for each, h in enumerate(spacing):
                    places[AXES[each]] = (there[each] + 0.5) * h
                places[AXES[axis]] = np.float64(side * ends[axis] * spacing[axis])
                places[AXES[b]] = np.reshape(places[AXES[b]], (-1, 1))
                rim = _Rim((cells[b], cells[a]), (bool(self.wraps[field, b]), bool(self.wraps[field, a])))
                of_side = slice(self._count, self._count + math.prod(rim.shape))
                self._varying.append((of_side, rim, places, Program([law.scale, law.shift])))
                self.where[field, axis, side] = of_side.start + rim.first, *rim.behind
                self._count = of_side.stop

    def uses(self, name: str) -> bool:
        """Whether what holds at a side depends on a parameter, or on time."""
        return any(law.uses(name) for axes in self._laws for pair in axes for law in pair)

    def numbers(self, given: Mapping[str, Any]) -> Array:
        """(n, 2) float64: scale and shift, given parameters, time and sizes by name."""
        known = {name: np.float64(value) for name, value in given.items()}
        found, alike = np.empty((self._count, 2)), self._alike(known)
        found[: len(alike) // 2] = np.reshape(alike, (-1, 2))
        for of_side, rim, places, program in self._varying:
            whole = found[of_side].reshape(*rim.shape, 2)
            cells = whole[rim.inside]
            cells[..., 0], cells[..., 1] = program({**known, **places})
            rim.fill(whole)
        return found

    def at(self, field: int, axis: int, side: int) -> Array:
        """Which of ``numbers`` are of the cells at a side: (cells along the later, along the earlier of both other
        axes), int64."""
        first, each_a, each_b = self.where[field, axis, side].astype(np.int64)
        a, b = across(axis)
        return np.asarray(first + each_a * np.arange(self._cells[a]) + each_b * np.arange(self._cells[b])[:, None])


class _Rim:
    """``cells`` of a side (rows, columns) with one more at either end of each axis that has more than one: the opposite
    one where it ``wraps``, or else on the line through the last two, as ghosts there are of second order, too."""

    def __init__(self, cells: tuple[int, int], wraps: tuple[bool, bool]) -> None:
        self._wraps, rims = wraps, [int(count > 1) for count in cells]
        self.shape = cells[0] + 2 * rims[0], cells[1] + 2 * rims[1]
        self.inside = tuple(slice(rim, rim + count) for rim, count in zip(rims, cells, strict=True))
        self.first = rims[0] * self.shape[1] + rims[1]
        self.behind = rims[1], rims[0] * self.shape[1]
        """How far the next one is behind, along columns and along rows."""

    def fill(self, whole: Array) -> None:
        """whole: (*shape, 2), its cells known"""
        with np.errstate(over="ignore", invalid="ignore"):  # of what is no number, which is told of the cells
            for wraps, lines in zip(self._wraps, (whole, whole.swapaxes(0, 1)), strict=True):
                if len(lines) > 1:
                    lines[0] = lines[-2] if wraps else 2 * lines[1] - lines[2]
                    lines[-1] = lines[1] if wraps else 2 * lines[-2] - lines[-3]
