"""Leaky integrate-and-fire networks on the CPU: all neurons in vector registers, then the spikes one by one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.api.device import Backend
from engines.backend.compile.digest import noticing
from engines.backend.loops.prepared import prepared
from engines.spiking.lif import constants as constants_of
from engines.spiking.lif.constants import Constant
from engines.spiking.lif.model import Lif, Sources, Start, Synapses, kind_of_each, new_state, quantised, raster_stride
from engines.spiking.lif.traffic import lif_traffic
from engines.spiking.neurons import rows
from engines.spiking.neurons.rows import FADED
from engines.spiking.step.cpu_arguments import Counts, Firing, Recorded
from engines.spiking.step.network import Network
from engines.spiking.watch.electrodes import Electrodes

_PARALLEL_FROM = 32768
"""Neurons from which their update is shared among threads."""
_CHUNK = 8192
"""Neurons of a thread's turn; a multiple of 8."""
_0, _FADED = np.float32(0), np.float32(FADED)


class Net(NamedTuple):
    """Who sends what, see ``model.Sources`` and ``model.Synapses``. weights: (populations,) int32 quanta; kinds: 0
    where they go to g_e, 1 for g_i; refractory [steps]"""

    bounds: Array
    weights: Array
    kinds: Array
    starts: Array
    targets: Array
    refractory: np.int32


class State(NamedTuple):
    """What moves; see ``model.new_state``, whose ``input`` is ``arrived``."""

    voltage: Array
    g_e: Array
    g_i: Array
    arrived: Array


@njit(nogil=True, cache=True, inline="always")
@noticing(constants_of, rows)
def update(first, stop, now, constants, voltage, g_e, g_i, arrived_e, arrived_i, release, fired):
    """One exact step of neurons first … stop − 1; the order of operations is that of ``lif.cu``."""
    loss, base = constants[Constant.LOSS], constants[Constant.BASE]
    gain_e, gain_i = constants[Constant.GAIN_E], constants[Constant.GAIN_I]
    loss_e, loss_i = constants[Constant.LOSS_E], constants[Constant.LOSS_I]
    threshold, reset = constants[Constant.THRESHOLD], constants[Constant.RESET]
    scale_e, scale_i = constants[Constant.SCALE_E], constants[Constant.SCALE_I]
    for i in range(first, stop):
        excitation = g_e[i] + np.float32(arrived_e[i]) * scale_e
        inhibition = g_i[i] + np.float32(arrived_i[i]) * scale_i
        arrived_e[i] = 0
        arrived_i[i] = 0
        held = voltage[i]
        moved = held + ((loss * held + base) + (gain_e * excitation + gain_i * inhibition))
        ready = release[i] <= now
        moved = moved if ready else held
        fires = ready & (moved > threshold)
        moved = _0 if abs(moved) < _FADED else moved
        voltage[i] = reset if fires else moved
        left_e, left_i = excitation + excitation * loss_e, inhibition + inhibition * loss_i
        g_e[i] = _0 if abs(left_e) < _FADED else left_e
        g_i[i] = _0 if abs(left_i) < _FADED else left_i
        fired[i] = fires


@njit(nogil=True, cache=True, inline="always")
def _send(i, bounds, weights, kinds, starts, targets, arrived):
    """The spike of neuron ``i`` adds its weight to the input of each of its targets; its population is returned."""
    population = 0
    while i >= bounds[population + 1]:
        population += 1
    weight, sums = weights[population], arrived[kinds[population]]
    for k in range(starts[i], starts[i + 1]):
        sums[targets[k]] += weight
    return population


@njit(nogil=True, cache=True, inline="always")
def _count(i, now, last, spikes, interval, interval_square):
    """What is counted of a spike of neuron ``i``: it, the interval before it, and the interval's square."""
    if spikes[i]:
        since = np.float64(now - last[i])
        interval[i] += since
        interval_square[i] += since * since
    spikes[i] += 1
    last[i] = now


@njit(nogil=True, cache=True)
def _record(now, watched, kept, voltage, g_e, g_i, last):
    """The state of ``watched`` neurons after a step; none if there is none."""
    row = kept[now % len(kept)]
    for k in range(len(watched)):
        i = watched[k]
        if i >= 0:
            row[0, k], row[1, k], row[2, k] = voltage[i], g_e[i], g_i[i]
            row[4, k] = np.float32(last[i] == now)


