"""Objects as cells of materials: a cell is of the last object that holds its middle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import ProblemError
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.solids.solids import solids_of
from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.parameters.objects import VACUUM
from engines.geometry.solids.solid import Solid

Corner = tuple[float, float, float]
EVERYWHERE = (float("inf"),) * 3
NOWHERE = (float("-inf"),) * 3


@dataclass(frozen=True)
class Shape:
    """What smoothing asks of an object.

    contains: points (m, 3) [length unit] → (m,) bool, thread-safe; low, high: corners of a box that holds all of
    it, which may be infinite
    """

    contains: Callable[[Array], Array]
    low: Corner = NOWHERE
    high: Corner = EVERYWHERE


def shapes_of(parameters: FdtdParameters) -> list[tuple[int, Shape]]:
    """(number of the material, shape) of the objects' solids; later ones lie over earlier ones. Raises ProblemError."""
    found = []
    for _, number, solid in fillings_of(parameters):
        low, high = solid.bounds()
        found.append((number, Shape(solid.contains, (low[0], low[1], low[2]), (high[0], high[1], high[2]))))
    return found


THINNEST = 1.0 - 1e-9
"""Cells below which an object may lie between the middles of two; one of exactly a cell never does."""
Filling = tuple[int, int, Solid]
"""The number of an object (from 1), that of its material (0 is vacuum), and one of its solids."""


def numbers_of(parameters: FdtdParameters) -> dict[str, int]:
    """Material numbers by name; 0 is vacuum. Raises ProblemError."""
    numbers: dict[str, int] = {}
    for number, material in enumerate(parameters.materials, 1):
        if material.name in numbers:
            raise ProblemError(f"Two materials are called '{material.name}': rename one.")
        numbers[material.name] = number
    return {VACUUM: 0, **numbers}


def fillings_of(parameters: FdtdParameters) -> list[Filling]:
    """The solids of all objects in their order. Raises ProblemError."""
    numbers = numbers_of(parameters)
    found: list[Filling] = []
    for place, item in enumerate(parameters.objects, 1):
        if item.material not in numbers:
            known = ", ".join(f"'{material.name}'" for material in parameters.materials) or "none yet"
            raise ProblemError(
                f"Object {place} is of '{item.material}', which is not among the materials ({known}).",
                ("objects", place - 1, "material"),
            )
        try:
            found += [(place, numbers[item.material], solid) for solid in solids_of(item)]
        except ProblemError as error:
            raise _of_object(parameters, place, error) from error
    return found


def cells_of(parameters: FdtdParameters, yee: Yee, backend: Any = None) -> Array:
    """(nz, ny, nx) uint8: 0 is vacuum, n the n-th material. ``backend`` may help. Raises ProblemError."""
    nx, ny, nz = yee.counts
    cells = np.zeros((nz, ny, nx), np.uint8)
    axes = [yee.halves(axis) for axis in range(3)]
    for place, number, solid in fillings_of(parameters):
        parts = reached(axes, solid)
        if any(part.start >= part.stop for part in parts):
            continue
        try:
            inside = solid.on_grid(axes[0][parts[0]], axes[1][parts[1]], axes[2][parts[2]], backend)
        except ProblemError as error:
            raise _of_object(parameters, place, error) from error
        cells[parts[2], parts[1], parts[0]][inside] = number
    return cells


def reached(axes: Sequence[Array], solid: Solid) -> list[slice]:
    """The cells along x, y, z whose middles the bounds of a solid hold."""
    low, high = solid.bounds()
    return [
        slice(int(np.searchsorted(x, a)), int(np.searchsorted(x, b, "right")))
        for x, a, b in zip(axes, low, high, strict=True)
    ]


def _title(parameters: FdtdParameters, place: int) -> str:
    return f"Object {place} ({parameters.objects[place - 1].kind})"


def _of_object(parameters: FdtdParameters, place: int, error: ProblemError) -> ProblemError:
    return ProblemError(f"{_title(parameters, place)}: {error}", ("objects", place - 1))


def object_findings(parameters: FdtdParameters, yee: Yee) -> tuple[Finding, ...]:
    """Objects that lie outside of the grid or between the middles of cells. Raises ProblemError."""
    nodes = [yee.nodes(axis) for axis in range(3)]
    outside: dict[int, bool] = {}
    thin: dict[int, str] = {}
    for place, _, solid in fillings_of(parameters):
        low, high = solid.bounds()
        misses = any(b <= at[0] or a >= at[-1] for a, b, at in zip(low, high, nodes, strict=True))
        outside[place] = misses and outside.get(place, True)
        for axis, (a, b, at) in enumerate(zip(low, high, nodes, strict=True)):
            cell = yee.cell_at(axis, 0.5 * (a + b))
            part = (b - a) / (at[cell + 1] - at[cell])
            if not misses and len(at) > 2 and part < THINNEST:
                thin.setdefault(place, f"{part:.2g} cells thick along {'xyz'[axis]}")
    missed = [place for place, misses in outside.items() if misses]
    return (
        *(
            Finding(
                f"{_title(parameters, place)} lies outside of the grid: it counts for nothing.",
                place=("objects", place - 1),
            )
            for place in missed
        ),
        *(
            Finding(
                f"{_title(parameters, place)} is {told}: use smaller cells to resolve it.", place=("objects", place - 1)
            )
            for place, told in thin.items()
        ),
    )
