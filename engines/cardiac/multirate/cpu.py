"""Which groups are due, on the CPU: the Numba twin of ``multirate.cu``."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.cardiac.cells.tissue import Due
from engines.cardiac.multirate.groups import Groups
from engines.cardiac.stimulus.currents import active_bits

if TYPE_CHECKING:
    from engines.cardiac.step.graphs import StepTimes


class PerGroup(NamedTuple):
    """What is known of each group, ``(groups,)``; as in ``multirate.cu``. is_due: bool, whether it reacts now"""

    turns: Array

    low: Array
    high: Array
    hold: Array
    waiting: Array
    is_due: Array


class Rule(NamedTuple):
    """Which groups react; as in ``multirate.cu``."""

    slow_steps: int
    wake: np.floating[Any]
    hold_steps: int


class CpuGroups(Groups):
    """Groups on the CPU; call ``plan`` inside ``backend.timed`` or ``active``."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        is_due = np.zeros(self.n_groups, np.bool_)
        self._per_group = PerGroup(self._turns, self.low, self.high, self.hold, self.waiting, is_due)
        self._rule = Rule(self.slow_steps, self._wake, self._hold_steps)
        self._list = np.zeros(0, np.int64)

    def plan(
        self, voltage: Any, voltage_before: Any, step: int, currents: Array | None, moment: StepTimes | None = None
    ) -> None:
        tissue = self._tissue
        plan_groups(
            voltage, voltage_before, tissue.activation, tissue.stimulus_mask, np.uint32(active_bits(currents)),
            tissue.threshold, step * self._dt, self._dt, step % self.slow_steps, self._rule, self._per_group,
            tissue.n_cells,
        )  # fmt: skip
        self._list = np.flatnonzero(self._per_group.is_due)

    @property
    def due(self) -> Due:
        return Due(self._list, self.waiting, self.hold, self.low, self.high, self._quiet, self._hold_steps)

    def due_now(self) -> int:
        return len(self._list)


@njit(parallel=True, nogil=True, cache=True)
def plan_groups(
    voltage, voltage_before, activation, stimulus_mask, active, threshold, time, dt, phase, rule, per_group, n_cells
):  # fmt: skip
    """Fill ``per_group.is_due``: hold > 0 or (phase + turn) mod slow_steps = 0; hold is hold_steps where a
    voltage has left low − wake … high + wake, or a stimulus is on.

    rule: :class:`Rule`; per_group: :class:`PerGroup`; all else as in ``multirate.cu``. Groups are 32 neighbouring
    cells. Bytes: the voltage of all cells; of each group turn, low, high, hold and waiting are read, the last two and
    is_due written; the voltage before and the activation where a group near the threshold is not due.
    """
    low, high, hold = per_group.low, per_group.high, per_group.hold
    waiting, is_due = per_group.waiting, per_group.is_due
    turns, slow_steps = per_group.turns, rule.slow_steps
    wake, hold_steps = rule.wake, rule.hold_steps
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
        is_due[group] = holding > 0 or (phase + turns[group]) % slow_steps == 0
        hold[group] = holding - 1 if holding > 0 else 0
        waiting[group] += 1
        if not is_due[group] and lowest <= threshold + wake and highest >= threshold - wake:
            for i in range(first, end):
                before, after = voltage_before[i], voltage[i]
                if before < threshold and after >= threshold and activation[i] < 0.0:
                    activation[i] = time + dt * ((threshold - before) / (after - before))
