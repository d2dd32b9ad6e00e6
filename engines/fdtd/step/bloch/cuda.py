"""Bloch faces on an NVIDIA GPU: launches ``bloch.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.backend.precision import REAL
from engines.fdtd.grid.yee import Yee
from engines.fdtd.step.bloch.faces import BlochFaces

SOURCE = Path(__file__).with_name("bloch.cu")
THREADS = 256


class CudaBlochFaces(BlochFaces):
    def __init__(self, backend: Any, yee: Yee, dtype: np.dtype[Any]) -> None:
        self._yee = yee
        self._kernel = backend.compile(SOURCE, [REAL[dtype.name]]).get_function("wrap")

    def wrap(self, re: Any, im: Any, axis: int, source: int, to: int, phase: float) -> None:
        nz, ny, row = self._yee.shape
        strides, counts = (1, row, ny * row), (self._yee.counts[0] + 1, ny, nz)
        v, u = (other for other in range(3) if other != axis)
        self._kernel(
            (-(-3 * counts[u] * counts[v] // THREADS),), (THREADS,),
            (
                re, im, np.int64(self._yee.places), np.int64(strides[axis]), np.int64(strides[u]),
                np.int64(strides[v]), np.int32(counts[u]), np.int32(counts[v]), np.int32(axis), np.int32(source),
                np.int32(to), np.float64(np.cos(phase)), np.float64(np.sin(phase)),
            ),
        )  # fmt: skip
