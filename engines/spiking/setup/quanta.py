"""Weights that are rounded to coarse quanta, as a neuron may hear very much at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from engines.api import Finding
from engines.quantities import percent
from engines.spiking.connectivity.files import columns_of, weight_sizes
from engines.spiking.connectivity.wiring import HEADROOM, QUANTA, Span, span_of
from engines.spiking.neurons.rows import TABLE
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import Connection, FromFile
from engines.spiking.parameters.neurons import Source
from engines.spiking.parameters.plasticity import Stdp
from engines.spiking.parameters.synapses import OwnSynapse
from engines.spiking.setup.memory import joined
from engines.spiking.setup.populations import spans, typed_synapses_of
from engines.spiking.typed.synapses.connection import weights_of

FINE = 50
"""Quanta of a weight from which it is right to 1 %."""
Place = tuple[str | int, ...]


@dataclass(frozen=True)
class _Weight:
    """size: of the least one, 0 where that is not known; sum: of all that a neuron hears of them"""

    what: str
    size: float
    sum: float
    hears: Span
    place: Place


def coarse(parameters: SpikingParameters) -> Iterator[Finding]:
    """Of weights that are rounded by more than 1 %; the quantum is about that of the network which will be drawn."""
    known = spans(parameters)
    weights = [*_of_connections(parameters, known), *_from_outside(parameters, known)]
    heard = {
        name: [each for each in weights if each.hears.first < own.stop and own.first < each.hears.stop]
        for name, own in known.items()
    }
    name, most = max(heard.items(), key=lambda each: sum(one.sum for one in each[1]))
    total = sum(each.sum for each in most)
    if not 0 < total < math.inf:
        return
    quantum = 2.0 ** (math.ceil(math.log2(total)) - QUANTA)
    for each in weights:
        if 0 < each.size < FINE * quantum:
            lost = "they become 0" if each.size < quantum / 2 else f"by up to {percent(quantum / each.size / 2)}"
            strongest = max(most, key=lambda one: one.sum)
            yield Finding(
                f"Weights {each.what} ({each.size:g}) are rounded to multiples of about {quantum:.2g}, {lost}: what a "
                f"neuron of {name} may hear at once, {total:.3g}, has room in 32 bits. Most of it comes "
                f"{strongest.what}: make these weaker or fewer.",
                place=each.place,
                distorts=True,
            )


def _of_connections(parameters: SpikingParameters, known: dict[str, Span]) -> Iterator[_Weight]:
    units = weights_of(parameters.connections, parameters.populations, typed_synapses_of(parameters))
    for k, connection in enumerate(parameters.connections):
        place: Place = ("connections", k)
        source, target = (span_of(name, known, place) for name in (connection.source, connection.target))
        rule = connection.rule
        size, field = abs(connection.weight.weight), ("weight", "weight")
        heard = joined(parameters, connection, source, target) / max(target.number, 1) * _most(connection)
        if isinstance(rule, FromFile) and "weight" in columns_of(rule.path):
            size, heard = weight_sizes(rule.path, units.get(k))
            field = ("rule", "path")
        if isinstance(connection.plasticity, OwnSynapse):
            size = 0.0  # what a spike adds is a statement's
        yield _Weight(f"from {connection.source} to {connection.target}", size, heard, target, (*place, *field))


def _most(connection: Connection) -> float:
    """What a synapse gives at most, or in the mean where that is drawn."""
    size, rule = abs(connection.weight.weight), connection.plasticity
    if isinstance(rule, Stdp):
        return rule.highest
    if isinstance(rule, OwnSynapse):
        return (rule.largest or HEADROOM * size) if rule.gives else 0.0
    return size


def _from_outside(parameters: SpikingParameters, known: dict[str, Span]) -> Iterator[_Weight]:
    for k, population in enumerate(parameters.populations):
        size = abs(population.external.weight)
        if population.external.rate > 0 and not isinstance(population.neuron, Source):
            place: Place = ("populations", k, "external", "weight")
            what = f"from outside to {population.name}"
            yield _Weight(what, size, TABLE * size, known[population.name], place)
