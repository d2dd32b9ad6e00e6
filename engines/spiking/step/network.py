"""What both kinds of network have in common, and the steps of those on a GPU."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from engines.api import KernelTraffic
from engines.api.device import Backend
from engines.spiking.watch.electrodes import Electrodes

GRAPH_STEPS = 50
"""Steps of a graph; even, so that the two counts of spikes are where they were."""


class Network(ABC):
    """A network on a device.

    arrays: all that changes from step to step or while it runs; quantum: what one unit of the integer inputs means;
    electrodes: what records single neurons
    """

    arrays: dict[str, Any]
    electrodes: Electrodes
    quantum: float
    traffic: tuple[KernelTraffic, ...]

    def __init__(self, backend: Backend, quantum: float) -> None:
        self._backend, self.quantum = backend, quantum

    @abstractmethod
    def advance(self, steps: int) -> None:
        """Take ``steps`` steps."""


class GraphedNetwork(Network):
    """A network on a GPU: many steps at a time from a CUDA graph."""

    def __init__(self, backend: Any, quantum: float) -> None:
        super().__init__(backend, quantum)
        self._parity = 0
        """Of a step: which of two counts of spikes is its own."""
        self._graphs: dict[bool, Any] = {}
        """Of steps; those that record have one more launch."""

    @abstractmethod
    def _launch(self) -> None:
        """The launches of one step."""

    def _step(self) -> None:
        self._launch()
        self.electrodes.look(self.arrays)
        self._parity = 1 - self._parity

    def advance(self, steps: int) -> None:
        with self._backend.timed("step", launches=steps):
            if steps >= GRAPH_STEPS and hasattr(self._backend, "captured"):
                if self._parity:
                    self._step()
                    steps -= 1
                graph = self._captured()
                while steps >= GRAPH_STEPS:
                    graph()
                    steps -= GRAPH_STEPS
            for _ in range(steps):
                self._step()

    def _captured(self) -> Any:
        recording = bool(self.electrodes.chosen)
        if recording not in self._graphs:
            # What is captured is not run; an even number of steps leaves the parity as it is.
            self._graphs[recording] = self._backend.captured(self._steps_of_graph)  # type: ignore[attr-defined]  # a GPU
        return self._graphs[recording]

    def _steps_of_graph(self) -> None:
        for _ in range(GRAPH_STEPS):
            self._step()
