"""Launches of ``diffusion2d.cu``: which shapes there are to choose from, and what each kernel is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.stencil.diffusion.launches.base import Call, Launches, Planes
from engines.stencil.step.launch_shapes import Shape

LANES = 32
MOST_THREADS = {10: 128}
"""Threads per block that a depth is compiled for, where it is not 256."""

SINGLES = (2, 4, 8)
"""Rows of a thread, for which there is a kernel of one step."""
SINGLES_RAGGED = (4, 8)
"""Those that there are for rows that are not aligned."""
BLOCKS = ((64, 2), (32, 4), (32, 8), (64, 4), (128, 1))
"""Threads along x and y of the blocks of one step."""


def fused_shapes(rows_of_grid: int, depth: int) -> list[Shape]:
    """(depth, warps per block, rows of the part that a strip is cut into)"""
    warps = [w for w in (4, 8) if LANES * w <= MOST_THREADS.get(depth, 256)]
    # Longer parts repeat less at their ends; shorter ones keep all multiprocessors of a small grid busy.
    return [(depth, w, rows) for rows in (256, 128, 64, 32) for w in warps if rows < 2 * rows_of_grid or rows == 32]


def fused_grid(shape: tuple[int, ...], packed: int, launch: Shape) -> tuple[int, int]:
    """Blocks of the fused kernel; ``packed``: values of a lane."""
    depth, warps, rows = launch
    halo = -(-depth // packed) * packed
    return -(-shape[1] // (warps * (LANES * packed - 2 * halo))), -(-shape[0] // rows)


class Launches2D(Launches):
    """Shapes are (depth, warps per block, rows of the part that a strip is cut into); and for one step
    (1, rows of a thread, threads of a block along x, along y).
    """

    source = Path(__file__).with_name("diffusion2d.cu")

    @property
    def aligned(self) -> bool:
        """Whether each row begins where 16 bytes can be loaded at once."""
        return self.shape[1] * self.dtype.itemsize % 16 == 0

    def single_shapes(self) -> list[Shape]:
        several = SINGLES if self.aligned else SINGLES_RAGGED
        return [(1, rows, x, y) for rows in sorted(several, key=lambda rows: rows != 4) for x, y in BLOCKS]

    def fused_shapes(self, depth: int) -> list[Shape]:
        return fused_shapes(self.shape[0], depth)

    def call(self, u: Any, out: Any, source: Any, shape: Shape, planes: Planes | None = None) -> Call:
        ny, nx = self.shape
        packed = 16 // self.dtype.itemsize
        size: tuple[np.int32, ...] = (np.int32(nx), np.int32(ny))
        if shape[0] == 1:
            _, rows, x, y = shape
            name, width = (f"plain_{rows}", packed) if self.aligned else (f"plain_{rows}_any", 1)
            kernel, block = self.kernel(name, self.macros), (x, y)
            grid = (-(-nx // (x * width)), -(-ny // (y * rows)))
        else:
            depth, warps, rows = shape
            kernel, block = self.kernel("fused", self.variant(depth, source is not None)), (LANES, warps)
            grid, size = fused_grid(self.shape, packed, shape), (*size, np.int32(rows))
        given = np.uint64(0) if source is None else source
        return Call(kernel, grid, block, (u, out, given, *size, self.wraps, self.sides, *self.rates, self.dt))
