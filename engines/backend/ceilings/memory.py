"""What the memory of this device can deliver: STREAM copy and triad (McCalpin 1995), measured once per session.

Bytes are counted as STREAM counts them: copy ``c = a`` moves two arrays, triad ``a = b + s c`` three. A CPU
that reads a line before it writes it (write-allocate) moves half as much again in a copy and a third more in a
triad; that traffic is not counted here, nor in the kernels' own ``traffic``, so the ratio of the two compares
like with like and a kernel with few stores may pass 100 % of the copy.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api.device import Ceilings
from engines.backend.ceilings import machine
from engines.backend.threads import parallel_region

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

SOURCE = Path(__file__).with_name("ceilings.cu")
CPU_SECONDS = 0.2
"""Time for the repetitions of one kernel; with the first touch of its arrays it stays below half a second."""
SCALAR = 3.0

_measured: dict[object, Ceilings] = {}
_measuring = threading.Lock()


def cpu_ceilings(threads: int, elements: int | None = None) -> Ceilings:
    """Best repetition of 0.2 s (STREAM's rule) on ``threads`` cores, float64 arrays of :func:`cpu_array_size`, or of
    ``elements`` where nobody looks at what is found (while kernels are compiled ahead)."""
    with _measuring:
        if threads not in _measured:
            _measured[threads] = measure_cpu(threads, elements or cpu_array_size())
        return _measured[threads]


def cpu_array_size() -> int:
    """Elements of one float64 array: four times the last-level cache.

    But no more than a 32nd of the memory, where that holds the cache once (a copy then moves two such arrays past it):
    a virtual machine may show the 480 MB of a whole server's cache, and 6 GB to touch take 15 s of the system's time.
    And never more than an eighth of it.
    """
    cache = max(machine.last_level_cache_bytes(), 16 << 20)
    memory = machine.memory_bytes()
    return (min(4 * cache, max(memory // 32, cache), memory // 8) if memory else 4 * cache) // 8


def measure_cpu(threads: int, n: int) -> Ceilings:
    """Of arrays of ``n`` elements, by the kernels of the curve: a first run waits for what is compiled."""
    from engines.backend.ceilings import curve_kernels  # with Numba

    with parallel_region(threads):
        nothing = np.zeros(n)
        a, b, c = (np.empty(n) for _ in range(3))
        for array in (a, b, c):  # written by the threads that will read: memory is placed where it is first touched
            curve_kernels.copy(nothing, array, 1, threads)
        del nothing
        copy = _best(lambda: curve_kernels.copy(a, c, 1, threads))
        triad = _best(lambda: curve_kernels.triad(b, c, a, 1, threads))
    return Ceilings(copy=2 * 8 * n / copy, triad=3 * 8 * n / triad)


def _best(launch: Callable[[], None]) -> float:
    launch()  # compiles, or loads from the cache
    seconds: list[float] = []
    end = time.perf_counter() + CPU_SECONDS
    while len(seconds) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        launch()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def cuda_ceilings(backend: CudaBackend) -> Ceilings:
    """Median of 20 launches by device events, the best of a few launch shapes, float4 arrays of 1 GiB each.

    On a device with less than 8 GiB free, arrays take an eighth of what is free.
    """
    with _measuring:
        if backend.id not in _measured:
            _measured[backend.id] = _measure_cuda(backend)
            backend.release()
        return _measured[backend.id]


def _measure_cuda(backend: CudaBackend) -> Ceilings:
    free, _ = backend.memory()
    n = max(1, min(1 << 30, free // 8) // 16)  # float4
    module = backend.compile(SOURCE)
    copy, triad, fill = (module.get_function(name) for name in ("stream_copy", "stream_triad", "stream_fill"))
    a, b, c = (backend.empty(4 * n, np.float32) for _ in range(3))
    length, scalar = np.int64(n), np.float32(SCALAR)
    whole, processors = -(-n // 256), backend.multiprocessors
    # One float4 per thread suits some cards, a few resident blocks that stride through the arrays others.
    shapes = [(whole, 256), (-(-n // 1024), 1024), (processors * 4, 512), (processors * 16, 256)]
    with backend.active():
        for array, value in ((a, 1.0), (b, 2.0), (c, 0.0)):
            fill((whole,), (256,), (array, np.float32(value), length))
        copy_seconds = _median_of_best_shape(backend, copy, shapes, (a, c, length))
        triad_seconds = _median_of_best_shape(backend, triad, shapes, (b, c, a, scalar, length))
    return Ceilings(copy=2 * 16 * n / copy_seconds, triad=3 * 16 * n / triad_seconds)


def _median_of_best_shape(
    backend: CudaBackend, kernel: Any, shapes: list[tuple[int, int]], arguments: tuple[Any, ...]
) -> float:
    def median(shape: tuple[int, int], repetitions: int) -> float:
        blocks, threads = shape
        kernel((blocks,), (threads,), arguments)
        return statistics.median(
            backend.elapsed(lambda: kernel((blocks,), (threads,), arguments)) for _ in range(repetitions)
        )

    return median(min(shapes, key=lambda shape: median(shape, 3)), 20)
