"""Lines of oblique plane waves on an NVIDIA GPU: one launch per line and pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.backend.precision import REAL
from engines.fdtd.sources.oblique import TAPS, ObliqueLine

SOURCE = Path(__file__).with_name("oblique.cu")
THREADS = 256


class CudaObliqueLine:
    """As :class:`engines.fdtd.step.inject.cpu_oblique.CpuObliqueLine`."""

    def __init__(self, backend: Any, line: ObliqueLine, signals: Any, dtype: Any) -> None:
        self._kernel = backend.compile(SOURCE, [REAL[dtype.name]]).get_function("oblique_step")
        self._blocks = -(-line.length // THREADS)
        self._steps = dtype.type(line.cb), dtype.type(line.db)
        self._arguments = (
            signals[line.first : line.first + line.size], backend.array(line.head.astype(dtype)),
            backend.array(line.decay.astype(dtype)), np.int32(line.length), np.int32(line.reach), np.int32(TAPS),
            *(np.int32(m) for m in line.strides), *(dtype.type(value) for value in line.inverse),
        )  # fmt: skip

    def electric(self) -> None:
        self._launch(0)

    def magnetic(self) -> None:
        self._launch(1)

    def _launch(self, ahead: int) -> None:
        self._kernel((self._blocks,), (THREADS,), (*self._arguments, self._steps[ahead], np.int32(ahead)))
