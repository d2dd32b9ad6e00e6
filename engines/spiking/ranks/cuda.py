"""A range of a network's neurons on an NVIDIA GPU: the launches of one, with a message after those of a window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from engines.spiking.lif.cuda import CudaLif
from engines.spiking.lif.model import Lif, Sources, Start, Synapses
from engines.spiking.network.cuda import THREADS, CudaNetwork
from engines.spiking.network.plan import First, Plan
from engines.spiking.ranks.network import OwnSynapses, Range, RangeNetwork
from engines.spiking.step.network import GraphedNetwork

SOURCE = Path(__file__).with_name("hear.cu")


class _Heard(RangeNetwork, GraphedNetwork):
    """Ranks tell each other a bit of each neuron and step: what is sent has a length that is known, and the host waits
    for no number."""

    _heard: tuple[Any, ...]
    _launch_update: Callable[[], None]  # of the network
    _launch_rest: Callable[[], None]

    def _listen(self, backend: Any) -> None:
        own, a = self._range, self.arrays
        words = -(-np.diff(own.bounds) // 32)
        places = np.concatenate([[0], np.cumsum(self._window * words)])
        told = backend.array(np.zeros(places[-1], np.uint32))
        self._bits = [
            told[first : first + self._window * count].reshape(self._window, count)
            for first, count in zip(map(int, places), map(int, words), strict=False)
        ]
        self._rows_told = list(self._bits[own.ranks.rank])
        self._told = self._rows_told[0]
        self._hear = backend.compile(SOURCE).get_function("hear")
        counted = ("release", "last", "spikes", "interval", "interval_square", "history")
        self._hear_arguments = (
            *(a[name] for name in counted), *self._heard, told, backend.array(places),
            backend.array(np.array(own.bounds, np.int32)), np.int32(own.first), np.int32(own.stop),
        )  # fmt: skip
        self._hear_grid = (-(-len(a["voltage"]) // THREADS),)
        self._windows: dict[int, Any] = {}
        """Graphs of whole windows, by the parity of their first step."""

    def advance(self, steps: int) -> None:
        with self._backend.timed("step", launches=steps):
            while steps:
                part = min(steps, self._window)
                self._make_room(part)
                self._take(part)
                self._tell_others(part)
                if self.spikes is not None:
                    self.spikes.collect(self.arrays, part)
                steps -= part

    def _take(self, steps: int) -> None:
        """Own neurons take steps, and hear their own spikes but for those of the last one."""
        parity = self._parity
        if steps < self._window or steps == 1 or not hasattr(self._backend, "captured"):
            self._launch_steps(steps)
            return
        if parity not in self._windows:
            self._windows[parity] = self._backend.captured(lambda: self._launch_steps(steps))
        self._windows[parity]()
        self._parity = (parity + steps - 1) % 2

    def _launch_steps(self, steps: int) -> None:
        for step in range(steps):
            if step:
                self._launch_rest()
                self._parity = 1 - self._parity
            self._told = self._rows_told[step]
            self._launch_update()

    def _tell_others(self, steps: int) -> None:
        own = self._range
        theirs = [self._bits[rank][:steps] for rank in own.others]
        own.exchange(self._bits[own.ranks.rank][:steps], theirs, self._reached)
        arguments = (*self._hear_arguments, np.int32(steps), np.int32(self._parity))
        self._hear(self._hear_grid, (THREADS,), arguments)
        self._launch_rest()
        self._parity = 1 - self._parity


class CudaRange(_Heard, CudaNetwork):
    """See :mod:`engines.spiking.ranks.network`."""

    def __init__(self, backend: Any, plan: Plan, synapses: OwnSynapses, first: First, own: Range) -> None:
        self._range = own
        super().__init__(backend, plan, synapses.wiring, first, (own.first, own.stop))
        self._begin(synapses)
        self._window = min(self._window, plan.surely_silent)  # of the list of spikes, and for who reads the last ones
        self._listen(backend)


class CudaLifRange(_Heard, CudaLif):
    """See :mod:`engines.spiking.ranks.network`."""

    def __init__(
        self, backend: Any, lif: Lif, sources: Sources, synapses: Synapses, start: Start, own: Range
    ) -> None:  # fmt: skip
        self._range = own
        super().__init__(backend, lif, sources, own.pairs(synapses, sources), start, (own.first, own.stop))
        self._listen(backend)
