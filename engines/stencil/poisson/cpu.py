"""The Poisson solvers on the CPU: calls the kernels of ``cpu_kernels.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array
from engines.stencil.poisson import cpu_kernels as kernels
from engines.stencil.poisson.iterations import PoissonSolver, seam_boxes
from engines.stencil.poisson.levels import Level, inverse

POINT_SECONDS = 5e-9
"""[s] of one core to relax a point of a level, about."""


class CpuPoisson(PoissonSolver):
    """Jacobi, SOR and multigrid in Numba."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._real = self.dtype.type
        self._omega = self._real(self.relaxation)
        self._offset = self._real(0)
        self._tables = [self._table(level) for level in self.levels]
        self._faces = [self._converted(level.faces) if level.faces else None for level in self.levels]
        self._cores = [self.backend.cores_for(POINT_SECONDS * level.cells) for level in self.levels]
        self._boxes = [seam_boxes(level) for level in self.levels]
        self._row_sums = np.empty(self.levels[0].shape[0] * self.levels[0].shape[1])
        self._spare = np.empty(self.shape, self.dtype) if self.method == "jacobi" else None
        if self.method == "multigrid":
            self._passages = [self._passage(level) for level in self.levels[:-1]]
            self._errors = [np.zeros(level.shape, self.dtype) for level in self.levels[1:]]
            self._residuals = [np.zeros(level.shape, self.dtype) for level in self.levels[1:]]
            self._inverse = inverse(self.levels[-1]).astype(self.dtype)

    def _converted(self, arrays: tuple[Array, ...]) -> tuple[Array, ...]:
        return tuple(np.ascontiguousarray(array, self.dtype) for array in arrays)

    def _table(self, level: Level) -> kernels.Tables:
        arrays = [
            part
            for axis in level.axes
            for part in (*self._converted((axis.coefficients, axis.ghosts)), np.ascontiguousarray(axis.neighbours))
        ]
        absorption = self._real(level.absorption)
        return kernels.Tables._make([*arrays, level.three, 0 if self._ghosts_lag(level) else 2, absorption])

    def _passage(self, level: Level) -> kernels.Passage:
        assert level.to_coarser is not None
        arrays, steps = [], []
        for axis in level.to_coarser:
            shares, weights = self._converted((axis.shares, axis.weights))
            arrays += [shares, np.ascontiguousarray(axis.parents), weights]
            steps.append(axis.step)
        return kernels.Passage._make([*arrays, *steps])

    def _grid(self, values: Array, level: int = 0) -> Array:
        return values.reshape(self.levels[level].shape)

    def _prepare(self, source: Array) -> None:
        if self.singular:
            kernels.row_sums(self._grid(source), self._row_sums)
            self._offset = self._real(self._row_sums.sum() / source.size + self._inflow)

    def _at(self, level: int) -> tuple[Any, ...]:
        return self._tables[level], self._faces[level]

    def _mean(self, level: int) -> Any:
        """What is taken off the source of this level."""
        return self._offset if level == 0 else self._real(0)

    def _jacobi(self, u: Array, source: Array) -> Array:
        assert self._spare is not None
        out = self._spare
        what = (self._grid(u), self._grid(source), self._offset, self._omega, *self._at(0))
        with self._cores[0]:
            kernels.jacobi(*what, self._grid(out), self.backend.info.threads)
        self._spare = u
        return out

    def _sweep(self, level: int, u: Array, source: Array) -> None:
        u, source = self._grid(u, level), self._grid(source, level)
        what = (u, source, self._mean(level), self._omega, *self._at(level))
        boxes = self._boxes[level]
        with self._cores[level]:
            if len(boxes) == 1:
                kernels.sweep(*what, self.backend.info.threads)
                return
            for colour in (0, 1):
                for box in boxes:
                    kernels.relax_box(*what, colour, box)

    def _restrict(self, level: int, u: Array, source: Array, error: Array, residual: Array) -> None:
        u, source = self._grid(u, level), self._grid(source, level)
        with self._cores[level]:
            kernels.restrict(u, source, self._mean(level), *self._at(level), self._passages[level], error, residual)

    def _prolong(self, level: int, error: Array, u: Array) -> None:
        with self._cores[level]:
            kernels.prolong(error, self._passages[level], self._grid(u, level))

    def _solve_coarsest(self, error: Array, residual: Array) -> None:
        np.matmul(self._inverse, residual.reshape(-1), out=error.reshape(-1))

    def _sum_of_squares(self, u: Array, source: Array) -> float:
        kernels.squares(self._grid(u), self._grid(source), self._offset, *self._at(0), self._row_sums)
        return float(self._row_sums.sum())

    def _remove_mean(self, u: Array) -> None:
        kernels.row_sums(self._grid(u), self._row_sums)
        kernels.subtract(self._grid(u), self._real(self._row_sums.sum() / u.size))
