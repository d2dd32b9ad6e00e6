"""How many float32 operations per second this device computes when no memory is in its way: the roofline's flat part.

Chains of multiply-adds ``x = x s + t`` stay in registers; each counts as two operations, as in the kernels' own flops.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

import numpy as np
from numba import njit, prange

from engines.backend.ceilings.memory import SOURCE
from engines.backend.threads import parallel_region

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

CPU_VALUES = 1024
"""Of one thread: 4 KB, which its first-level cache holds; each is loaded and stored once in CHAIN multiply-adds."""
CHAIN = 16
CPU_SECONDS = 0.1
S, T = np.float32(0.5), np.float32(1.0)
"""A chain tends to 2: neither denormal numbers nor infinite ones, which would take other times."""
BLOCKS, THREADS, CHAINS = 8, 256, 8
"""On a GPU: blocks per multiprocessor, threads of a block, chains of a thread (as in ``ceilings.cu``)."""
ROUNDS = 4096
"""Of a chain."""
NEVER = np.float32(-1.0)
"""A sum that positive numbers do not have."""


@njit(parallel=True, nogil=True, cache=True, fastmath={"contract"})
def multiply_add(values, s, t, repeats):
    """``x = x s + t`` CHAIN times in a row and ``repeats`` times, ``values: (threads, n) float32``."""
    for part in prange(values.shape[0]):
        own = values[part]
        for _ in range(repeats):
            for i in range(own.size):
                x = own[i]
                x = (((x * s + t) * s + t) * s + t) * s + t
                x = (((x * s + t) * s + t) * s + t) * s + t
                x = (((x * s + t) * s + t) * s + t) * s + t
                x = (((x * s + t) * s + t) * s + t) * s + t
                own[i] = x


def cpu_operations_per_second(threads: int) -> float:
    """The best of some timings, as STREAM has it."""
    values = np.ones((threads, CPU_VALUES), np.float32)
    repeats = 200
    seconds: list[float] = []
    with parallel_region(threads):
        multiply_add(values, S, T, 1)  # compiles, or loads from the cache
        end = time.perf_counter() + CPU_SECONDS
        while len(seconds) < 3 or time.perf_counter() < end:
            start = time.perf_counter()
            multiply_add(values, S, T, repeats)
            seconds.append(time.perf_counter() - start)
    return 2 * CHAIN * repeats * values.size / min(seconds)


def cuda_operations_per_second(backend: CudaBackend) -> float:
    """The median of ten launches by device events."""
    kernel = backend.compile(SOURCE).get_function("multiply_add")
    blocks = BLOCKS * backend.multiprocessors
    out = backend.empty(1, np.float32)
    with backend.active():

        def launch() -> None:
            kernel((blocks,), (THREADS,), (out, S, T, NEVER, np.int32(ROUNDS)))

        launch()
        seconds = statistics.median(backend.elapsed(launch) for _ in range(10))
    return 2 * CHAINS * ROUNDS * blocks * THREADS / seconds
