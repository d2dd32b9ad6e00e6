"""Objects as cells of materials."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.errors import ProblemError
from engines.fdtd.parameters import Box, Cylinder, FdtdParameters, Object
from engines.fdtd.yee import Yee


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
