"""(1 − γ Δt ∇·D ∇) u = r, solved on the device by V-cycles of the multigrid of Poisson's equation.

Divided by γ Δt D₀, with D₀ the largest D, it is −∇·(D/D₀ ∇u) + a u = a r, a = 1/(γ Δt D₀). What ghosts are shifted
by at the sides, which may hang on time and on the place, is taken to the right: the solver knows their scales alone. In
a face D is the mean of both cells, as in the flux that is not implicit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.stencil.equations.laws import Sides
from engines.stencil.equations.passes import Plan
from engines.stencil.equations.spatial import AXES
from engines.stencil.poisson.iterations import POISSON, SWEEPS_DOWN, SWEEPS_UP, PoissonSolver
from engines.stencil.poisson.levels import finest, hierarchy
from engines.stencil.poisson.traffic import method_traffic
from engines.stencil.setup.faces import Interfaces
from engines.stencil.setup.sides import Ghost

CYCLES = {"float32": 5, "float64": 10}
"""Of a step: each leaves about a tenth of the error, which begins as what diffusion does in the step."""
MOST_CYCLES = 40
TENTH = 0.15
"""What a cycle leaves at most of an error where ``CYCLES`` are enough."""
SLOWEST = 0.8
"""What a cycle may leave: ``MOST_CYCLES`` leave 1e-4 then."""


class ImplicitDiffusion:
    """Solves for the fields of a plan whose diffusion is implicit, on a grid of ``shape`` (ny, nx) or (nz, ny, nx) and
    ``spacing`` (x, y, z) [mm]."""

    def __init__(
        self, backend: Backend, shape: Sequence[int], spacing: Sequence[float], plan: Plan, sides: Sides,
        precision: str,
    ) -> None:  # fmt: skip
        self._backend, self._shape, self._spacing = backend, tuple(shape), tuple(spacing)
        self._plan, self._sides, self._precision = plan, sides, precision
        self._source = backend.empty(self._shape, np.dtype(precision))
        self._timed = sides.uses("t")
        self._given: Mapping[str, float] | None = None
        self._solvers: dict[tuple[int, float], tuple[PoissonSolver, int]] = {}
        self._shifts: dict[int, list[tuple[Any, Any]]] = {}

    def solve(self, fields: Any, step: float, time: float, given: Mapping[str, float]) -> None:
        """fields: (fields, nz, ny, nx), r before and u afterwards; step: γ Δt [s]; time: of u; given: parameters and
        sizes by name, another mapping where they have changed. Raises ProblemError."""
        if given is not self._given:
            self._given = given
            self._solvers.clear()
            self._shifts.clear()
            places = padded_places(self._shape, self._spacing, np.all(self._sides.wraps, axis=0))
            self._diffusivities = self._plan.diffusivities_with({**given, **places})
        for row, diffusivity in self._diffusivities.items():
            most = float(np.max(diffusivity))
            if most <= 0:
                continue
            share = diffusivity / most if np.ndim(diffusivity) else None
            if (row, step) not in self._solvers:
                self._solvers[row, step] = self._opened(row, 1 / (step * most), share)
            if row not in self._shifts or self._timed:
                self._shifts[row] = self._shifted(row, share, time)
            solver, cycles = self._solvers[row, step]
            values = fields[row].reshape(self._shape)
            self._source[...] = values
            self._source *= self._source.dtype.type(1 / (step * most))
            for at, inflow in self._shifts[row]:
                self._source[at] += inflow
            solver.iterate(values, self._source, cycles)

    def _opened(self, row: int, absorption: float, share: Array | None) -> tuple[PoissonSolver, int]:
        """A solver, and how many cycles of it a step takes: more where D varies so much that they leave more than a
        tenth of an error, by what some leave of noise."""
        numbers, usual = self._numbers(0.0), CYCLES[self._precision]
        ghosts = []
        for axis in range(len(self._shape)):
            wraps = bool(self._sides.wraps[row, axis])
            low, high = (Ghost(wraps, float(numbers[first, 0])) for first in self._sides.where[row, axis, :, 0])
            ghosts.append((low, high))
        conductivity = None if share is None else Interfaces(*_faces(share, self._shape))
        solver = POISSON.open(
            self._backend, self._shape, self._spacing, tuple(ghosts), self._precision, conductivity,
            absorption=absorption,
        )  # fmt: skip
        if share is None:
            return solver, usual
        noise = np.random.default_rng(0).standard_normal(self._shape).astype(self._precision)
        with self._backend.active():
            source, u = self._backend.array(noise), self._backend.array(np.zeros_like(noise))
            u = solver.iterate(u, source, 1)
            before = solver.residual_norm(u, source)
            left = math.sqrt(solver.residual_norm(solver.iterate(u, source, 2), source) / before)
            if before < 100 * np.finfo(self._precision).eps:  # a small grid is solved directly
                left = 0.0
        if left > SLOWEST:
            raise ProblemError(
                f"The diffusion of '{self._plan.system.fields[row]}' varies too much from cell to cell to be solved "
                "for: take a smoother D, smaller cells or another method.",
                ("equation", "method"),
            )
        return solver, usual if left <= TENTH else math.ceil(usual * math.log(TENTH) / math.log(left))

    def _numbers(self, time: float) -> Array:
        return self._sides.numbers({**(self._given or {}), "t": time})

    def _shifted(self, row: int, share: Array | None, time: float) -> list[tuple[Any, Any]]:
        """(where, how much) the ghosts' shifts bring into the cells at the sides."""
        numbers, found = self._numbers(time), []
        dimensions = len(self._shape)
        for axis in range(dimensions):
            along = dimensions - 1 - axis
            for side in range(2):
                shifts = numbers[self._sides.at(row, axis, side), 1].reshape(
                    [n for k, n in enumerate(self._shape) if k != along]
                )
                if shifts.any():
                    if share is not None:
                        shifts = shifts * np.take(_faces(share, self._shape)[1][axis], -side, along)
                    at = tuple(-side if k == along else slice(None) for k in range(dimensions))
                    inflow = (shifts / self._spacing[axis] ** 2).astype(self._precision)
                    found.append((at, self._backend.array(inflow)))
        return found


