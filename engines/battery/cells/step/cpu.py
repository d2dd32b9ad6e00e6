"""Cells on the CPU: the twin of ``cells.cu``, a cell at a time on all cores.

The modes of a cell are short arrays in the precision asked for, which LLVM makes vectors of. What there is one of per
cell is float64 within a step and rounded to that precision between steps, so that batches of steps make one run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.backend import pointers
from engines.backend.compile.digest import digest
from engines.backend.loops.prepared import prepared
from engines.backend.threads import WORTH_A_THREAD
from engines.battery.cells.step import cpu_ageing, cpu_arguments, cpu_kernels, cpu_particles, cpu_salt, cpu_voltage
from engines.battery.cells.step.cells import Cells
from engines.battery.cells.step.cpu_arguments import Clock, Cycles, Ensemble, Model, Protocol, Trace
from engines.battery.cells.step.cpu_kernels import run_cell
from engines.battery.parameter_sets import constants
from engines.battery.particles.series import roots
from engines.battery.protocol import instructions
from engines.battery.setup import curves
from engines.battery.step import cell_rows, cpu_graded, graded, particle_rows
from engines.battery.step.cell_rows import ELECTROLYTE_CELLS
from engines.battery.step.graded import SHELLS, geometry
from engines.battery.step.particle_rows import MODES


def _compiled(sources: int, shells: Array | None) -> Callable[..., None]:
    """The kernel; ``sources`` is a digest of the code of other files that is compiled into it; ``shells``: geometry of
    particles whose diffusivity varies, apart so that others need not compile what these do."""

    @njit(parallel=True, nogil=True, cache=True)
    def advance(ensemble, cycles, model, protocol, trace, clock, n):
        """Steps of ``n`` cells: ``run_cells`` of cells.cu, whose head has the equations. Arrays as the structs of
        ``cpu_arguments.py`` tell. Bytes of a cell and launch: the state in and out, the coefficients in, 4 (8) of each
        traced value.
        """
        cells = n if sources >= 0 else 0
        for cell in prange(cells):
            reals = np.empty(ensemble.state.shape[0] + 2 * MODES, ensemble.state.dtype)
            doubles = np.empty(ensemble.coefficients.shape[0] + 6 * ELECTROLYTE_CELLS + 4 * SHELLS)
            # Signed, as in the serial form that Numba compiles first: one form of what is called will do.
            run_cell(np.int64(cell), ensemble, cycles, model, protocol, trace, clock, reals, doubles, shells)

    return advance


SOURCES = digest(
    cpu_kernels, cpu_particles, cpu_voltage, cpu_salt, cpu_ageing, cpu_arguments, cpu_graded, cell_rows,
    graded, particle_rows, instructions, curves, constants, pointers,
)  # fmt: skip
advance, varying = _compiled(SOURCES, None), _compiled(SOURCES, geometry())


CELL_SECONDS = 0.2e-6
"""[s] of a step of a cell on one core: forty-eight that age took 10 µs."""


class CpuCells(Cells):
    """Cells on the CPU."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        squares, weights = (roots(MODES) ** 2).astype(self.dtype), (2 / roots(MODES) ** 2).astype(self.dtype)
        self._model = Model(
            self._tables, squares, weights, self.electrolyte, self.thermal, self.ageing is not None, self.asymmetric,
        )  # fmt: skip
        self._code: Callable[..., None] | None = None
        self._no_trace = np.empty((0, self.n_padded), self.dtype)

    def advance(self, first_step: int, steps: int, trace: Any = None, every: int = 1) -> None:
        rows = self._no_trace if trace is None else trace.reshape(-1, self.n_padded)
        of_each = min(CELL_SECONDS * steps, WORTH_A_THREAD)  # a cell is one thread's, however many steps it takes
        arguments = (
            Ensemble(self.state, self.coefficients),
            Cycles(self.record, self.record.shape[2], self.instructions_per_cycle), self._model,
            Protocol(self._instructions, self.n_instructions, self._drive, float(self.factor)),
            Trace(rows, every, self.rows_per_plane(trace)), Clock(first_step * self.dt, self.dt, steps), self.n_cells,
        )  # fmt: skip
        with self.backend.cores_for(of_each * self.n_cells):
            if self._code is None:
                self._code = prepared(varying if self.varying else advance, *arguments)
            self._code(*arguments)
