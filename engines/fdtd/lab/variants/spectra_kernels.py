"""Running Fourier sums in Numba in the ways of ``spectra.cu``."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import numba as nb
import numpy as np

CHUNK = 2048
"""Values that a thread takes at once: with 16 samples and two sums they stay in the second-level cache."""


@nb.njit(cache=True, nogil=True, parallel=True)
def one_frequency(sums, x, cosine, sine):
    """sums: (2, n)"""
    n = x.size
    for chunk in nb.prange(-(-n // CHUNK)):
        first, last = chunk * CHUNK, min((chunk + 1) * CHUNK, n)
        real, imaginary, values = sums[0, first:last], sums[1, first:last], x[first:last]
        for i in range(values.size):
            real[i] += values[i] * cosine
            imaginary[i] += values[i] * sine


@nb.njit(cache=True, nogil=True, parallel=True)
def all_frequencies(sums, x, turns):
    """sums: (frequencies, 2, n); turns: (frequencies, 2)"""
    n = x.size
    for chunk in nb.prange(-(-n // CHUNK)):
        first, last = chunk * CHUNK, min((chunk + 1) * CHUNK, n)
        values = x[first:last]
        for f in range(sums.shape[0]):
            real, imaginary = sums[f, 0, first:last], sums[f, 1, first:last]
            cosine, sine = turns[f, 0], turns[f, 1]
            for i in range(values.size):
                real[i] += values[i] * cosine
                imaginary[i] += values[i] * sine


@nb.njit(cache=True, nogil=True)
def gather(samples, x, slot):
    for i in range(x.size):
        samples[slot, i] = x[i]


@nb.njit(nogil=True)
def _add(total, samples, turn):
    for i in range(total.size):
        total[i] += samples[i] * turn


@nb.njit(cache=True, nogil=True, parallel=True)
def gathered(sums, samples, turns):
    """samples: (S, n); turns: (frequencies, S, 2)"""
    n = samples.shape[1]
    for chunk in nb.prange(-(-n // CHUNK)):
        first, last = chunk * CHUNK, min((chunk + 1) * CHUNK, n)
        total = np.empty(last - first, samples.dtype)
        for f in range(sums.shape[0]):
            for part in range(2):
                total[:] = 0
                for s in range(samples.shape[0]):
                    _add(total, samples[s, first:last], turns[f, s, part])
                _add(sums[f, part, first:last], total, samples.dtype.type(1))
