"""Choosing launch shapes: measured on scratch arrays, once per device and class of grid, then remembered."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engines.backend.tuning import tune, tuning_key

Shape = tuple[int, ...]
"""A launch shape; its first number is the depth: steps per launch."""


def best_shape(
    backend: Any,
    kernel: str,
    source: Path,
    macros: Sequence[str],
    grid: tuple[int, ...],
    dtype: Any,
    candidates: Sequence[Shape],
    launch: Callable[[Sequence[Any], Shape], None],
    arrays: int,
) -> Shape:
    """The one of ``candidates`` with the least time per step.

    kernel: what is tuned, for the key; grid: (ny, nx) or (nz, ny, nx)
    launch: (scratch arrays, shape) puts one launch on the stream; arrays: how many of shape ``grid`` it needs
    """
    if len(candidates) == 1:
        return candidates[0]
    scratch: list[Any] = []

    def time_one(shape: Shape) -> float:
        if not scratch:
            # What they hold is of no interest: the time depends on no value.
            scratch.extend(backend.empty(grid, dtype) for _ in range(arrays))
        return float(backend.elapsed(lambda: launch(scratch, shape))) / shape[0]

    name = f"{kernel} {_grid_class(grid, dtype)}"
    return tune(tuning_key(name, backend.info, source, math.prod(grid), macros), candidates, time_one)


def _grid_class(grid: tuple[int, ...], dtype: Any) -> str:
    """Whether rows are aligned for loads of 16 bytes, and the powers of two below the sizes."""
    aligned = "aligned" if grid[-1] * dtype.itemsize % 16 == 0 else "ragged"
    return f"{aligned} {'x'.join(str(size.bit_length() - 1) for size in grid)}"


def split(steps: int, plan: Sequence[Shape]) -> list[Shape]:
    """The launches that ``steps`` steps are split into; ``plan`` has the deepest shape first, and ends with depth 1."""
    launches = []
    for shape in plan:
        count, steps = divmod(steps, shape[0])
        launches += [shape] * count
    return launches
