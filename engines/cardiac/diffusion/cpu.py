"""One explicit diffusion step on the CPU: the Numba twins of ``diffusion.cu``.

Two ways to write the same sums, for the compiler turns different ones into SIMD. Measured on one core of an EPYC with
AVX-512 (GB/s of counted bytes): row by row 20.8 in float32 and 12.7 in float64, entry by entry 13.7 and 17.3.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numba as nb
import numpy as np

from engines.api import Array
from engines.cardiac.diffusion import ell
from engines.cardiac.diffusion.launcher import Diffusion

WIDTH, BLOCK = 16, 32
"""Those of :mod:`ell`, once more: Numba's cache on disk notices a change only in the file of the kernel."""
assert (WIDTH, BLOCK) == (ell.WIDTH, ell.BLOCK)

CHUNK = 64
"""Blocks that one thread takes at a time: 2048 rows, 400 kB of float64 matrix."""

# Unsigned constants: Numba would otherwise test every index for being negative, and nothing would become SIMD.
_ONE, _BLOCK, _WIDTH = np.uint64(1), np.uint64(BLOCK), np.uint64(WIDTH)
_2BLOCK, _3BLOCK, _4BLOCK = np.uint64(2 * BLOCK), np.uint64(3 * BLOCK), np.uint64(4 * BLOCK)
_ENTRIES, _ROUNDS = np.uint64(WIDTH * BLOCK), np.uint64(WIDTH // 4)


class CpuDiffusion(Diffusion):
    """Diffusion on the CPU; call steps inside ``backend.timed`` or ``active``."""

    def step(self, v: Array, out: Array) -> None:
        ell_step(self._columns, self._weights, v, out, self.dt, self.n_rows)


def ell_step(columns: Array, weights: Array, v: Array, out: Array, dt: float, n_rows: int) -> None:
    """out = v + dt L v for arrays of one precision (layout: :class:`engines.cardiac.diffusion.ell.EllMatrix`)."""
    whole = n_rows // BLOCK
    real = weights.dtype.type(dt)
    kernel = _rows_of_blocks if weights.dtype == np.float32 else _entries_of_blocks
    kernel(columns.reshape(-1).view(np.uint32), weights.reshape(-1), v, out, real, whole)
    if n_rows > whole * BLOCK:
        _last_rows(columns[whole], weights[whole], v, out, real, whole * BLOCK, n_rows)


@nb.njit(cache=True, nogil=True, parallel=True, fastmath={"contract"})
def _rows_of_blocks(columns, weights, v, out, dt, blocks):
    """Row by row, in four sums: the loop over the 32 rows of a block becomes SIMD."""
    for block in nb.prange(blocks):
        base = np.uint64(block) * _ENTRIES
        first = np.uint64(block) * _BLOCK
        for r in range(_BLOCK):
            centre = v[first + r]
            k = base + r
            a = weights[k] * (v[columns[k]] - centre)
            b = weights[k + _BLOCK] * (v[columns[k + _BLOCK]] - centre)
            c = weights[k + _2BLOCK] * (v[columns[k + _2BLOCK]] - centre)
            d = weights[k + _3BLOCK] * (v[columns[k + _3BLOCK]] - centre)
            for _ in range(_ONE, _ROUNDS):
                k = k + _4BLOCK
                a += weights[k] * (v[columns[k]] - centre)
                b += weights[k + _BLOCK] * (v[columns[k + _BLOCK]] - centre)
                c += weights[k + _2BLOCK] * (v[columns[k + _2BLOCK]] - centre)
                d += weights[k + _3BLOCK] * (v[columns[k + _3BLOCK]] - centre)
            out[first + r] = centre + dt * ((a + b) + (c + d))


@nb.njit(cache=True, nogil=True, parallel=True, fastmath={"contract"})
def _entries_of_blocks(columns, weights, v, out, dt, blocks):
    """Entry by entry over the 32 rows of a block, with the sums in the first-level cache."""
    for chunk in nb.prange((blocks + CHUNK - 1) // CHUNK):
        total = np.empty(BLOCK, weights.dtype)
        for block in range(np.uint64(chunk * CHUNK), np.uint64(min((chunk + 1) * CHUNK, blocks))):
            base = block * _ENTRIES
            first = block * _BLOCK
            for r in range(_BLOCK):
                total[r] = 0
            for e in range(_WIDTH):
                for r in range(_BLOCK):
                    k = base + e * _BLOCK + r
                    total[r] += weights[k] * (v[columns[k]] - v[first + r])
            for r in range(_BLOCK):
                out[first + r] = v[first + r] + dt * total[r]


@nb.njit(cache=True, nogil=True)
def _last_rows(columns, weights, v, out, dt, first, n_rows):
    """The rows of the last block where it is not full: columns, weights (16, 32)."""
    for r in range(n_rows - first):
        centre = v[first + r]
        total = weights[0, r] * (v[columns[0, r]] - centre)
        for e in range(1, WIDTH):
            total += weights[e, r] * (v[columns[e, r]] - centre)
        out[first + r] = centre + dt * total
