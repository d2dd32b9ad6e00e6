"""The spiking engine: networks of leaky integrate-and-fire neurons, excitatory and inhibitory, joined at random.

A step: every neuron's voltage and synaptic currents by their exact solution; those above the threshold fire and go onto
a list; each on the list adds its weight to the currents of all that hear it (``lif/model.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import resources
from typing import Any

import numpy as np

from engines.api import Benchmark, Engine, Estimate, Finding, Preset, Problem, Progress, Simulation, no_progress
from engines.backend.base import Backend
from engines.errors import ProblemError
from engines.geometry.particles import Particles
from engines.lab import Study
from engines.lab_tables import LabTable
from engines.spiking.connectivity import random_synapses
from engines.spiking.layout import sheets
from engines.spiking.lif import make_network
from engines.spiking.lif.model import Lif, Sources, Start
from engines.spiking.lif.traffic import lif_traffic
from engines.spiking.parameters import Inputs, Populations, Probability, SpikingParameters
from engines.spiking.presets import presets
from engines.spiking.simulation import SpikingSimulation
from engines.spiking.variants import studies

BYTES_PER_NEURON, BYTES_PER_SYNAPSE = 600, 4
"""With the raster of the last 2048 steps, which small networks keep for every neuron."""
MEMORY_SHARE = 0.8
"""Of the device's memory that a network may take."""
SECOND = 1000.0
LAUNCHES = 5e-6
"""What a step takes on a GPU at least [s]: two launches in a graph."""


