"""Typed equations on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.threads import core_seconds
from engines.backend.vector_math import REGISTER_BYTES
from engines.stencil.equations.cpu_kernels import row_function, sweep
from engines.stencil.equations.explicit import Explicit
from engines.stencil.equations.laws import Sides
from engines.stencil.equations.passes import Pass


class CpuExplicit(Explicit):
    """On the CPU: rows by whole SIMD vectors, bands of rows on all cores."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._threads, self._cores = self._backend.info.threads, self._backend.cores_for(core_seconds(self.traffic))
        self._kernels: dict[Pass, Any] = {}

    def advance(self, step: int, steps: int) -> None:
        with self._cores:
            super().advance(step, steps)

    def laws(self, numbers: Array) -> Any:
        return numbers.astype(self.dtype)

    def sweep(self, one: Pass, arrays: Sequence[Any], numbers: Array, laws: Any, step: int = 0) -> None:
        if one not in self._kernels:
            row = row_function(one, self.plan.system.fields, self.dtype)
            self._kernels[one] = row, where_of(one, self.sides), np.array(one.into)
        row, where, into = self._kernels[one]
        base, second, third, out = (values.reshape(-1) for values in arrays[2:])
        given = numbers.astype(self.dtype)
        shares = REGISTER_BYTES // self.dtype.itemsize, self._threads, step, self.seed, *self.whole
        sweep(row.address, arrays[0], arrays[1], base, second, third, out, into, laws, where, given, shares)


def where_of(one: Pass, sides: Sides) -> Array:
    """(fields and stored names, 27) int64: the lowest and highest row beside a cell's that is read in the plane below,
    in its own and in the one above, (1, −1) where none is; whether x, y and z are periodic; where the laws are."""
    found = np.tile(np.array([1, -1]), (len(one.names), 3, 1))
    for row, name in enumerate(one.names):
        for _, dy, dz in one.reads.get(name, ()):
            low, high = found[row, dz + 1]
            found[row, dz + 1] = (dy, dy) if low > high else (min(low, dy), max(high, dy))
    count = len(found)
    return np.concatenate([each.reshape(count, -1).astype(np.int64) for each in (found, sides.wraps, sides.where)], 1)
