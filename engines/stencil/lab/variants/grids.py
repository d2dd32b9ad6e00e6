"""Sizes and launches that the two-dimensional studies share."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api.lab import Case, Shape
from engines.backend.lab.variants import Launch, over


def square(n: int) -> Case:
    return Case(f"{n}²", (n, n), n * n)


SQUARES = tuple(square(n) for n in (1024, 2048, 4096, 8192, 16384))


def counts(case: Case) -> tuple[np.int32, ...]:
    """Points along x, y (and z), as kernels take them."""
    return tuple(np.int32(n) for n in reversed(case.size))


class Points:
    """A launch with ``per_thread`` points along x and y for each thread of the block, and scalars after the counts.

    ``floats`` is (rim, buffers): dynamic shared memory for so many tiles of the block with a rim of so many points.
    """

    def __init__(
        self, per_thread: tuple[int, int] = (1, 1), scalars: tuple[Any, ...] = (), tile: tuple[int, int] = (0, 0)
    ) -> None:
        self._per_thread, self._scalars, self._tile = per_thread, scalars, tile

    def __call__(self, case: Case, shape: Shape) -> Launch:
        ny, nx = case.size[-2:]
        bx, by = shape
        px, py = self._per_thread
        rim, tiles = self._tile
        shared = 4 * tiles * (bx + 2 * rim) * (by + 2 * rim)
        return Launch(over((nx, ny), (bx * px, by * py)), shape, (*counts(case), *self._scalars), shared)
