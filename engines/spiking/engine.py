"""The spiking engine: networks of populations of neurons that send spikes.

Solved are the equations of each neuron, for its voltage v, what its excitatory and inhibitory synapses give, g_e and
g_i, and by its model (``neurons``) a recovery or the gates of channels; for a leaky one

    τ_m dv/dt = E_L + I − v + g_e + g_i      held at V_r for the refractory time after a spike, which is where v > V_t
    τ_e dg_e/dt = −g_e,  τ_i dg_i/dt = −g_i  a spike adds its weight, after its delay, to all that hear it

Time goes in equal steps, and spikes are on their grid. Leaky neurons and all synapses are linear and stepped exactly;
conductances hold for a step; Izhikevich's and adaptive exponential neurons go by Euler's method, the gates and the
voltage of Hodgkin and Huxley's each exactly with the other held. A step (``network``; ``lif`` for equal leaky neurons
without delays, with the same spikes):

    1. what arrives now, after its delay and from outside, is added to the synapses
    2. each neuron moves by its model; one above its threshold fires, is reset and goes onto a list
    3. synapses decay
    4. each spike adds its weights to the sums of those that hear it, in the step in which they arrive
    5. weights that change go down at a sender's spike and up at a target's (``network/plasticity.cu``);
       those that a person types do what their statements say (``typed/synapses``)

Sums are integers and all else is rounded one by one: the spikes are the same bit for bit on a GPU and on any number of
cores. It costs 44 bytes per neuron, and 12 or 16 per synaptic event; on a GPU two launches at least.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engines.api import Benchmark, Engine, Estimate, Imported, KernelTraffic, Problem, Progress, Simulation, no_progress
from engines.api.charts import Diagram
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.lab import LabTable, Study
from engines.api.simulation.ranks import Part, Ranks
from engines.api.tools import Tool
from engines.api.values import ParameterFile
from engines.api.verification import VerificationCase
from engines.backend.pace import small_pace, structure_of
from engines.backend.twins import pick
from engines.geometry.particles import Particles
from engines.spiking.connectivity.files import check_connections
from engines.spiking.connectivity.layout import particles, places_of
from engines.spiking.lab.benchmarks import benchmarks
from engines.spiking.lif.traffic import lif_traffic
from engines.spiking.network.plan import rising
from engines.spiking.network.traffic import network_traffic
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import ConstantDelay, NoDelay
from engines.spiking.parameters.published import cuba
from engines.spiking.ranks.part import part_of
from engines.spiking.setup.checks import check, findings, off_by, spikes_on_disk
from engines.spiking.setup.defaults import default_parameters
from engines.spiking.setup.diagram import network_diagram
from engines.spiking.setup.memory import need, runs_of
from engines.spiking.setup.networks import general, plain
from engines.spiking.setup.populations import fewer_neurons, is_plain, live_of, neurons, typed_synapses_of
from engines.spiking.step.simulation import SpikingSimulation
from engines.spiking.stimulate.spike_lists import read_spikes

SECOND = 1000.0
LAUNCHES = 5e-6
"""What a step takes on a GPU at least [s]: two launches in a graph."""
SAMPLE_MEMORY = 4 << 20
"""Bytes of the network that is tried on a CPU: drawing its synapses takes a tenth of a second."""


def _brian2_of(problem: Problem) -> str:
    from engines.spiking.brian2.script import brian2_script  # seldom wanted

    return brian2_script(problem)


class SpikingEngine(Engine):
    """Networks of spiking neurons."""

    id = "spiking"
    title = "Spiking networks"
    summary = "Populations of spiking neurons, from single ones to hundreds of thousands, joined by rules"
    time_unit = "ms"
    Parameters = SpikingParameters
    geometry_type = None
    parameter_file = ParameterFile("Brian2 script", ".py", _brian2_of)
    imports = (".py", ".txt", ".json")

    # The network: neurons in space, their synapses, a step on a device.

    def default_parameters(self, geometry: Any) -> SpikingParameters:
        return default_parameters()

    def geometry_of(self, problem: Problem) -> Particles:
        parameters = _checked(problem)
        if not neurons(parameters):
            raise ProblemError("There is no neuron: give a population some.", ("populations", 0, "number"))
        names = tuple(population.name for population in parameters.populations)
        return particles(places_of(parameters.populations, parameters.sheets), names)

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        parameters = _checked(problem)
        synapses = sum(check(parameters, backend))
        progress(f"Drawing about {synapses:,} synapses", 0.0)
        assemble = plain if is_plain(parameters) else general
        subject, network = assemble(parameters, backend, progress)
        simulation = SpikingSimulation(backend, self.geometry_of(problem), subject, network)
        simulation.set_live(live_of(parameters))
        progress("Ready", 1.0)
        return simulation

    def build_part(self, problem: Problem, backend: Backend, ranks: Ranks, progress: Progress = no_progress) -> Part:
        """A range of the neurons. Raises ProblemError for what runs on one rank."""
        parameters = _checked(problem)
        progress(f"Drawing about {sum(check(parameters, backend)):,} synapses", 0.0)
        return part_of(parameters, self.geometry_of(problem), backend, ranks, progress)

    def diagram(self, problem: Problem) -> Diagram:
        return network_diagram(_checked(problem))

    # What it costs.

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        parameters = _checked(problem)
        synapses, step = check(parameters, backend), parameters.numerics.step
        moved = _traffic(parameters, synapses).bytes
        seconds = max(moved / backend.ceilings().best, pick(backend, cpu=0.0, cuda=LAUNCHES))
        memory = pick(backend, cpu=need(parameters, synapses).on_host, cuda=need(parameters, synapses).total)
        few = fewer_neurons(parameters, SAMPLE_MEMORY / memory)
        of_few = check(few, backend)
        more = moved / _traffic(few, of_few).bytes
        key = __name__, structure_of(few), moved, memory
        size = need(few, of_few).total  # not small where connections are of a number of synapses
        tried = small_pace(backend, key, lambda: self.build(Problem(few), backend), size, seconds / more)
        return Estimate(
            memory_bytes=memory,
            bytes_per_step=moved,
            step=step,
            stable_step=None,
            seconds_per_simulated_unit=more * tried / step,
            milestone=("second", SECOND),
            findings=findings(parameters),
            facts=(*spikes_on_disk(parameters), *off_by(parameters)),
        )

    def imported(self, path: Path) -> Imported | None:
        """A network in the text of a Brian2 script, or of equations, of which nothing is run; a SONATA circuit."""
        if path.suffix.lower() == ".json":
            from engines.spiking.sonata.reader import read_sonata  # seldom wanted

            return read_sonata(path)
        from engines.spiking.brian2.reader import read_brian2  # seldom wanted

        return read_brian2(path)

    def check_file(self, path: Path, kind: str) -> bool:
        if kind == "connection table":
            check_connections(path)
        elif kind == "spike list":
            read_spikes(str(path))
        return kind in ("connection table", "spike list")

    def tools(self) -> Sequence[Tool]:
        from engines.spiking.tools.response import Response  # seldom wanted

        return (Response(),)

    def warm(self, backend: Backend) -> None:
        """A hundred steps of a small network, and what viewers ask of it."""
        for delay in (NoDelay(), ConstantDelay()):  # the plain network and the general one
            simulation = self.build(cuba(100, 2.0, delay), backend)
            simulation.advance(101)
            simulation.observe()
            simulation.synchronize()
            simulation.close()

    # What the Kernel Lab measures.

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

    def verification(self) -> Sequence[VerificationCase]:
        from engines.spiking.verification.cases import CASES  # they build with this engine

        return CASES


def _traffic(parameters: SpikingParameters, synapses: Sequence[int]) -> KernelTraffic:
    """Of a step; with so many synapses of each connection."""
    n, step = neurons(parameters), parameters.numerics.step
    if is_plain(parameters):
        (traffic,) = lif_traffic(n, sum(synapses), step)
    else:
        own = typed_synapses_of(parameters)
        typed = [(synapses[k], each.typed) for k, each in own.items()]
        runs = sum(runs_of(parameters, k, synapses[k]) for k, each in own.items() if each.typed.model.paths[0])
        raised = rising(parameters.populations)
        (traffic,) = network_traffic(n, sum(synapses), step, rising=raised, typed=typed, runs=runs)
    return traffic


def _checked(problem: Problem) -> SpikingParameters:
    if not isinstance(problem.parameters, SpikingParameters):
        raise TypeError(f"parameters of the spiking engine, not {type(problem.parameters).__name__}")
    return problem.parameters
