"""Which groups are due, on the CPU: the Numba twin of ``multirate.cu``."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.cardiac.multirate.groups import Groups
from engines.cardiac.stimulus.currents import active_bits

if TYPE_CHECKING:
    from engines.cardiac.step.graphs import Moment


class CpuGroups(Groups):
    """Groups on the CPU; call ``plan`` inside ``backend.timed`` or ``active``."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._is_due = np.zeros(self.n_groups, np.bool_)
        self._list = np.zeros(0, np.int64)

    def plan(
        self,
        voltage: Any,
        voltage_before: Any,
        step: int,
        currents: Array | None,
        moment: Moment | None = None,
    ) -> None:
        tissue = self._tissue
        plan_groups(
            voltage, voltage_before, tissue.activation, tissue.stimulus_mask, np.uint32(active_bits(currents)),
            tissue.threshold, step * self._dt, self._dt, step % self.slow_steps, self.slow_steps, self._run,
            self._wake, self._hold_steps, self.low, self.high, self.hold, self.waiting, self._is_due, tissue.n_cells,
        )  # fmt: skip
        self._list = np.flatnonzero(self._is_due)

    @property
    def due(self) -> tuple[Any, ...]:
        return self._list, self.waiting, self.hold, self.low, self.high, self._quiet, self._hold_steps

    def due_now(self) -> int:
        return len(self._list)


@njit(parallel=True, nogil=True, cache=True)
def plan_groups(
    voltage, voltage_before, activation, stimulus_mask, active, threshold, time, dt, phase, slow_steps, run, wake,
    hold_steps, low, high, hold, waiting, is_due, n_cells,
):  # fmt: skip
    """Fill ``is_due: (groups,)``; other arguments as in ``multirate.cu``."""
    for group in prange(len(hold)):
        first, end = 32 * group, min(32 * group + 32, n_cells)
        lowest, highest = low[group], high[group]
        woken = False
        for i in range(first, end):
            if voltage[i] < lowest - wake or voltage[i] > highest + wake:
                woken = True
        if active != 0:
            for i in range(first, end):
                if stimulus_mask[i] & active != 0:
                    woken = True
        holding = hold_steps if woken else hold[group]
        is_due[group] = holding > 0 or (phase + group // run) % slow_steps == 0
        hold[group] = holding - 1 if holding > 0 else 0
        waiting[group] += 1
        if not is_due[group] and lowest <= threshold + wake and highest >= threshold - wake:
            for i in range(first, end):
                before, after = voltage_before[i], voltage[i]
                if before < threshold and after >= threshold and activation[i] < 0.0:
                    activation[i] = time + dt * ((threshold - before) / (after - before))
