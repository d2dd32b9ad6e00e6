"""TT06 on a device: the arrays of a tissue and what one reaction step is, whatever runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.twins import Twins
from engines.cardiac.cells import tt06
from engines.cardiac.cells.kinds import CELL_TYPES, Kind, starts
from engines.cardiac.cells.tissue import Tissue

NOT_ACTIVATED = -1.0
"""Stands in the activation array for a cell that has not crossed the threshold yet."""

FLOPS_PER_CELL = 900
"""Operations of one cell-step below −40 mV, an exp or log counted as 15 (a test recounts them)."""


class Tt06Tissue(Tissue):
    """The cells of a tissue, without their voltage.

    Per-cell arrays have length ``n_padded`` (:func:`tt06.padded_size`); ``precision`` is the type of voltage, states
    and activation. Make one with :data:`TT06_CELLS`.

    kinds: (n,) uint8, each cell's row of ``of``, which without changes are the values of :class:`tt06.CellType`.
    start: states by name, or (rows of ``of``, 19) physical. stimulus_mask: (n,) uint32, bit k set in cells that
    stimulus k reaches; None for no stimulus. potassium_stimulus: the stimulus enters the potassium balance (the
    protocol of the published single-cell action potentials), which a stimulus from outside does not.
    """

    def __init__(
        self,
        backend: Backend,
        kinds: Array,
        stimulus_mask: Array | None = None,
        *,
        precision: Literal["float32", "float64"] = "float32",
        of: Sequence[Kind] = CELL_TYPES,
        start: tt06.Start | Array = "initial",
        potassium_stimulus: bool = False,
        threshold: float = 0.0,
    ) -> None:
        self.backend = backend
        self.n_cells = len(kinds)
        self.n_padded = tt06.padded_size(self.n_cells)
        self.dtype = np.dtype(precision)
        self.potassium_stimulus = potassium_stimulus
        self.threshold = threshold
        self.of = tuple(of)
        kinds = np.asarray(kinds, dtype=np.uint8)
        self._cell_types = np.array([kind.cell_type for kind in of], np.uint8)[kinds]
        mask = np.zeros(self.n_cells, np.uint32) if stimulus_mask is None else np.asarray(stimulus_mask, np.uint32)
        voltage, states = tt06.tissue_start(self._cell_types, self.dtype, kinds, starts(of, start))
        self.at_rest = voltage
        self.kinds = backend.array(self._padded(kinds))
        self.stimulus_mask = backend.array(self._padded(mask))
        self.states = backend.array(states)
        self.activation = backend.array(np.full(self.n_padded, NOT_ACTIVATED, self.dtype))

    def _padded(self, values: Array) -> Array:
        padded = np.zeros(self.n_padded, dtype=values.dtype)
        padded[: len(values)] = values
        return padded

    def state(self, name: str) -> Array:
        row = tt06.ROWS.index(name)
        stored = self.backend.to_host(self.states[row])[: self.n_cells].astype(np.float64)
        return stored + tt06.offsets(self._cell_types)[row]

    @property
    def calcium_row(self) -> int | None:
        return tt06.ROWS.index("Ca_i")

    @property
    def traffic(self) -> KernelTraffic:
        return reaction_traffic(self.n_cells, self.dtype.itemsize)


TT06_CELLS = Twins[Tt06Tissue](__package__, cpu="cpu:CpuTissue", cuda="cuda:CudaTissue")


def reaction_traffic(n_cells: int, value_bytes: int) -> KernelTraffic:
    """Bytes and flops of one step: 18 states and the voltage read and written, the voltage at the start and the kind
    of cell read. Activation times and stimulus masks are touched in few steps and not counted."""
    rows = len(tt06.ROWS)
    return KernelTraffic(
        kernel="reaction",
        bytes_read=n_cells * ((rows + 2) * value_bytes + 1),
        bytes_written=n_cells * (rows + 1) * value_bytes,
        flops=n_cells * FLOPS_PER_CELL,
    )
