"""Bloch faces on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api.device import Backend
from engines.fdtd.grid.yee import Yee
from engines.fdtd.step.bloch.faces import BlochFaces


class CpuBlochFaces(BlochFaces):
    def __init__(self, backend: Backend, yee: Yee, dtype: np.dtype[Any]) -> None: ...

    def wrap(self, re: Any, im: Any, axis: int, source: int, to: int, phase: float) -> None:
        cosine, sine = float(np.cos(phase)), float(np.sin(phase))
        for component in range(3):
            if component != axis:
                real, imaginary = (np.moveaxis(field[component], 2 - axis, 0) for field in (re, im))
                a, b = real[source].copy(), imaginary[source].copy()
                real[to], imaginary[to] = cosine * a - sine * b, cosine * b + sine * a
