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

SINGLES = (
    "single_2", "single_4",
    "plain_2", "plain_4", "plain_8", "plain_2_stream", "plain_4_stream", "plain_8_stream",
    "march_2", "march_4",
)  # fmt: skip
"""Kernels of one step; launch shapes hold a place in this list."""
NARROW = ("plain_4", "plain_8", "plain_4_stream", "plain_8_stream", "march_2", "march_4")
"""Those that exist as ``_any`` too, for rows that are not aligned."""


class Launches2D(Launches):
    """Shapes are (depth, warps per block, rows of the part that a strip is cut into); and for one step
    (1, kernel's place in SINGLES, threads of a block along x, along y, rows of a strip or 0).
    """

    source = Path(__file__).with_name("diffusion2d.cu")

    @property
    def aligned(self) -> bool:
        """Whether each row begins where 16 bytes can be loaded at once."""
        return self.shape[1] * self.dtype.itemsize % 16 == 0

    def single_shapes(self) -> list[Shape]:
        shapes: list[Shape] = []
        for number, name in enumerate(SINGLES):
            if name.startswith("single"):
                shapes += [(1, number, LANES, warps, 0) for warps in (4, 2)]
            elif not self.aligned and name not in NARROW:
                continue
            elif name.startswith("plain"):
                shapes += [(1, number, x, y, 0) for x, y in ((32, 4), (32, 8), (64, 2), (128, 1), (64, 4))]
            else:
                strips = [rows for rows in (64, 128, 256) if rows < 2 * self.shape[0] or rows == 64]
                shapes += [(1, number, LANES, warps, rows) for rows in strips for warps in (4, 2)]
        return shapes

    def fused_shapes(self, depth: int) -> list[Shape]:
        warps = [w for w in (4, 8) if LANES * w <= MOST_THREADS.get(depth, 256)]
        # Longer parts repeat less at their ends; shorter ones keep all multiprocessors of a small grid busy.
        return [
            (depth, w, rows) for rows in (256, 128, 64, 32) for w in warps if rows < 2 * self.shape[0] or rows == 32
        ]

    def launch(self, u: Any, out: Any, source: Any, shape: Shape) -> None:
        ny, nx = self.shape
        packed = 16 // self.dtype.itemsize
        size: tuple[np.int32, ...] = (np.int32(nx), np.int32(ny))
        if shape[0] == 1:
            _, number, x, y, rows = shape
            name, block, width = SINGLES[number], (x, y), packed
            if name in NARROW and not self.aligned:
                name, width = f"{name}_any", 1
            kernel = self.kernel(name, self.macros)
            if rows:
                size = (*size, np.int32(rows))
                columns, rows_of_block = x * y * width, rows
            else:
                columns, rows_of_block = x * width, y * int(SINGLES[number].split("_")[1])
        else:
            depth, warps, rows = shape
            halo = -(-depth // packed) * packed
            columns, rows_of_block = warps * (LANES * packed - 2 * halo), rows
            block = (LANES, warps)
            kernel = self.kernel("fused", self.variant(depth, source is not None))
            size = (*size, np.int32(rows))
        grid = (-(-nx // columns), -(-ny // rows_of_block))
        given = np.uint64(0) if source is None else source
        kernel(grid, block, (u, out, given, *size, self.wraps, self.sides, *self.rates, self.dt))
