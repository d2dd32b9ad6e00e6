"""How long a step takes, before the first one: bonds are arithmetic, far more than they are memory."""

from __future__ import annotations

from engines.backend.base import Backend

BONDS_PER_THREAD = 7e8
"""Bonds a second, each counted at both ends, of one CPU core in float32: 24,000 particles, 28 bonds each, on a busy
machine 0.8 ms."""
BONDS_PER_BYTE = 0.12
"""On a GPU, over the bandwidth of its memory: a million particles on one H200 (4 TB/s), 28 bonds each 45.5 µs, 122
bonds each 283 µs."""
DOUBLE = 2.5
"""A step in float64 over one in float32, on the same two machines between 1 and 3.3."""


def seconds_per_step(backend: Backend, moved: int, bonds: float, value_bytes: int) -> float:
    """The longer of what memory and arithmetic take. moved: bytes; bonds: each counted at both ends."""
    bandwidth = backend.ceilings().best
    rate = BONDS_PER_THREAD * (backend.info.threads or 1) if backend.id == "cpu" else BONDS_PER_BYTE * bandwidth
    if value_bytes == 8:
        rate /= DOUBLE
    return max(moved / bandwidth, bonds / rate)
