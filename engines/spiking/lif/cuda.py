"""Leaky integrate-and-fire networks on an NVIDIA GPU: launches ``lif.cu``, many steps from a CUDA graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.api import KernelTraffic
from engines.spiking.lif.model import (
    HISTORY,
    Lif,
    Sources,
    Start,
    Synapses,
    kind_of_each,
    new_state,
    quantised,
    raster_stride,
)
from engines.spiking.lif.traffic import lif_traffic
from engines.spiking.watch.electrodes import Recorder

SOURCE = Path(__file__).with_name("lif.cu")
THREADS = 256
SMALL_THREADS, SMALL = 64, 65536
"""Blocks of networks up to so many neurons: more multiprocessors take part."""
GRAPH_STEPS = 50
"""Steps of a graph; even, so that the two counts are where they were."""
SPIKES_AT_ONCE = 1 / 64
"""Part of the neurons for whose spikes there is a warp each; more spikes take turns."""


class CudaLif:
    """A network; see :class:`engines.spiking.lif.cpu.CpuLif`."""

    def __init__(self, backend: Any, lif: Lif, sources: Sources, synapses: Synapses, start: Start) -> None:
        self._backend, self.recorder = backend, Recorder(backend)
        self.quantum = synapses.quantum(sources)
        host = new_state(sources, start)
        self.arrays: dict[str, Any] = {name: backend.array(array) for name, array in host.items()}
        self.arrays["constants"] = backend.array(lif.constants(self.quantum))
        n = sources.neurons
        self._list = backend.empty(n, np.int32)
        self._counts = backend.array(np.zeros(2, np.int32))
        net = (
            np.array(sources.bounds, np.int32),
            quantised(sources, self.quantum),
            kind_of_each(sources),
            synapses.starts,
            synapses.targets,
        )
        self._net = tuple(backend.array(array) for array in net)
        module = backend.compile(SOURCE)
        self._update, self._deliver = module.get_function("update"), module.get_function("deliver")
        a = self.arrays
        stride = raster_stride(n)
        self._update_arguments = (
            *(a[name] for name in ("voltage", "g_e", "g_i", "input", "release", "last", "spikes", "interval",
                                   "interval_square", "history")),
            self._list, self._counts, a["clock"], a["constants"], np.int32(n), np.int32(lif.refractory_steps),
            np.int32(stride), np.int32(host["history"].shape[1]), np.int32(HISTORY),
        )  # fmt: skip
        self._deliver_arguments = (
            a["input"], self._list, self._counts, a["clock"], *self._net, a["population_spikes"], a["events"],
            np.int32(n),
        )  # fmt: skip
        threads = SMALL_THREADS if n <= SMALL else THREADS
        self._grid, self._block = (-(-n // threads),), (threads,)
        self._deliver_grid = (max(1, min(8 * backend.multiprocessors, round(n * SPIKES_AT_ONCE) // 8)),)
        self._parity = 0
        self._graphs: dict[bool, Any] = {}
        """Of steps; those that record have one more launch."""
        self.traffic: tuple[KernelTraffic, ...] = lif_traffic(n, len(synapses.targets))

    def _step(self) -> None:
        parity = np.int32(self._parity)
        self._update(self._grid, self._block, (*self._update_arguments, parity))
        self._deliver(self._deliver_grid, (THREADS,), (*self._deliver_arguments, parity))
        self.recorder.launch(self.arrays, noted=False)
        self._parity = 1 - self._parity

    def advance(self, steps: int) -> None:
        """Take ``steps`` steps."""
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
        recording = bool(self.recorder.chosen)
        if recording not in self._graphs:
            # What is captured is not run; an even number of steps leaves the parity as it is.
            self._graphs[recording] = self._backend.captured(self._steps_of_graph)
        return self._graphs[recording]

    def _steps_of_graph(self) -> None:
        for _ in range(GRAPH_STEPS):
            self._step()
