"""Forces of a body on a CPU: a list of bonds as pypd has it, and one of neighbours; formulae as in ``forces.cu``."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange


def _compiled(dimensions: int) -> Any:
    """(bond_list, neighbour_list) of a plane or of space: what is known when they are compiled is unrolled."""
    last = dimensions - 1

    @njit(parallel=True, nogil=True, cache=True, error_model="numpy")
    def bond_list(out, x, u, pairs, damage, forces):
        """Bonds in parallel, their forces through memory, then both ends of all of them one after the other (pypd).

        out, x, u: (n, d); pairs: (m, 2); damage: (m,); forces: (m, d)."""
        for bond in prange(len(pairs)):
            i, j = pairs[bond, 0], pairs[bond, 1]
            a, b, c = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, last] - x[i, last]
            ax, by = a + (u[j, 0] - u[i, 0]), b + (u[j, 1] - u[i, 1])
            cz = c + (u[j, last] - u[i, last])
            at_rest, square = a * a + b * b, ax * ax + by * by
            if dimensions == 3:
                at_rest += c * c
                square += cz * cz
            length, now = math.sqrt(at_rest), math.sqrt(square)
            pull = (now - length) / length * (1 - damage[bond]) / now
            forces[bond, 0] = pull * ax
            forces[bond, 1] = pull * by
            if dimensions == 3:
                forces[bond, 2] = pull * cz
        out[...] = 0.0
        for bond in range(len(pairs)):
            i, j = pairs[bond, 0], pairs[bond, 1]
            for k in range(dimensions):
                out[i, k] += forces[bond, k]
                out[j, k] -= forces[bond, k]

    @njit(parallel=True, nogil=True, cache=True, error_model="numpy")
    def neighbour_list(out, x, u, neighbours, damage):
        """Each particle adds up its own bonds, so each bond is computed twice and nothing is shared.

        out, x, u: (n, d) float32; neighbours, damage: (n, K), no neighbour: -1."""
        one, two = np.float32(1), np.float32(2)
        for i in prange(len(x)):
            fx = fy = fz = np.float32(0)
            for column in range(neighbours.shape[1]):
                j = neighbours[i, column]
                if j < 0:
                    continue
                a, b, c = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, last] - x[i, last]
                ex, ey, ez = u[j, 0] - u[i, 0], u[j, 1] - u[i, 1], u[j, last] - u[i, last]
                square, q = a * a + b * b, ex * (two * a + ex) + ey * (two * b + ey)
                if dimensions == 3:
                    square += c * c
                    q += ez * (two * c + ez)
                p = q / square
                root = math.sqrt(one + p)
                pull = p / (root * (root + one)) / math.sqrt(square) * (one - damage[i, column])
                fx += pull * (a + ex)
                fy += pull * (b + ey)
                fz += pull * (c + ez)
            out[i, 0] = fx
            out[i, 1] = fy
            if dimensions == 3:
                out[i, 2] = fz

    return bond_list, neighbour_list


KERNELS = {2: _compiled(2), 3: _compiled(3)}
"""bond_list, neighbour_list by dimensions."""
