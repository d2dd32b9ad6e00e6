"""Populations in numbers, what acts live, and whether the plain network is enough for them."""

from __future__ import annotations

from engines.spiking.connectivity.wiring import Span
from engines.spiking.neurons.constants import Live, is_rising
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import ALL, ConstantWeight, Inputs, NoDelay, Probability
from engines.spiking.parameters.neurons import Lif, SpikeList
from engines.spiking.parameters.plasticity import NoPlasticity
from engines.spiking.parameters.populations import External, NormalStart
from engines.spiking.typed.synapses.connection import TypedConnection, typed_connections


def neurons(parameters: SpikingParameters) -> int:
    return sum(population.number for population in parameters.populations)


def fewer_neurons(parameters: SpikingParameters, share: float) -> SpikingParameters:
    """The same with about this share of each population's neurons, where it is less than all of them; sources whose
    spikes a file lists stay, for it names them."""
    if share >= 1.0:
        return parameters
    fewer = [
        each
        if isinstance(each.neuron, SpikeList) or not each.number
        else each.model_copy(update={"number": max(1, round(each.number * share))})
        for each in parameters.populations
    ]
    return parameters.model_copy(update={"populations": fewer})


def spans(parameters: SpikingParameters) -> dict[str, Span]:
    """The neurons of each population."""
    found, first = {}, 0
    for population in parameters.populations:
        found[population.name] = Span(first, first + population.number)
        first += population.number
    return found


def typed_synapses_of(parameters: SpikingParameters) -> dict[int, TypedConnection]:
    """Of the connections whose synapses a person types. Raises ProblemError."""
    numerics = parameters.numerics
    return typed_connections(parameters.connections, parameters.populations, numerics.step, numerics.seed)


def live_of(parameters: SpikingParameters) -> Live:
    factors = parameters.synapses
    return Live(
        parameters.drive, factors.excitation, factors.inhibition, factors.external, factors.noise, parameters.injected
    )


def is_plain(parameters: SpikingParameters) -> bool:
    """Whether this is a network that ``lif`` knows: equal leaky neurons, each population's spikes go to all with one
    weight and one probability, without delay. It moves less than the general one and has the same spikes."""
    populations, connections = parameters.populations, parameters.connections
    neuron = populations[0].neuron
    if not (
        isinstance(neuron, Lif)
        and not is_rising(neuron)
        and neuron.excitatory_time > 0
        and neuron.inhibitory_time > 0
        and all(each.neuron == neuron and each.external == External() for each in populations)
        and not any(isinstance(each.start, NormalStart) for each in populations)
        and [each.source for each in connections] == [each.name for each in populations]
    ):
        return False
    rule = connections[0].rule
    return isinstance(rule, (Probability, Inputs)) and all(
        each.target == ALL
        and each.rule == rule
        and isinstance(each.weight, ConstantWeight)
        and isinstance(each.delay, NoDelay)
        and isinstance(each.plasticity, NoPlasticity)
        for each in connections
    )
