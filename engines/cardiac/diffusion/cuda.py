"""One explicit diffusion step on an NVIDIA GPU: launches ``diffusion.cu``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.backend.tuning import tune, tuning_key
from engines.cardiac.diffusion.forward_euler import Diffusion, diffusion_traffic
from engines.cardiac.diffusion.packing import pack, packed_places
from engines.cardiac.diffusion.sliced import SLICE, WIDTH, SlicedMatrix

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

SOURCE = Path(__file__).with_name("diffusion.cu")
MACROS = {
    "float32": ("-DREAL=float", "-DWEIGHT=float"),
    "float64": ("-DREAL=double", "-DWEIGHT=double"),
    "mixed": ("-DREAL=double", "-DWEIGHT=float"),
}
SHAPES = ((2, 64), (2, 128), (2, 256), (4, 64), (4, 128), (4, 256))
"""What is tried: entries of a row that a lane reads at once, and threads per block."""
IN_A_ROW = 20
"""Launches that a shape is timed by."""


class CudaDiffusion(Diffusion):
    """Diffusion on a GPU. Steps go to the current stream: call them inside ``backend.timed`` or ``active``.

    ``shapes``: the (group, threads per block) to choose from by measurement, one of them to have it without.
    """

    def __init__(
        self,
        backend: CudaBackend,
        matrix: SlicedMatrix,
        dt: float,
        precision: str = "float32",
        shapes: Sequence[tuple[int, int]] = SHAPES,
    ) -> None:
        super().__init__(backend, matrix, dt, precision)
        self._backend: CudaBackend = backend
        self._module = backend.compile(SOURCE, MACROS[precision])
        self._matrix = matrix
        self.group = 0
        longest = int(np.diff(matrix.starts).max(initial=0)) // SLICE
        self._kernel_name = "diffusion_step" if longest <= WIDTH else "diffusion_step_long"
        group, threads = shapes[0]
        if len(shapes) > 1:
            key = tuning_key(self._kernel_name, backend.info, SOURCE, self.n_rows, MACROS[precision])
            group, threads = tune(key, shapes, self._time)
        self._use(group, threads)
        self._traffic = diffusion_traffic(matrix, precision, self._column_bytes)

    @property
    def traffic(self) -> KernelTraffic:
        return self._traffic

    def step_rows(self, v: Any, out: Any, first: int, end: int) -> None:
        rows = end - first
        if rows <= 0:
            return
        self._kernel(
            (-(-rows // self.block[0]),),
            self.block,
            (*self._arrays, v, out, self.dtype.type(self.dt), np.int32(first), np.int32(end)),
        )

    def update_rows(self, rows: Array, columns: Array, weights: Array) -> None:
        entries, values = self._matrix.replaced(rows, columns, weights)
        with self._backend.active():
            places = self._backend.array(packed_places(self._matrix.starts, entries, self.group))
            self._arrays[-1][places] = self._backend.array(values.astype(self.weight_type))

    def _use(self, group: int, threads: int) -> None:
        """Launch this shape from now on; the matrix is laid out for ``group`` if it is not yet."""
        self.block = (threads,)
        if group == self.group:
            return
        packed = pack(self._matrix, self.weight_type, group)
        parts = (packed.starts, packed.segments, packed.codes, packed.wide, packed.weights)
        self._arrays: tuple[Any, ...] = ()  # one layout at a time on the device
        self._arrays = tuple(self._backend.array(part) for part in parts)
        self._kernel = self._module.get_function(f"{self._kernel_name}_{group}")
        self._column_bytes, self.wide_share, self.group = packed.column_bytes, packed.wide_share, group

    def _time(self, shape: tuple[int, int]) -> float:
        """Seconds of a step on zeros, which costs what any step does."""
        self._use(*shape)
        with self._backend.active():
            read = int(self._matrix.columns.max(initial=self.n_rows - 1)) + 1  # ghosts, too
            v, out = self._backend.empty(read, self.dtype), self._backend.empty(self.n_rows, self.dtype)
            v.fill(0)
            return self._backend.elapsed(lambda: self.step(v, out), IN_A_ROW)
