"""What all simulations on a grid share.

Values stand on the device in the grid's own numbering, so nothing is translated.
"""

from __future__ import annotations

import math

from engines.api import KernelTraffic, SeriesInfo
from engines.backend.field_simulation import FieldSimulation
from engines.stencil.watch.content import total_and_largest

SAMPLE_STEPS = 48
"""Steps between two samples of probes and series: whole passes of 2, 3, 4, 6, 8, 12 and 16 fused steps."""


def content_series(dimensions: int) -> tuple[SeriesInfo, ...]:
    """What :meth:`GridSimulation.content` tells of a grid."""
    return (
        SeriesInfo("content", "Total content", ("mm²", "mm³")[dimensions - 2]),
        SeriesInfo("largest", "Largest value", ""),
    )


class GridSimulation(FieldSimulation):
    """Fields in C order on a grid."""

    sample_steps = SAMPLE_STEPS

    def content(self, name: str) -> dict[str, float]:
        """Integral over the grid and largest value."""
        total, largest = total_and_largest(self.backend, self.arrays[name])
        return {"content": total * math.prod(self.geometry.spacing), "largest": largest}


def unfused(traffic: KernelTraffic) -> KernelTraffic:
    """The traffic of steps that are taken one by one with kernels that could fuse them."""
    depth = traffic.fused
    return KernelTraffic(traffic.kernel, traffic.bytes_read * depth, traffic.bytes_written * depth, traffic.flops)
