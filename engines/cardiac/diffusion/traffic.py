"""Bytes and operations of one step, counted from the algorithm."""

from __future__ import annotations

from engines.api import KernelTraffic
from engines.cardiac.diffusion.ell import WIDTH


def step_traffic(n_rows: int, value_bytes: int) -> KernelTraffic:
    """Columns and weights of 16 entries and the old voltage are read once, the new voltage is written once.

    float32: 132 read and 4 written, float64: 200 and 8 bytes per cell. A row costs 16 times (difference, FMA) and one FMA.
    """
    return KernelTraffic(
        kernel="diffusion",
        bytes_read=n_rows * (WIDTH * (4 + value_bytes) + value_bytes),
        bytes_written=n_rows * value_bytes,
        flops=n_rows * (3 * WIDTH + 2),
    )
