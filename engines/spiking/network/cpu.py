"""A network on the CPU: launches ``cpu_kernels.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import KernelTraffic
from engines.backend.base import Backend
from engines.spiking.lif.model import raster_stride
from engines.spiking.network import cpu_kernels
from engines.spiking.network.constants import Live
from engines.spiking.network.plan import First, Plan, new_state, noise_table
from engines.spiking.network.traffic import network_traffic
from engines.spiking.wiring import Wiring

PARALLEL_FROM = 32768
"""Neurons from which their update is shared among threads."""
CHANGING = (
    "parameters", "chances", "outside", "voltage", "recovery", "gates", "g_e", "g_i", "ring", "release", "last",
    "spikes", "interval", "interval_square", "population_spikes", "events", "clock", "history",
)  # fmt: skip
"""The arrays of a network in the order in which kernels take them."""


class CpuNetwork:
    """A network; ``arrays`` are those of ``plan.new_state``."""

    def __init__(self, backend: Backend, plan: Plan, wiring: Wiring, first: First) -> None:
        self._backend = backend
        self.quantum = wiring.quantum
        n = plan.neurons
        state = new_state(plan, first, wiring.longest, wiring.quantum, Live())
        self.arrays: dict[str, Any] = {name: backend.array(values) for name, values in state.items()}
        words = np.zeros(-(-n // 8), np.uint64)
        self._fixed = (
            np.uint64(plan.key), raster_stride(n), words.view(np.uint8), words, plan.bounds, plan.models,
            plan.refractory, noise_table(), wiring.starts, wiring.words,
        )  # fmt: skip
        self.traffic: tuple[KernelTraffic, ...] = network_traffic(n, len(wiring.words), plan.dt)

    def advance(self, steps: int) -> None:
        """Take ``steps`` steps."""
        shared = len(self.arrays["voltage"]) >= PARALLEL_FROM and self._backend.info.threads > 1
        kernel = cpu_kernels.run_shared if shared else cpu_kernels.run
        with self._backend.timed("step", launches=steps):
            kernel(steps, *self._fixed, *(self.arrays[name] for name in CHANGING))
