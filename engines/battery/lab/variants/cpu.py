"""The battery studies on a CPU: Numba kernels. The formulae are in the ``.cu`` files."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np
from numba import njit, prange

GROUP = 1024
"""Particles that a thread takes at a time where they stand side by side: a page of each shell."""


@njit(parallel=True, nogil=True, cache=True)
def spherical_rows(out, c, tau, gain, inner, outer):
    """One step of (n, 32): particle by particle, the shells of one in vectors."""
    n, points = c.shape
    for p in prange(n):
        here, row, rate = c[p], out[p], tau[p]
        row[0] = here[0] + rate * outer[0] * (here[1] - here[0])
        for i in range(1, points - 1):
            row[i] = here[i] + rate * (outer[i] * (here[i + 1] - here[i]) - inner[i] * (here[i] - here[i - 1]))
        last = points - 1
        row[last] = here[last] - rate * inner[last] * (here[last] - here[last - 1]) + gain[p]


@njit(parallel=True, nogil=True, cache=True)
def spherical_columns(out, c, tau, gain, inner, outer):
    """One step of (32, n): shell by shell, a group of particles in vectors."""
    points, n = c.shape
    for group in prange((n + GROUP - 1) // GROUP):
        first, stop = group * GROUP, min(n, (group + 1) * GROUP)
        rate = tau[first:stop]
        for i in range(points):
            here, row = c[i, first:stop], out[i, first:stop]
            below, above = c[max(i - 1, 0), first:stop], c[min(i + 1, points - 1), first:stop]
            k_in, k_out = inner[i], outer[i]
            for j in range(stop - first):
                row[j] = here[j] + rate[j] * (k_out * (above[j] - here[j]) - k_in * (here[j] - below[j]))
        out[points - 1, first:stop] += gain[first:stop]


def spherical_stepwise(out, c, tau, gain, inner, outer, scratch, steps):
    """``steps`` steps (an even number), each a pass through memory."""
    spherical_rows(scratch, c, tau, gain, inner, outer)
    spherical_rows(out, scratch, tau, gain, inner, outer)
    for _ in range(steps // 2 - 1):
        spherical_rows(scratch, out, tau, gain, inner, outer)
        spherical_rows(out, scratch, tau, gain, inner, outer)


@njit(parallel=True, nogil=True, cache=True)
def butler_volmer(j, overpotential, exchange, half):
    """As one writes it: two exponentials a point."""
    for i in prange(len(j)):
        u = half * overpotential[i]
        j[i] = exchange[i] * (math.exp(u) - math.exp(-u))


@njit(parallel=True, nogil=True, cache=True)
def butler_volmer_inverse(overpotential, j, exchange, twice):
    """The library's asinh, point by point."""
    for i in prange(len(j)):
        overpotential[i] = twice * np.float32(math.asinh(j[i] / (np.float32(2) * exchange[i])))
