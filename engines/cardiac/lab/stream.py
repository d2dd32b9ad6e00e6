"""Table 2.4: what the memory delivers by BabelStream's kernels."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.lab import Column, LabTable, Row
from engines.backend.ceilings import curve_cpu, curve_cuda
from engines.backend.ceilings.curve import COLD_CACHES, LARGEST
from engines.backend.timing import cache_bytes, free_bytes
from engines.cardiac.lab.published import published

RATIOS = {"copy": "1:1", "mul": "1:1", "add": "2:1", "triad": "2:1", "read": "1:0"}


class StreamTable(LabTable):
    id = "stream"
    title = "Bandwidth of the memory"
    summary = (
        "BabelStream's kernels over arrays that no cache holds, bytes counted as STREAM counts them. Read is a sum of "
        "one array, which BabelStream does not have."
    )
    columns = (Column("Kernel", result=False), Column("Read : write", result=False), Column("Bandwidth", "GB/s"))
    published = published("table 2.4")
    largest: int = LARGEST
    """Bytes of all arrays together, at most."""

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        size = self.largest
        if not thorough:
            size = min(size, max(COLD_CACHES * cache_bytes(backend), 1 << 28))
        size = min(size, free_bytes(backend) // 4)
        operations = tuple(RATIOS)
        if backend.info.kind == "cpu":
            points = curve_cpu.measure(backend.info.threads, [size], not thorough, operations)
        else:
            points = curve_cuda.measure(backend, [size], not thorough, operations)  # type: ignore[arg-type]  # of kind "cuda"
        rows: list[Row] = []
        for point in points:
            rows.append((point.operation.capitalize(), RATIOS[point.operation], 1e-9 * point.bytes_per_second))
            progress("Measuring the memory's bandwidth", len(rows) / len(operations))
        return rows
