"""One explicit diffusion step on the CPU: the Numba twin of ``diffusion.cu``."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numba as nb
import numpy as np

from engines.api import Array
from engines.cardiac.diffusion.ell import BLOCK, WIDTH
from engines.cardiac.diffusion.launcher import Diffusion

CHUNK = 64
"""Blocks that one thread takes at a time: 2048 rows, 280 kB of float32 matrix."""


class CpuDiffusion(Diffusion):
    """Diffusion on the CPU; call steps inside ``backend.timed`` or ``active``."""

    def step(self, v: Array, out: Array) -> None:
        ell_step(self._columns, self._weights, v, out, self.dtype.type(self.dt), self.n_rows)


@nb.njit(cache=True, nogil=True, parallel=True, fastmath={"contract"})
def ell_step(columns, weights, v, out, dt, n_rows):
    """out = v + dt L v. Indices are unsigned: Numba would otherwise test each for being negative."""
    blocks = (n_rows + BLOCK - 1) // BLOCK
    for chunk in nb.prange((blocks + CHUNK - 1) // CHUNK):
        total = np.empty(BLOCK, weights.dtype)
        for block in range(chunk * CHUNK, min((chunk + 1) * CHUNK, blocks)):
            first = block * BLOCK
            rows = min(BLOCK, n_rows - first)
            for r in range(rows):
                total[r] = 0
            # entry by entry over 32 rows: contiguous columns and weights, sums in registers or L1
            for e in range(WIDTH):
                for r in range(rows):
                    neighbour = v[np.uint32(columns[block, e, r])]
                    total[r] += weights[block, e, r] * (neighbour - v[np.uint64(first + r)])
            for r in range(rows):
                row = np.uint64(first + r)
                out[row] = v[row] + dt * total[r]
