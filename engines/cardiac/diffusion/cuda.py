"""One explicit diffusion step on an NVIDIA GPU: launches ``diffusion.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.cardiac.diffusion.launcher import Diffusion

SOURCE = Path(__file__).with_name("diffusion.cu")
MACROS = {"float32": ("-DREAL=float",), "float64": ("-DREAL=double",)}


class CudaDiffusion(Diffusion):
    """Diffusion on a GPU. Steps go to the current stream: call them inside ``backend.timed`` or ``active``."""

    block: tuple[int] = (256,)
    """Threads per block, a multiple of 32; an engine that measures launch shapes may set another."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        backend = args[0] if args else kwargs["backend"]
        self._kernel = backend.compile(SOURCE, MACROS[self.dtype.name]).get_function("diffusion_step")

    def step(self, v: Any, out: Any) -> None:
        self.step_rows(v, out, 0, self.n_rows)

    def step_rows(self, v: Any, out: Any, first: int, end: int) -> None:
        """Only rows ``first`` (a multiple of 32) to ``end`` (exclusive), for parts that run on their own."""
        rows = end - first
        if rows <= 0:
            return
        self._kernel(
            (-(-rows // self.block[0]),),
            self.block,
            (self._columns, self._weights, v, out, self.dtype.type(self.dt), np.int32(first), np.int32(end)),
        )
