"""Leaky integrate-and-fire networks on an NVIDIA GPU: launches ``lif.cu``, many steps from a CUDA graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

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
from engines.spiking.step.network import GraphedNetwork
from engines.spiking.watch.electrodes import CudaElectrodes

SOURCE = Path(__file__).with_name("lif.cu")
THREADS = 256
SMALL_THREADS, SMALL = 64, 65536
"""Blocks of networks up to so many neurons: more multiprocessors take part."""
SPIKES_AT_ONCE = 1 / 64
"""Part of the neurons for whose spikes there is a warp each; more spikes take turns."""


class CudaLif(GraphedNetwork):
    """A network; see :class:`engines.spiking.lif.cpu.CpuLif`."""

    def __init__(self, backend: Any, lif: Lif, sources: Sources, synapses: Synapses, start: Start) -> None:
        super().__init__(backend, synapses.quantum(sources))
        self.electrodes = CudaElectrodes(backend, noted=False)
        host = new_state(sources, start)
        self.arrays = {name: backend.array(array) for name, array in host.items()}
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
        self.traffic = lif_traffic(n, len(synapses.targets))

    def _launch(self) -> None:
        parity = np.int32(self._parity)
        self._update(self._grid, self._block, (*self._update_arguments, parity))
        self._deliver(self._deliver_grid, (THREADS,), (*self._deliver_arguments, parity))
