"""The bandwidth curve of an NVIDIA GPU, and what a launch costs there (see :mod:`engines.backend.ceilings.curve`)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api.errors import DeviceError
from engines.backend.ceilings.curve import OPERATIONS, BandwidthPoint
from engines.backend.ceilings.memory import SCALAR, SOURCE
from engines.backend.timing import CudaBatch, estimated, host_seconds

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

BATCH_SECONDS = 4e-4
"""A timing is of launches that take at least this long together, at most MOST_LAUNCHES of them."""
MOST_LAUNCHES = 200
GUESSED_BANDWIDTH = 2e12
"""Bytes per second by which launches are first counted; a slower device takes longer, no less exactly."""
CAPTURED_BYTES = 128 << 20
"""Working sets up to this size are launched from a CUDA graph: a launch from Python takes longer than they do."""
REPETITIONS = 5
GRAPH_NODES = 1000
NEVER = -1.0
"""A sum that positive numbers do not have."""


def launch_seconds(backend: CudaBackend) -> float:
    """Host time to launch an empty kernel."""
    kernel = backend.compile(SOURCE).get_function("empty")
    estimated(backend, lambda _: kernel((1,), (32,), ()))
    return statistics.median(host_seconds(backend, lambda _: kernel((1,), (32,), ()), 200) for _ in range(5))


def graph_node_seconds(backend: CudaBackend) -> float:
    """Device time of an empty kernel in a CUDA graph of a thousand, one after the other."""
    kernel = backend.compile(SOURCE).get_function("empty")
    batch = CudaBatch(backend, lambda _: kernel((1,), (32,), ()), GRAPH_NODES, 1e-6, captured=True)
    batch.seconds()
    return statistics.median(batch.seconds() for _ in range(10))


def measure(
    backend: CudaBackend, sizes: Sequence[int], quick: bool, operations: Sequence[str] = tuple(OPERATIONS)
) -> Iterator[BandwidthPoint]:
    """Points of these operations, size by size: float4 arrays, the best of a few launch shapes, the median of runs."""
    module = backend.compile(SOURCE)
    memory = backend.empty(max(sizes) // 4, np.float32)
    out = backend.empty(1, np.float32)
    with backend.active():
        memory.fill(1.0)
    try:
        for size in sizes:
            for operation in operations:
                count = OPERATIONS[operation]
                n = size // 16 // count
                arrays = [memory[4 * k * n : 4 * (k + 1) * n] for k in range(count)]
                arguments = _arguments(operation, arrays, out, n)
                kernel = module.get_function(f"stream_{operation}")
                seconds = _best_shape(backend, kernel, arguments, n, size, quick)
                yield BandwidthPoint(operation, size, count * 16 * n / seconds)
    finally:
        del memory, out
        backend.release()


def _arguments(operation: str, arrays: list[Any], out: Any, n: int) -> tuple[Any, ...]:
    length, scalar = np.int64(n), np.float32(SCALAR)
    if operation == "read":
        return (*arrays, out, np.float32(NEVER), length)
    return (*arrays, scalar, length) if operation in ("mul", "triad") else (*arrays, length)


def _best_shape(backend: CudaBackend, kernel: Any, arguments: tuple[Any, ...], n: int, size: int, quick: bool) -> float:
    # One float4 per thread suits some cards, a few resident blocks that stride through the arrays others.
    processors = backend.multiprocessors
    shapes = {
        (-(-n // 256), 256),
        (-(-n // 1024), 1024),
        (min(-(-n // 512), 4 * processors), 512),
        (min(-(-n // 256), 16 * processors), 256),
    }
    count = max(1, min(MOST_LAUNCHES, int(BATCH_SECONDS * GUESSED_BANDWIDTH / size)))
    best = float("inf")
    for shape in sorted(shapes):
        batch = CudaBatch(
            backend, _launcher(kernel, shape, arguments), count, size / GUESSED_BANDWIDTH, size <= CAPTURED_BYTES
        )
        batch.seconds()
        best = min(best, statistics.median(batch.seconds() for _ in range(3 if quick else REPETITIONS)))
    if not best > 0:
        raise DeviceError("The GPU's clock stands still: the bandwidth of its memory could not be measured.")
    return best


def _launcher(kernel: Any, shape: tuple[int, int], arguments: tuple[Any, ...]) -> Callable[[int], None]:
    blocks, threads = shape
    return lambda _: kernel((blocks,), (threads,), arguments)
