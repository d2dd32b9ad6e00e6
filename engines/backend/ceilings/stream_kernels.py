"""STREAM's kernels on the CPU, the twins of those in ``ceilings.cu``; callers hold
:func:`engines.backend.threads.parallel_region`."""

from __future__ import annotations

from typing import Any

from numba import njit, prange


@njit(parallel=True, nogil=True, cache=True)
def stream_fill(array: Any, value: float) -> None:
    """Write once, by the threads that will read: memory is placed where it is first touched."""
    for i in prange(array.size):
        array[i] = value


@njit(parallel=True, nogil=True, cache=True)
def stream_copy(a: Any, c: Any) -> None:
    """STREAM copy, ``c = a``."""
    for i in prange(a.size):
        c[i] = a[i]


@njit(parallel=True, nogil=True, cache=True)
def stream_triad(b: Any, c: Any, a: Any, scalar: float) -> None:
    """STREAM triad, ``a = b + scalar c``."""
    for i in prange(a.size):
        a[i] = b[i] + scalar * c[i]
