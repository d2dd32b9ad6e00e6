"""Launches of ``diffusion3d.cu``: which shapes there are to choose from, and what each kernel is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.stencil.diffusion.launches.base import Call, Launches, Planes
from engines.stencil.step.launch_shapes import Shape

LANES = 32
PAIR = 2
"""Rows of a warp in the kernel of one step, and in the fused ones that every precision has."""
WARPS = {2: (16, 8), 3: (12, 8)}
"""Warps per block, by the rows of a warp; more warps repeat less at the sides of a tile, and need more registers."""

MARCHES = {2: 4, 4: 8}
"""Rows of a warp that goes along z in the kernel of one step, and of one whose rows are not aligned."""
PLANES = 2
ROWS_AT_ONCE, ROWS_AT_ONCE_ANY = 2, 4
"""Planes and rows of a thread that takes them at once; rows where they are not aligned."""


class Launches3D(Launches):
    """Shapes are (depth, warps per block, planes of a part, rows of a warp), with 0 rows for the kernel that takes
    planes at once: then planes are warps of a block along z.
    """

    source = Path(__file__).with_name("diffusion3d.cu")

    def variant(self, depth: int, source: bool, rows: int = PAIR) -> tuple[str, ...]:
        if depth == 1:
            return self.macros
        return (*self.macros, f"-DDEPTH={depth}", f"-DROWS={rows}", *(["-DSOURCE"] if source else []))

    def with_depth(self, shape: Shape, depth: int) -> Shape:
        warps = shape[1] if shape[3] == PAIR else WARPS[PAIR][0]
        return (depth, warps, shape[2], PAIR)

    def _planes(self, candidates: tuple[int, ...]) -> list[int]:
        """Planes of a part: longer parts repeat less, shorter ones keep all multiprocessors busy."""
        return [planes for planes in candidates if planes < 2 * self.shape[0]] or [candidates[-1]]

    def single_shapes(self) -> list[Shape]:
        marches = [
            (1, warps, planes, rows)
            for rows in MARCHES
            for planes in self._planes((64, 32, 128, 16))
            for warps in (4, 2)
        ]
        return [*marches, (1, 4, 1, 0), (1, 2, 2, 0)]

    def fused_shapes(self, depth: int) -> list[Shape]:
        return [
            (depth, warps, planes, rows)
            for rows in WARPS
            if self.is_declared(self.variant(depth, False, rows))
            for planes in self._planes((128, 256, 64, 32))
            for warps in WARPS[rows]
            if warps * rows > 2 * depth
        ]

    def by_planes(self, shape: Shape) -> bool:
        return shape[0] > 1

    def call(self, u: Any, out: Any, source: Any, shape: Shape, planes: Planes | None = None) -> Call:
        nz, ny, nx = self.shape
        depth, warps, span, rows = shape
        done = planes or Planes(0, nz)
        each = done.each or span
        stride = done.stride or each
        packed = 16 // self.dtype.itemsize
        width, ending = (packed, "") if nx % packed == 0 else (1, "_any")
        size: tuple[np.int32, ...] = (np.int32(nx), np.int32(ny), np.int32(nz), np.int32(span))
        block: tuple[int, ...] = (LANES, warps)
        shared = 0
        if depth > 1:
            kernel = self.kernel("fused", self.variant(depth, source is not None, rows))
            size = (*size[:3], *map(np.int32, (done.first, done.last, each, stride)))
            halo = -(-depth // packed) * packed
            columns, rows_of_block = LANES * packed - 2 * halo, warps * rows - 2 * depth
            shared = 2048 * depth * warps
            self.backend.allow_shared(kernel, shared)
        elif rows:
            kernel = self.kernel(f"march_{rows}{ending}", self.macros)
            columns, rows_of_block = LANES * width, warps * (MARCHES[rows] if ending else rows)
        else:
            kernel = self.kernel(f"plain_{PLANES}{ending}", self.macros)
            columns, rows_of_block = LANES * width, warps * (ROWS_AT_ONCE_ANY if ending else ROWS_AT_ONCE)
            block, size, stride = (LANES, warps, span), size[:3], span * PLANES
        grid = (-(-nx // columns), -(-ny // rows_of_block), -(-(done.last - done.first) // stride))
        given = np.uint64(0) if source is None else source
        arguments = (u, out, given, *size, self.wraps, self.sides, *self.rates, self.dt)
        return Call(kernel, grid, block, arguments, shared)
