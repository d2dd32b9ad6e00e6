"""Launches of ``conductivity.cu``: diffusion where every cell has its own conductivity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.precision import REAL
from engines.stencil.diffusion.launches.base import Call, Launches, Planes
from engines.stencil.diffusion.launches.plane import fused_grid as plane_grid
from engines.stencil.diffusion.launches.plane import fused_shapes as plane_shapes
from engines.stencil.setup.faces import Interfaces
from engines.stencil.setup.sides import Ghosts
from engines.stencil.step.launch_shapes import Shape

LANES = 32
BLOCK = 256
MOST_THREADS = 128
"""Of a block that takes several steps."""
LINES, LINES_ANY = (1, 2, 4), (2, 4)
"""Cells of a thread along the last axis, for which there is a kernel of one step; for rows that are not aligned."""
BLOCKS = ((32, 4), (32, 8), (64, 2), (64, 4), (128, 1))
"""Threads along x and y of the blocks of one step, of which those of four cells have at most 128."""


class LaunchesConductivity(Launches):
    """Shapes are (1, cells of a thread along the last axis, threads of a block along x, along y), and for several steps
    those of :class:`Launches2D`.
    """

    source = Path(__file__).with_name("conductivity.cu")

    def __init__(
        self,
        backend: Any,
        shape: tuple[int, ...],
        rates: Sequence[float],
        ghosts: Ghosts,
        dt: float,
        precision: str,
        conductivity: Array | Interfaces,
    ) -> None:
        """``conductivity``: positive, of ``shape`` or with its faces, in units of that in ``rates``."""
        super().__init__(backend, shape, rates, ghosts, dt, precision)
        self.macros = (REAL[precision], f"-DDIMENSIONS={len(shape)}")
        self.arrays_read = 1 + len(shape)
        self._rates3 = (*self.rates, self.dtype.type(0))[:3]
        nz, ny, nx = (1, *shape)[-3:]
        self._size = (np.int32(nx), np.int32(ny), np.int32(nz))
        cells = conductivity.cells if isinstance(conductivity, Interfaces) else conductivity
        self._conductivity = backend.array(np.ascontiguousarray(cells, self.dtype))
        if isinstance(conductivity, Interfaces):
            above = [np.delete(face, 0, len(shape) - 1 - axis) for axis, face in enumerate(conductivity.faces)]
            self._faces = backend.array(np.stack(above).astype(self.dtype))
            return
        self._faces = backend.empty((len(shape), *shape), self.dtype)
        with backend.active():
            blocks = -(-math.prod(shape) // BLOCK)
            arguments = (self._conductivity, self._faces, *self._size, self.wraps)
            self.kernel("make_faces", self.macros)((blocks,), (BLOCK,), arguments)

    @property
    def flops(self) -> int:
        return 7 * len(self.shape)

    @property
    def aligned(self) -> bool:
        """Whether each row begins where 16 bytes can be loaded at once."""
        return self.shape[-1] * self.dtype.itemsize % 16 == 0

    def single_shapes(self) -> list[Shape]:
        several = LINES if self.aligned else LINES_ANY
        order = sorted(several, key=lambda lines: lines != 2)
        return [(1, lines, x, y) for lines in order for x, y in BLOCKS if x * y * (lines > 2) <= 128]

    def fused_shapes(self, depth: int) -> list[Shape]:
        return [shape for shape in plane_shapes(self.shape[0], depth) if LANES * shape[1] <= MOST_THREADS]

    def call(self, u: Any, out: Any, source: Any, shape: Shape, planes: Planes | None = None) -> Call:
        given = np.uint64(0) if source is None else source
        nx, ny, nz = (int(size) for size in self._size)
        packed = 16 // self.dtype.itemsize
        medium = (self._conductivity, self._faces)
        if shape[0] > 1:
            kernel, block = self.kernel("fused", self.variant(shape[0], source is not None)), (LANES, shape[1])
            last = (np.int32(shape[2]), self.wraps, self.sides, *self.rates, self.dt)
            return Call(
                kernel, plane_grid(self.shape, packed, shape), block, (u, out, given, *self._size[:2], *last, *medium)
            )
        _, lines, x, y = shape
        name, width = (f"line_{lines}", packed) if self.aligned else (f"line_{lines}_any", 1)
        rows = (y * lines, 1) if len(self.shape) == 2 else (y, lines)
        grid = (-(-nx // (x * width)), -(-ny // rows[0]), -(-nz // rows[1]))
        arguments = (u, out, given, *medium, *self._size, self.wraps, self.sides, *self._rates3, self.dt)
        return Call(self.kernel(name, self.macros), grid, (x, y), arguments)