class SpikingEngine(Engine):
    """Networks of spiking neurons."""

    id = "spiking"
    title = "Spiking networks"
    summary = "Thousands to hundreds of thousands of integrate-and-fire neurons, joined at random"
    time_unit = "ms"
    Parameters = SpikingParameters
    geometry_type = None

    def default_parameters(self, geometry: Any) -> SpikingParameters:
        return SpikingParameters()

    def geometry_of(self, problem: Problem) -> Particles:
        populations = _checked(problem).populations
        return sheets((populations.excitatory, populations.inhibitory))

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        """Seconds are those of the memory's ceiling at six spikes a second; networks in a cache are faster."""
        parameters = _checked(problem)
        synapses = _expected_synapses(parameters)
        _check(parameters, synapses, backend)
        step, n = parameters.numerics.step, _neurons(parameters)
        moved = lif_traffic(n, synapses, step)[0].bytes
        seconds = moved / backend.ceilings().best
        if backend.id != "cpu":
            seconds = max(seconds, LAUNCHES)
        return Estimate(
            memory_bytes=n * BYTES_PER_NEURON + synapses * BYTES_PER_SYNAPSE,
            bytes_per_step=moved,
            step=step,
            stable_step=None,
            seconds_per_simulated_unit=seconds / step,
            milestone=("second", SECOND),
            findings=_findings(parameters),
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        parameters = _checked(problem)
        expected = _expected_synapses(parameters)
        _check(parameters, expected, backend)
        n = _neurons(parameters)
        progress(f"Drawing about {expected:,} synapses", 0.0)
        seed = parameters.numerics.seed
        synapses = random_synapses(n, _probability(parameters), seed)
        progress(f"Moving {n:,} neurons to {backend.info.name}", 0.8)
        neuron = parameters.neuron
        share = np.random.default_rng(seed).random(n)
        voltages = neuron.reset + (neuron.threshold - neuron.reset) * share
        sources, lif = _sources(parameters), lif_of(parameters)
        network = make_network(backend, lif, sources, synapses, Start(voltages, neuron.resting_voltage))
        progress("Ready", 1.0)
        return SpikingSimulation(backend, self.geometry_of(problem), lif, sources, synapses, network)

    def presets(self) -> Sequence[Preset]:
        return presets(resources.files("engines.spiking").joinpath("presets"))

    def warm(self, backend: Backend) -> None:
        """A hundred steps of a small network, and what viewers ask of it."""
        few = Populations(excitatory=80, inhibitory=20)
        simulation = self.build(Problem(SpikingParameters(populations=few)), backend)
        simulation.advance(101)
        simulation.observe()
        simulation.synchronize()
        simulation.close()

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        """Brian2's network CUBA, with 80 inputs per neuron at each size."""
        return [Benchmark(f"CUBA {n:,} neurons", n, partial(_cuba, n)) for n in (elements or (4_000, 400_000))]

    def studies(self) -> Sequence[Study]:
        """The product of a weight matrix with spikes in the ways that people write it."""
        return studies()

    def tables(self) -> Sequence[LabTable]:
        from engines.spiking.variants.tables import TABLES  # measured seldom

        return TABLES


def _cuba(n: int) -> Problem:
    populations = Populations(excitatory=max(1, n * 4 // 5), inhibitory=n - n * 4 // 5)
    return Problem(SpikingParameters(populations=populations, connections=Inputs(inputs=80.0)))


def _checked(problem: Problem) -> SpikingParameters:
    if not isinstance(problem.parameters, SpikingParameters):
        raise TypeError(f"parameters of the spiking engine, not {type(problem.parameters).__name__}")
    return problem.parameters


def _neurons(parameters: SpikingParameters) -> int:
    return parameters.populations.excitatory + parameters.populations.inhibitory


def _probability(parameters: SpikingParameters) -> float:
    chosen = parameters.connections
    if isinstance(chosen, Probability):
        return chosen.probability
    return chosen.inputs / _neurons(parameters)


def _expected_synapses(parameters: SpikingParameters) -> int:
    return round(_probability(parameters) * _neurons(parameters) ** 2)


def _sources(parameters: SpikingParameters) -> Sources:
    populations, synapses = parameters.populations, parameters.synapses
    bounds = (0, populations.excitatory, _neurons(parameters))
    return Sources(bounds, (synapses.excitatory_weight, synapses.inhibitory_weight))


def lif_of(parameters: SpikingParameters) -> Lif:
    """The neuron, its synapses and what is live, in the method's own terms."""
    neuron, synapses = parameters.neuron, parameters.synapses
    return Lif(
        dt=parameters.numerics.step,
        membrane=neuron.membrane_time,
        excitatory=synapses.excitatory_time,
        inhibitory=synapses.inhibitory_time,
        rest=neuron.resting_voltage,
        threshold=neuron.threshold,
        reset=neuron.reset,
        refractory=neuron.refractory_time,
        drive=parameters.drive,
        excitation=synapses.excitation,
        inhibition=synapses.inhibition,
    )


def _check(parameters: SpikingParameters, synapses: int, backend: Backend) -> None:
    """Raises ProblemError."""
    neuron, n = parameters.neuron, _neurons(parameters)
    if neuron.reset >= neuron.threshold:
        raise ProblemError(
            f"The reset voltage ({neuron.reset:g} mV) is not below the threshold ({neuron.threshold:g} mV): a neuron "
            "would fire without end; lower the reset.",
            ("neuron", "reset"),
        )
    chosen = parameters.connections
    if isinstance(chosen, Inputs) and chosen.inputs > n:
        raise ProblemError(
            f"{chosen.inputs:g} inputs are more than there are neurons ({n:,}): use fewer inputs.",
            ("connections", "inputs"),
        )
    room = MEMORY_SHARE * backend.info.memory_bytes - n * BYTES_PER_NEURON
    if backend.info.memory_bytes and synapses * BYTES_PER_SYNAPSE > room:
        fit = max(0, int(room / BYTES_PER_SYNAPSE))
        raise ProblemError(
            f"This network has about {synapses:,} synapses, and {backend.info.name} has room for {fit:,}: use fewer "
            "neurons, or at most "
            + (f"{fit / n:,.0f} inputs." if isinstance(chosen, Inputs) else f"a probability of {fit / n**2:.2g}."),
            ("connections",),
        )


def _findings(parameters: SpikingParameters) -> tuple[Finding, ...]:
    step, held = parameters.numerics.step, parameters.neuron.refractory_time
    steps = held / step
    if abs(steps - round(steps)) > 1e-6 * max(1.0, steps):
        return (
            Finding(f"The refractory time of {held:g} ms is {steps:g} steps: it is rounded to {max(1, round(steps))}."),
        )
    return ()
