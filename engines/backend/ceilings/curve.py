"""What the memory delivers over working sets of different size: the curve that every kernel is held against.

STREAM's four operations and a plain read, each over working sets from 32 KB (a first-level cache) to 4 GB. Bytes are
counted as in :mod:`engines.backend.ceilings.memory`: copy ``c = a`` and mul ``c = s a`` move two arrays, add
``c = a + b`` and triad ``a = b + s c`` three, read one. Where a cache ends the curve has a knee.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from engines.api import KernelTraffic, Progress, no_progress
from engines.api.device import Backend
from engines.backend.timing import cache_bytes, free_bytes

if TYPE_CHECKING:
    from engines.backend.cpu import CpuBackend
    from engines.backend.cuda import CudaBackend

OPERATIONS = {"copy": 2, "mul": 2, "add": 3, "triad": 3, "read": 1}
"""Operation to the arrays that it moves."""
METERED = ("copy", "triad")
"""What the meters of a run hold it against."""
SMALLEST, LARGEST = 1 << 15, 1 << 32
COLD_CACHES = 4
"""A working set of fewer last-level caches is held against the curve, for the memory's ceilings are measured beyond."""


@dataclass(frozen=True)
class BandwidthPoint:
    """Bytes per second of one operation (``copy``, ``mul``, ``add``, ``triad``, ``read``) over a working set."""

    operation: str
    working_set: int
    bytes_per_second: float


@dataclass(frozen=True)
class Curve:
    """The points, and what a launch costs.

    ``launch_seconds``: host time to launch an empty kernel; ``graph_node_seconds``: an empty kernel in a CUDA graph
    (None on a CPU, where ``launch_seconds`` is the cost of entering a parallel loop).
    ``operations_per_second``: of float32 multiply-adds without memory; None where nobody measured it.
    """

    points: tuple[BandwidthPoint, ...]
    launch_seconds: float
    graph_node_seconds: float | None
    operations_per_second: float | None = None


def ceiling_at(curve: Iterable[BandwidthPoint], working_set: float, operations: Sequence[str] = ()) -> float:
    """Bytes per second of the best operation at ``working_set`` bytes; 0 for an empty curve.

    Between two measured sizes it is interpolated in log2 of the size; beyond the ends it is that of the end.
    ``operations`` limits which ones are considered.
    """
    by_operation: dict[str, list[BandwidthPoint]] = {}
    for point in curve:
        if not operations or point.operation in operations:
            by_operation.setdefault(point.operation, []).append(point)
    return max((_at(points, working_set) for points in by_operation.values()), default=0.0)


def _at(points: list[BandwidthPoint], working_set: float) -> float:
    ordered = sorted(points, key=lambda point: point.working_set)
    if working_set <= ordered[0].working_set:
        return ordered[0].bytes_per_second
    for low, high in pairwise(ordered):
        if working_set <= high.working_set:
            share = math.log2(working_set / low.working_set) / math.log2(high.working_set / low.working_set)
            return low.bytes_per_second + share * (high.bytes_per_second - low.bytes_per_second)
    return ordered[-1].bytes_per_second


def working_sets(memory: int, quick: bool = False) -> list[int]:
    """Powers of two from 32 KB to 4 GB or a quarter of ``memory``; ``quick``: every fourth power, up to 512 MB."""
    largest = min(LARGEST if not quick else 1 << 29, max(memory // 4, SMALLEST))
    return [1 << power for power in range(15, largest.bit_length(), 2 if quick else 1)]


def working_set_of(traffic: Sequence[KernelTraffic]) -> int:
    """Bytes that all kernels of a launch move: what the caches would have to hold."""
    return math.lcm(*(each.fused for each in traffic)) * sum(each.bytes for each in traffic)


def fits_caches(backend: Backend, working_set: int) -> bool:
    """Whether a working set is so small that caches hold a part of it that counts."""
    return working_set < COLD_CACHES * cache_bytes(backend)


_measured: dict[tuple[str, int, bool], Curve] = {}
_over: dict[tuple[str, int, int], float] = {}
_measuring = threading.Lock()


def measured_curve(backend: Backend, *, quick: bool = False, progress: Progress = no_progress) -> Curve:
    """The curve of this device, measured once per session: some 8 s on a GPU, 15 s on a processor, ``quick`` 3 s."""
    from engines.backend.ceilings import compute, curve_cpu, curve_cuda

    with _measuring:
        whole = (backend.id, backend.info.threads, False)
        key = whole if whole in _measured else (backend.id, backend.info.threads, quick)
        if key not in _measured:
            sizes = working_sets(free_bytes(backend), quick)
            points: list[BandwidthPoint] = []
            if backend.info.kind == "cpu":
                cpu: CpuBackend = backend  # type: ignore[assignment]  # of kind "cpu"
                launch, node = curve_cpu.parallel_loop_seconds(cpu.threads), None
                operations = compute.cpu_operations_per_second(cpu.threads)
                found = curve_cpu.measure(cpu.threads, sizes, quick)
            else:
                cuda: CudaBackend = backend  # type: ignore[assignment]  # of kind "cuda"
                launch, node = curve_cuda.launch_seconds(cuda), curve_cuda.graph_node_seconds(cuda)
                operations = compute.cuda_operations_per_second(cuda)
                found = curve_cuda.measure(cuda, sizes, quick)
            for point in found:
                points.append(point)
                progress("Measuring the memory's bandwidth", len(points) / (len(sizes) * len(OPERATIONS)))
            _measured[key] = Curve(tuple(points), launch, node, operations)
        return _measured[key]


def ceiling_over(backend: Backend, working_set: int) -> float:
    """Bytes per second of the best of copy and triad over ``working_set`` bytes, at least what the memory delivers.

    In the reach of the caches it is measured at the next power of two, a tenth of a second at the first call for each.
    """
    from engines.backend.ceilings import curve_cpu, curve_cuda

    memory = backend.ceilings().best
    if not fits_caches(backend, working_set):
        return memory
    largest = max(SMALLEST, min(LARGEST, free_bytes(backend) // 4))
    size = min(max(1 << round(math.log2(max(working_set, 1))), SMALLEST), largest)
    key = (backend.id, backend.info.threads, size)
    with _measuring:
        if key not in _over:
            if backend.info.kind == "cpu":
                found = curve_cpu.measure(backend.info.threads, [size], True, METERED)
            else:
                found = curve_cuda.measure(backend, [size], True, METERED)  # type: ignore[arg-type]  # of kind "cuda"
            _over[key] = max(point.bytes_per_second for point in found)
        return max(memory, _over[key])
