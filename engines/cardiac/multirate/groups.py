"""Groups of cells that react together: which are due, and what is known of each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.twins import Twins
from engines.cardiac.cells.tissue import Due, Tissue
from engines.cardiac.parameters.multirate import Multirate

if TYPE_CHECKING:
    from engines.cardiac.step.graphs import StepTimes

GROUP = 32
"""Cells of a group: a warp, and whole SIMD vectors."""
RUN = 64
"""Neighbouring groups that react at the same step, if they are quiet: whole stretches of memory are read."""
PER_GROUP = ("hold", "waiting", "low", "high")


class Groups(ABC):
    """All arrays are on the device, ``(n_groups,)``.

    ``waiting`` steps since the last reaction; ``hold`` steps for which a group still reacts at each one; ``low`` and
    ``high`` [mV] the extremes of its voltage after the last reaction. The rule is told in ``multirate.cu``.
    """

    def __init__(
        self, backend: Backend, tissue: Tissue, dt: float, settings: Multirate, numbers: Array | None = None,
        of: int | None = None,
    ) -> None:  # fmt: skip
        """``numbers: (n_groups,)``: which of all ``of`` groups of a tissue these are; None: all."""
        self._backend, self._tissue, self._dt = backend, tissue, dt
        self.n_groups = -(-tissue.n_cells // GROUP)
        self.slow_steps = settings.slow_steps(dt)
        self.share = settings.expected_share(dt)
        real = tissue.dtype.type
        self._hold_steps = max(1, round(settings.hold / dt))
        self._wake, self._quiet = real(settings.wake), real(settings.quiet)
        run = max(1, min(RUN, (of or self.n_groups) // (4 * self.slow_steps)))
        these = np.arange(self.n_groups) if numbers is None else numbers
        self._turns = backend.array((these // run % self.slow_steps).astype(np.int32))
        self.hold = backend.array(np.full(self.n_groups, self._hold_steps, np.int32))
        self.waiting = backend.array(np.zeros(self.n_groups, np.int32))
        self.low, self.high = (backend.array(np.zeros(self.n_groups, tissue.dtype)) for _ in range(2))

    parity = 0
    """Which of two kinds of step comes next: a CUDA graph is good for one of them."""

    @abstractmethod
    def plan(
        self, voltage: Any, voltage_before: Any, step: int, currents: Array | None, moment: StepTimes | None = None
    ) -> None:
        """Find the groups that are due at this step, and see to threshold crossings in the others.

        voltage: (n_padded,) after diffusion; voltage_before: at the start of the step. The tissue's step follows.
        """

    @property
    def due(self) -> Due:
        """On the CPU: last argument of a tissue's kernel for groups."""
        raise TypeError(f"{type(self).__name__} is launched, not handed to a kernel of the CPU")

    def launch(self, kernel: Any, block: tuple[int], arguments: tuple[Any, ...]) -> None:
        """On a GPU: launch a tissue's kernel for groups with these first arguments."""
        raise TypeError(f"{type(self).__name__} is not launched: its kernel takes what is due")

    @abstractmethod
    def due_now(self) -> int:
        """Groups that were due at the latest step; waits for the device."""

    def wake(self, cells: Array) -> None:
        """The groups of these cells ``(m,)`` react at each step for a while: something was done to them."""
        groups = np.unique(cells // GROUP)
        if len(groups):
            with self._backend.active():
                self.hold[self._backend.array(groups)] = self._hold_steps

    def traffic(self, reaction: KernelTraffic) -> KernelTraffic:
        """What a step moves if ``reaction`` is what it moves where all cells react."""
        return thinned(reaction, self.share, self._tissue.n_cells * self._tissue.dtype.itemsize)

    def state(self) -> dict[str, Array]:
        return {f"groups_{name}": self._backend.to_host(getattr(self, name)) for name in PER_GROUP}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take a state back, inside ``backend.active``. All groups of a state without these values are awake."""
        for name in PER_GROUP:
            target = getattr(self, name)
            if f"groups_{name}" in state:
                target[:] = self._backend.array(state[f"groups_{name}"])
            else:
                target[:] = self._hold_steps if name == "hold" else 0


GROUPS = Twins[Groups](__package__, cpu="cpu:CpuGroups", cuda="cuda:CudaGroups")


def thinned(reaction: KernelTraffic, share: float, voltage_bytes: int) -> KernelTraffic:
    """Traffic of a step in which a share of the cells reacts: theirs, and the voltage of all once more."""
    return replace(
        reaction,
        bytes_read=round(share * reaction.bytes_read) + voltage_bytes,
        bytes_written=round(share * reaction.bytes_written),
        flops=round(share * reaction.flops),
    )
