"""The linear peridynamic solid on an NVIDIA GPU: launches ``state.cu``."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.precision import REAL
from engines.peridynamics.lattice.cuda import RESIDENT, THREADS, grid_of, planes_effort, spans
from engines.peridynamics.lattice.layout import Planes
from engines.peridynamics.lattice.solver import Slab
from engines.peridynamics.state.body import StateBody, orbit_weights
from engines.peridynamics.state.material import influence
from engines.peridynamics.state.solver import StateSolver

SOURCE = Path(__file__).with_name("state.cu")


def block_of(dimensions: int, itemsize: int) -> tuple[int, int]:
    """ACROSS and DOWN of ``state.cu``."""
    if dimensions == 2:
        return 32, 8
    return (16, 4) if itemsize == 8 else (32, 6)


class CudaStateSolver(StateSolver):
    """Arrays are CuPy's."""

    def __init__(self, backend: Any, body: StateBody, precision: str, slab: Slab | None = None) -> None:
        super().__init__(backend, body, precision, slab)
        family, layout = body.family, body.layout
        d, reach = layout.dimensions, family.reach
        module = backend.compile(SOURCE, (REAL[self.dtype.name], f"-DDIMENSIONS={d}", f"-DREACH={reach}"))
        names = ("dilate", "move", "measure_energy", "measure_acceleration", "damage")
        self._dilate, self._move, self._energy, self._acceleration, self._damage = map(module.get_function, names)
        offsets, lengths = np.zeros((32 * family.words, 4), np.int32), np.zeros((32 * family.words, 3))
        offsets[: family.bonds, :3], offsets[: family.bonds, 3] = family.offsets, self._steps
        of_bonds = np.stack([family.lengths, 1 / family.lengths**2, influence(family)], axis=1)
        lengths[: family.bonds] = of_bonds
        self._offsets, self._lengths = backend.array(offsets), backend.array(lengths)
        self._lengths_seen = backend.array(lengths.astype(self.dtype))  # whole runs are looked at in few bits
        weights = orbit_weights(family).astype(self.dtype)
        self._weights = tuple(backend.array(np.ascontiguousarray(column)) for column in weights.T)
        nx, ny, nz = layout.counts
        columns, rows = self._block = block_of(d, self.dtype.itemsize)
        tiles, room = -(-nx // columns) * -(-ny // rows), RESIDENT * backend.multiprocessors
        self.span = min(spans(nz), key=lambda span: planes_effort(tiles, nz, span, 2 * reach, room))
        self._grid_of = cache(partial(grid_of, layout, layout.size, (columns, rows, self.span)))
        plane = (columns + 2 * reach) * (rows + 2 * reach) * self.dtype.itemsize
        plane *= 2 * reach + 1 if d == 3 else 1
        behind = sum(family.orbits) * self.dtype.itemsize
        self._shared = d * plane + behind, (d + 2) * plane + behind
        for kernel, size in zip((self._dilate, self._move), self._shared, strict=True):
            backend.allow_shared(kernel, size)

    def _prepared(self, table: Array) -> Any:
        self._kinds = table.shape[1]
        return self.backend.array(table)

    def _dilate_planes(self, table: Any, planes: Planes) -> None:
        arrays, (grid, sizes) = self.arrays, self._grid_of(planes)
        self._dilate(
            grid, self._block,
            (
                arrays["u"], arrays["v"], arrays["words"], self._breakable, self._dilation, self._stiffness,
                self.state_values, self._weights[0], self._offsets, self._lengths, arrays["loss"], *sizes,
                np.int32(self.span), self.dtype.type(self.body.limit),
            ),
            shared_mem=self._shared[0],
        )  # fmt: skip

    def _move_planes(self, table: Any, row: int, kick: float, decay: float, planes: Planes) -> None:
        arrays, number, (grid, sizes) = self.arrays, self.dtype.type, self._grid_of(planes)
        self._move(
            grid, self._block,
            (
                arrays["u"], self._spare, arrays["v"], arrays["words"], self._stiffness, self.state_values, self._kind,
                table, np.int32(row * self._kinds), self._weights[1], arrays["work"], arrays["damped"], *sizes,
                np.int32(self.span), number(kick), number(decay),
                np.float64(0.5 * (1 - float(number(decay))) / (1 + float(number(decay)))), self.pushes,
            ),
            shared_mem=self._shared[1],
        )  # fmt: skip

    def _measure_energy(self) -> None:
        u, words, size = self.arrays["u"], self.arrays["words"], np.int64(self.body.size)
        grid, block = (-(-self.body.size // THREADS),), (THREADS,)
        known = (self._offsets, self._lengths_seen)
        self._energy(
            grid, block,
            (u, words, self._dilation, self._stiffness, *known, self.state_values, self.energy_values, size),
        )  # fmt: skip

    def _measure_kicks(self) -> None:
        known = (self._offsets, self._lengths_seen)
        self._acceleration(
            (-(-self.body.size // THREADS),), (THREADS,),
            (
                self.arrays["u"], self.arrays["words"], self._stiffness, self.state_values, *known, self.kick_values,
                np.int64(self.body.size),
            ),
        )  # fmt: skip

    def find_damage(self) -> None:
        size = self.body.size
        self._damage(
            (-(-size // THREADS),), (THREADS,),
            (self.arrays["words"], self._whole, self.damage_values, np.int64(size)),
        )  # fmt: skip
