"""Heat in a box of voxels on the CPU: the twin of ``heat.cu``, with the same operations in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.battery.pack.heat import Heat

FIXED_POINT = 268435456.0


@njit(parallel=True, nogil=True, cache=True)
def rate(u, gx, gy, gz, per_capacity, owner, power, first, R, change, outflow):
    """R = (τ/C) (net(u) + power of the voxel), change = first R and outflow = 0; net as in ``heat.cu``.

    Arrays have ghosts, (nz + 2, ny + 2, nx + 2); power: (elements,), whose number is in owner. Bytes of a voxel: u,
    three conductances, τ/C and owner read, R, change and outflow written: 36 in float32, 68 in float64.
    """
    nz, ny, nx = u.shape
    for z in prange(1, nz - 1):
        for y in range(1, ny - 1):
            for x in range(1, nx - 1):
                c = u[z, y, x]
                along_x = gx[z, y, x] * (u[z, y, x + 1] - c) + gx[z, y, x - 1] * (u[z, y, x - 1] - c)
                along_y = gy[z, y, x] * (u[z, y + 1, x] - c) + gy[z, y - 1, x] * (u[z, y - 1, x] - c)
                along_z = gz[z, y, x] * (u[z + 1, y, x] - c) + gz[z - 1, y, x] * (u[z - 1, y, x] - c)
                value = per_capacity[z, y, x] * (((along_x + along_y) + along_z) + power[owner[z, y, x]])
                R[z, y, x] = value
                change[z, y, x] = first * value
                outflow[z, y, x] = 0.0


@njit(parallel=True, nogil=True, cache=True)
def stage(u, older, R, gx, gy, gz, per_capacity, numbers, change, outflow):
    """change = μ u + ν older + near (τ/C) net(u) + start R: D_j of D_{j−1} = u; at sides outflow += weight u.

    Arrays as of ``rate``; numbers: μ, ν, near, start, weight. Bytes of a voxel: seven values read and one written, 32
    in float32, 64 in float64.
    """
    nz, ny, nx = u.shape
    mu, nu, near, start, weight = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    for z in prange(1, nz - 1):
        for y in range(1, ny - 1):
            for x in range(1, nx - 1):
                c = u[z, y, x]
                along_x = gx[z, y, x] * (u[z, y, x + 1] - c) + gx[z, y, x - 1] * (u[z, y, x - 1] - c)
                along_y = gy[z, y, x] * (u[z, y + 1, x] - c) + gy[z, y - 1, x] * (u[z, y - 1, x] - c)
                along_z = gz[z, y, x] * (u[z + 1, y, x] - c) + gz[z - 1, y, x] * (u[z - 1, y, x] - c)
                diffused = near * (per_capacity[z, y, x] * ((along_x + along_y) + along_z))
                change[z, y, x] = ((mu * c + nu * older[z, y, x]) + diffused) + start * R[z, y, x]
            if z == 1 or z == nz - 2 or y == 1 or y == ny - 2:
                for x in range(1, nx - 1):
                    outflow[z, y, x] += weight * u[z, y, x]
            else:
                outflow[z, y, 1] += weight * u[z, y, 1]
                if nx > 3:
                    outflow[z, y, nx - 2] += weight * u[z, y, nx - 2]


@njit(parallel=True, nogil=True, cache=True)
def finish(u, error, change, outflow, gx, gy, gz, step, lost):
    """u += change with the rounding carried along in error; lost: (nz,) joules of each plane so far, of which a step
    adds τ g (u − beyond + outflow) over the faces of the sides.

    Bytes of a voxel: u, error and change read, u and error written, 20 in float32; at sides conductances and outflow,
    too.
    """
    nz, ny, nx = u.shape
    for z in prange(1, nz - 1):
        heat = 0.0
        for y in range(1, ny - 1):
            whole = z == 1 or z == nz - 2 or y == 1 or y == ny - 2
            for x in range(1, nx - 1):
                if whole or x == 1 or x == nx - 2:
                    inner = np.float64(u[z, y, x])
                    more = np.float64(outflow[z, y, x])
                    if x == 1:
                        heat += gx[z, y, x - 1] * ((inner - u[z, y, x - 1]) + more)
                    if x == nx - 2:
                        heat += gx[z, y, x] * ((inner - u[z, y, x + 1]) + more)
                    if y == 1:
                        heat += gy[z, y - 1, x] * ((inner - u[z, y - 1, x]) + more)
                    if y == ny - 2:
                        heat += gy[z, y, x] * ((inner - u[z, y + 1, x]) + more)
                    if z == 1:
                        heat += gz[z - 1, y, x] * ((inner - u[z - 1, y, x]) + more)
                    if z == nz - 2:
                        heat += gz[z, y, x] * ((inner - u[z + 1, y, x]) + more)
                corrected = change[z, y, x] - error[z, y, x]
                after = u[z, y, x] + corrected
                error[z, y, x] = (after - u[z, y, x]) - corrected
                u[z, y, x] = after
        lost[z - 1] += heat * step


@njit(parallel=True, nogil=True, cache=True)
def means(u, boxes, mean):
    """mean: (elements,) of u over boxes: (elements, 6), first and end along x, y and z; u is read once.

    Sums in fixed point do not depend on their order.
    """
    for element in prange(len(boxes)):
        total = np.int64(0)
        for z in range(boxes[element, 4], boxes[element, 5]):
            for y in range(boxes[element, 2], boxes[element, 3]):
                for x in range(boxes[element, 0], boxes[element, 1]):
                    total += np.int64(np.rint(np.float64(u[z + 1, y + 1, x + 1]) * FIXED_POINT))
        box = boxes[element]
        count = (box[1] - box[0]) * (box[3] - box[2]) * (box[5] - box[4])
        mean[element] = total / FIXED_POINT / count


class CpuHeat(Heat):
    """Heat on the CPU."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows, weights = self.stages.rows, self.stages.weights
        self._numbers = np.column_stack([rows, weights]).astype(self.dtype)

    @property
    def _parts(self) -> int:
        return self.shape[0]

    def _rate(self, change: Array) -> None:
        rate(
            self.temperature, *self._faces, self._per_capacity, self._owner, self._power,
            self.dtype.type(self.stages.first), self._rates, change, self._outflow,
        )  # fmt: skip

    def _stage(self, number: int, before: Array, older: Array, change: Array) -> None:
        stage(
            before, older, self._rates, *self._faces, self._per_capacity, self._numbers[number], change, self._outflow
        )

    def _finish(self, change: Array) -> None:
        finish(self.temperature, self._error, change, self._outflow, *self._faces, self.step, self._lost)

    def _means(self) -> None:
        means(self.temperature, self._boxes, self._mean)
