"""The network as populations and the projections between them, told from its parameters."""

from __future__ import annotations

from engines.api.charts import Diagram, DiagramEdge, DiagramNode
from engines.spiking.connectivity.wiring import span_of
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import (
    ALL,
    ConstantDelay,
    Delay,
    Distance,
    DistanceDelay,
    FixedInputs,
    FixedOutputs,
    FormulaDelay,
    Inputs,
    NoDelay,
    Probability,
    Rule,
    UniformDelay,
    Weight,
)
from engines.spiking.parameters.neurons import NAMES
from engines.spiking.parameters.populations import Population
from engines.spiking.setup.memory import joined
from engines.spiking.setup.populations import neurons, spans

CHANGES = {"stdp": "plastic", "own equations": "typed"}


def network_diagram(parameters: SpikingParameters) -> Diagram:
    """A projection from or to all populations is an edge for each pair, with its share of the synapses; one whose
    population does not exist is left out, for the form says so."""
    where = spans(parameters)
    names, edges = [population.name for population in parameters.populations], []
    every = {name: [name] for name in names} | {ALL: names}
    for k, connection in enumerate(parameters.connections):
        pairs = [(s, t) for s in every.get(connection.source, ()) for t in every.get(connection.target, ())]
        sizes = {pair: where[pair[0]].number * where[pair[1]].number for pair in pairs}
        synapses = _joined(parameters, k) if pairs else 0
        for pair, size in sizes.items():
            share = synapses * size / max(1, sum(sizes.values()))
            parts = [_weight(connection.weight), _delay(connection.delay), _rule(connection.rule)]
            parts += [] if connection.plasticity.kind == "none" else [CHANGES[connection.plasticity.kind]]
            label = ", ".join(part for part in (*parts, f"{_count(share)} synapses") if part)
            source, target = (names.index(name) for name in pair)
            edges.append(DiagramEdge(source, target, share, connection.weight.weight < 0, label, ("connections", k)))
    nodes = tuple(_node(population, k) for k, population in enumerate(parameters.populations))
    title = f"{_count(neurons(parameters))} neurons, {_count(sum(edge.weight for edge in edges))} synapses"
    return Diagram(title, nodes, tuple(edges), "Excitatory", "Inhibitory", "Width: number of synapses")


def _joined(parameters: SpikingParameters, k: int) -> float:
    """Synapses of a connection."""
    where, connection = spans(parameters), parameters.connections[k]
    source, target = (span_of(name, where, ("connections", k)) for name in (connection.source, connection.target))
    return joined(parameters, connection, source, target)


def _node(population: Population, k: int) -> DiagramNode:
    outside = population.external
    lines = [f"{_count(population.number)} neurons", NAMES[population.neuron.kind]]
    if outside.rate and outside.weight:
        lines.append(f"from outside {_count(outside.rate)} Hz × {outside.weight:.3g}")
    elif outside.current:
        lines.append(f"constant current {outside.current:.3g}")
    return DiagramNode(population.name, tuple(lines), ("populations", k))


def _weight(weight: Weight) -> str:
    spread = getattr(weight, "spread", 0.0)
    return f"weight {weight.weight:.3g}".replace("-", "−") + (f" ± {abs(spread * weight.weight):.2g}" if spread else "")


def _delay(delay: Delay) -> str:
    if isinstance(delay, NoDelay):
        return ""
    if isinstance(delay, DistanceDelay):
        return f"{delay.velocity:g} mm/ms"
    if isinstance(delay, UniformDelay):
        return f"{delay.shortest:g} to {delay.longest:g} ms"
    if isinstance(delay, FormulaDelay):
        return f"delay {delay.formula if len(delay.formula) <= 40 else delay.formula[:37] + '…'}"
    return (
        f"{delay.delay:g} ms"
        if isinstance(delay, ConstantDelay)
        else f"{delay.delay:g} ± {delay.spread * delay.delay:g} ms"
    )


def _rule(rule: Rule) -> str:
    match rule:
        case Probability():
            return f"p = {rule.probability:g}"
        case Inputs():
            return f"{rule.inputs:g} inputs on average"
        case FixedInputs():
            return f"{rule.number} inputs each"
        case FixedOutputs():
            return f"{rule.number} outputs each"
        case Distance():
            return f"p = {rule.probability:g} nearby, within {rule.width:g} µm"
        case _:
            return "" if rule.kind == "fixed total" else str(rule.kind)


def _count(number: float) -> str:
    """``3 200``, ``12.5 million``."""
    if number >= 999_500:
        return f"{number / 1e6:.3g} million"
    return f"{number:,.0f}".replace(",", "\u202f")
