"""A range of a network's neurons on the CPU."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engines.api import Array
from engines.api.device import Backend
from engines.backend.compile.digest import digest
from engines.backend.loops.prepared import prepared
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
from engines.spiking.ranks.network import OwnSynapses, Range, RangeNetwork
from engines.spiking.step.cpu_arguments import Recorded
from engines.spiking.watch.spikes import CpuSpikes


class Own(NamedTuple):
    """Neurons first … stop − 1 are stepped here. told: (1 + spikes,) int32, how many there are, and of each neuron << 8
    | step of the window, by steps; base: of ``cpu_kernels.update``"""

    first: int
    stop: int
    told: Array
    base: Array


class Heard(NamedTuple):
    """What other ranks have told, one after the other from ``places`` on."""

    told: Array
    places: Array


@njit(nogil=True, cache=True)
def _tell(own, step, firing, count):
    """Those of own neurons that fire, behind ``count`` others; returns how many there are then."""
    eights, fired, told = firing.eights, firing.fired, own.told
    for eight in range(own.first // 8, -(-own.stop // 8)):
        if eights[eight] == 0:
            continue
        for i in range(8 * eight, 8 * eight + 8):
            if fired[i]:
                count += 1
                told[count] = (i << 8) | step
    return count


@njit(nogil=True, cache=True)
def _mark(told, place, first, step, fired):
    """Those that fired in a step, from ``place`` on, of a list that begins at ``first``; returns where those of the
    next step are."""
    stop = first + 1 + told[first]
    while place < stop and told[place] & 255 == step:
        fired[told[place] >> 8] = 1
        place += 1
    return place


@njit(nogil=True, cache=True)
def fired_in(step, own, heard, firing):
    """Those of all who fired in a step of the window."""
    eights, fired = firing.eights, firing.fired
    eights[:] = 0
    for k in range(-1, len(heard.places)):
        told, first = (own.told, 0) if k < 0 else (heard.told, heard.places[k])
        for place in range(first + 1, first + 1 + told[first]):
            if told[place] & 255 == step:
                fired[told[place] >> 8] = 1


def _compiled(sources: int) -> tuple[Any, Any]:
    @njit(nogil=True, cache=True)
    def take(steps, own, clock, populations, rows, random, synapses, state, firing, counts, recorded):
        """Own neurons take steps, and hear their own spikes, which are told. Bytes: as in ``run``."""
        bounds, ring, history, count = populations.bounds, synapses.ring, counts.history, 0
        firing.eights[:] = 0
        for step in range(steps if sources >= 0 else 0):
            now = clock[0]
            arrived = ring[now & (len(ring) - 1)]
            for k in range(len(populations.models)):
                first, stop = max(own.first, bounds[k]), min(own.stop, bounds[k + 1])
                if first < stop:
                    update(k, first, stop, now, populations, rows, random, own.base, arrived, state, firing, recorded)
            history[now % history.shape[0], :] = 0
            deliver(now, populations, synapses, firing, counts)
            count = _tell(own, step, firing, count)
            clock[0] = now + 1
        own.told[0] = count

    @njit(nogil=True, cache=True)
    def hear(steps, heard, clock, populations, synapses, firing, counts):
        """What follows from the others' spikes in the steps that were taken. Bytes: 16 of each synaptic event."""
        eights, fired = firing.eights, firing.fired
        eights[:] = 0
        places = heard.places + 1
        for step in range(steps if sources >= 0 else 0):
            some = False
            for k in range(len(places)):
                place = _mark(heard.told, places[k], heard.places[k], step, fired)
                some |= place > places[k]
                places[k] = place
            if some:
                deliver(clock[0] - np.int32(steps - step), populations, synapses, firing, counts)
                eights[:] = 0

    return take, hear


def _compiled_plain(sources: int) -> tuple[Any, Any]:
    @njit(nogil=True, cache=True)
    def plain_take(own, clock, constants, state, firing):
        """As ``take`` of a step of a plain network, whose own spikes are heard with the others'. Bytes: 44 of each
        neuron."""
        arrived = state.arrived
        if sources >= 0:
            firing.eights[:] = 0
            plain_update(
                own.first, own.stop, clock[0], constants, state.voltage, state.g_e, state.g_i, arrived[0], arrived[1],
                firing.release, firing.fired,
            )  # fmt: skip
        own.told[0] = _tell(own, 0, firing, 0)

    @njit(nogil=True, cache=True)
    def plain_hear(heard, clock, constants, net, state, firing, counts, recorded):
        """What follows from the spikes of all in a step. Bytes: 12 of each synaptic event."""
        for place in heard.places if sources >= 0 else heard.places[:0]:
            _mark(heard.told, place + 1, place, 0, firing.fired)
        plain_run(True, 1, clock, constants, net, state, firing, counts, recorded)

    return plain_take, plain_hear


