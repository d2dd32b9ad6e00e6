"""The step on the CPU."""

import numba
import numpy as np


@numba.njit(parallel=True, nogil=True, cache=True)
def leapfrog(u, before, courant2, lost):
    """(1 + lost) before = 2 u − (1 − lost) before + courant2 · (Σ neighbours − 4 u); beyond the edge stands −u."""
    n = u.shape[0]
    for j in numba.prange(n):
        for i in range(n):
            here = u[j, i]
            west = u[j, i - 1] if i > 0 else -here
            east = u[j, i + 1] if i < n - 1 else -here
            south = u[j - 1, i] if j > 0 else -here
            north = u[j + 1, i] if j < n - 1 else -here
            laplacian = (west + east) + (south + north) - np.float32(4) * here
            older = before[j, i]
            before[j, i] = ((here + (here - older)) + lost * older + courant2 * laplacian) / (np.float32(1) + lost)


class CpuLeapfrog:
    def __init__(self, backend, cells, courant2):
        self._courant2 = np.float32(courant2)

    def step(self, u, before, lost):
        leapfrog(u, before, self._courant2, np.float32(lost))
