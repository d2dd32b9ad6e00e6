"""Cells on an NVIDIA GPU: launches ``cells.cu``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api import Array, Remedy
from engines.api.errors import ProblemError
from engines.backend.precision import REAL
from engines.battery.cells.step.cells import Cells
from engines.battery.protocol.durations import DRIVES
from engines.battery.protocol.instructions import Instruction
from engines.battery.step import graded

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

SOURCE = Path(__file__).with_name("cells.cu")
PRECISION = ("numerics", "precision")
BLOCKS = {"float32": 64, "float64": 32}
"""Threads per block: the modes of a block's cells fill its shared memory. Half as many where a diffusivity varies."""


class CudaCells(Cells):
    """Cells on a GPU. Launches go to the stream that is current."""

    backend: CudaBackend

    def __init__(self, backend: CudaBackend, *args: Any, **kwargs: Any) -> None:
        super().__init__(backend, *args, **kwargs)
        self._more: tuple[Any, ...] = ()
        if self.ageing is not None:
            self._more = (self.record, np.int32(self.record.shape[2]), np.int32(self.instructions_per_cycle))
        if self.varying:
            self._more += (backend.array(graded.geometry().astype(self.dtype)),)

    def _check_precision(self) -> None:
        """Raises ProblemError for what its kernel has no registers for."""
        if self.varying and self.ageing is not None and self.dtype == np.float64:
            raise ProblemError(
                "On a GPU cells that age, of a diffusivity that depends on the stoichiometry, are calculated in fp32: "
                "choose that, or the CPU.",
                PRECISION,
                Remedy("Calculate in fp32", {PRECISION: "fp32"}),
            )

    def set_protocol(self, instructions: Sequence[Instruction], drive: Array | None = None) -> None:
        """What a drive cycle needs is compiled in only where there is one."""
        self._check_precision()
        super().set_protocol(instructions, drive)
        options = (
            REAL[self.dtype.name],
            f"-DELECTROLYTE={self.electrolyte:d}",
            f"-DTHERMAL={self.thermal:d}",
            f"-DASYMMETRIC={self.asymmetric:d}",
            f"-DAGEING={self.ageing is not None:d}",
            f"-DDRIVEN={self.asymmetric or any(each.kind in DRIVES for each in instructions):d}",
            *(("-DVARYING=1",) if self.varying else ()),
        )
        self._kernel = self.backend.compile(SOURCE, options).get_function("run_cells")

    def advance(self, first_step: int, steps: int, trace: Any = None, every: int = 1) -> None:
        real, block = self.dtype.type, BLOCKS[self.dtype.name] // (2 if self.varying else 1)
        self._kernel(
            (-(-self.n_cells // block),), (block,),
            (
                self.state, self.coefficients, self._tables, self._instructions, np.int32(self.n_instructions),
                self._drive, real(self.factor), np.uint64(0) if trace is None else trace, np.int32(every),
                np.int64(self.rows_per_plane(trace) * self.n_padded),
                np.int32(first_step), real(self.dt), np.int32(steps), np.int32(self.n_cells),
                np.int32(self.n_padded), *self._more,
            ),
        )  # fmt: skip
