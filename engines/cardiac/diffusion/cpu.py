"""One explicit diffusion step on the CPU: the Numba twins of ``diffusion.cu``.

Entry by entry over the 32 rows of a slice, with the sums in the first-level cache, so that the loop over rows becomes
SIMD whatever the slice's width; in float32 four entries at a time, which spares most of the sums' traffic (README).
Columns stay 32 bits wide: a core waits for its gathers, not for the memory.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.threads import core_seconds
from engines.cardiac.diffusion import sliced
from engines.cardiac.diffusion.forward_euler import Diffusion, diffusion_traffic
from engines.cardiac.diffusion.sliced import SlicedMatrix

SLICE = 32
"""That of :mod:`sliced`, once more: Numba's cache on disk notices a change only in the file of the kernel."""
assert sliced.SLICE == SLICE

CHUNK = 64
"""Slices that one thread takes at a time: 2048 rows, 370 kB of float64 matrix."""

# Unsigned constants: Numba would otherwise test every index for being negative, and nothing would become SIMD.
_ONE, _SLICE = np.uint64(1), np.uint64(SLICE)
_2SLICES, _3SLICES, _4SLICES = np.uint64(2 * SLICE), np.uint64(3 * SLICE), np.uint64(4 * SLICE)


class CpuDiffusion(Diffusion):
    """Diffusion on the CPU; call steps inside ``backend.timed`` or ``active``."""

    def __init__(self, backend: Backend, matrix: SlicedMatrix, dt: float, precision: str = "float32") -> None:
        super().__init__(backend, matrix, dt, precision)
        weights = matrix.weights.astype(self.weight_type)  # a copy: rows may be replaced, the matrix is not ours
        self._matrix = SlicedMatrix(matrix.n_rows, matrix.starts, matrix.columns, weights)
        self._traffic = diffusion_traffic(matrix, precision)
        self._cores = backend.cores_for(core_seconds(self._traffic))

    @property
    def traffic(self) -> KernelTraffic:
        return self._traffic

    def update_rows(self, rows: Array, columns: Array, weights: Array) -> None:
        entries, values = self._matrix.replaced(rows, columns, weights)
        with self._backend.active():
            self._matrix.weights[entries] = values

    def step_rows(self, v: Any, out: Any, first: int, end: int) -> None:
        with self._cores:
            sliced_step(self._matrix, v, out, self.dt, first, end)


def sliced_step(
    matrix: SlicedMatrix, v: Array, out: Array, dt: float, first: int = 0, end: int | None = None
) -> None:  # fmt: skip
    """out = v + dt L v of rows ``first`` to ``end``, as in :meth:`Diffusion.step_rows`; differences and sums in the
    precision of v and out, whatever that of the weights."""
    end = matrix.n_rows if end is None else end
    begin, whole = first // SLICE, end // SLICE
    arrays = (matrix.columns.view(np.uint32), matrix.weights, v)
    starts, length = matrix.starts.view(np.uint64), v.dtype.type(dt)
    kernel = _fours_of_slices if v.dtype == np.float32 else _entries_of_slices
    if whole > begin:
        kernel(starts[begin : whole + 1], *arrays, v[first:], out[first:], length, whole - begin)
    if end > whole * SLICE:
        last = whole * SLICE
        _last_rows(starts[whole:], *arrays, v[last:], out[last:], length, end - last)


@nb.njit(cache=True, nogil=True, parallel=True, fastmath={"contract"})
def _fours_of_slices(starts, columns, weights, v, own, out, dt, whole):
    """out = own + dt Σ w (v_column − own), four entries of a row at a time, rows of a slice side by side.

    columns, weights: entry k of row r of slice s at starts[s] + k SLICE + r; own: v from the first of these rows on. An
    entry reads a column, a weight and the value there; a row reads and writes one value.
    """
    for chunk in nb.prange((whole + CHUNK - 1) // CHUNK):
        total, centre = np.empty(SLICE, v.dtype), np.empty(SLICE, v.dtype)
        for s in range(np.uint64(chunk * CHUNK), np.uint64(min((chunk + 1) * CHUNK, whole))):
            first, k, end = s * _SLICE, starts[s], starts[s + _ONE]
            for r in range(_SLICE):
                total[r] = 0
                centre[r] = own[first + r]
            while k + _3SLICES < end:
                for r in range(_SLICE):
                    one, two, three, four = k + r, k + _SLICE + r, k + _2SLICES + r, k + _3SLICES + r
                    a = weights[one] * (v[columns[one]] - centre[r])
                    b = weights[two] * (v[columns[two]] - centre[r])
                    c = weights[three] * (v[columns[three]] - centre[r])
                    d = weights[four] * (v[columns[four]] - centre[r])
                    total[r] += (a + b) + (c + d)
                k += _4SLICES
            while k < end:
                for r in range(_SLICE):
                    total[r] += weights[k + r] * (v[columns[k + r]] - centre[r])
                k += _SLICE
            for r in range(_SLICE):
                out[first + r] = centre[r] + dt * total[r]


@nb.njit(cache=True, nogil=True, parallel=True, fastmath={"contract"})
def _entries_of_slices(starts, columns, weights, v, own, out, dt, whole):
    """The same, entry by entry: for rows of few entries."""
    for chunk in nb.prange((whole + CHUNK - 1) // CHUNK):
        total = np.empty(SLICE, v.dtype)
        for s in range(np.uint64(chunk * CHUNK), np.uint64(min((chunk + 1) * CHUNK, whole))):
            first, k, end = s * _SLICE, starts[s], starts[s + _ONE]
            for r in range(_SLICE):
                total[r] = 0
            while k < end:
                for r in range(_SLICE):
                    total[r] += weights[k + r] * (v[columns[k + r]] - own[first + r])
                k += _SLICE
            for r in range(_SLICE):
                out[first + r] = own[first + r] + dt * total[r]


@nb.njit(cache=True, nogil=True)
def _last_rows(starts, columns, weights, v, own, out, dt, rows):
    """The rows of the last slice where it is not full."""
    for r in range(rows):
        total = dt * 0
        for k in range(np.int64(starts[0]), np.int64(starts[1]), SLICE):
            total += weights[k + r] * (v[columns[k + r]] - own[r])
        out[r] = own[r] + dt * total
