"""What both kinds of network have in common, and the steps of those on a GPU."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

from engines.api import KernelTraffic
from engines.api.device import Backend
from engines.spiking.watch.electrodes import Electrodes
from engines.spiking.watch.spikes import CpuSpikes, CudaSpikes, SpikeList

GRAPH_STEPS = 50
"""Steps of a graph; even, so that the two counts of spikes are where they were."""


class Network(ABC):
    """A network on a device.

    arrays: all that changes from step to step or while it runs; quantum: what one unit of the integer inputs means;
    electrodes: what records single neurons; spikes: what finds all spikes, while somebody reads them
    """

    arrays: dict[str, Any]
    electrodes: Electrodes
    quantum: float
    traffic: tuple[KernelTraffic, ...]
    spikes: SpikeList | None = None

    def __init__(self, backend: Backend, quantum: float) -> None:
        self._backend, self.quantum = backend, quantum

    @abstractmethod
    def advance(self, steps: int) -> None:
        """Take ``steps`` steps."""

    def find_spikes(self, within: int) -> SpikeList:
        """Have :meth:`advance_watched` find all spikes from the next step on; ``within``: as of the list."""
        self.spikes = self._new_spikes(len(self.arrays["last"]), within)
        return self.spikes

    def _new_spikes(self, neurons: int, within: int) -> SpikeList:
        return CpuSpikes(neurons, within)

    def advance_watched(self, steps: int) -> None:
        """Take ``steps`` steps, and find their spikes where they are wanted."""
        if self.spikes is None:
            self.advance(steps)
            return
        while steps:
            part = min(steps, self.spikes.within)
            self.advance(part)
            self.spikes.collect(self.arrays, part)
            steps -= part


class GraphedNetwork(Network):
    """A network on a GPU: many steps at a time from a CUDA graph."""

    def __init__(self, backend: Any, quantum: float) -> None:
        super().__init__(backend, quantum)
        self._parity = 0
        """Of a step: which of two counts of spikes is its own."""
        self._told: Any = None
        """Where a step says who fires, a bit of each neuron, on several ranks."""
        self._graphs: dict[tuple[bool, int], Any] = {}
        """Of steps; those that record have one more launch, and those whose spikes are found more of them."""

    @abstractmethod
    def _launch(self) -> None:
        """The launches of one step."""

    def _step(self) -> None:
        self._launch()
        self.electrodes.look(self.arrays)
        self._parity = 1 - self._parity

    def advance(self, steps: int) -> None:
        with self._backend.timed("step", launches=steps):
            if steps >= GRAPH_STEPS and hasattr(self._backend, "captured") and self._has_room(GRAPH_STEPS):
                if self._parity:
                    self._make_room(1)
                    self._steps(1)
                    steps -= 1
                graph = self._captured()
                while steps >= GRAPH_STEPS:
                    self._make_room(GRAPH_STEPS)
                    graph()
                    steps -= GRAPH_STEPS
            while steps:
                part = steps if self.spikes is None else min(steps, self.spikes.within)
                self._make_room(part)
                self._steps(part)
                steps -= part

    def advance_watched(self, steps: int) -> None:
        self.advance(steps)

    def _new_spikes(self, neurons: int, within: int) -> SpikeList:
        self._graphs.clear()
        return CudaSpikes(self._backend, neurons, within, GRAPH_STEPS)

    def _has_room(self, steps: int) -> bool:
        return not isinstance(self.spikes, CudaSpikes) or self.spikes.bound(steps) <= self.spikes.capacity

    def _make_room(self, steps: int) -> None:
        if isinstance(self.spikes, CudaSpikes):
            self.spikes.make_room(steps)

    def _steps(self, steps: int) -> None:
        """Steps, and a look at who fired as often as nobody can have fired twice."""
        for taken in range(1, steps + 1):
            self._step()
            if self.spikes is not None and (taken == steps or taken % self.spikes.within == 0):
                self.spikes.collect(self.arrays, (taken - 1) % self.spikes.within + 1)

    def _captured(self) -> Any:
        recording = bool(self.electrodes.chosen), id(self.spikes)
        if recording not in self._graphs:
            # What is captured is not run; an even number of steps leaves the parity as it is.
            steps = partial(self._steps, GRAPH_STEPS)
            self._graphs[recording] = self._backend.captured(steps)  # type: ignore[attr-defined]  # a GPU
        return self._graphs[recording]
