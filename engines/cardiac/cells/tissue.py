"""What the cells of a tissue are, whatever their model and whatever runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from engines.api import Array, KernelTraffic

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


class Tissue(Protocol):
    """Cells without their voltage: TT06 by hand, or a compiled model. All arrays on the device, ``n_padded`` long.

    ``states: (rows, n_padded)``; ``activation: (n_padded,)`` [ms], ``NOT_ACTIVATED`` where it has not come;
    ``stimulus_mask: (n_padded,)`` uint32, bit k set in cells that stimulus k reaches; ``threshold`` [mV]: the upward
    crossing that counts as activation.
    """

    n_cells: int
    n_padded: int
    dtype: np.dtype[Any]
    states: Any
    activation: Any
    stimulus_mask: Any
    threshold: float

    @property
    def calcium_row(self) -> int | None:
        """Row of ``states`` with the calcium of the cytosol [mM]; None for models without."""

    @property
    def traffic(self) -> KernelTraffic: ...

    def new_voltage(self) -> Any:
        """(n_padded,) at rest [mV]."""

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
        """One reaction step in place, from time step·dt on; see :mod:`engines.cardiac.cells.tt06_tissue`."""

    def set_currents(self, currents: Array | None) -> None:
        """Have the currents on the device; see :meth:`engines.cardiac.cells.tt06_tissue.Tt06Tissue.set_currents`."""

    def state(self, name: str) -> Array:
        """(n_cells,) float64 on the host: one state in the units of its model."""
