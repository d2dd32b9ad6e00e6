"""Objects as cells of materials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.errors import ProblemError
from engines.fdtd.parameters import Box, Cylinder, FdtdParameters, Object
from engines.fdtd.yee import Yee

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


def shape_of(item: Object) -> Shape:
    if isinstance(item, Box):
        low, high = np.array(item.low), np.array(item.high)
        return Shape(lambda points: np.asarray(((points >= low) & (points <= high)).all(axis=1)), item.low, item.high)
    free = "xyz".index(item.axis) if isinstance(item, Cylinder) else -1
    center = np.array(item.center)
    reach = np.full(3, item.radius)
    if isinstance(item, Cylinder):
        reach[free] = item.length / 2

    def contains(points: Array) -> Array:
        squared = sum((points[:, d] - center[d]) ** 2 for d in range(3) if d != free)
        inside = np.asarray(squared <= item.radius**2)
        return inside if free < 0 else inside & (np.abs(points[:, free] - center[free]) <= reach[free])

    return Shape(contains, tuple(center - reach), tuple(center + reach))


def solids_of(parameters: FdtdParameters) -> list[tuple[int, Shape]]:
    """(number of the material, shape) of the objects; later ones lie over earlier ones."""
    numbers = {material.name: number for number, material in enumerate(parameters.materials, 1)}
    return [(numbers[item.material], shape_of(item)) for item in parameters.objects]


def cells_of(parameters: FdtdParameters, yee: Yee) -> Array:
    """(nz, ny, nx) uint8: 0 is vacuum, n the n-th material. Raises ProblemError."""
    numbers: dict[str, int] = {}
    for number, material in enumerate(parameters.materials, 1):
        if material.name in numbers:
            raise ProblemError(f"Two materials are called '{material.name}': rename one.")
        numbers[material.name] = number
    nx, ny, nz = yee.counts
    cells = np.zeros((nz, ny, nx), np.uint8)
    axes = [yee.halves(axis) for axis in range(3)]
    for place, item in enumerate(parameters.objects, 1):
        if item.material not in numbers:
            known = ", ".join(f"'{name}'" for name in numbers) or "none yet"
            raise ProblemError(f"Object {place} is of '{item.material}', which is not among the materials ({known}).")
        _fill(cells, axes, item, numbers[item.material])
    return cells


def _fill(cells: Array, axes: Sequence[Array], item: Object, number: int) -> None:
    """Cells whose centre lies in the object; only its bounding box is looked at."""
    if isinstance(item, Box):
        low, high = item.low, item.high
    else:
        reach = [item.radius] * 3
        if isinstance(item, Cylinder):
            reach["xyz".index(item.axis)] = item.length / 2
        low = tuple(c - r for c, r in zip(item.center, reach, strict=True))  # type: ignore[assignment]  # three
        high = tuple(c + r for c, r in zip(item.center, reach, strict=True))  # type: ignore[assignment]  # three
    parts = [slice(*np.searchsorted(x, (a, b))) for x, a, b in zip(axes, low, high, strict=True)]
    block = cells[parts[2], parts[1], parts[0]]
    if isinstance(item, Box):
        block[...] = number
        return
    free = "xyz".index(item.axis) if isinstance(item, Cylinder) else -1
    distance = np.zeros(block.shape)
    for d, (x, part) in enumerate(zip(axes, parts, strict=True)):
        if d != free:
            shape = [1, 1, 1]
            shape[2 - d] = -1
            distance += ((x[part] - item.center[d]) ** 2).reshape(shape)
    block[distance <= item.radius**2] = number
