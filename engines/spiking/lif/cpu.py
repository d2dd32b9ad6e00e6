"""Leaky integrate-and-fire networks on the CPU: all neurons in vector registers, then the spikes one by one."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from engines.api.device import Backend
from engines.spiking.lif.model import (
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
from engines.spiking.step.network import Network
from engines.spiking.watch.electrodes import Electrodes

_PARALLEL_FROM = 32768
"""Neurons from which their update is shared among threads."""
_CHUNK = 8192
"""Neurons of a thread's turn; a multiple of 8."""
_0, _FADED = np.float32(0), np.float32(1e-20)
"""What has faded is nothing: a GPU has no numbers below 1e-38, and a CPU is slow with them."""


@njit(nogil=True, cache=True, inline="always")
def _update(first, stop, now, constants, voltage, g_e, g_i, arrived_e, arrived_i, release, fired):
    """One exact step of neurons first … stop − 1; the order of operations is that of ``lif.cu``."""
    loss, base, gain_e, gain_i = constants[0], constants[1], constants[2], constants[3]
    loss_e, loss_i, threshold, reset = constants[4], constants[5], constants[6], constants[7]
    scale_e, scale_i = constants[8], constants[9]
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
def _deliver(
    fired, words, now, refractory, stride, bounds, weights, kinds, starts, targets, arrived, release, last, spikes,
    interval, interval_square, population_spikes, events, history,
):  # fmt: skip
    """What follows from the spikes of a step: their targets' input, and what is counted."""
    row = history[now % history.shape[0]]
    row[:] = 0
    for word in range(len(words)):
        if words[word] == 0:
            continue
        for i in range(8 * word, 8 * word + 8):
            if not fired[i]:
                continue
            population = 0
            while i >= bounds[population + 1]:
                population += 1
            weight, sums = weights[population], arrived[kinds[population]]
            for k in range(starts[i], starts[i + 1]):
                sums[targets[k]] += weight
            if spikes[i]:
                since = np.float64(now - last[i])
                interval[i] += since
                interval_square[i] += since * since
            spikes[i] += 1
            last[i] = now
            release[i] = now + refractory
            population_spikes[population] += 1
            events[0] += starts[i + 1] - starts[i]
            if i % stride == 0:
                row[i // stride] = 1


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
def run(
    steps, refractory, stride, fired, words, constants, bounds, weights, kinds, starts, targets, voltage, g_e, g_i,
    arrived, release, last, spikes, interval, interval_square, population_spikes, events, clock, history, watched, kept,
):  # fmt: skip
    """Steps on one core."""
    for _ in range(steps):
        now = clock[0]
        _update(0, len(voltage), now, constants, voltage, g_e, g_i, arrived[0], arrived[1], release, fired)
        _deliver(
            fired, words, now, refractory, stride, bounds, weights, kinds, starts, targets, arrived, release, last,
            spikes, interval, interval_square, population_spikes, events, history,
        )  # fmt: skip
        _record(now, watched, kept, voltage, g_e, g_i, last)
        clock[0] = now + 1


@njit(parallel=True, nogil=True, cache=True)
def update_shared(now, constants, voltage, g_e, g_i, arrived, release, fired):
    """One step of all neurons, shared among threads."""
    n = len(voltage)
    for chunk in prange(-(-n // _CHUNK)):
        first = chunk * _CHUNK
        stop = min(first + _CHUNK, n)
        _update(first, stop, now, constants, voltage, g_e, g_i, arrived[0], arrived[1], release, fired)


@njit(nogil=True, cache=True)
def deliver(
    fired, words, refractory, stride, bounds, weights, kinds, starts, targets, arrived, release, last, spikes,
    interval, interval_square, population_spikes, events, clock, history, voltage, g_e, g_i, watched, kept,
):  # fmt: skip
    """The second half of a step."""
    _deliver(
        fired, words, clock[0], refractory, stride, bounds, weights, kinds, starts, targets, arrived, release, last,
        spikes, interval, interval_square, population_spikes, events, history,
    )  # fmt: skip
    _record(clock[0], watched, kept, voltage, g_e, g_i, last)
    clock[0] += 1


class CpuLif(Network):
    """A network; ``arrays`` are those of ``model.new_state``, and ``constants`` what may be set between steps."""

    def __init__(self, backend: Backend, lif: Lif, sources: Sources, synapses: Synapses, start: Start) -> None:
        super().__init__(backend, synapses.quantum(sources))
        self.electrodes = Electrodes(backend)
        self.arrays = {name: backend.array(a) for name, a in new_state(sources, start).items()}
        self.arrays["constants"] = backend.array(lif.constants(self.quantum))
        n = sources.neurons
        self._words = np.zeros(-(-n // 8), np.uint64)
        self._fired = self._words.view(np.uint8)
        self._refractory, self._stride = np.int32(lif.refractory_steps), raster_stride(n)
        self._net = (
            np.array(sources.bounds, np.int64),
            quantised(sources, self.quantum),
            kind_of_each(sources),
            synapses.starts,
            backend.array(synapses.targets),
        )
        self.traffic = lif_traffic(n, len(synapses.targets))

    def advance(self, steps: int) -> None:
        a = self.arrays
        counted = [
            a[name]
            for name in ("release", "last", "spikes", "interval", "interval_square", "population_spikes", "events")
        ]
        if len(a["voltage"]) < _PARALLEL_FROM or self._backend.info.threads == 1:
            with self._backend.timed("step", launches=steps):
                run(
                    steps, self._refractory, self._stride, self._fired, self._words, a["constants"], *self._net,
                    a["voltage"], a["g_e"], a["g_i"], a["input"], *counted, a["clock"], a["history"],
                    *self.electrodes.places,
                )  # fmt: skip
            return
        with self._backend.timed("step", launches=steps):
            for _ in range(steps):
                now = np.int32(a["clock"][0])
                update_shared(
                    now, a["constants"], a["voltage"], a["g_e"], a["g_i"], a["input"], a["release"], self._fired
                )
                deliver(
                    self._fired, self._words, self._refractory, self._stride, *self._net, a["input"], *counted,
                    a["clock"], a["history"], a["voltage"], a["g_e"], a["g_i"], *self.electrodes.places,
                )  # fmt: skip
