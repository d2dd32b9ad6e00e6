"""Products as 64-bit integers: how far they may be scaled up, the same on both backends."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.spiking.events.sparse.formats import MOST_POWER


def used_power(power: int, values: Array) -> int:
    """``power`` less the exponent of the largest of graded values (|v| < 2^e), as ``sparse.cu`` has it."""
    largest = np.float32(np.abs(values).max(initial=0))
    exponent = (int(largest.view(np.int32)) >> 23) - 126
    return max(-MOST_POWER, min(MOST_POWER, power - exponent))
