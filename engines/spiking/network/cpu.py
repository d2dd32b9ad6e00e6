"""A network on the CPU: launches ``cpu_kernels.py``."""

from __future__ import annotations

import numpy as np

from engines.api.device import Backend
from engines.spiking.connectivity.plastic import coefficients
from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.lif.model import raster_stride
from engines.spiking.network import cpu_kernels
from engines.spiking.network.plan import First, Plan, new_state, no_rise, noise_table
from engines.spiking.network.plasticity_kernels import change
from engines.spiking.network.traffic import network_traffic
from engines.spiking.step.network import Network
from engines.spiking.watch.electrodes import Electrodes

PARALLEL_FROM = 32768
"""Neurons from which their update is shared among threads."""
CHANGING = (
    "parameters", "chances", "outside", "voltage", "recovery", "gates", "g_e", "g_i", "ring", "release", "last",
    "spikes", "interval", "interval_square", "population_spikes", "events", "clock", "history",
)  # fmt: skip
"""The arrays of a network in the order in which kernels take them."""


class CpuNetwork(Network):
    """A network; ``arrays`` are those of ``plan.new_state``."""

    def __init__(self, backend: Backend, plan: Plan, wiring: Wiring, first: First) -> None:
        super().__init__(backend, wiring.quantum)
        self.electrodes = Electrodes(backend)
        n = plan.neurons
        state = new_state(plan, wiring, first)
        self.arrays = {name: backend.array(values) for name, values in state.items()}
        self._plastic = [
            (block.starts, block.words, block.into, block.listed, coefficients(block.rule, plan.dt, wiring.quantum))
            for block in wiring.plastic
        ]
        words = np.zeros(-(-n // 8), np.uint64)
        self._fixed = (
            np.uint64(plan.key), raster_stride(n), words.view(np.uint8), words, plan.bounds, plan.models,
            plan.refractory, noise_table(), wiring.starts, wiring.words, self.arrays.get("rise", no_rise()),
        )  # fmt: skip
        self.traffic = network_traffic(n, int(wiring.sent[-1]), plan.dt, rising=plan.rising)

    def advance(self, steps: int) -> None:
        shared = len(self.arrays["voltage"]) >= PARALLEL_FROM and self._backend.info.threads > 1
        kernel = cpu_kernels.run_shared if shared else cpu_kernels.run
        with self._backend.timed("step", launches=steps):
            if not self._plastic:
                kernel(steps, *self._fixed, *(self.arrays[name] for name in CHANGING), *self.electrodes.places)
                return
            for _ in range(steps):
                kernel(1, *self._fixed, *(self.arrays[name] for name in CHANGING), *self.electrodes.places)
                self._change()

    def _change(self) -> None:
        """What the spikes of the step that was taken do to weights."""
        a, fired = self.arrays, self._fixed[2][: len(self.arrays["voltage"])]
        now = a["clock"][0] - np.int32(1)
        for k, block in enumerate(self._plastic):
            sent, heard = a[f"traces_{k}"]
            change(fired, now, *block, a[f"weights_{k}"], sent, heard, a["ring"], a["events"])
