"""A network on several ranks: what each builds of it, and what rank 0 sees of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engines.api import Array, NonFinite, Progress
from engines.api.device import Backend
from engines.api.simulation.ranks import Part, Ranks, Share
from engines.backend.cpu import CpuBackend
from engines.backend.twins import Twins
from engines.geometry.particles import Particles
from engines.ranks.ranges import bounds_of
from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.network.plan import First, Plan
from engines.spiking.parameters import SpikingParameters
from engines.spiking.ranks.network import MOVING, OwnSynapses, Range
from engines.spiking.setup.networks import general, plain
from engines.spiking.setup.populations import is_plain, live_of, neurons
from engines.spiking.step.network import Network
from engines.spiking.step.simulation import SpikingSimulation, Subject
from engines.spiking.watch.electrodes import Electrodes

RANGE = Twins[Network](__package__, cpu="cpu:CpuRange", cuda="cuda:CudaRange")
LIF_RANGE = Twins[Network](__package__, cpu="cpu:CpuLifRange", cuda="cuda:CudaLifRange")
"""Opened as the networks, with their :class:`Range`."""
FEWEST = 8
"""Ranges begin at multiples of this."""


UNSEEN = ("ring", "input")
"""Arrays that nobody looks at."""


class RangeSimulation(SpikingSimulation):
    """A rank's neurons, with what is counted of all."""

    def __init__(
        self, backend: Backend, geometry: Particles, subject: Subject, network: Network, own: Range
    ) -> None:  # fmt: skip
        super().__init__(backend, geometry, subject, network)
        self._own = own

    def non_finite(self) -> NonFinite | None:
        found = super().non_finite()
        if found is None or not self._own.first <= found.element < self._own.stop:
            return None
        return NonFinite(found.field, found.element - self._own.first, found.advice)


class Shown(Network):
    """The arrays of a network that takes no steps; ``whole``: those of which ``network`` has a part."""

    def __init__(self, backend: Backend, network: Network, host: Backend, whole: Mapping[str, Array]) -> None:
        super().__init__(host, network.quantum)
        self.electrodes = Electrodes(host)
        self.arrays = {
            name: host.array(whole[name] if name in whole else backend.to_host(values))
            for name, values in network.arrays.items()
            if name not in UNSEEN
        }
        self.traffic = network.traffic

    def advance(self, steps: int) -> None:
        raise NotImplementedError


def part_of(
    parameters: SpikingParameters, geometry: Particles, backend: Backend, ranks: Ranks, progress: Progress
) -> Part:  # fmt: skip
    """A range of the neurons. Raises ProblemError where there are too few."""
    n = neurons(parameters)
    own = Range(ranks, bounds_of(n, ranks.size, FEWEST, "A network", "neurons"))
    synapses: OwnSynapses | None = None

    def opened(plan: Plan, wiring: Wiring, first: First) -> Network:
        nonlocal synapses
        synapses = OwnSynapses.of(own, plan, wiring)
        return RANGE.open(backend, plan, synapses, first, own)

    if is_plain(parameters):
        subject, network = plain(parameters, backend, progress, lambda *given: LIF_RANGE.open(backend, *given, own))
    else:
        subject, network = general(parameters, backend, progress, opened)
    places, first = ({}, {}) if synapses is None else (synapses.places, synapses.first)
    simulation = RangeSimulation(backend, geometry, _of_own(subject, synapses), network, own)
    simulation.set_live(live_of(parameters))
    whole = None
    if ranks.rank == 0:
        host = CpuBackend()
        whole = SpikingSimulation(host, geometry, subject, Shown(backend, network, host, first))
    every = np.arange(n)
    shares = {
        name: Share(axis, n, every, every[own.first : own.stop])
        for name, axis in MOVING.items()
        if name in network.arrays and network.arrays[name].shape[axis] == n
    } | {name: Share(0, len(first[name]), where) for name, where in places.items()}
    progress("Ready", 1.0)
    return Part(
        simulation, geometry, ((own.first, own.stop),), shares, dict.fromkeys(simulation.observe(), "same"),
        whole=whole, seen=tuple(name for name in simulation.state() if name not in UNSEEN),
        fields=frozenset(info.name for info in simulation.fields),
    )  # fmt: skip


def _of_own(subject: Subject, synapses: OwnSynapses | None) -> Subject:
    """What tells of typed synapses where they are no numbers knows those of this rank."""
    joined = () if synapses is None else synapses.wiring.joined
    typed = (replace(each, block=block) for each, block in zip(subject.typed_synapses, joined, strict=True))
    return replace(subject, typed_synapses=tuple(typed))
