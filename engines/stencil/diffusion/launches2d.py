"""Launches of ``diffusion2d.cu``: which shapes there are to choose from, and what each kernel is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.stencil.choice import Shape
from engines.stencil.diffusion.launches import Launches

LANES = 32
MOST_THREADS = {10: 128}
"""Threads per block that a depth is compiled for, where it is not 256."""


class Launches2D(Launches):
    """Shapes are (depth, warps per block, rows): rows of a warp (depth 1), or of the part that a strip is cut into."""

    source = Path(__file__).with_name("diffusion2d.cu")

    def single_shapes(self) -> list[Shape]:
        return [(1, warps, rows) for rows in (4, 2) for warps in (4, 8, 2)]

    def fused_shapes(self, depth: int) -> list[Shape]:
        warps = [w for w in (4, 8) if LANES * w <= MOST_THREADS.get(depth, 256)]
        # Longer parts repeat less at their ends; shorter ones keep all multiprocessors of a small grid busy.
        return [
            (depth, w, rows) for rows in (256, 128, 64, 32) for w in warps if rows < 2 * self.shape[0] or rows == 32
        ]

    def launch(self, u: Any, out: Any, source: Any, shape: Shape) -> None:
        depth, warps, rows = shape
        ny, nx = self.shape
        packed = 16 // self.dtype.itemsize
        size: tuple[np.int32, ...] = (np.int32(nx), np.int32(ny))
        if depth == 1:
            columns, rows_of_block = LANES * packed, warps * rows
            kernel = self.kernel(f"single_{rows}", self.macros)
        else:
            halo = -(-depth // packed) * packed
            columns, rows_of_block = warps * (LANES * packed - 2 * halo), rows
            kernel = self.kernel("fused", self.variant(depth, source is not None))
            size = (*size, np.int32(rows))
        grid = (-(-nx // columns), -(-ny // rows_of_block))
        given = np.uint64(0) if source is None else source
        kernel(grid, (LANES, warps), (u, out, given, *size, self.wraps, self.sides, *self.rates, self.dt))
