"""One explicit diffusion step on the CPU: the Numba twin of ``diffusion.cu``."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numba as nb
import numpy as np

from engines.api import Array, KernelTraffic
from engines.cardiac.diffusion.ell import BLOCK, WIDTH, EllMatrix
from engines.cardiac.diffusion.traffic import step_traffic


class CpuDiffusion:
    """``out = v + dt L v``; precision is that of the matrix's weights. ``dt`` [ms] may change between steps."""

    def __init__(self, matrix: EllMatrix, dt: float) -> None:
        self.dt = dt
        self.n_rows = matrix.n_rows
        self.dtype = matrix.weights.dtype
        self._columns = matrix.columns
        self._weights = matrix.weights

    @property
    def traffic(self) -> KernelTraffic:
        return step_traffic(self.n_rows, self.dtype.itemsize)

    def step(self, v: Array, out: Array) -> None:
        """v, out: (n_rows,) of the matrix's precision, not the same array."""
        _step(self._columns, self._weights, v, out, self.dtype.type(self.dt), self.n_rows)


@nb.njit(cache=True, nogil=True, parallel=True, fastmath={"contract"})
def _step(columns, weights, v, out, dt, n_rows):
    whole = n_rows // BLOCK
    for block in nb.prange(whole):
        c, w = columns[block], weights[block]
        first = block * BLOCK
        # the loop over rows is the one that becomes SIMD: contiguous columns and weights, one gather of v
        for r in range(BLOCK):
            centre = v[first + r]
            a = w[0, r] * (v[np.uint32(c[0, r])] - centre)
            for e in range(1, WIDTH):
                a += w[e, r] * (v[np.uint32(c[e, r])] - centre)
            out[first + r] = centre + dt * a
    for i in range(whole * BLOCK, n_rows):
        r = i - whole * BLOCK
        a = weights[whole, 0, r] * (v[columns[whole, 0, r]] - v[i])
        for e in range(1, WIDTH):
            a += weights[whole, e, r] * (v[columns[whole, e, r]] - v[i])
        out[i] = v[i] + dt * a
