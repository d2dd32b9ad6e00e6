"""Gray-Scott on the CPU: one Numba pass over both substances per step.

A plane (ny, nx) is a box (ny, 1, nx) whose middle axis does not take part, as in the kernel of diffusion.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import math
from collections.abc import Sequence

import numba as nb
import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.threads import core_seconds
from engines.stencil.setup.sides import Ghosts


def gray_scott_traffic(shape: Sequence[int], value_bytes: int) -> KernelTraffic:
    """Per step: u and v are read, the new u and v are written."""
    points, dimensions = math.prod(shape), len(shape)
    size = points * 2 * value_bytes
    return KernelTraffic("gray_scott", size, size, points * (8 * dimensions + 12))


class CpuGrayScott:
    """u' = u + diffusion + dt(−u v² + F(1 − u)), v' = v + diffusion + dt(u v² − (F + k) v).

    rates_u, rates_v: (D dt/dx², D dt/dy²[, D dt/dz²]); ghosts hold for both substances; ``feed`` F and ``kill`` k [1/s]
    may change between steps. Call steps inside ``backend.timed`` or ``active``.
    """

    depth = 1

    def __init__(
        self,
        backend: Backend,
        shape: Sequence[int],
        rates_u: Sequence[float],
        rates_v: Sequence[float],
        ghosts: Ghosts,
        dt: float,
        feed: float,
        kill: float,
        precision: str,
    ) -> None:
        self.feed, self.kill = feed, kill
        self.dtype = np.dtype(precision)
        self.traffic = gray_scott_traffic(shape, self.dtype.itemsize)
        self._dt = dt
        self._threads, self._cores = backend.info.threads, backend.cores_for(core_seconds(self.traffic))
        self._flat = len(shape) == 2
        self._box = (shape[0], 1, shape[1]) if self._flat else tuple(shape)
        axes = (0, 2) if self._flat else (0, 1, 2)
        self._wraps = np.zeros(3, np.bool_)
        self._laws = np.zeros((3, 2, 2), self.dtype)
        self._rates = np.zeros((2, 3), self.dtype)
        for number, (axis, pair) in enumerate(zip(axes, ghosts, strict=True)):
            self._wraps[axis] = pair[0].wraps
            self._laws[axis] = [(ghost.scale, ghost.shift) for ghost in pair]
            self._rates[:, axis] = rates_u[number], rates_v[number]

    def advance(
        self, u: Array, v: Array, spare_u: Array, spare_v: Array, steps: int
    ) -> tuple[Array, Array, Array, Array]:
        """Take exactly ``steps`` steps from ``u`` and ``v``; (u, v, spare u, spare v)."""
        numbers = np.array([self._dt, self.feed, self.feed + self.kill, 1.0, 2.0]).astype(self.dtype)
        with self._cores.of(steps):
            for _ in range(steps):
                gray_scott_step(
                    u.reshape(self._box), v.reshape(self._box), spare_u.reshape(self._box), spare_v.reshape(self._box),
                    self._rates, self._laws, self._wraps, self._flat, numbers, self._threads,
                )  # fmt: skip
                u, v, spare_u, spare_v = spare_u, spare_v, u, v
        return u, v, spare_u, spare_v


@nb.njit(nogil=True)
def _fill(target, row, law):
    """The row of ghosts beyond a side that is not periodic."""
    for i in range(row.size):
        target[i] = law[0] * row[i] + law[1]


@nb.njit(nogil=True)
def _diffused(line, w, row, e, south, north, below, above, flat, rates, two):
    """line = row + diffusion; w, e: the row's neighbours along x, the others as the row."""
    rx, ry, rz = rates[0], rates[1], rates[2]
    if flat:
        for i in range(line.size):
            c = row[i]
            line[i] = (c + rx * ((w[i] + e[i]) - two * c)) + rz * ((below[i] + above[i]) - two * c)
    else:
        for i in range(line.size):
            c = row[i]
            line[i] = (
                (c + rx * ((w[i] + e[i]) - two * c)) + ry * ((south[i] + north[i]) - two * c)
            ) + rz * ((below[i] + above[i]) - two * c)  # fmt: skip


@nb.njit(nogil=True)
def _substance(out, values, scratch, z, y, rates, laws, wraps, flat, two):
    """One row of one substance after diffusion; scratch: (5, nx + 2), the first row is the row with its ghosts."""
    nz, ny, nx = values.shape
    row = values[z, y]
    padded = scratch[0]
    for x in range(nx):
        padded[x + 1] = row[x]
    padded[0] = row[nx - 1] if wraps[0] else laws[0, 0, 0] * row[0] + laws[0, 0, 1]
    padded[nx + 1] = row[0] if wraps[0] else laws[0, 1, 0] * row[nx - 1] + laws[0, 1, 1]
    south = values[z, y - 1] if y > 0 else values[z, ny - 1]
    north = values[z, y + 1] if y < ny - 1 else values[z, 0]
    below = values[z - 1, y] if z > 0 else values[nz - 1, y]
    above = values[z + 1, y] if z < nz - 1 else values[0, y]
    if not flat and not wraps[1]:
        if y == 0:
            south = scratch[1, :nx]
            _fill(south, row, laws[1, 0])
        if y == ny - 1:
            north = scratch[2, :nx]
            _fill(north, row, laws[1, 1])
    if not wraps[2]:
        if z == 0:
            below = scratch[3, :nx]
            _fill(below, row, laws[2, 0])
        if z == nz - 1:
            above = scratch[4, :nx]
            _fill(above, row, laws[2, 1])
    _diffused(out, padded[:nx], row, padded[2:], south, north, below, above, flat, rates, two)


@nb.njit(nogil=True)
def _react(out_u, out_v, u, v, n):
    dt, feed, removed, one = n[0], n[1], n[2], n[3]
    for i in range(out_u.size):
        reaction = u[i] * (v[i] * v[i])
        out_u[i] += dt * (feed * (one - u[i]) - reaction)
        out_v[i] += dt * (reaction - removed * v[i])


@nb.njit(cache=True, nogil=True, parallel=True)
def gray_scott_step(u, v, out_u, out_v, rates, laws, wraps, flat, n, bands):
    """One step; u … out_v: (nz, ny, nx) C order; rates: (2, 3); laws: (3, 2, 2) scale and shift of the ghosts of the
    low and high side of x, y, z; n: dt, F, F + k, 1, 2; bands: parts, each of one thread."""
    nz, ny, nx = u.shape
    rows = nz * ny
    for band in nb.prange(bands):
        scratch = np.empty((5, nx + 2), u.dtype)
        for index in range(band * rows // bands, (band + 1) * rows // bands):
            z, y = index // ny, index % ny
            _substance(out_u[z, y], u, scratch, z, y, rates[0], laws, wraps, flat, n[4])
            _substance(out_v[z, y], v, scratch, z, y, rates[1], laws, wraps, flat, n[4])
            _react(out_u[z, y], out_v[z, y], u[z, y], v[z, y], n)
