"""Sampling, running Fourier sums and flux in Numba; arguments as in ``monitors.cu``."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import numba as nb
import numpy as np

from engines.backend.compile.digest import noticing
from engines.fdtd.monitors.sums import rows
from engines.fdtd.monitors.sums.rows import PLACES, Entry

CHUNK = 2048
"""Values that a thread takes at once: with 16 samples and two sums they stay in the second-level cache."""


@nb.njit(cache=True, nogil=True, parallel=True)
@noticing(rows)
def sample(e, h, blocks, parts, to):
    """e, h: flat; blocks: (count, Entry) int64; to: (n,)."""
    for b in range(blocks.shape[0]):
        block = blocks[b]
        field = e if block[Entry.ELECTRIC] == 1 else h
        place, dy, dz = block[Entry.PLACE], block[Entry.NEXT_Y], block[Entry.NEXT_Z]
        nx, ny, nz = block[Entry.COUNT_X], block[Entry.COUNT_Y], block[Entry.COUNT_Z]
        neighbour, start = block[Entry.NEIGHBOUR], block[Entry.START]
        part = parts[b]
        rest = parts.dtype.type(1) - part
        for row in nb.prange(ny * nz):
            first = place + (row % ny) * dy + (row // ny) * dz
            out = start + row * nx
            for i in range(nx):
                if neighbour != 0:
                    to[out + i] = rest * field[first + i] + part * field[first + i + neighbour]
                else:
                    to[out + i] = field[first + i]


@nb.njit(cache=True, nogil=True)
@noticing(rows)
def points(e, h, electric, places, weights, to):
    """to: (count,); places, weights: (count, PLACES)."""
    for c in range(places.shape[0]):
        field = e if electric[c] == 1 else h
        total = to.dtype.type(0)
        for m in range(PLACES):
            total += weights[c, m] * field[places[c, m]]
        to[c] = total


@nb.njit(nogil=True)
def _add(total, samples, turn):
    for i in range(total.size):
        total[i] += samples[i] * turn


@nb.njit(cache=True, nogil=True, parallel=True)
def accumulate(before, after, samples, turns):
    """after = before + Σ_s samples[s] e^{iωt_s}; sums: (frequencies, 2, n), turns: (frequencies, S, 2)."""
    n = samples.shape[1]
    for chunk in nb.prange(-(-n // CHUNK)):
        first, last = chunk * CHUNK, min((chunk + 1) * CHUNK, n)
        total = np.empty(last - first, samples.dtype)
        for f in range(turns.shape[0]):
            for part in range(2):
                total[:] = 0
                for s in range(samples.shape[0]):
                    _add(total, samples[s, first:last], turns[f, s, part])
                for i in range(last - first):
                    after[f, part, first + i] = before[f, part, first + i] + total[i]


@nb.njit(cache=True, nogil=True, parallel=True)
def flux(sums, samples, turns, filled, start, count_p, count_q, widths, out):
    """out: (frequencies, 2) float64."""
    size = count_p * count_q
    around = count_p + count_q
    for f in nb.prange(sums.shape[0]):
        total_re, total_im = 0.0, 0.0
        value = np.empty((4, 2))
        for m in range(size):
            for c in range(4):
                at = start + c * size + m
                value[c, 0] = sums[f, 0, at]
                value[c, 1] = sums[f, 1, at]
                for s in range(filled):
                    value[c, 0] += samples[s, at] * turns[f, s, 0]
                    value[c, 1] += samples[s, at] * turns[f, s, 1]
            q, p = m // count_p, m % count_p
            first = widths[p] * widths[around + count_p + q]
            second = widths[around + p] * widths[count_p + q]
            total_re += first * (value[0, 0] * value[1, 0] + value[0, 1] * value[1, 1])
            total_im += first * (value[0, 1] * value[1, 0] - value[0, 0] * value[1, 1])
            total_re -= second * (value[2, 0] * value[3, 0] + value[2, 1] * value[3, 1])
            total_im -= second * (value[2, 1] * value[3, 0] - value[2, 0] * value[3, 1])
        out[f, 0], out[f, 1] = total_re, total_im
