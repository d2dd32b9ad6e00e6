"""Bytes and operations of explicit diffusion, counted from the algorithm."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engines.api import KernelTraffic


def diffusion_traffic(
    shape: Sequence[int], value_bytes: int, *, variable: bool = False, source: bool = False, depth: int = 1
) -> KernelTraffic:
    """Per step: u and, where there are any, face coefficients (one per axis) and source are read, the new u is written.

    A fused pass does that once for ``depth`` steps, so a step moves a ``depth``-th of it. Counted so, the fraction of
    the memory's ceiling stays honest: a fused step shows a small one, because it does not wait for the memory.
    """
    points, dimensions = math.prod(shape), len(shape)
    read = points * (1 + (dimensions if variable else 0) + source)
    flops = (8 if variable else 4) * dimensions + (2 if source else 0)
    return KernelTraffic("diffusion", read * value_bytes // depth, points * value_bytes // depth, points * flops, depth)
