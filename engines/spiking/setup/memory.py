"""What a network takes of a device's memory, told from its parameters; and whether it fits."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.spiking.connectivity import delays, draw
from engines.spiking.connectivity.files import has_delays, longest_delay
from engines.spiking.connectivity.layout import extent, places_of, share_near, usual_side
from engines.spiking.connectivity.wiring import BYTES, Span, delay_steps, expected, span_of
from engines.spiking.lif.model import HISTORY, raster_stride
from engines.spiking.network.plan import slots_for
from engines.spiking.neurons.constants import is_rising
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import (
    Connection,
    ConstantDelay,
    Distance,
    FormulaDelay,
    FromFile,
    Inputs,
    NoDelay,
    Probability,
    UniformDelay,
)
from engines.spiking.parameters.equations import OwnNeuron
from engines.spiking.parameters.neurons import HodgkinHuxley
from engines.spiking.parameters.plasticity import NoPlasticity
from engines.spiking.parameters.synapses import OwnSynapse
from engines.spiking.setup.populations import is_plain, neurons, spans, typed_synapses_of
from engines.spiking.typed.population import typed_of

PLAIN = 4
"""Bytes of a synapse whose weight is its sender's."""
CHANGING = 20
"""Of one whose weight changes: target, delay and sender, weight, place in the list by target."""
TYPED = 20
"""Of a typed one without its variables: target and sender, first weight, place in the list by target."""
RUN = 17
"""Of those of a sender with the same delay: the sender, the delay, where they begin, whether they are due."""
LATE = 1
"""More of a synapse where delays pass 8 bits."""
NEURON = 60
"""Of a neuron: voltage, synapses, recovery, spikes and intervals, release, list of spikes, where its synapses are."""
GATES, RISE, RING, TRACES = 12, 8, 8, 24
"""More of a neuron: with channels; with synapses that are alpha functions; for each step of the ring of inputs; for
each connection whose weights change."""
SPREADS = 6.0
"""Standard deviations above its mean that a delay may be, of some 10⁸ drawn ones."""
SHARE = 0.8
"""Of the device's memory that a network may take."""


@dataclass(frozen=True)
class Need:
    """neurons: bytes but for synapses; synapses: their bytes; longest: of the delays, at most [steps]; copies: of the
    synapses on the host, beside those that the device steps with, which whoever looks into a neuron reads"""

    neurons: int
    synapses: int
    longest: int
    copies: int = 0

    @property
    def total(self) -> int:
        return self.neurons + self.synapses

    @property
    def on_host(self) -> int:
        """Where the device's memory is the host's."""
        return self.total + self.copies * self.synapses


