"""The Poisson solvers on an NVIDIA GPU: launches ``poisson.cu``. Only the residual's norm waits for the device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.backend.precision import REAL
from engines.stencil.poisson.axes import Axis
from engines.stencil.poisson.iterations import PoissonSolver, seam_boxes
from engines.stencil.poisson.levels import Level, inverse

SOURCE = Path(__file__).with_name("poisson.cu")
SUM_THREADS = 256
"""Threads of a block that adds up; ``poisson.cu`` counts on it."""
SUM_BLOCKS = 1024


class CudaPoisson(PoissonSolver):
    """Jacobi, SOR and multigrid in CUDA, on the backend's stream."""

    block: tuple[int, int] = (32, 8)
    """Threads along x and y; an engine that measures launch shapes may set another."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._real = self.dtype.type
        self._omega = self._real(self.relaxation)
        backend: Any = self.backend  # a CudaBackend, which can compile
        first = self.levels[0]
        self._module = backend.compile(SOURCE, (REAL[self.dtype.name], f"-DVARIABLE={int(first.faces is not None)}"))
        self._grids = [self._grid(level) for level in self.levels]
        self._boxes = [seam_boxes(level) for level in self.levels]
        self._parts = backend.empty(min(SUM_BLOCKS, -(-first.cells // SUM_THREADS)), np.float64)
        self._total = backend.empty(1, np.float64)
        self._zero, self._offset = (backend.array(np.zeros(1)) for _ in range(2))
        self._spare = backend.empty(self.shape, self.dtype) if self.method == "jacobi" else None
        if self.method == "multigrid":
            self._passages = [self._passage(level) for level in self.levels[:-1]]
            self._errors = [backend.empty(level.shape, self.dtype) for level in self.levels[1:]]
            self._residuals = [backend.empty(level.shape, self.dtype) for level in self.levels[1:]]
            self._columns = self._placed(inverse(self.levels[-1]).T)

    def _placed(self, host: Any) -> Any:
        return self.backend.array(np.ascontiguousarray(host, self.dtype))

    def _grid(self, level: Level) -> tuple[Any, ...]:
        """The arguments that describe a level (GRID and FACES in the source)."""
        ends, inner = [_ends(axis) for axis in level.axes], [axis.coefficients.ravel() for axis in level.axes]
        table = np.concatenate([*ends, [level.absorption, 0.0, 0.0, 0.0], *inner])
        flags = sum(int(axis.wraps) << number for number, axis in enumerate(level.axes))
        flags += 8 * level.three + 16 * self._ghosts_lag(level) + 32 * (level.absorption > 0)
        nz, ny, nx = level.shape
        faces = () if level.faces is None else tuple(self._placed(face) for face in level.faces)
        return np.int32(nx), np.int32(ny), np.int32(nz), np.int32(flags), self._placed(table), *faces

    def _passage(self, level: Level) -> tuple[Any, ...]:
        """Shares, parents and weights of x, y and z one after the other, and the three steps."""
        assert level.to_coarser is not None
        shares, weights = (
            self._placed(np.concatenate([part.ravel() for part in parts]))
            for parts in zip(*((axis.shares, axis.weights) for axis in level.to_coarser), strict=True)
        )
        parents = self.backend.array(np.concatenate([axis.parents.ravel() for axis in level.to_coarser]))
        return shares, parents, weights, tuple(np.int32(axis.step) for axis in level.to_coarser)

    def _launch(self, kernel: str, cells: tuple[int, int, int], arguments: tuple[Any, ...]) -> None:
        """``cells``: threads needed along x, y, z."""
        x, y, z = cells
        grid = (-(-x // self.block[0]), -(-y // self.block[1]), z)
        self._module.get_function(kernel)(grid, (*self.block, 1), arguments)

    def _add_up(self, kernel: str, arguments: tuple[Any, ...], factor: float, constant: float, total: Any) -> None:
        """``total = factor * sum + constant`` of what ``kernel`` adds up."""
        blocks = self._parts.size
        self._module.get_function(kernel)((blocks,), (SUM_THREADS,), arguments)
        last = (self._parts, np.int32(blocks), np.float64(factor), np.float64(constant), total)
        self._module.get_function("add_parts")((1,), (SUM_THREADS,), last)

    def _mean(self, level: int) -> Any:
        """What is taken off the source of this level."""
        return self._offset if level == 0 else self._zero

    def _prepare(self, source: Any) -> None:
        if self.singular:
            cells = self.levels[0].cells
            self._add_up("add_values", (source, np.int64(cells), self._parts), 1.0 / cells, self._inflow, self._offset)

    def _jacobi(self, u: Any, source: Any) -> Any:
        out = self._spare
        nz, ny, nx = self.levels[0].shape
        kernel, threads = ("jacobi_four", nx // 4) if self._in_fours(0) else ("jacobi", nx)
        self._launch(kernel, (threads, ny, nz), (u, source, self._offset, self._omega, out, *self._grids[0]))
        self._spare = u
        return out

    def _in_fours(self, level: int) -> bool:
        """Whether rows are whole fours, so that they stay aligned, and the grid is one box."""
        return self.levels[level].shape[2] % 4 == 0 and len(self._boxes[level]) == 1

    def _sweep(self, level: int, u: Any, source: Any) -> None:
        what = (u, source, self._mean(level), self._omega)
        nz, ny, nx = self.levels[level].shape
        for colour in (0, 1):
            if self.dtype.itemsize == 4 and self._in_fours(level):  # doubles are 10 % faster one by one
                self._launch("relax_four", (nx // 4, ny, nz), (*what, np.int32(colour), *self._grids[level]))
                continue
            for x0, x1, y0, y1, z0, z1 in self._boxes[level]:
                box = tuple(np.int32(number) for number in (colour, x0, x1, y0, y1, z0))
                self._launch("relax", (-(-(x1 - x0) // 2), y1 - y0, z1 - z0), (*what, *box, *self._grids[level]))

    def _restrict(self, level: int, u: Any, source: Any, error: Any, residual: Any) -> None:
        shares, _, _, steps = self._passages[level]
        mz, my, mx = self.levels[level + 1].shape
        what = (u, source, self._mean(level), error, residual, shares, np.int32(mx), np.int32(my), *steps)
        self._launch("restrict_residual", (mx, my, mz), (*what, *self._grids[level]))

    def _prolong(self, level: int, error: Any, u: Any) -> None:
        _, parents, weights, _ = self._passages[level]
        nz, ny, nx = self.levels[level].shape
        _, my, mx = self.levels[level + 1].shape
        sizes = tuple(np.int32(number) for number in (nx, ny, mx, my, nz))
        self._launch("prolong", (nx, ny, nz), (error, u, parents, weights, *sizes))

    def _solve_coarsest(self, error: Any, residual: Any) -> None:
        n = self.levels[-1].cells
        self._module.get_function("solve_coarsest")(
            (-(-n // SUM_THREADS),), (SUM_THREADS,), (self._columns, residual, error, np.int32(n))
        )

    def _sum_of_squares(self, u: Any, source: Any) -> float:
        what = (u, source, self._offset, self._parts, *self._grids[0])
        self._add_up("add_squares", what, 1.0, 0.0, self._total)
        return float(self.backend.to_host(self._total)[0])

    def _remove_mean(self, u: Any) -> None:
        cells = self.levels[0].cells
        self._add_up("add_values", (u, np.int64(cells), self._parts), 1.0 / cells, 0.0, self._total)
        self._module.get_function("subtract")(
            (-(-cells // SUM_THREADS),), (SUM_THREADS,), (u, np.int64(cells), self._total)
        )


def _ends(axis: Axis) -> Any:
    """Scale and shift of the ghosts at both ends (4,)."""
    return np.concatenate([axis.ghosts[:2, 0], axis.ghosts[2:, -1]])
