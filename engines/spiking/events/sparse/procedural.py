"""A matrix of synapses that nobody stores: each use draws the same targets and weights again from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.spiking.events import cpu_kernels
from engines.spiking.events.sparse.formats import power_for


@dataclass(frozen=True)
class Drawn:
    """``rows`` neurons with ``number`` synapses each, their targets among ``columns``, equally likely and independent
    (two may be the same); weights uniform in ``low`` … ``low + span``."""

    rows: int
    columns: int
    number: int
    low: np.float32
    span: np.float32
    seed: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.columns

    @property
    def power(self) -> int:
        """Safe even if all synapses of all rows had the same target."""
        largest = max(abs(float(self.low)), abs(float(self.low) + float(self.span)))
        return power_for(self.rows * self.number * largest)

    def table(self) -> Array:
        """(rows, columns) float64, for looking at small ones."""
        table = np.zeros(self.shape)
        targets, weights = np.empty(self.number, np.int64), np.empty(self.number, np.float32)
        for row in range(self.rows):
            cpu_kernels.draw(
                np.uint64(self.seed), row, self.number, self.columns, self.low, self.span, targets, weights
            )
            np.add.at(table[row], targets, weights)
        return table