@njit(nogil=True, cache=True)
@noticing(constants_of, rows)
def run(updated, steps, clock, constants, net, state, firing, counts, recorded):
    """Steps on one core: ``update`` of all neurons, unless they are ``updated``, and what follows from spikes.

    Arrays as the structs tell; clock: (1,) int32, the next step. Bytes: 45 of each neuron (44 as in
    ``lif.cu``, and whether it fires), 12 of each synaptic event.
    """
    # Taken out of their structs once: each costs an atomic count, in every step as much as 100 neurons.
    bounds, weights, kinds, starts, targets = net.bounds, net.weights, net.kinds, net.starts, net.targets
    voltage, g_e, g_i, arrived = state.voltage, state.g_e, state.g_i, state.arrived
    release, fired, eights, refractory, stride = (
        firing.release,
        firing.fired,
        firing.eights,
        net.refractory,
        counts.stride,
    )
    last, spikes, interval, interval_square = counts.last, counts.spikes, counts.interval, counts.interval_square
    population_spikes, events, history = counts.population_spikes, counts.events, counts.history
    watched, kept = recorded.watched, recorded.kept
    for _ in range(steps):
        now = clock[0]
        if not updated:
            update(0, len(voltage), now, constants, voltage, g_e, g_i, arrived[0], arrived[1], release, fired)
        row = history[now % history.shape[0]]
        row[:] = 0
        for eight in range(len(eights)):
            if eights[eight] == 0:
                continue
            for i in range(8 * eight, 8 * eight + 8):
                if not fired[i]:
                    continue
                population = _send(i, bounds, weights, kinds, starts, targets, arrived)
                _count(i, now, last, spikes, interval, interval_square)
                release[i] = now + refractory
                population_spikes[population] += 1
                events[0] += starts[i + 1] - starts[i]
                if i % stride == 0:
                    row[i // stride] = 1
        _record(now, watched, kept, voltage, g_e, g_i, last)
        clock[0] = now + 1


@njit(parallel=True, nogil=True, cache=True)
@noticing(constants_of, rows)
def _update_shared(now, constants, voltage, g_e, g_i, arrived, release, fired):
    """One step of all neurons, as ``update``, shared among threads: 44 bytes of a neuron."""
    n = len(voltage)
    for chunk in prange(-(-n // _CHUNK)):
        first = chunk * _CHUNK
        stop = min(first + _CHUNK, n)
        update(first, stop, now, constants, voltage, g_e, g_i, arrived[0], arrived[1], release, fired)


@njit(nogil=True, cache=True)
@noticing(constants_of, rows)
def run_shared(steps, clock, constants, net, state, firing, counts, recorded):
    """The same, neurons shared among threads."""
    for _ in range(steps):
        _update_shared(
            clock[0], constants, state.voltage, state.g_e, state.g_i, state.arrived, firing.release, firing.fired
        )  # fmt: skip
        run(True, 1, clock, constants, net, state, firing, counts, recorded)


class CpuLif(Network):
    """A network; ``arrays`` are those of ``model.new_state``, and ``constants`` what may be set between steps."""

    def __init__(self, backend: Backend, lif: Lif, sources: Sources, synapses: Synapses, start: Start) -> None:
        super().__init__(backend, synapses.quantum(sources))
        self.electrodes = Electrodes(backend)
        self.arrays = {name: backend.array(a) for name, a in new_state(sources, start).items()}
        self.arrays["constants"] = backend.array(lif.constants(self.quantum))
        a, n = self.arrays, sources.neurons
        eights = np.zeros(-(-n // 8), np.uint64)
        net = Net(
            np.array(sources.bounds, np.int64), quantised(sources, self.quantum), kind_of_each(sources),
            synapses.starts, backend.array(synapses.targets), np.int32(lif.refractory_steps),
        )  # fmt: skip
        counts = Counts(
            a["last"], a["spikes"], a["interval"], a["interval_square"], a["population_spikes"], a["events"],
            a["history"], raster_stride(n),
        )  # fmt: skip
        self._network = (
            a["clock"], a["constants"], net, State(a["voltage"], a["g_e"], a["g_i"], a["input"]),
            Firing(a["release"], eights.view(np.uint8), eights), counts,
        )  # fmt: skip
        self.traffic = lif_traffic(n, len(synapses.targets))

    def advance(self, steps: int) -> None:
        with self._backend.timed("step", launches=steps):
            self._run(steps, *self._network, Recorded(*self.electrodes.places))

    @cached_property
    def _run(self) -> Callable[..., None]:
        """The kernel for a network of this size."""
        shared = len(self.arrays["voltage"]) >= _PARALLEL_FROM and self._backend.info.threads > 1
        recorded = Recorded(*self.electrodes.places)
        if shared:
            return prepared(run_shared, 1, *self._network, recorded)
        return partial(prepared(run, False, 1, *self._network, recorded), False)
