"""Typed equations on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.threads import core_seconds, threads_for
from engines.backend.vector_math import REGISTER_BYTES
from engines.stencil.equations.cpu_kernels import march, row_function, rows_of
from engines.stencil.equations.explicit import Explicit
from engines.stencil.equations.passes import Pass


class CpuExplicit(Explicit):
    """On the CPU: rows by whole SIMD vectors, bands of rows on all cores. Steps of which the numbers stay the same are
    one call."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        seconds = core_seconds(self.traffic)
        self._bands, self._cores = threads_for(seconds, self._backend.info.threads), self._backend.cores_for(seconds)
        self._kernels: dict[Pass, tuple[Any, Array]] = {}
        names = len(self.sides.wraps)
        sides = [each.reshape(names, -1).astype(np.int64) for each in (self.sides.wraps, self.sides.where)]
        self._sides = np.concatenate(sides, 1)

    def advance(self, step: int, steps: int) -> None:
        with self._cores:
            if self.timed or self._time_at_sides or self._implicit is not None or self.arrive is not None:
                super().advance(step, steps)
                return
            if steps and (step == 0 or self.anew):  # the first step has numbers of its own
                super().advance(step, 1)
                step, steps = step + 1, steps - 1
            turns = []
            for _ in range(2 if len(self.plan.stages) == 1 else 1):
                turns.append([arrays for _, _, arrays in self.sweeps()])
                self.turn()
            passes, laws = [one for _, one, _ in self.sweeps()], self._laws(0.0)
            self._march(passes, turns, self.usual(), laws, step, steps)
            if steps % 2:
                self.turn()

    def laws(self, numbers: Array) -> Any:
        return numbers.astype(self.dtype)

    def sweep(self, one: Pass, arrays: Sequence[Any], numbers: Array, laws: Any, step: int = 0) -> None:
        self._march([one], [[arrays]], [numbers], laws, step, 1)

    def _march(
        self, passes: Sequence[Pass], turns: Sequence[Sequence[Sequence[Any]]], numbers: Sequence[Array], laws: Any,
        step: int, steps: int,
    ) -> None:  # fmt: skip
        """``steps`` steps of these passes. turns: arrays of each, in steps of which as many take turns."""
        functions, places = zip(*map(self._kernel, passes), strict=True)
        bases = [[[each.__array_interface__["data"][0] for each in arrays] for arrays in turn] for turn in turns]
        given = np.zeros((len(passes), max(1, *map(len, numbers))), self.dtype)
        for row, values in zip(given, numbers, strict=True):
            row[: len(values)] = values
        begins = np.cumsum([0, *map(len, places)])
        shares = REGISTER_BYTES // self.dtype.itemsize, self._bands, step, self.seed, *self.whole
        read = np.concatenate(places) if len(places) > 1 else places[0]
        march(np.array(functions), np.array(bases), read, begins, self._sides, laws, given, self.box, shares, steps)

    def _kernel(self, one: Pass) -> tuple[int, Array]:
        """Where the row function of a pass stands, and what it reads and writes."""
        if one not in self._kernels:
            fields = self.plan.system.fields
            read = np.array([(*place, *how) for place, how in rows_of(one, fields).items()], np.int64)
            self._kernels[one] = row_function(one, fields, self.dtype), read
        function, read = self._kernels[one]
        return function.address, read
