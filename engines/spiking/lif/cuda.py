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
    """A network; see :class:`engines.spiking.lif.cpu.CpuLif`. ``own``: which of its neurons take steps here, where
    others do on other ranks."""

    def __init__(
        self, backend: Any, lif: Lif, sources: Sources, synapses: Synapses, start: Start,
        own: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
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
        a, (begin, end) = self.arrays, own or (0, n)
        raster = np.int32(raster_stride(n)), np.int32(host["history"].shape[1]), np.int32(HISTORY)
        of, refractory = np.zeros(n, np.uint8), np.array([lif.refractory_steps], np.int32)
        self._heard = (
            self._list, self._counts, a["clock"], backend.array(of), backend.array(refractory), np.int32(n), *raster,
        )  # fmt: skip
        self._update_arguments = (
            *(a[name] for name in ("voltage", "g_e", "g_i", "input", "release", "last", "spikes", "interval",
                                   "interval_square", "history")),
            self._list, self._counts, a["clock"], a["constants"], np.int32(n), np.int32(lif.refractory_steps),
            *raster, np.int32(begin), np.int32(end),
        )  # fmt: skip
        self._deliver_arguments = (
            a["input"], self._list, self._counts, a["clock"], *self._net, a["population_spikes"], a["events"],
            np.int32(n),
        )  # fmt: skip
        threads = SMALL_THREADS if n <= SMALL else THREADS
        self._grid, self._block = (-(-(end - begin) // threads),), (threads,)
        self._deliver_grid = (max(1, min(8 * backend.multiprocessors, round(n * SPIKES_AT_ONCE) // 8)),)
        self.traffic = lif_traffic(n, len(synapses.targets))

    def _launch(self) -> None:
        self._launch_update()
        self._launch_rest()

    def _launch_update(self) -> None:
        """Neurons take a step."""
        self._update(self._grid, self._block, (*self._update_arguments, self._told, np.int32(self._parity)))

    def _launch_rest(self) -> None:
        """What follows from its spikes."""
        self._deliver(self._deliver_grid, (THREADS,), (*self._deliver_arguments, np.int32(self._parity)))
