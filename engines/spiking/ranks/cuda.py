"""A range of a network's neurons on an NVIDIA GPU: the launches of one with a message between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.lif.cuda import CudaLif
from engines.spiking.lif.model import Lif, Sources, Start, Synapses
from engines.spiking.network.cuda import THREADS, CudaNetwork
from engines.spiking.network.plan import First, Plan
from engines.spiking.ranks.network import Range, RangeNetwork

SOURCE = Path(__file__).with_name("hear.cu")


class _Heard(RangeNetwork):
    """Between the two launches of a step the others' spikes come. No graph: nothing can be sent in it."""

    _fired: Any
    _heard: tuple[Any, ...]
    _parity: int

    def _listen(self, backend: Any) -> None:
        self._hear = backend.compile(SOURCE).get_function("hear")
        counted = ("release", "last", "spikes", "interval", "interval_square", "history")
        ends = np.int32(self._range.first), np.int32(self._range.stop)
        self._hear_arguments = (*(self.arrays[name] for name in counted), *self._heard, *ends)
        self._hear_grid = (-(-len(self.arrays["voltage"]) // THREADS),)

    def _has_room(self, steps: int) -> bool:
        return False  # for a graph

    def _launch_rest(self) -> None:
        self._range.spread(self._fired)
        self._hear(self._hear_grid, (THREADS,), (*self._hear_arguments, np.int32(self._parity)))
        super()._launch_rest()  # type: ignore[misc]  # of the network


class CudaRange(_Heard, CudaNetwork):
    """See :mod:`engines.spiking.ranks.network`."""

    def __init__(self, backend: Any, plan: Plan, wiring: Wiring, first: First, own: Range) -> None:
        self._range = own
        super().__init__(backend, plan, own.synapses(wiring), first, (own.first, own.stop))
        self._listen(backend)


class CudaLifRange(_Heard, CudaLif):
    """See :mod:`engines.spiking.ranks.network`."""

    def __init__(
        self, backend: Any, lif: Lif, sources: Sources, synapses: Synapses, start: Start, own: Range
    ) -> None:  # fmt: skip
        self._range = own
        super().__init__(backend, lif, sources, own.pairs(synapses, sources), start, (own.first, own.stop))
        self._listen(backend)
