"""From parameters to a network on a device: the plain one (``lif``) and the general one (``network``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engines.api import Array, Progress
from engines.api.device import Backend
from engines.formulas.typed.units import NONE
from engines.spiking.connectivity.layout import places_of, space
from engines.spiking.connectivity.pairs import random_synapses
from engines.spiking.connectivity.partners import Block
from engines.spiking.connectivity.plastic import Joined
from engines.spiking.connectivity.wiring import Wiring, wire
from engines.spiking.lif.model import Lif as ExactLif
from engines.spiking.lif.model import Sources, Start, Synapses
from engines.spiking.lif.traffic import lif_traffic
from engines.spiking.lif.twins import LIF
from engines.spiking.network.plan import First, Plan, first_values
from engines.spiking.network.twins import NETWORK
from engines.spiking.neurons.constants import Live
from engines.spiking.neurons.rows import Kind
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import Connection, ConstantWeight, Probability
from engines.spiking.parameters.equations import OwnNeuron, dimensions
from engines.spiking.parameters.neurons import Lif
from engines.spiking.setup.populations import live_of, neurons, spans
from engines.spiking.step.network import Network
from engines.spiking.step.simulation import Subject
from engines.spiking.typed.names import VOLTAGE
from engines.spiking.typed.population import numbers_of, typed_of
from engines.spiking.typed.synapses.connection import TypedConnection
from engines.spiking.typed.synapses.state import name_of, synapse_numbers
from engines.spiking.watch.groups import Groups
from engines.spiking.watch.synapses import TypedSynapses
from engines.spiking.watch.traces import Cell, cell_of


def lif_of(neuron: Lif, dt: float, live: Live) -> ExactLif:
    """The neuron, its synapses and what is live, in the method's own terms."""
    return ExactLif(
        dt=dt,
        membrane=neuron.membrane_time,
        excitatory=neuron.excitatory_time,
        inhibitory=neuron.inhibitory_time,
        rest=neuron.resting_voltage,
        threshold=neuron.threshold,
        reset=neuron.reset,
        refractory=neuron.refractory_time,
        drive=live.drive,
        excitation=live.excitation,
        inhibition=live.inhibition,
    )


def plain(
    parameters: SpikingParameters, backend: Backend, progress: Progress,
    opened: Callable[[ExactLif, Sources, Synapses, Start], Network] | None = None,
) -> tuple[Subject, Network]:  # fmt: skip
    """The network of ``lif``; ``opened``: made otherwise than by ``LIF``."""
    dt, seed, n = parameters.numerics.step, parameters.numerics.seed, neurons(parameters)
    rule, neuron = parameters.connections[0].rule, parameters.populations[0].neuron
    assert isinstance(neuron, Lif)
    probability = rule.probability if isinstance(rule, Probability) else getattr(rule, "inputs", 0.0) / n
    progress("Drawing synapses", 0.0)
    synapses = random_synapses(n, probability, seed)
    progress(f"Moving {n:,} neurons to {backend.info.name}", 0.8)
    groups = _groups(parameters)
    bounds = tuple(int(bound) for bound in groups.bounds)
    weights = tuple(each.weight.weight for each in parameters.connections if isinstance(each.weight, ConstantWeight))
    sources, exact = Sources(bounds, weights), lif_of(neuron, dt, live_of(parameters))
    start = Start(first_values(parameters.populations, seed).voltage, neuron.resting_voltage)
    given = exact, sources, synapses, start
    made = LIF.open(backend, *given) if opened is None else opened(*given)

    sent = np.repeat(np.array(weights), np.diff(bounds))
    block = Block(synapses.starts, synapses.targets, 0, lambda places: sent[block.senders(places)])

    def live(now: Live) -> Mapping[str, Array]:
        changed = replace(exact, drive=now.drive, excitation=now.excitation, inhibition=now.inhibition)
        return {"constants": changed.constants(made.quantum)}

    return Subject(
        groups,
        dt,
        np.full(n, neuron.resting_voltage, np.float32),
        (block,),
        np.ones(n, bool),
        live,
        (min(neuron.reset, neuron.threshold), neuron.threshold),
        10 * max(abs(weight) for weight in (*weights, 0.1)),
        "mV",
        tuple(cell_of(each.neuron) for each in parameters.populations),
        len(synapses.targets),
        lambda rate: lif_traffic(n, len(synapses.targets), dt, rate),
        within=exact.refractory_steps,
        recorded=_recorded(parameters),
    ), made


