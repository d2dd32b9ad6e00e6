"""A range of a network's neurons on the CPU."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from engines.api.device import Backend
from engines.backend.compile.digest import digest
from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.lif import constants as lif_constants
from engines.spiking.lif import cpu as lif_kernels
from engines.spiking.lif.cpu import CpuLif
from engines.spiking.lif.cpu import run as plain_run
from engines.spiking.lif.cpu import update as plain_update
from engines.spiking.lif.model import Lif, Sources, Start, Synapses
from engines.spiking.network import cpu_kernels
from engines.spiking.network.cpu import CpuNetwork
from engines.spiking.network.cpu_kernels import deliver, update
from engines.spiking.network.plan import First, Plan
from engines.spiking.neurons import cpu_models, rows
from engines.spiking.ranks.network import Range, RangeNetwork
from engines.spiking.step.cpu_arguments import Recorded


def _compiled(sources: int) -> tuple[Any, Any]:
    @njit(nogil=True, cache=True)
    def step(begin, end, clock, populations, rows, random, synapses, state, firing, recorded, base):
        """Neurons begin … end − 1 take a step: ``firing.fired`` says who fires. Bytes: 44 of each, as in ``run``."""
        now, bounds, ring = clock[0], populations.bounds, synapses.ring
        arrived = ring[now & (len(ring) - 1)]
        for k in range(len(populations.models) if sources >= 0 else 0):
            first, stop = max(begin, bounds[k]), min(end, bounds[k + 1])
            if first < stop:
                update(k, first, stop, now, populations, rows, random, base, arrived, state, firing, recorded)

    @njit(nogil=True, cache=True)
    def hear(clock, populations, synapses, firing, counts):
        """What follows from the spikes of all in a step. Bytes: 16 of each synaptic event."""
        now = clock[0]
        if sources >= 0:
            deliver(now, populations, synapses, firing, counts)
        clock[0] = now + 1

    return step, hear


def _compiled_plain(sources: int) -> Any:
    @njit(nogil=True, cache=True)
    def plain_step(begin, end, clock, constants, state, firing):
        """As ``step``, of a plain network. Bytes: 44 of each neuron."""
        arrived = state.arrived
        if sources >= 0:
            plain_update(
                begin, end, clock[0], constants, state.voltage, state.g_e, state.g_i, arrived[0], arrived[1],
                firing.release, firing.fired,
            )  # fmt: skip

    return plain_step


step, hear = _compiled(digest(cpu_kernels, cpu_models, rows))
plain_step = _compiled_plain(digest(lif_kernels, lif_constants, rows))


class CpuRange(RangeNetwork, CpuNetwork):
    """See :mod:`engines.spiking.ranks.network`."""

    _shared = True  # spikes are found between steps, not within a launch for many

    def __init__(self, backend: Backend, plan: Plan, wiring: Wiring, first: First, own: Range) -> None:
        super().__init__(backend, plan, own.synapses(wiring), first)
        self._range, self._base = own, np.empty(plan.neurons, np.float32)

    def advance(self, steps: int) -> None:
        clock, populations, rows, random, synapses, state, firing, counts, recorded = self._network()
        own = self._range
        with self._backend.timed("step", launches=steps):
            for _ in range(steps):
                step(
                    own.first, own.stop, clock, populations, rows, random, synapses, state, firing, recorded, self._base
                )  # fmt: skip
                own.spread(firing.fired)
                hear(clock, populations, synapses, firing, counts)


class CpuLifRange(RangeNetwork, CpuLif):
    """See :mod:`engines.spiking.ranks.network`."""

    def __init__(
        self, backend: Backend, lif: Lif, sources: Sources, synapses: Synapses, start: Start, own: Range
    ) -> None:  # fmt: skip
        super().__init__(backend, lif, sources, own.pairs(synapses, sources), start)
        self._range = own

    def advance(self, steps: int) -> None:
        clock, constants, net, state, firing, counts = self._network
        own, recorded = self._range, Recorded(*self.electrodes.places)
        with self._backend.timed("step", launches=steps):
            for _ in range(steps):
                plain_step(own.first, own.stop, clock, constants, state, firing)
                own.spread(firing.fired)
                plain_run(True, 1, clock, constants, net, state, firing, counts, recorded)
