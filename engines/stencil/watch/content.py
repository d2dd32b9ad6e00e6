"""What a field holds altogether, and its largest value."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from engines.api.device import Backend
from engines.backend.twins import pick

CHUNK = 1 << 14


def total_and_largest(backend: Backend, values: Any) -> tuple[float, float]:
    """Sum in float64 and maximum of a device array."""
    with backend.active():
        return pick(backend, cpu=_by_chunks, cuda=_by_reductions)(values)


def _by_reductions(values: Any) -> tuple[float, float]:
    return float(values.sum(dtype=np.float64)), float(values.max())


def _by_chunks(values: Any) -> tuple[float, float]:
    flat = values.reshape(-1)
    parts = np.empty((2, -(-flat.size // CHUNK)))
    _sums(flat, parts)
    return float(parts[0].sum()), float(parts[1].max())


@nb.njit(cache=True, nogil=True, parallel=True)
def _sums(values, parts):
    """parts: (2, chunks) sum and maximum of each chunk of ``values (n,)``; NaN is passed on by the sum."""
    for chunk in nb.prange(parts.shape[1]):
        total = 0.0
        largest = -np.inf
        for i in range(chunk * CHUNK, min((chunk + 1) * CHUNK, values.size)):
            total += values[i]
            if values[i] > largest:
                largest = values[i]
        parts[0, chunk] = total
        parts[1, chunk] = largest