take, hear = _compiled(digest(cpu_kernels, cpu_models, rows))
plain_take, plain_hear = _compiled_plain(digest(lif_kernels, lif_constants, rows))


class _Telling(RangeNetwork):
    """Spikes are told in lists of any length."""

    def _make_lists(self, base: Array) -> None:
        own = self._range
        room = [1 + self._window * int(n) for n in np.diff(own.bounds)]
        theirs = [room[rank] for rank in own.others]
        self._own = Own(own.first, own.stop, np.zeros(room[own.ranks.rank], np.int32), base)
        places = np.concatenate([[0], np.cumsum(theirs)])
        told = np.empty(places[-1], np.int32)
        self._heard = Heard(told, places[:-1])
        self._theirs = [told[first : first + count] for first, count in zip(places, theirs, strict=False)]

    def _tell_others(self) -> None:
        told = self._own.told
        self._range.exchange(told[: 1 + told[0]], self._theirs, self._reached)

    def _collect(self, steps: int) -> None:
        """Of the steps that were taken, for those who read all spikes."""
        if isinstance(self.spikes, CpuSpikes):
            begun = self.arrays["clock"][0] - steps
            for told in (self._own.told, *self._theirs):
                spikes = told[1 : 1 + told[0]]
                self.spikes.add(begun + (spikes & 255), spikes >> 8)


class CpuRange(_Telling, CpuNetwork):
    """See :mod:`engines.spiking.ranks.network`."""

    _later = True

    def __init__(self, backend: Backend, plan: Plan, synapses: OwnSynapses, first: First, own: Range) -> None:
        self._range = own
        super().__init__(backend, plan, synapses.wiring, first)
        self._begin(synapses)
        self._make_lists(np.empty(plan.neurons, np.float32))

    def advance(self, steps: int) -> None:
        take, hear = self._kernels
        network = self._network()
        heard = (network[0], network[1], network[4], network[6], network[7])
        with self._backend.timed("step", launches=steps):
            while steps:
                part = min(steps, self._window)
                for synapses in self._synapses_typed:
                    synapses.sum_up(self.arrays["clock"][0])
                take(part, self._own, *network)
                self._tell_others()
                hear(part, self._heard, *heard)
                for step in range(part if self._changing else 0):
                    fired_in(step, self._own, self._heard, self._firing)
                    self._change(self.arrays["clock"][0] - np.int32(part - step))
                self._collect(part)
                steps -= part

    @cached_property
    def _kernels(self) -> tuple[Any, Any]:
        clock, populations, rows, random, synapses, state, firing, counts, recorded = self._network()
        return (
            prepared(
                take, 1, self._own, clock, populations, rows, random, synapses, state, firing, counts, recorded
            ),
            prepared(hear, 1, self._heard, clock, populations, synapses, firing, counts),
        )  # fmt: skip


class CpuLifRange(_Telling, CpuLif):
    """See :mod:`engines.spiking.ranks.network`."""

    def __init__(
        self, backend: Backend, lif: Lif, sources: Sources, synapses: Synapses, start: Start, own: Range
    ) -> None:  # fmt: skip
        super().__init__(backend, lif, sources, own.pairs(synapses, sources), start)
        self._range = own
        self._make_lists(np.empty(0, np.float32))

    def advance(self, steps: int) -> None:
        clock, constants, _, state, firing, _ = self._network
        take, hear = self._kernels
        recorded = Recorded(*self.electrodes.places)
        with self._backend.timed("step", launches=steps):
            for _ in range(steps):
                take(self._own, clock, constants, state, firing)
                self._tell_others()
                hear(self._heard, *self._network, recorded)
                self._collect(1)

    @cached_property
    def _kernels(self) -> tuple[Any, Any]:
        clock, constants, _, state, firing, _ = self._network
        recorded = Recorded(*self.electrodes.places)
        return (
            prepared(plain_take, self._own, clock, constants, state, firing),
            prepared(plain_hear, self._heard, *self._network, recorded),
        )
