"""Irregular points on an NVIDIA GPU: launches ``cloud.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.backend.precision import REAL
from engines.backend.threads import parallel_region, usable_cores
from engines.peridynamics.cloud import kernels
from engines.peridynamics.cloud.family import CloudFamily
from engines.peridynamics.cloud.rows import CLASS_FROM, LISTED_FROM, WEIGHT_BITS
from engines.peridynamics.cloud.solver import Cloud, CloudSolver
from engines.peridynamics.lattice.family import WORD

SOURCE = Path(__file__).with_name("cloud.cu")
THREADS = (256, 128)
"""Particles of a block; the smaller ones where the neighbours of the larger find no room."""
MOST_SHARED = 64 * 1024
"""Bytes of shared memory of a block: what every processor from sm_75 on has."""
MOST_LISTED = 2 ** (WORD - LISTED_FROM)
"""Neighbours of a block: what the bits of a bond can tell apart."""
UNSHARED_THREADS = 256
MOST_BONDS = 2**34
"""Of all particles, columns that are not full included: what 32 bits number in fours."""


class CudaCloudSolver(CloudSolver):
    """As :class:`CloudSolver`; arrays are CuPy's.

    ``_records`` hold the displacement again, with each particle's place, in space the rest of it in ``_beside``.
    Whatever else changes ``arrays["u"]`` has to
    say so: ``stale``. bonds: starts, local, neighbours, codes, lists, list_starts as ``cloud.cu`` has them, with
    ``local`` or without; grid: (d, size) places.
    """

    def __init__(self, backend: Any, body: Cloud, precision: str, threads: tuple[int, ...] = THREADS) -> None:
        super().__init__(backend, body, precision)
        family, d = body.family, body.dimensions
        if len(family.neighbours) > MOST_BONDS:
            raise ProblemError(
                f"These points have {len(family.neighbours):,} bonds, and a GPU's kernels number {MOST_BONDS:,}: use "
                "fewer points, or a smaller horizon.",
                ("body",),
            )
        record, beside = 4 * self.dtype.itemsize, 2 * self.dtype.itemsize if d == 3 else 0
        self.threads, self._shared = UNSHARED_THREADS, 0
        lists, list_starts = np.zeros(1, np.int32), np.zeros(2, np.int64)
        classes = None if body.blend is None else body.blend.classes.astype(np.uint32)
        local: Array | None = None
        for number in threads:
            found = lists_of_blocks(family, number)
            longest = int(np.diff(found[1]).max())
            if longest < MOST_LISTED and longest * (record + beside) <= MOST_SHARED:
                lists, list_starts, numbers = found
                local = numbers.astype(np.uint32) << np.uint32(LISTED_FROM) | family.codes
                if classes is not None:
                    local |= classes << np.uint32(WEIGHT_BITS)
                self.threads, self._shared = number, longest * (record + beside)
                break
        macros = (
            REAL[self.dtype.name], f"-DDIMENSIONS={d}", f"-DLOCAL={int(local is not None)}",
            f"-DTHREADS={self.threads}", *(() if body.blend is None else ("-DMATERIALS",)),
        )  # fmt: skip
        module = backend.compile(SOURCE, macros)
        self._advance, self._pack, self._measure, self._damage = map(
            module.get_function, ("step_cloud", "pack", "measure", "damage")
        )
        backend.allow_shared(self._advance, self._shared)
        nothing, neighbours = np.zeros(1, np.uint32), family.neighbours.astype(np.uint32)
        if classes is not None:
            neighbours |= classes << np.uint32(CLASS_FROM)
        self.local = local is not None
        self.bonds = (
            backend.array(family.starts),
            backend.array(nothing if local is None else family.in_fours(local)),
            backend.array(nothing if local is not None else family.in_fours(neighbours)),
            backend.array(nothing.astype(np.uint16) if local is not None else family.in_fours(family.codes)),
            backend.array(lists),
            backend.array(list_starts),
        )
        self.grid = backend.array(np.ascontiguousarray(family.grid[:, :d].T.astype(np.int32)))
        self._records, self._spare_records, self._beside = (
            backend.array(np.zeros(family.size * width, self.dtype)) for width in (4, 4, 2 if d == 3 else 1)
        )
        self._blocks = -(-family.size // self.threads)
        self._limits: tuple[Any, ...] = ()
        if body.blend is not None:
            limits = (backend.array(values.astype(self.dtype)) for values in (body.blend.limits, body.blend.least))
            self._limits = (*limits, self.volume)
        self.stale = True

    def _prepared(self, table: Array) -> Any:
        self._kinds = table.shape[1]
        return self.backend.array(table)

    def restore(self, arrays: dict[str, Array]) -> None:
        super().restore(arrays)
        self.stale = True

    @property
    def _numbers(self) -> tuple[Any, ...]:
        number, unit = self.dtype.type, self.body.family.unit
        return np.int32(self.body.size), number(unit), number(self.body.stiffness)

    def _refresh(self) -> None:
        if self.stale:
            self._pack(
                (self._blocks,),
                (self.threads,),
                (self.arrays["u"], self.grid, self._records, self._beside, np.int32(self.body.size)),
            )
            self.stale = False

    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        self._refresh()
        arrays, number = self.arrays, self.dtype.type
        self._advance(
            (self._blocks,), (self.threads,),
            (
                self._records, self._beside, self._spare_records, self._spare, arrays["v"], arrays["words"],
                self._breakable, self._kind, self.mass, table, np.int32(row * self._kinds), *self.bonds, arrays["work"],
                arrays["loss"], arrays["damped"], *self._numbers, number(self.body.limit), number(kick), number(decay),
                *self._limits,
            ),
            shared_mem=self._shared,
        )  # fmt: skip
        self._records, self._spare_records = self._spare_records, self._records

    def measure(self) -> None:
        self._refresh()
        self._measure(
            (self._blocks,), (self.threads,),
            (
                self._records, self._beside, self.arrays["words"], self.mass, *self.bonds, self.energy_values,
                self.kick_values, *self._numbers,
            ),
        )  # fmt: skip

    def find_damage(self) -> None:
        size = self.body.size
        self._damage(
            (self._blocks,), (self.threads,),
            (
                self.arrays["words"], self._whole, self.damage_values, np.int32(self.body.family.words),
                np.int32(size),
            ),
        )  # fmt: skip


def lists_of_blocks(family: CloudFamily, threads: int) -> tuple[Array, Array, Array]:
    """(total,) int32 neighbours of each block once; (blocks + 1,) int64 where a block's begin; (entries,) int32
    each bond's number in its block's list."""
    blocks = -(-family.size // threads)
    starts = np.zeros(blocks + 1, np.int64)
    local = np.zeros(len(family.neighbours), np.int32)
    bands = min(blocks, 2 * usable_cores())
    lists = np.zeros(1, np.int32)
    with parallel_region():
        for filling in (False, True):
            kernels.localise(
                family.counts, family.starts, family.neighbours, threads, bands, starts, lists, local, filling
            )
            if not filling:
                starts = np.cumsum(starts)
                lists = np.zeros(int(starts[-1]), np.int32)
    return lists, starts, local
