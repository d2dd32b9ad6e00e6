"""A network on several ranks: what each builds of it, and what rank 0 sees of the whole."""

from __future__ import annotations

import numpy as np

from engines.api import NonFinite, Progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Part, Ranks, Share
from engines.backend.cpu import CpuBackend
from engines.backend.twins import Twins
from engines.geometry.particles import Particles
from engines.ranks.ranges import bounds_of
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.plasticity import NoPlasticity
from engines.spiking.ranks.network import MOVING, Range
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
    """The arrays of a network that takes no steps."""

    def __init__(self, backend: Backend, network: Network, host: Backend) -> None:
        super().__init__(host, network.quantum)
        self.electrodes = Electrodes(host)
        self.arrays = {
            name: host.array(backend.to_host(values)) for name, values in network.arrays.items() if name not in UNSEEN
        }
        self.traffic = network.traffic

    def advance(self, steps: int) -> None:
        raise NotImplementedError


def part_of(
    parameters: SpikingParameters, geometry: Particles, backend: Backend, ranks: Ranks, progress: Progress
) -> Part:  # fmt: skip
    """A range of the neurons. Raises ProblemError for networks that run on one rank."""
    if any(not isinstance(connection.plasticity, NoPlasticity) for connection in parameters.connections):
        raise ProblemError("Synapses whose weights change run on one rank: run it without --ranks.", ("connections",))
    n = neurons(parameters)
    own = Range(ranks, bounds_of(n, ranks.size, FEWEST, "A network", "neurons"))

    if is_plain(parameters):
        subject, network = plain(
            parameters, backend, progress, lambda *given: LIF_RANGE.open(backend, *given, own)
        )  # fmt: skip
    else:
        subject, network = general(parameters, backend, progress, lambda *given: RANGE.open(backend, *given, own))
    simulation = RangeSimulation(backend, geometry, subject, network, own)
    simulation.set_live(live_of(parameters))
    whole = None
    if ranks.rank == 0:
        host = CpuBackend()
        whole = SpikingSimulation(host, geometry, subject, Shown(backend, network, host))
    every = np.arange(n)
    shares = {
        name: Share(axis, n, every, every[own.first : own.stop])
        for name, axis in MOVING.items()
        if name in network.arrays and network.arrays[name].shape[axis] == n
    }
    progress("Ready", 1.0)
    return Part(
        simulation, geometry, ((own.first, own.stop),), shares, dict.fromkeys(simulation.observe(), "same"),
        whole=whole, seen=tuple(name for name in simulation.state() if name not in UNSEEN),
        fields=frozenset(info.name for info in simulation.fields),
    )  # fmt: skip
