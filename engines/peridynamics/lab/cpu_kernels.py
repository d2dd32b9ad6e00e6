"""Forces of a body on a CPU: a list of bonds as pypd has it, and one of neighbours, by the formulae of ``forces.cu``."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import math

import numpy as np
from numba import njit, prange

BAND = 256
"""Particles that a thread takes at a time."""


@njit(parallel=True, nogil=True, cache=True)
def bond_list(out, x, u, pairs, damage, forces):
    """Bonds in parallel, their forces through memory, then both ends of all of them one after the other (pypd).

    out, x, u: (n, d); pairs: (m, 2); damage: (m,); forces: (m, d)."""
    d = x.shape[1]
    for bond in prange(len(pairs)):
        i, j = pairs[bond, 0], pairs[bond, 1]
        square = at_rest = 0.0
        for k in range(d):
            xi = x[j, k] - x[i, k]
            at_rest += xi**2
            square += (xi + (u[j, k] - u[i, k])) ** 2
        length, now = math.sqrt(at_rest), math.sqrt(square)
        pull = (now - length) / length * (1 - damage[bond]) / now
        for k in range(d):
            forces[bond, k] = pull * ((x[j, k] - x[i, k]) + (u[j, k] - u[i, k]))
    out[...] = 0.0
    for bond in range(len(pairs)):
        for k in range(d):
            out[pairs[bond, 0], k] += forces[bond, k]
            out[pairs[bond, 1], k] -= forces[bond, k]


@njit(parallel=True, nogil=True, cache=True)
def neighbour_list(out, x, u, neighbours, damage):
    """Each particle adds up its own bonds, so each bond is computed twice and nothing is shared.

    out, x, u: (n, d) float32; neighbours, damage: (n, K), no neighbour: -1."""
    n, d = x.shape
    one = np.float32(1)
    two = np.float32(2)
    for band in prange((n + BAND - 1) // BAND):
        total, bond = np.empty(3, np.float32), np.empty(3, np.float32)
        for i in range(band * BAND, min((band + 1) * BAND, n)):
            total[:] = 0
            for column in range(neighbours.shape[1]):
                j = neighbours[i, column]
                if j < 0:
                    continue
                square = q = np.float32(0)
                for k in range(d):
                    xi, eta = x[j, k] - x[i, k], u[j, k] - u[i, k]
                    square += xi * xi
                    q += eta * (two * xi + eta)
                    bond[k] = xi + eta
                p = q / square
                root = math.sqrt(one + p)
                pull = p / (root * (root + one)) / math.sqrt(square) * (one - damage[i, column])
                for k in range(d):
                    total[k] += pull * bond[k]
            for k in range(d):
                out[i, k] = total[k]
