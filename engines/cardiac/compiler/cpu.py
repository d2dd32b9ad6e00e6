"""Cells of a compiled model on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api import Array
from engines.backend.threads import core_seconds
from engines.cardiac.cells.tissue import Cells
from engines.cardiac.compiler.cpu_kernels import numba_groups_kernel, numba_kernel, numba_pacing_kernel
from engines.cardiac.compiler.tissue import CompiledTissue
from engines.cardiac.stimulus.currents import active_bits

if TYPE_CHECKING:
    from engines.cardiac.multirate.groups import Groups
    from engines.cardiac.step.graphs import StepTimes


class CpuCompiledTissue(CompiledTissue):
    """On the CPU: whole SIMD vectors of cells, all cores. Call ``step`` inside ``backend.timed`` or ``active``."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._kernel = numba_kernel(self.compiled)
        self._no_currents = np.zeros(0)
        self._cores = self.backend.cores_for(core_seconds(self.traffic))

    def step(
        self,
        voltage: Any,
        voltage_before: Any,
        step: int,
        dt: float,
        currents: Array | None = None,
        *,
        moment: StepTimes | None = None,
        groups: Groups | None = None,
    ) -> None:
        arguments = (
            Cells(self.states, self.activation, self.kinds, self.table, self.stimulus_mask), voltage, voltage_before,
            active_bits(currents),
            self._no_currents if currents is None else np.asarray(currents, np.float64),
            self.threshold, step * dt, dt, self.n_cells,
        )  # fmt: skip
        if groups is None:
            with self._cores:
                self._kernel(*arguments)
        else:
            self._groups_kernel(*arguments, groups.due)

    @cached_property
    def _groups_kernel(self) -> Any:
        return numba_groups_kernel(self.compiled)

    def pace(self, voltage: Any, current: float, cycle: int, on: int, beats: int, dt: float) -> None:
        """As :meth:`engines.cardiac.cells.cpu.CpuTissue.pace`."""
        self._pace(self.states, voltage, self.kinds, self.table, current, cycle, on, beats, dt, self.n_cells)

    @cached_property
    def _pace(self) -> Callable[..., None]:
        """Made once: short stretches are paced by the thousand."""
        return numba_pacing_kernel(self.compiled)
