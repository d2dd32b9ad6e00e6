"""The TT06 reaction step on an NVIDIA GPU: launches ``tt06.cu``."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api import Array
from engines.backend.precision import REAL
from engines.backend.tuning import tune, tuning_key
from engines.cardiac.cells.constants import ROW_M
from engines.cardiac.cells.kinds import changed, kinds_table, varied
from engines.cardiac.cells.tt06_tissue import Tt06Tissue
from engines.cardiac.stimulus.currents import DeviceCurrents, active_bits

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend
    from engines.cardiac.multirate.groups import Groups
    from engines.cardiac.step.graphs import StepTimes

SOURCE = Path(__file__).with_name("tt06.cu")
BLOCKS = ((64,), (128,), (256,))
"""Threads per block that are tried; the kernel's launch bound is the largest."""
IN_A_ROW = 20
"""Launches that a shape is timed by."""


class CudaTissue(Tt06Tissue):
    """TT06 on a GPU. Steps go to the stream that is current: call them inside ``backend.timed`` or ``active``."""

    backend: CudaBackend

    def __init__(self, backend: CudaBackend, *args: Any, **kwargs: Any) -> None:
        super().__init__(backend, *args, **kwargs)
        macros: tuple[str, ...] = (REAL[self.dtype.name],)
        if changed(self.of):
            macros += (f"-DVARIED={varied(self.of):#x}u",)
        self._macros = macros
        self._table = backend.array(kinds_table(self.of, self.dtype))
        self._kernel = backend.compile(SOURCE, macros).get_function("react")
        self._currents = DeviceCurrents(backend, self.dtype)
        self._block = tune(tuning_key("react", backend.info, SOURCE, self.n_cells, macros), BLOCKS, self._time)

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
        active = active_bits(currents)
        if groups is None:
            self._launch(self._block, voltage, voltage_before, step * dt, dt, active, moment)
            return
        arguments = self._arguments(voltage, voltage_before, step * dt, dt, active, moment)
        groups.launch(self._groups_kernel, self._block, arguments)

    @cached_property
    def _groups_kernel(self) -> Any:
        return self.backend.compile(SOURCE, (*self._macros, "-DGROUPS")).get_function("react_groups")

    def _launch(
        self,
        block: tuple[int],
        voltage: Any,
        voltage_before: Any,
        time: float,
        dt: float,
        active: int,
        moment: StepTimes | None = None,
    ) -> None:
        arguments = self._arguments(voltage, voltage_before, time, dt, active, moment)
        self._kernel((-(-self.n_cells // block[0]),), block, arguments)

    def _arguments(
        self, voltage: Any, voltage_before: Any, time: float, dt: float, active: int, moment: StepTimes | None
    ) -> tuple[Any, ...]:
        real = self.dtype.type
        return (
            self.states, np.int64(self.n_padded), voltage, voltage_before, self.activation, self.kinds, self._table,
            np.int32(len(self.of)), self.stimulus_mask, np.uint32(active), self._currents.values,
            real(self.potassium_stimulus), real(self.threshold), real(time),
            None if moment is None else moment.time, real(dt), np.int64(self.n_cells),
        )  # fmt: skip

    def set_currents(self, currents: Array | None) -> None:
        self._currents.set(currents)

    def _time(self, block: tuple[int]) -> float:
        """Seconds of a launch with a step of 0 ms, which changes m alone (by round-off); m is put back."""
        voltage = self.new_voltage()
        with self.backend.active():
            m = self.states[ROW_M].copy()
            seconds = self.backend.elapsed(lambda: self._launch(block, voltage, voltage, 0.0, 0.0, 0), IN_A_ROW)
            self.states[ROW_M] = m
        return seconds
