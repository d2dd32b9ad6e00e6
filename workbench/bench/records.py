"""What the Kernel Lab found: plain records that tables, plots and files are made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class BandwidthPoint:
    """Bytes per second of one operation (``copy``, ``mul``, ``add``, ``triad``, ``read``) over a working set."""

    operation: str
    working_set: int
    bytes_per_second: float


@dataclass(frozen=True)
class MachineRecord:
    """Device, versions, date and the ceilings that everything else is held against.

    ``launch_seconds``: host time to launch an empty kernel; ``graph_node_seconds``: a kernel in a CUDA graph (None on
    a CPU, where ``launch_seconds`` is the cost of entering a parallel loop).
    """

    date: str
    device: dict[str, Any]
    curve: tuple[BandwidthPoint, ...]
    launch_seconds: float
    graph_node_seconds: float | None


@dataclass(frozen=True)
class VariantRecord:
    """One variant at one size and launch shape.

    seconds…:  median, 5th and 95th percentile of one launch, by device events on a GPU
    host_seconds: time that the host spends launching once
    bytes, flops: of one launch, counted from the algorithm
    working_set: bytes that are cycled through: one set of buffers in a warm run, all that are rotated in a cold one
    ceiling:   best measured bytes per second at ``working_set``
    fraction:  bytes / seconds / ceiling
    error:     largest difference from the float64 reference, relative to its largest value
    refused:   why there is no figure (wrong answer, above the ceiling, the device cannot); empty if there is one.
               The figures of a refused record are 0.
    """

    study: str
    variant: str
    title: str
    language: str
    case: str
    points: int
    shape: tuple[int, ...] | None
    steps: int
    cache: Literal["cold", "warm"]
    seconds: float
    seconds_p5: float
    seconds_p95: float
    host_seconds: float
    bytes: float
    flops: float
    working_set: int
    ceiling: float
    error: float
    tolerance: float
    registers: int | None = None
    shared_bytes: int | None = None
    occupancy: float | None = None
    refused: str = ""

    @property
    def bytes_per_second(self) -> float:
        return self.bytes / self.seconds if self.seconds else 0.0

    @property
    def fraction(self) -> float:
        return self.bytes_per_second / self.ceiling if self.ceiling else 0.0

    @property
    def points_per_second(self) -> float:
        """Point updates per second: points times time steps."""
        return self.points * self.steps / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class LabRecord:
    """A whole session of the Lab; what is kept in ``workbench/bench/records``."""

    machine: MachineRecord
    variants: tuple[VariantRecord, ...] = field(default=())