def need(parameters: SpikingParameters, synapses: tuple[int, ...]) -> Need:
    """With so many synapses of each connection."""
    n = neurons(parameters)
    raster = HISTORY * -(-n // raster_stride(n)) if n else 0
    if is_plain(parameters):
        return Need(n * (NEURON + RING) + raster, sum(synapses) * PLAIN, 0, copies=1)
    fixed = (k for k, each in enumerate(parameters.connections) if not isinstance(each.plasticity, OwnSynapse))
    longest = max((_longest(parameters, k) for k in fixed), default=0)
    sizes = [_of_synapse(parameters, k) for k in range(len(parameters.connections))]
    changing = sum(not isinstance(each.plasticity, NoPlasticity) for each in parameters.connections)
    gates = GATES if any(isinstance(each.neuron, HodgkinHuxley) for each in parameters.populations) else 0
    rise = RISE if any(is_rising(each.neuron) for each in parameters.populations) else 0
    typed = [each.neuron for each in parameters.populations if isinstance(each.neuron, OwnNeuron)]
    more = 4 * max((typed_of(neuron).more for neuron in typed), default=0)
    each = NEURON + more + gates + rise + RING * slots_for(longest) + TRACES * changing
    late = LATE if longest > draw.SHORT else 0
    taken = sum(count * (size + late) for count, size in zip(synapses, sizes, strict=True))
    taken += sum(RUN * runs_of(parameters, k, synapses[k]) for k in typed_synapses_of(parameters))
    return Need(n * each + _sent(parameters) + raster, taken, longest)


def _of_synapse(parameters: SpikingParameters, k: int) -> int:
    """Bytes of a synapse of a connection, but for long delays'."""
    own = parameters.connections[k].plasticity
    if isinstance(own, OwnSynapse):
        typed = typed_synapses_of(parameters)[k].typed
        return TYPED + 4 * len(typed.variables) + (4 if typed.model.rates else 0)
    return BYTES if isinstance(own, NoPlasticity) else CHANGING


def _sent(parameters: SpikingParameters) -> int:
    """Who fired in the last steps, of senders of typed synapses."""
    return sum(
        (1 + _longest(parameters, k)) * _senders(parameters, k)
        for k, each in enumerate(parameters.connections)
        if isinstance(each.plasticity, OwnSynapse)
    )


def _senders(parameters: SpikingParameters, k: int) -> int:
    return span_of(parameters.connections[k].source, spans(parameters), ("connections", k, "source")).number


def runs_of(parameters: SpikingParameters, k: int, synapses: int) -> int:
    """Runs of typed synapses of a sender with the same delay, of so many of them at most."""
    connection = parameters.connections[k]
    one = isinstance(connection.delay, NoDelay | ConstantDelay)
    one = one and not (isinstance(connection.rule, FromFile) and has_delays(connection.rule.path))
    return min(synapses, _senders(parameters, k) * (1 if one else 1 + _longest(parameters, k)))


def _longest(parameters: SpikingParameters, k: int) -> int:
    """The longest delay of a connection, at most [steps]; of one that a person types about."""
    connection, step, known = parameters.connections[k], parameters.numerics.step, spans(parameters)
    delay, place = connection.delay, ("connections", k, "delay")
    if isinstance(connection.rule, FromFile) and has_delays(connection.rule.path):
        return min(draw.LONGEST, math.ceil(longest_delay(connection.rule.path) / step))
    _, mean, spread, per_length = delay_steps(delay, step, place)
    if isinstance(delay, UniformDelay):
        return round(delay.longest / step)
    if isinstance(delay, FormulaDelay):
        ends = [span_of(name, known, ("connections", k)) for name in (connection.source, connection.target)]
        node = delays.read(delay.formula, (*place, "formula"))
        far = extent(places_of(parameters.populations))
        return delays.longest(node, step, (ends[0].number, ends[1].number), far)
    far = per_length * extent(places_of(parameters.populations)) if per_length else 0.0
    return min(draw.LONGEST, math.ceil(mean + SPREADS * spread + far))


def joined(parameters: SpikingParameters, connection: Connection, source: Span, target: Span) -> int:
    """About how many synapses a connection has; where nearness decides, those of neurons that are far from borders."""
    rule, n = connection.rule, neurons(parameters)
    if not isinstance(rule, Distance):
        return expected(connection, source, target, n)
    places = places_of(parameters.populations)
    usual, first, near = usual_side(places), 0, 0.0
    for place in places:
        if target.first <= first < target.stop:
            near += place[1] * share_near(place, usual, rule.kernel, rule.width)
        first += place[1]
    return round(rule.probability * source.number * near)


def check_room(parameters: SpikingParameters, synapses: tuple[int, ...], backend: Backend) -> None:
    """Raises ProblemError for what does not fit, that says how much does."""
    memory, n, total = backend.info.memory_bytes, neurons(parameters), sum(synapses)
    wanted = need(parameters, synapses)
    if not memory or wanted.total <= SHARE * memory:
        return
    room = SHARE * memory - wanted.neurons
    if room <= 0:
        late = f", with delays of up to {wanted.longest} steps," if wanted.longest else ""
        raise ProblemError(
            f"{n:,} neurons{late} take {wanted.neurons / 1e9:.3g} GB without their synapses, and "
            f"{backend.info.name} has room for {int(n * SHARE * memory / wanted.neurons):,}: use fewer neurons"
            f"{', or a longer step' if late else ''}.",
            ("populations",),
        )
    fit = int(total * room / wanted.synapses)
    advice = "use fewer neurons or synapses."
    rule = parameters.connections[0].rule
    if is_plain(parameters) and isinstance(rule, Inputs):
        advice = f"use fewer neurons, or at most {fit / n:,.0f} inputs."
    elif is_plain(parameters) and isinstance(rule, Probability):
        advice = f"use fewer neurons, or at most a probability of {fit / n**2:.2g}."
    raise ProblemError(
        f"This network has about {total:,} synapses, and {backend.info.name} has room for {fit:,}: {advice}",
        ("connections",),
    )
