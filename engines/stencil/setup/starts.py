"""Where fields begin: formulas of place and parameters, with random numbers that a seed repeats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import Node, make, ordered, rebuild, symbol
from engines.formulas.parse import Function
from engines.geometry.grid import Grid

RANDOM = {name: Function(1, lambda seed, name=name: make(f"@{name}", seed)) for name in ("noise", "normal")}
"""noise(seed): evenly between 0 and 1; normal(seed): of mean 0 and variance 1; independent in all cells."""
DRAWN: Mapping[str, Callable[[Any, Any], Array]] = {
    "@noise": lambda random, shape: random.random(shape),
    "@normal": lambda random, shape: random.standard_normal(shape),
}
LARGEST_SEED = 2**31
SLAB = 1 << 20
"""Cells that are worked out at a time: of large grids float64 is held in parts."""


class Start:
    """Raises ProblemError, a sentence that begins with ``where``, for seeds that are no whole numbers."""

    def __init__(self, root: Node, where: str) -> None:
        drawn: dict[Node, Node] = {}
        self._drawn: dict[str, tuple[str, int]] = {}
        for node in ordered([root]):
            if node.op in DRAWN:
                seed = node.args[0]
                if seed.op != "const" or seed.number != round(seed.number) or not 0 <= seed.number <= LARGEST_SEED:
                    raise ProblemError(f"{where} has a seed that is no whole number from 0 on: write noise(1).")
                name = f"{node.op}{int(seed.number)}"
                drawn[node], self._drawn[name] = symbol(name), (node.op, int(seed.number))
        self._program = Program(rebuild([root], make, drawn))

    def at(self, places: Array, given: Mapping[str, float]) -> Array:
        """(n,) float64 at places (n, 3) [mm], with random numbers of its own."""
        values: dict[str, Any] = {
            **{k: np.float64(v) for k, v in given.items()},
            **dict(zip("xyz", places.T, strict=True)),
        }
        for name, (kind, seed) in self._drawn.items():
            values[name] = DRAWN[kind](np.random.default_rng(seed), len(places))
        return np.broadcast_to(self._program(values)[0], (len(places),))

    def on(self, grid: Grid, given: Mapping[str, float], dtype: np.dtype[Any]) -> Array:
        """(grid.shape) of ``dtype``."""
        found = np.empty(grid.shape, dtype)
        random = {name: np.random.default_rng(seed) for name, (_, seed) in self._drawn.items()}
        rows = max(1, SLAB // max(1, grid.n_cells // grid.shape[0]))
        axes = [grid.centers_along(axis) for axis in range(grid.dimensions)]
        for first in range(0, grid.shape[0], rows):
            part = found[first : first + rows]
            values: dict[str, Any] = {"z": np.float64(0.0), **{k: np.float64(v) for k, v in given.items()}}
            for axis, along in enumerate(axes):
                held = along[first : first + rows] if axis == grid.dimensions - 1 else along
                values["xyz"[axis]] = held.reshape(
                    [-1 if k == grid.dimensions - 1 - axis else 1 for k in range(grid.dimensions)]
                )
            for name, (kind, _) in self._drawn.items():
                values[name] = DRAWN[kind](random[name], part.shape)
            part[...] = self._program(values)[0]
        return found
