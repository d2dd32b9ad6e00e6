"""Bonds on an NVIDIA GPU: launches ``bonds.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.peridynamics.solver import Discretised, Solver

SOURCE = Path(__file__).with_name("bonds.cu")
COLUMNS = 32
REAL = {"float32": "-DREAL=float", "float64": "-DREAL=double"}
BLOCKS_PER_PROCESSOR = 8
"""Blocks that the planes of a body are shared among, at least, before parts become longer."""
THREADS = 256


class CudaSolver(Solver):
    """As :class:`Solver`; arrays are CuPy's."""

    def __init__(self, backend: Any, body: Discretised, precision: str) -> None:
        super().__init__(backend, body, precision)
        family, layout = body.family, body.layout
        d, reach = layout.dimensions, family.reach
        macros = (REAL[self.dtype.name], f"-DDIMENSIONS={d}", f"-DREACH={reach}")
        module = backend.compile(SOURCE, macros)
        self._advance, self._measure, self._damage = map(module.get_function, ("step_bonds", "measure", "damage"))
        offsets, lengths = np.zeros((32 * family.words, 4), np.int32), np.zeros((32 * family.words, 2))
        offsets[: family.bonds, :3], offsets[: family.bonds, 3] = family.offsets, self._steps
        lengths[: family.bonds, 0], lengths[: family.bonds, 1] = family.lengths, 1 / family.lengths**2
        self._offsets, self._lengths = backend.array(offsets), backend.array(lengths)
        nx, ny, nz = layout.counts
        rows = 4 if d == 3 and self.dtype.itemsize == 8 else 8  # ROWS in family.cuh
        across = -(-nx // COLUMNS) * -(-ny // rows)
        parts = max(1, min(nz // (2 * reach), BLOCKS_PER_PROCESSOR * backend.multiprocessors // across))
        self.span = -(-nz // parts)
        self._grid, self._block = (-(-nx // COLUMNS), -(-ny // rows), -(-nz // self.span)), (COLUMNS, rows)
        planes = 2 * reach + 1 if d == 3 else 1
        self._shared = (COLUMNS + 2 * reach) * (rows + 2 * reach) * planes * d * self.dtype.itemsize
        if self._shared > 48 * 1024:
            self._advance.max_dynamic_shared_size_bytes = self._shared
        self._sizes = (
            *(np.int32(number) for number in (nx, ny, nz, layout.pitch, layout.rows)),
            np.int64(layout.base), np.int64(layout.size), np.int32(self.span),
        )  # fmt: skip

    def _prepared(self, table: Array) -> Any:
        self._kinds = table.shape[1]
        return self.backend.array(table)

    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        arrays, number = self.arrays, self.dtype.type
        self._advance(
            self._grid, self._block,
            (
                arrays["u"], self._spare, arrays["v"], arrays["words"], self._breakable, self._kind, table,
                np.int32(row * self._kinds), self._offsets, self._lengths, arrays["work"], arrays["loss"],
                arrays["damped"], *self._sizes, number(self.body.stiffness), number(self.body.limit), number(kick),
                number(decay),
            ),
            shared_mem=self._shared,
        )  # fmt: skip

    def measure(self) -> None:
        size = self.body.layout.size
        self._measure(
            (-(-size // THREADS),), (THREADS,),
            (
                self.arrays["u"], self.arrays["words"], self._offsets, self._lengths, self.energy_values,
                self.kick_values, np.int64(size), self.dtype.type(self.body.stiffness),
            ),
        )  # fmt: skip

    def find_damage(self) -> None:
        size = self.body.layout.size
        self._damage(
            (-(-size // THREADS),), (THREADS,),
            (self.arrays["words"], self._whole, self.damage_values, np.int64(size)),
        )  # fmt: skip
