"""STREAM's operations with their repetitions inside the kernel, so that a working set of 32 KB can be timed.

Each thread goes ``repeats`` times over its own part of the arrays: what it holds in its own caches stays there.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

import numpy as np
from numba import njit, prange


@njit(parallel=True, nogil=True, cache=True)
def empty_loop(counts):
    """The least that a parallel loop can do: one number per thread."""
    for part in prange(counts.size):
        counts[part] += 1


@njit(parallel=True, nogil=True, cache=True)
def copy(a, c, repeats, parts):
    """``c = a``; two arrays."""
    for part in prange(parts):
        source = a[part * a.size // parts : (part + 1) * a.size // parts]
        target = c[part * a.size // parts : (part + 1) * a.size // parts]
        for _ in range(repeats):
            for i in range(source.size):
                target[i] = source[i]


@njit(parallel=True, nogil=True, cache=True)
def mul(a, c, repeats, parts):
    """``c = s a``; two arrays. s changes with each repetition, so that none can be left out."""
    for part in prange(parts):
        source = a[part * a.size // parts : (part + 1) * a.size // parts]
        target = c[part * a.size // parts : (part + 1) * a.size // parts]
        for repeat in range(repeats):
            s = 3.0 + repeat
            for i in range(source.size):
                target[i] = s * source[i]


@njit(parallel=True, nogil=True, cache=True)
def add(a, b, c, repeats, parts):
    """``c = a + b``; three arrays."""
    for part in prange(parts):
        first = a[part * a.size // parts : (part + 1) * a.size // parts]
        second = b[part * a.size // parts : (part + 1) * a.size // parts]
        target = c[part * a.size // parts : (part + 1) * a.size // parts]
        for _ in range(repeats):
            for i in range(first.size):
                target[i] = first[i] + second[i]


@njit(parallel=True, nogil=True, cache=True)
def triad(a, b, c, repeats, parts):
    """``c = a + s b``; three arrays."""
    for part in prange(parts):
        first = a[part * a.size // parts : (part + 1) * a.size // parts]
        second = b[part * a.size // parts : (part + 1) * a.size // parts]
        target = c[part * a.size // parts : (part + 1) * a.size // parts]
        for repeat in range(repeats):
            s = 3.0 + repeat
            for i in range(first.size):
                target[i] = first[i] + s * second[i]


@njit(parallel=True, nogil=True, cache=True)
def read(a, sums, repeats, parts):
    """Sums of ``a: (n,) int64`` with a number that changes with each repetition; one array.

    Integers, because their sum may be taken in any order and so in vectors; a float64 sum may not.
    """
    for part in prange(parts):
        source = a[part * a.size // parts : (part + 1) * a.size // parts]
        total = np.int64(0)
        for repeat in range(repeats):
            for i in range(source.size):
                total += source[i] ^ repeat
        sums[part] = total
