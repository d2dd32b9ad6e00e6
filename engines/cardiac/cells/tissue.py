"""What the cells of a tissue are, whatever their model and whatever runs them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend

if TYPE_CHECKING:
    from engines.cardiac.multirate.groups import Groups
    from engines.cardiac.step.graphs import StepTimes


class Cells(NamedTuple):
    """The arrays of a tissue as kernels of the CPU take them, with the names of ``tt06.cu``: ``states: (rows,
    n_padded)``, ``table: (columns, kinds)``, all others ``(n_padded,)``; see :class:`Tissue`."""

    states: Array
    activation: Array
    kinds: Array
    table: Array
    stimulus_mask: Array


class Due(NamedTuple):
    """The groups of cells that react, as ``multirate/groups.cuh`` has them. due: their numbers, (count,) int64"""

    due: Array
    waiting: Array
    hold: Array
    low: Array
    high: Array
    quiet: np.floating[Any]
    hold_steps: int


class Tissue(ABC):
    """Cells without their voltage: TT06 by hand, or a compiled model. All arrays on the device, ``n_padded`` long.

    ``states: (rows, n_padded)``; ``activation: (n_padded,)`` [ms], ``NOT_ACTIVATED`` where it has not come;
    ``stimulus_mask: (n_padded,)`` uint32, bit k set in cells that stimulus k reaches; ``threshold`` [mV]: the upward
    crossing that counts as activation.
    """

    backend: Backend
    n_cells: int
    n_padded: int
    dtype: np.dtype[Any]
    states: Any
    activation: Any
    stimulus_mask: Any
    threshold: float
    at_rest: Array
    """(n_padded,) voltage [mV] on the host."""

    @property
    @abstractmethod
    def calcium_row(self) -> int | None:
        """Row of ``states`` with the calcium of the cytosol [mM]; None for models without."""

    @property
    @abstractmethod
    def traffic(self) -> KernelTraffic: ...

    def new_voltage(self) -> Any:
        """(n_padded,) on the device: the voltage at rest [mV]. Diffusion reads one such array and writes another."""
        return self.backend.array(self.at_rest)

    @abstractmethod
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
        """One reaction step in place, from time step·dt on.

        voltage: (n_padded,) after diffusion, overwritten with the voltage at the end of the step [mV].
        voltage_before: (n_padded,) at the start of the step, before diffusion; ``voltage`` itself where there is none.
        currents: (k,) host array [pA/pF = mV/ms], positive depolarises, one per stimulus (k ≤ 32); None or zeros when
        none is on. A cell that crosses the threshold upwards for the first time gets its activation time [ms], linear
        between the voltages at start and end of the step.
        moment: where the time is found instead, in steps that a CUDA graph keeps. groups: those alone react that are
        due, for all the steps that they have waited (:mod:`engines.cardiac.multirate`).
        """

    def set_currents(self, currents: Array | None) -> None:
        """Copy the currents to the device, in the order of the stream, where they have changed: at a stimulus' edges.

        A step does so by itself; before a CUDA graph of steps it is done once.
        """

    @abstractmethod
    def state(self, name: str) -> Array:
        """(n_cells,) float64 on the host: one state, but the voltage, in the units of its model."""
