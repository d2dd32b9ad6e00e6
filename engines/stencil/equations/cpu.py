"""Typed equations on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.threads import core_seconds
from engines.backend.vector_math import REGISTER_BYTES
from engines.stencil.equations.cpu_kernels import row_function, rows_of, sweep
from engines.stencil.equations.explicit import Explicit
from engines.stencil.equations.passes import Pass


class CpuExplicit(Explicit):
    """On the CPU: rows by whole SIMD vectors, bands of rows on all cores."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._threads, self._cores = self._backend.info.threads, self._backend.cores_for(core_seconds(self.traffic))
        self._kernels: dict[Pass, Any] = {}
        names = len(self.sides.wraps)
        sides = [each.reshape(names, -1).astype(np.int64) for each in (self.sides.wraps, self.sides.where)]
        self._sides = np.concatenate(sides, 1)

    def advance(self, step: int, steps: int) -> None:
        with self._cores:
            super().advance(step, steps)

    def laws(self, numbers: Array) -> Any:
        return numbers.astype(self.dtype)

    def sweep(self, one: Pass, arrays: Sequence[Any], numbers: Array, laws: Any, step: int = 0) -> None:
        if one not in self._kernels:
            fields = self.plan.system.fields
            read = np.array([(*place, *how) for place, how in rows_of(one, fields).items()], np.int64)
            self._kernels[one] = row_function(one, fields, self.dtype), read
        row, read = self._kernels[one]
        given = numbers.astype(self.dtype)
        shares = REGISTER_BYTES // self.dtype.itemsize, self._threads, step, self.seed, *self.whole
        sweep(row.address, *arrays, read, self._sides, laws, given, shares)
