"""Which groups are due, on an NVIDIA GPU: launches ``multirate.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api import Array
from engines.backend.precision import REAL
from engines.cardiac.multirate.groups import Groups
from engines.cardiac.stimulus.currents import active_bits

if TYPE_CHECKING:
    from engines.cardiac.step.graphs import StepTimes

SOURCE = Path(__file__).with_name("multirate.cu")
WARPS = 8
"""Groups of a block; as in the source."""


class CudaGroups(Groups):
    """Groups on a GPU. Launches go to the current stream: call inside ``backend.timed`` or ``active``."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        backend: Any = self._backend
        self._kernel = backend.compile(SOURCE, (REAL[self._tissue.dtype.name],)).get_function("plan")
        self._due = backend.empty(self.n_groups, np.int32)
        self._counts = backend.array(np.zeros(2, np.int32))
        self._blocks = 0

    def plan(
        self, voltage: Any, voltage_before: Any, step: int, currents: Array | None, moment: StepTimes | None = None
    ) -> None:
        tissue, real = self._tissue, self._tissue.dtype.type
        # A step starts with the count that the step before it has set to 0. Graphs have even numbers of steps.
        self.parity = 1 - self.parity
        times, phases = (None, None) if moment is None else (moment.time, moment.phase)
        self._kernel(
            (-(-self.n_groups // WARPS),), (32 * WARPS,),
            (
                voltage, voltage_before, tissue.activation, tissue.stimulus_mask, np.uint32(active_bits(currents)),
                real(tissue.threshold), real(step * self._dt), times, real(self._dt),
                np.int32(step % self.slow_steps), phases, np.int32(self.slow_steps), self._turns, self._wake,
                np.int32(self._hold_steps), self.low, self.high, self.hold, self.waiting, self._due, self._counts,
                np.int32(self.parity), np.int64(tissue.n_cells), np.int32(self.n_groups),
            ),
        )  # fmt: skip

    def launch(self, kernel: Any, block: tuple[int], arguments: tuple[Any, ...]) -> None:
        # As many blocks as run at once; they take turns at the groups that are due.
        if not self._blocks:
            backend: Any = self._backend
            self._blocks = min(-(-self.n_groups * 32 // block[0]), backend.resident_blocks(kernel, block[0]))
        count = self._counts[self.parity : self.parity + 1]
        these = (self._due, count, self.waiting, self.hold, self.low, self.high, self._quiet)
        kernel((self._blocks,), block, (*arguments, *these, np.int32(self._hold_steps)))

    def due_now(self) -> int:
        return int(self._backend.to_host(self._counts).max())
