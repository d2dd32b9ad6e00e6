"""Launches of ``conductivity.cu``: diffusion where every cell has its own conductivity; one step per launch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.precision import REAL
from engines.stencil.diffusion.launches.base import Call, Launches
from engines.stencil.setup.faces import Interfaces
from engines.stencil.setup.sides import Ghosts
from engines.stencil.step.launch_shapes import Shape

LANES = 32
BLOCK = 256


class LaunchesConductivity(Launches):
    """Shapes are (1, warps per block, rows of a warp in 2D, planes of a part in 3D)."""

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

    def single_shapes(self) -> list[Shape]:
        spans = (8, 16, 4) if len(self.shape) == 2 else (32, 64, 16)
        return [(1, warps, span) for span in spans for warps in (8, 4)]

    def fused_shapes(self, depth: int) -> list[Shape]:
        return []

    def call(self, u: Any, out: Any, source: Any, shape: Shape) -> Call:
        _, warps, span = shape
        nx, ny, nz = (int(size) for size in self._size)
        grid = (-(-nx // LANES), -(-ny // (warps * span)), 1)
        if len(self.shape) == 3:
            grid = (grid[0], -(-ny // warps), -(-nz // span))
        given = np.uint64(0) if source is None else source
        arguments: tuple[Any, ...] = (u, out, given, self._conductivity, self._faces, *self._size, np.int32(span))
        arguments += (self.wraps, self.sides, *self._rates3, self.dt)
        return Call(self.kernel("single", self.macros), grid, (LANES, warps), arguments)
