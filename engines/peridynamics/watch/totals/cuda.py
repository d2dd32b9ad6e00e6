"""Sums over particles on an NVIDIA GPU: launches ``totals.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.precision import REAL
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.totals.totals import NOWHERE, ListSums, Read, Totals

SOURCE = Path(__file__).with_name("totals.cu")
THREADS = 256
MOST_BLOCKS = 512
"""The last block adds up what each of them has found."""


def _kernel(solver: Solver | Read, name: str) -> Any:
    return solver.backend.compile(SOURCE, (REAL[solver.dtype.name],)).get_function(name)  # type: ignore[attr-defined]  # a backend that compiles


def _each(values: Any) -> Any:
    """(size) on the device, or None where all are one."""
    return values if np.ndim(values) else None


class CudaTotals(Totals):
    """As :class:`Totals`."""

    def __init__(self, solver: Solver, along: Array, threshold: float) -> None:
        super().__init__(solver, along, threshold)
        backend = solver.backend
        self._kernel = _kernel(solver, "totals")
        self._blocks = max(1, min(MOST_BLOCKS, -(-solver.body.size // THREADS)))
        self._partial, self._found = backend.array(np.zeros((self._blocks, 9))), backend.array(np.zeros(9))
        self._ticket = backend.array(np.zeros(1, np.int32))

    def _sums(self, table: Array, begun: bool, decay: float) -> Array:
        solver, arrays = self._solver, self._solver.arrays
        self._kernel(
            (self._blocks,), (THREADS,),
            (
                solver.own_velocities(), solver.kick_values, solver.pushes, solver.energy_values, arrays["work"],
                arrays["damped"], arrays["loss"], solver.damage_values, solver.lost_values(), solver.whole,
                self._along, solver.kind, _each(solver.mass), _each(solver.volume), solver.backend.array(table),
                np.float64(decay), np.int32(begun), np.float64(self._threshold), np.float64(NOWHERE),
                np.int32(solver.body.dimensions), np.int32(solver.body.size), self._partial, self._ticket, self._found,
            ),
        )  # fmt: skip
        return solver.backend.to_host(self._found)


class CudaListSums(ListSums):
    """As :class:`ListSums`."""

    def __init__(self, solver: Read, axes: list[int], lists: list[Array]) -> None:
        super().__init__(solver, axes, lists)
        backend = solver.backend
        self._kernel = _kernel(solver, "sums_of_lists")
        starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        places = np.concatenate([np.zeros(0, np.int32), *lists]).astype(np.int32)
        self._given = tuple(backend.array(np.asarray(each, np.int32)) for each in (places, starts, axes or [0]))
        self._found = backend.array(np.zeros(max(1, len(lists))))

    def read(self) -> Array:
        solver = self._solver
        if not self._axes:
            return np.zeros(0)
        with solver.backend.active():
            self._kernel(
                (len(self._axes),), (THREADS,),
                (
                    solver.arrays["u"], solver.kick_values, _each(solver.mass), *self._given,
                    np.int32(solver.body.size), self._found,
                ),
            )  # fmt: skip
            return solver.backend.to_host(self._found)
