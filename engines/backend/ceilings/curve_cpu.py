"""The bandwidth curve of a processor (see :mod:`engines.backend.ceilings.curve`)."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from engines.backend.ceilings import curve_kernels as kernels
from engines.backend.ceilings.curve import OPERATIONS, BandwidthPoint
from engines.backend.threads import parallel_region

TIMING_SECONDS = 4e-3
"""One timing lasts at least this long, so that entering the parallel loop (some 10 µs) does not count."""
GUESSED_BANDWIDTH = 50e9
"""Bytes per second by which repetitions are first counted."""
POINT_SECONDS = 0.04
"""Timings of one point are repeated for about this long; the best is kept, as STREAM does."""
STAGGER = 384
"""Bytes between the arrays: those that lie whole pages apart hinder each other in the first-level cache."""


def parallel_loop_seconds(threads: int) -> float:
    """Seconds that it takes to enter a parallel loop and to leave it."""
    counts = np.zeros(threads, np.int64)
    with parallel_region(threads):
        kernels.empty_loop(counts)
        times = []
        for _ in range(200):
            start = time.perf_counter()
            kernels.empty_loop(counts)
            times.append(time.perf_counter() - start)
        return statistics.median(times)


def measure(
    threads: int, sizes: Sequence[int], quick: bool, operations: Sequence[str] = tuple(OPERATIONS)
) -> Iterator[BandwidthPoint]:
    """Points of these operations, size by size; float64 arrays, written once before by the threads that use them."""
    memory = np.empty(max(sizes) // 8 + 3 * STAGGER // 8)
    with parallel_region(threads):
        # Small whole numbers: no denormals, and the same bits serve as integers. A kernel that is compiled anyhow.
        kernels.copy(np.full(memory.size, 3.0), memory, 1, threads)
    for size in sizes:
        for operation in operations:
            with parallel_region(threads):
                yield _point(operation, size, _arrays(memory, size, OPERATIONS[operation]), threads, quick)


def _arrays(memory: Any, size: int, count: int) -> list[Any]:
    """``count`` arrays of together ``size`` bytes."""
    length, step = size // 8 // count, size // 8 // count + STAGGER // 8
    return [memory[k * step : k * step + length] for k in range(count)]


def _point(operation: str, size: int, arrays: list[Any], threads: int, quick: bool) -> BandwidthPoint:
    kernel = getattr(kernels, operation)
    if operation == "read":
        arrays = [arrays[0].view(np.int64), np.zeros(threads, np.int64)]
    moved = arrays[0].size * 8 * OPERATIONS[operation]
    kernel(*arrays, 1, threads)  # compiles, or loads from the cache

    def timed(repeats: int) -> float:
        start = time.perf_counter()
        kernel(*arrays, repeats, threads)
        return time.perf_counter() - start

    repeats = max(1, int(TIMING_SECONDS * GUESSED_BANDWIDTH / moved))
    while (seconds := min(timed(repeats), timed(repeats))) < TIMING_SECONDS:  # a pause of the system counts once
        repeats = max(2 * repeats, int(1.2 * repeats * TIMING_SECONDS / max(seconds, 1e-7)))
    more = max(2, int((POINT_SECONDS / 2 if quick else POINT_SECONDS) / seconds))
    found = [seconds, *(timed(repeats) for _ in range(more))]
    return BandwidthPoint(operation, size, repeats * moved / min(found))