def padded_places(shape: Sequence[int], spacing: Sequence[float], wraps: Array) -> dict[str, Array]:
    """x, y (and z) [mm] of the cells, and of one more beyond each side, as arrays that spread over the grid; beyond
    sides of an axis that wraps is the opposite cell."""
    found = {}
    for axis, (count, h) in enumerate(zip(shape[::-1], spacing, strict=True)):
        cells = np.pad(np.arange(count), 1, "wrap") if wraps[axis] else np.arange(-1, count + 1)
        found[AXES[axis]] = ((cells + 0.5) * h).reshape([-1, *[1] * axis])
    return {"z": np.zeros(1), **found}


def _faces(padded: Array, shape: Sequence[int]) -> tuple[Array, tuple[Array, ...]]:
    """(of the cells, of the faces across x, y (and z)) from values with one more beyond each side."""
    padded = np.broadcast_to(padded, [count + 2 for count in shape])
    inner = [slice(1, -1)] * len(shape)
    faces = []
    for axis in range(len(shape)):
        along = len(shape) - 1 - axis
        line = np.asarray(padded[tuple(slice(None) if k == along else each for k, each in enumerate(inner))])
        low, high = np.delete(line, -1, along), np.delete(line, 0, along)
        faces.append(np.maximum((low + high) / 2, 0.0))
    return np.maximum(padded[tuple(inner)], np.finfo(float).tiny), tuple(faces)


def implicit_traffic(shape: Sequence[int], varies: bool, dtype: Any) -> KernelTraffic:
    """Of the solve for one field in a step, with the source that is made for it. varies: whether D does"""
    ghosts = tuple((Ghost(False), Ghost(False)) for _ in shape)
    levels = hierarchy(finest(shape, [1.0] * len(shape), ghosts, None, 1.0))
    if varies:
        levels = [replace(level, faces=(np.empty(0),) * 3) for level in levels]  # that they are there is what counts
    size = np.dtype(dtype).itemsize
    cycle = method_traffic("multigrid", levels, size, SWEEPS_DOWN + SWEEPS_UP)
    count, field = CYCLES[np.dtype(dtype).name], math.prod(shape) * size
    return KernelTraffic(
        "equations", count * cycle.bytes_read + 2 * field, count * cycle.bytes_written + 2 * field, count * cycle.flops
    )
