"""Many particles on an NVIDIA GPU: launches ``mpm.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.backend.precision import REAL
from engines.backend.tuning import tune, tuning_key
from engines.battery.mpm.many_particles import ManyParticles
from engines.battery.step import graded

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

SOURCE = Path(__file__).with_name("mpm.cu")
BLOCKS = {"float32": (128, 256, 512), "float64": (128, 256)}
"""Threads per block to choose from: more of them, and fewer blocks have to meet."""
BLOCK_OF_SHELLS = {"float32": 64, "float64": 32}
"""Threads per block where a diffusivity varies: their shells fill its shared memory."""
TUNING_STEPS = 20


class CudaManyParticles(ManyParticles):
    """Many particles on a GPU. Launches go to the stream that is current."""

    backend: CudaBackend

    def __init__(self, backend: CudaBackend, *args: Any, **kwargs: Any) -> None:
        super().__init__(backend, *args, **kwargs)
        macros = (REAL[self.dtype.name], *(("-DVARYING=1",) if self.varying else ()))
        self._kernel = backend.compile(SOURCE, macros, cooperative=True).get_function("run_particles")
        shapes = (BLOCK_OF_SHELLS[self.dtype.name],) if self.varying else BLOCKS[self.dtype.name]
        self._resident = {block: backend.resident_blocks(self._kernel, block) for block in shapes}
        most = max(self.blocks(block) for block in shapes)
        self._partials = backend.empty(2 * 2 * most * 4, self.dtype)
        self._counter = backend.array(np.zeros(2, np.uint32))
        self._more: tuple[Any, ...] = ()
        if self.varying:
            self._more = self.laws, backend.array(graded.geometry().astype(self.dtype))
        key = tuning_key("particles", backend.info, SOURCE, self.n, macros)
        (self.block,) = tune(key, [(block,) for block in shapes], self._time)

    def blocks(self, block: int) -> int:
        """Blocks of a launch: as many as the particles need and as are resident at once; one takes both electrodes."""
        return max(1, 2 * min(-(-self.n // block), self._resident[block] // 2))

    def advance(self, first_step: int, steps: int, trace: Any = None, every: int = 1) -> None:
        self._launch(self.block, self.state, self.cell, first_step, steps, trace, every)

    def _launch(
        self, block: int, state: Any, cell: Any, first_step: int, steps: int, trace: Any = None, every: int = 1
    ) -> None:
        real = self.dtype.type
        self._kernel(
            (self.blocks(block),), (block,),
            (
                state, self.scratch, cell, self.coefficients, self.shares, self.constants, self.tables,
                self.instructions, np.int32(self.n_instructions), self.drive, real(self.factor),
                np.uint64(0) if trace is None else trace, np.int32(every), np.int32(first_step), real(self.dt),
                np.int32(steps), np.int32(self.n), np.int32(self.stride), self._partials, self._counter, *self._more,
            ),
        )  # fmt: skip

    def _time(self, shape: tuple[int, ...]) -> float:
        """Seconds of the first steps, on copies."""
        with self.backend.active():
            state, cell = self.state.copy(), self.cell.copy()
        return self.backend.elapsed(lambda: self._launch(shape[0], state, cell, 0, TUNING_STEPS))
