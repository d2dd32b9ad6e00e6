"""What one should know of typed synapses before they run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engines.api import Finding
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import ALL
from engines.spiking.parameters.equations import OwnNeuron
from engines.spiking.setup.populations import typed_synapses_of
from engines.spiking.typed.names import WEIGHT
from engines.spiking.typed.population import typed_of
from engines.spiking.typed.synapses.connection import TypedConnection
from engines.spiking.typed.synapses.language import uses


def synapse_findings(parameters: SpikingParameters) -> Iterator[Finding]:
    """Weights outside of where statements keep them, or that nothing takes; spikes that add nothing; what nothing sums
    up."""
    found = typed_synapses_of(parameters)
    yield from _unsummed(parameters, found)
    for k, own in found.items():
        connection, typed = parameters.connections[k], own.typed
        place = ("connections", k, "plasticity")
        if not typed.step.sums and all(many is None for path in typed.paths for many in path.quanta):
            yield Finding(
                f"Spikes of {connection.source} add nothing to {connection.target}: write what they do, as "
                "g_e_post += w.",
                place=(*place, "on_pre"),
            )
        highest, mean = typed.highest(own.given), connection.weight.weight
        takes = any(uses([node], WEIGHT) for _, node in typed.model.starts)
        if not takes:
            yield Finding(
                f"Synapses from {connection.source} to {connection.target} do not begin at their connection's weight: "
                f"'Begin at' names no {WEIGHT}.",
                "info",
                (*place, "starts"),
            )
        elif highest is not None and mean > highest:
            yield Finding(
                f"The first weights from {connection.source} to {connection.target} ({mean:g} in the mean) are above "
                f"{highest:g}, to which the first event cuts them.",
                place=("connections", k, "weight", "weight"),
            )


def _unsummed(parameters: SpikingParameters, found: Mapping[int, TypedConnection]) -> Iterator[Finding]:
    done = {(parameters.connections[k].target, name) for k, own in found.items() for name in own.typed.model.sums}
    for k, population in enumerate(parameters.populations):
        if isinstance(population.neuron, OwnNeuron) and population.number:
            for name in sorted(typed_of(population.neuron).model.summed):
                if not {(population.name, name), (ALL, name)} & done:
                    yield Finding(
                        f"Nothing sums up {name} of {population.name}: it stays 0.",
                        place=("populations", k, "neuron", "lines"),
                    )
