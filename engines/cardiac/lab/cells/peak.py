"""How many multiply-adds a GPU does in a second: the bound of what computes much and moves little."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engines.backend.lab.timing import launch_seconds
from engines.backend.timing import measured_once

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

SOURCE = Path(__file__).with_name("peak.cu")
CHAINS, ROUNDS = 8, 4096
THREADS, BLOCKS = 256, 32
"""Threads of a block, and blocks for each multiprocessor: several times what is resident."""


def peak_rate(backend: CudaBackend, dtype: str = "float64", rounds: int = ROUNDS, blocks: int = BLOCKS) -> float:
    """Instructions of that type per second, a multiply-add counted once; measured once."""

    def measure() -> float:
        real = np.dtype(dtype).type
        name = {"float32": "float", "float64": "double"}[dtype]
        kernel = backend.compile(SOURCE, (f"-DREAL={name}",)).get_function("multiply_adds")
        out = backend.empty(1, dtype)
        grid = blocks * backend.multiprocessors
        arguments = (out, real(0.5), real(1.0), real(-1.0), np.int32(rounds))
        seconds = launch_seconds(backend, lambda _: kernel((grid,), (THREADS,), arguments))
        return grid * THREADS * CHAINS * rounds / seconds

    return measured_once(backend, (__name__, dtype, rounds, blocks), measure)
