"""The spiking engine: networks of populations of neurons that send spikes.

A step: every neuron by its model; those above the threshold fire and go onto a list; each on the list adds its weights
to what arrives at its targets after their delays (``network/plan.py``; ``lif/model.py`` for the plain network).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engines.api import Benchmark, Engine, Estimate, Problem, Progress, Simulation, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.lab import Study
from engines.api.lab_tables import LabTable
from engines.geometry.particles import Particles
from engines.spiking.connectivity.layout import particles, places_of
from engines.spiking.lab.benchmarks import benchmarks
from engines.spiking.lif.traffic import lif_traffic
from engines.spiking.network.plan import rising
from engines.spiking.network.traffic import network_traffic
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import ConstantDelay, NoDelay
from engines.spiking.parameters.published import cuba
from engines.spiking.setup.checks import check, findings
from engines.spiking.setup.memory import need
from engines.spiking.setup.networks import assemble, is_plain, live_of, neurons
from engines.spiking.step.simulation import SpikingSimulation

SECOND = 1000.0
LAUNCHES = 5e-6
"""What a step takes on a GPU at least [s]: two launches in a graph."""


class SpikingEngine(Engine):
    """Networks of spiking neurons."""

    id = "spiking"
    title = "Spiking networks"
    summary = "Populations of spiking neurons, from single ones to hundreds of thousands, joined by rules"
    time_unit = "ms"
    Parameters = SpikingParameters
    geometry_type = None

    def default_parameters(self, geometry: Any) -> SpikingParameters:
        return SpikingParameters()

    def geometry_of(self, problem: Problem) -> Particles:
        parameters = _checked(problem)
        if not neurons(parameters):
            raise ProblemError("There is no neuron: give a population some.", ("populations", 0, "number"))
        return particles(places_of(parameters.populations))

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        parameters = _checked(problem)
        synapses, n = check(parameters, backend), neurons(parameters)
        step, plain = parameters.numerics.step, is_plain(parameters)
        if plain:
            (traffic,) = lif_traffic(n, sum(synapses), step)
        else:
            (traffic,) = network_traffic(n, sum(synapses), step, rising=rising(parameters.populations))
        moved = traffic.bytes
        seconds = moved / backend.ceilings().best
        if backend.id != "cpu":
            seconds = max(seconds, LAUNCHES)
        return Estimate(
            memory_bytes=need(parameters, synapses).total,
            bytes_per_step=moved,
            step=step,
            stable_step=None,
            seconds_per_simulated_unit=seconds / step,
            milestone=("second", SECOND),
            findings=findings(parameters),
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        parameters = _checked(problem)
        synapses = sum(check(parameters, backend))
        progress(f"Drawing about {synapses:,} synapses", 0.0)
        subject, network = assemble(parameters, backend, progress)
        simulation = SpikingSimulation(backend, self.geometry_of(problem), subject, network)
        simulation.set_live(live_of(parameters))
        progress("Ready", 1.0)
        return simulation

    def warm(self, backend: Backend) -> None:
        """A hundred steps of a small network, and what viewers ask of it."""
        for delay in (NoDelay(), ConstantDelay()):  # the plain network and the general one
            simulation = self.build(cuba(100, 2.0, delay), backend)
            simulation.advance(101)
            simulation.observe()
            simulation.synchronize()
            simulation.close()

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        """Published networks; at sizes that are asked for Brian2's CUBA, with 80 inputs per neuron."""
        return benchmarks(elements)

    def studies(self) -> Sequence[Study]:
        """The product of a weight matrix with spikes in the ways that people write it."""
        from engines.spiking.lab.studies import STUDIES

        return STUDIES

    def tables(self) -> Sequence[LabTable]:
        from engines.spiking.lab.tables import TABLES  # measured seldom

        return TABLES


def _checked(problem: Problem) -> SpikingParameters:
    if not isinstance(problem.parameters, SpikingParameters):
        raise TypeError(f"parameters of the spiking engine, not {type(problem.parameters).__name__}")
    return problem.parameters
