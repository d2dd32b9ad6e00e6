"""(1 − γ Δt D ∇²) u = r, solved on the device by V-cycles of the multigrid of Poisson's equation.

Divided by γ Δt D it is −∇²u + σ u = σ r. The solver knows no σ, but a slab: one layer of cells of height H whose faces
above and below are held at 0 loses 4 u/H² through them, which is σ u for H = 2/√σ. So a plane is solved as a slab.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.stencil.poisson.iterations import POISSON, SWEEPS_DOWN, SWEEPS_UP, PoissonSolver
from engines.stencil.poisson.levels import finest, hierarchy
from engines.stencil.poisson.traffic import method_traffic
from engines.stencil.setup.sides import Ghost, Ghosts

CYCLES = {"float32": 5, "float64": 10}
"""Of a step: each leaves about a tenth of the error, which begins as what diffusion does in the step."""
_COLD = (Ghost(False, -1.0), Ghost(False, -1.0))
_KEPT = 2
"""Solvers of a field: of the first step and of all others."""


class ImplicitDiffusion:
    """Solves for single fields on a plane of (ny, nx) cells of ``spacing`` (x, y) [mm]; wraps: (fields, 3)."""

    def __init__(
        self, backend: Backend, shape: Sequence[int], spacing: Sequence[float], wraps: Array, precision: str
    ) -> None:
        self._backend, self._shape, self._spacing = backend, (1, *shape), tuple(spacing)
        self._wraps, self._precision = wraps, precision
        self._solvers: dict[int, dict[tuple[float, bytes], PoissonSolver]] = {}
        self._source = backend.empty(self._shape, np.dtype(precision))

    def solve(self, row: int, values: Any, length_squared: float, laws: Array) -> None:
        """values: (1, ny, nx) of field ``row``, r before and u afterwards; length_squared: γ Δt D [mm²]; laws:
        (3, 2, 2) scale and shift of its ghosts at the sides, see :class:`engines.stencil.equations.laws.Sides`"""
        solver = self._solver(row, length_squared, laws)
        self._source[...] = values
        self._source *= self._source.dtype.type(1 / length_squared)
        solver.iterate(values, self._source, CYCLES[self._precision])

    def _solver(self, row: int, length_squared: float, laws: Array) -> PoissonSolver:
        kept, key = self._solvers.setdefault(row, {}), (length_squared, laws.tobytes())
        if key not in kept:
            if len(kept) == _KEPT:
                del kept[next(iter(kept))]
            ghosts: list[tuple[Ghost, Ghost]] = []
            for axis in range(2):
                wraps = bool(self._wraps[row, axis])
                low, high = (Ghost(wraps, float(scale), float(shift)) for scale, shift in laws[axis])
                ghosts.append((low, high))
            height = 2 * math.sqrt(length_squared)
            kept[key] = POISSON.open(
                self._backend, self._shape, (*self._spacing, height), (*ghosts, _COLD), self._precision
            )
        return kept[key]


def implicit_traffic(shape: Sequence[int], spacing: Sequence[float], dtype: Any) -> KernelTraffic:
    """Of the solve for one field in a step, with the source that is made for it."""
    insulated: Ghosts = ((Ghost(False), Ghost(False)), (Ghost(False), Ghost(False)), _COLD)
    levels = hierarchy(finest((1, *shape), (*spacing, 1.0), insulated, None))
    size = np.dtype(dtype).itemsize
    cycle = method_traffic("multigrid", levels, size, SWEEPS_DOWN + SWEEPS_UP)
    count, field = CYCLES[np.dtype(dtype).name], math.prod(shape) * size
    return KernelTraffic(
        "equations", count * cycle.bytes_read + 2 * field, count * cycle.bytes_written + 2 * field, count * cycle.flops
    )
