"""Launches of ``diffusion3d.cu``: which shapes there are to choose from, and what each kernel is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.stencil.choice import Shape
from engines.stencil.diffusion.launches import Launches

LANES = 32
PAIR = 2
"""Rows of a warp in the kernel of one step, and in the fused ones that every precision has."""
WARPS = {2: (16, 8), 3: (12, 8)}
"""Warps per block, by the rows of a warp; more warps repeat less at the sides of a tile, and need more registers."""
MOST_SHARED = 48 * 1024
"""Bytes of shared memory that a block has without asking."""

SINGLES = {
    "single": (8, 4), "march_1": (8, 4), "march_2": (4, 2), "plain_1": (4, 8), "plain_2": (4, 2), "fused": (16, 8)
}  # fmt: skip
"""Kernels of one step and warps of a block along y; launch shapes hold a place in this list."""
TILE = {"march_1": (1, 2), "march_2": (2, 4), "plain_1": (2, 4), "plain_2": (2, 4)}
"""Rows of a thread, and of one of the kernel ``_any`` for rows that are not aligned."""


class Launches3D(Launches):
    """Shapes are (depth, warps per block, planes of a part, rows of a warp); and for one step
    (1, kernel's place in SINGLES, warps of a block along y, planes of a part or warps of a block along z).
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
        shapes: list[Shape] = []
        for number, (name, warps) in enumerate(SINGLES.items()):
            if name == "fused" and not self.is_declared(self._once(True)):
                continue
            along_z = [1, 2] if name.startswith("plain") else self._planes((64, 32, 128, 16))
            shapes += [(1, number, w, planes) for planes in along_z for w in warps if w * planes <= 8 or planes > 2]
        return shapes

    def _once(self, source: bool) -> tuple[str, ...]:
        """The macros of the fused kernel that takes one step."""
        return (*self.macros, "-DDEPTH=1", f"-DROWS={PAIR}", *(["-DSOURCE"] if source else []))

    def fused_shapes(self, depth: int) -> list[Shape]:
        return [
            (depth, warps, planes, rows)
            for rows in WARPS
            if self.is_declared(self.variant(depth, False, rows))
            for planes in self._planes((128, 256, 64, 32))
            for warps in WARPS[rows]
            if warps * rows > 2 * depth
        ]

    def launch(self, u: Any, out: Any, source: Any, shape: Shape) -> None:
        nz, ny, nx = self.shape
        packed = 16 // self.dtype.itemsize
        size: tuple[np.int32, ...] = (np.int32(nx), np.int32(ny), np.int32(nz))
        block: tuple[int, ...]
        shared = 0
        if shape[0] == 1 and list(SINGLES)[shape[1]] != "fused":
            _, number, warps, planes = shape
            name, width, rows = list(SINGLES)[number], packed, PAIR
            if name in TILE:
                rows, rows_any = TILE[name]
                if nx % packed:
                    name, width, rows = f"{name}_any", 1, rows_any
            kernel = self.kernel(name, self.macros)
            columns, rows_of_block, block = LANES * width, warps * rows, (LANES, warps)
            if name.startswith("plain"):
                block, planes = (LANES, warps, planes), planes * int(name.split("_")[1])
            else:
                size = (*size, np.int32(planes))
        else:
            depth, warps, planes, rows = shape if shape[0] > 1 else (1, *shape[2:], PAIR)
            macros = self.variant(depth, source is not None, rows) if depth > 1 else self._once(source is not None)
            kernel = self.kernel("fused", macros)
            halo = -(-depth // packed) * packed
            columns, rows_of_block, block = LANES * packed - 2 * halo, warps * rows - 2 * depth, (LANES, warps)
            size = (*size, np.int32(planes))
            shared = 2048 * depth * warps
            if shared > MOST_SHARED:
                kernel.max_dynamic_shared_size_bytes = shared
        grid = (-(-nx // columns), -(-ny // rows_of_block), -(-nz // planes))
        given = np.uint64(0) if source is None else source
        kernel(grid, block, (u, out, given, *size, self.wraps, self.sides, *self.rates, self.dt), shared_mem=shared)