def general(
    parameters: SpikingParameters, backend: Backend, progress: Progress,
    opened: Callable[[Plan, Wiring, First], Network] | None = None,
) -> tuple[Subject, Network]:  # fmt: skip
    """A network of any populations; ``opened``: made otherwise than by ``NETWORK``."""
    dt, seed, n = parameters.numerics.step, parameters.numerics.seed, neurons(parameters)
    plan = Plan(tuple(parameters.populations), dt, seed, tuple(parameters.connections))
    where = space(places_of(parameters.populations))
    around = plan.largest_outside, progress, plan.weights
    wiring = wire(parameters.connections, spans(parameters), where, dt, seed, *around)
    progress(f"Moving {n:,} neurons to {backend.info.name}", 0.8)
    first = first_values(parameters.populations, seed)
    made = NETWORK.open(backend, plan, wiring, first) if opened is None else opened(plan, wiring, first)
    levels = [level for each in parameters.populations for level in _levels(each.neuron)]
    typical = [abs(each.weight.weight) for each in parameters.connections] + [
        abs(each.external.weight) for each in parameters.populations
    ]
    neurons_are = [each.neuron for each in parameters.populations]
    cells = tuple(cell_of(each) for each in neurons_are)
    return Subject(
        _groups(parameters),
        dt,
        plan.rest,
        (*_blocks(wiring), *(_joined_block(each, plan.synapses[each.connection]) for each in wiring.joined)),
        np.repeat(plan.models != Kind.POISSON, np.diff(plan.bounds)),
        lambda now: {**plan.live(now, wiring.quantum), **synapse_numbers(plan.synapses, wiring)},
        (min(levels), max(levels)) if len(levels) > 1 else (-80.0, -40.0),
        10 * max((*typical, 0.01)),
        _unit(cells),
        cells,
        int(wiring.sent[-1]),
        lambda rate: plan.traffic(wiring, rate),
        any(cell.recovery is not None for cell in cells),
        (*(block.rule.highest for block in wiring.plastic), *_bounds(plan)),
        plan.surely_silent,
        _recorded(parameters),
        plan.typed,
        "1" if plan.typed and all(_is_plain(plan, k) for k in range(len(neurons_are))) else "mV",
        typed_synapses=tuple(
            TypedSynapses(_title(parameters.connections[each.connection]), each, plan.synapses[each.connection])
            for each in wiring.joined
        ),
    ), made


def _title(connection: Connection) -> str:
    return f"{connection.source} to {connection.target}"


def _joined_block(block: Joined, own: TypedConnection) -> Block:
    """As viewers see it: the first weights, and where they are now."""
    typed, k = own.typed, block.connection
    sender, hearer = block.words[:, 1] - block.source[0], (block.words[:, 0] >> 8) - block.target[0]
    first = typed.starts(own.given, block.weights, sender, hearer)[typed.weight]
    return Block(block.starts, block.words[:, 0], 8, first.__getitem__, name_of(k, typed.weight))


def _bounds(plan: Plan) -> list[float]:
    """Of weights, where typed synapses clip them."""
    found = [each.typed.highest(each.given) for each in plan.synapses.values()]
    return [bound for bound in found if bound is not None]


def _is_plain(plan: Plan, k: int) -> bool:
    """Whether the voltage of a population is a plain number, as only typed ones may have it."""
    return k in plan.typed and plan.typed[k].typed.model.dimensions[VOLTAGE] == NONE


def _recorded(parameters: SpikingParameters) -> tuple[str, ...]:
    return tuple(each.name for each in parameters.populations if parameters.recording.takes(each.name))


def _unit(cells: Sequence[Cell]) -> str:
    """Of what synapses give, where all populations have the same."""
    units = {cell.unit for cell in cells if not cell.source}
    return units.pop() if len(units) == 1 else "1"


def _blocks(wiring: Wiring) -> tuple[Block, ...]:
    fixed = Block(wiring.starts, wiring.words[:, 0], 8, lambda places: wiring.words[places, 1] * wiring.quantum)
    return fixed, *(
        Block(each.starts, each.words[:, 0], 8, each.weights.__getitem__, f"weights_{k}")
        for k, each in enumerate(wiring.plastic)
    )


def _groups(parameters: SpikingParameters) -> Groups:
    numbers = [population.number for population in parameters.populations]
    return Groups(tuple(each.name for each in parameters.populations), np.cumsum([0, *numbers]))


def _levels(neuron: object) -> list[float]:
    """Voltages between which a neuron is most of the time [mV]."""
    if isinstance(neuron, OwnNeuron):
        model, given = typed_of(neuron).model, dimensions(neuron.parameters)
        alike = [name for name, dimension in given.items() if dimension == model.dimensions[VOLTAGE]]
        return [] if model.dimensions[VOLTAGE] == NONE else [numbers_of(neuron.parameters)[name] for name in alike]
    names = ("reset", "threshold", "c", "soft_threshold", "resting_voltage")
    return [float(getattr(neuron, name)) for name in names if hasattr(neuron, name)]
