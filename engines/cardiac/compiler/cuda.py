"""Cells of a compiled model on a GPU."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api import Array
from engines.backend.precision import REAL
from engines.cardiac.compiler.cuda_kernel import BLOCK, kernel_file
from engines.cardiac.compiler.tissue import CompiledTissue
from engines.cardiac.stimulus.currents import DeviceCurrents, active_bits

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend
    from engines.cardiac.multirate.groups import Groups
    from engines.cardiac.step.graphs import StepTimes


class CudaCompiledTissue(CompiledTissue):
    """On a GPU. Steps go to the stream that is current: call ``step`` inside ``backend.timed`` or ``active``."""

    backend: CudaBackend

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._macros = (REAL[self.compiled.precision],)
        self._kernel = self.backend.compile(kernel_file(self.compiled), self._macros).get_function("react")
        self._currents = DeviceCurrents(self.backend, self.dtype)

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
        self.set_currents(currents)
        real = self.dtype.type
        arguments = (
            self.states, np.int64(self.n_padded), voltage, voltage_before, self.activation, self.kinds, self.table,
            np.int32(self.n_kinds), self.stimulus_mask, np.uint32(active_bits(currents)), self._currents.values,
            real(self.threshold), real(step * dt), None if moment is None else moment.time, real(dt),
            np.int64(self.n_cells),
        )  # fmt: skip
        if groups is None:
            self._kernel((-(-self.n_cells // BLOCK),), (BLOCK,), arguments)
        else:
            groups.launch(self._groups_kernel, (BLOCK,), arguments)

    @cached_property
    def _groups_kernel(self) -> Any:
        module = self.backend.compile(kernel_file(self.compiled), (*self._macros, "-DGROUPS"))
        return module.get_function("react_groups")

    def set_currents(self, currents: Array | None) -> None:
        self._currents.set(currents)
