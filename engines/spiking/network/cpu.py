"""A network on the CPU: launches ``cpu_kernels.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.spiking.connectivity.plastic import coefficients
from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.lif.model import raster_stride
from engines.spiking.network import cpu_kernels
from engines.spiking.network.cpu_arguments import Populations, Random, Rows, State, Synapses
from engines.spiking.network.cpu_watched import run_watched
from engines.spiking.network.plan import First, Plan, new_state, no_rise, noise_table
from engines.spiking.network.plasticity_kernels import Block, change
from engines.spiking.neurons.rows import MODELS, Kind, record
from engines.spiking.step.cpu_arguments import Counts, Firing, Recorded
from engines.spiking.step.network import Network
from engines.spiking.typed.cpu_kernels import kernel
from engines.spiking.typed.synapses.cpu import CpuSynapses
from engines.spiking.watch.electrodes import Electrodes
from engines.spiking.watch.spikes import CpuSpikes

PARALLEL_FROM = 32768
"""Neurons from which their update is shared among threads."""
SELDOM = 10
"""Steps between two looks at who fired that cost nothing to speak of."""
AT_ONCE = 64
"""Steps of a launch that notes them itself."""


class CpuNetwork(Network):
    """A network; ``arrays`` are those of ``plan.new_state``."""

    def __init__(self, backend: Backend, plan: Plan, wiring: Wiring, first: First) -> None:
        super().__init__(backend, wiring.quantum)
        self.electrodes = Electrodes(backend)
        n = plan.neurons
        state = new_state(plan, wiring, first)
        self.arrays = {name: backend.array(values) for name, values in state.items()}
        self._plastic = [
            Block(
                block.starts, block.words, block.late, block.into, block.listed,
                coefficients(block.rule, plan.dt, wiring.quantum),
            )
            for block in wiring.plastic
        ]  # fmt: skip
        self._synapses_typed = [
            CpuSynapses(block, plan.synapses[block.connection].typed, self.arrays) for block in wiring.joined
        ]
        a, eights = self.arrays, np.zeros(-(-n // 8), np.uint64)
        self._typed = [kernel(typed) for typed in plan.typed_models]
        """Kernels, which live as long as their addresses are used."""
        addresses = [self._typed[each - Kind.TYPED].address if each >= Kind.TYPED else 0 for each in plan.models]
        self._populations = Populations(
            plan.bounds, plan.models, plan.refractory, a["chances"], a["outside"], np.array(addresses, np.int64),
            a.get("numbers", np.zeros((1, 0), np.float32)), *plan.listed,
        )  # fmt: skip
        self._rows = rows_of(a["parameters"])
        self._random = Random(np.uint64(plan.key), noise_table())
        self._synapses = Synapses(wiring.starts, wiring.words, wiring.late, a["ring"])
        self._state = State(
            a["voltage"], a["recovery"], a["gates"], a["g_e"], a["g_i"], a.get("rise", no_rise()),
            a.get("more", no_rise()),
        )  # fmt: skip
        self._firing = Firing(a["release"], eights.view(np.uint8), eights)
        self._counts = Counts(
            a["last"], a["spikes"], a["interval"], a["interval_square"], a["population_spikes"], a["events"],
            a["history"], raster_stride(n),
        )  # fmt: skip
        self.traffic = plan.traffic(wiring)

    def advance(self, steps: int) -> None:
        kernel, network = cpu_kernels.run_shared if self._shared else cpu_kernels.run, self._network()
        with self._backend.timed("step", launches=steps):
            if not self._changing:
                kernel(steps, *network)
                return
            for _ in range(steps):
                for synapses in self._synapses_typed:
                    synapses.sum_up(self.arrays["clock"][0])
                now = self.arrays["clock"][0]
                kernel(1, *network)
                self._change(now)

    @property
    def _changing(self) -> bool:
        """Whether spikes change synapses, after each step."""
        return bool(self._plastic or self._synapses_typed)

    @property
    def _shared(self) -> bool:
        """Whether threads share the neurons."""
        return len(self.arrays["voltage"]) >= PARALLEL_FROM and self._backend.info.threads > 1

    def _network(self) -> tuple[Any, ...]:
        """What kernels take after the number of steps."""
        return (
            self.arrays["clock"], self._populations, self._rows, self._random, self._synapses, self._state,
            self._firing, self._counts, Recorded(*self.electrodes.places),
        )  # fmt: skip

    def advance_watched(self, steps: int) -> None:
        """Steps one by one cost a launch each, of 20 µs: as long as those of a small network take."""
        spikes = self.spikes
        if not isinstance(spikes, CpuSpikes) or spikes.within >= SELDOM or self._changing or self._shared:
            super().advance_watched(steps)
            return
        network, last = self._network(), self.arrays["last"]
        while steps:
            part = min(steps, AT_ONCE)
            kept, count = spikes.room(part)
            with self._backend.timed("step", launches=part):
                spikes.count = run_watched(part, network, last, count, kept)
            steps -= part

    def _change(self, now: np.int32) -> None:
        """What the spikes of a step that was taken do to synapses."""
        a, fired = self.arrays, self._firing.fired[: len(self.arrays["voltage"])]
        for k, block in enumerate(self._plastic):
            sent, heard = a[f"traces_{k}"]
            change(fired, now, block, a[f"weights_{k}"], sent, heard, a["ring"], a["events"])
        for synapses in self._synapses_typed:
            synapses.step(now, fired)


def rows_of(parameters: Array) -> Rows:
    """``parameters: (populations, WIDTH)`` as records, in the same memory."""
    return Rows(*(parameters.view(record(model))[:, 0] for model in (None, *MODELS)))
