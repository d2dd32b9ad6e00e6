"""A range of a network's neurons on an NVIDIA GPU: the launches of one with a message between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.network.cuda import THREADS, CudaNetwork
from engines.spiking.network.plan import First, Plan
from engines.spiking.ranks.network import Range, RangeNetwork


class CudaRange(RangeNetwork, CudaNetwork):
    """See :mod:`engines.spiking.ranks.network`."""

    def __init__(self, backend: Any, plan: Plan, wiring: Wiring, first: First, own: Range) -> None:
        self._range = own
        super().__init__(backend, plan, own.synapses(wiring), first, (own.first, own.stop))
        a = self.arrays
        self._hear_arguments = (
            *(a[name] for name in ("release", "last", "spikes", "interval", "interval_square", "history")),
            *self._hears, np.int32(own.first), np.int32(own.stop),
        )  # fmt: skip
        self._hear_grid = (-(-plan.neurons // THREADS),)

    def _has_room(self, steps: int) -> bool:
        return False  # for a graph, in which nothing can be sent

    def _launch(self) -> None:
        parity = np.int32(self._parity)
        self._update(self._grid, self._block, (*self._update_arguments, *self.electrodes.arguments, parity))
        self._range.spread(self._fired)
        self._hear(self._hear_grid, (THREADS,), (*self._hear_arguments, parity))
        self._deliver(self._deliver_grid, (THREADS,), (*self._deliver_arguments, parity))
