"""The synapses of a network: drawn from its connections, sorted by sender, their weights in integers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array, Progress, no_progress
from engines.api.errors import ProblemError
from engines.backend.fields.beyond import LARGEST
from engines.backend.threads import parallel_region
from engines.formulas.typed.units import Dimension
from engines.spiking.connectivity import delays, draw
from engines.spiking.connectivity.files import read, rows
from engines.spiking.connectivity.plastic import Joined, Plastic, by_delay, delays_of, listed, plastic
from engines.spiking.parameters.connections import (
    ALL,
    AllToAll,
    Connection,
    ConstantDelay,
    ConstantWeight,
    Delay,
    Distance,
    DistanceDelay,
    FixedInputs,
    FixedOutputs,
    FixedTotal,
    FormulaDelay,
    FromFile,
    Inputs,
    LognormalWeight,
    NoDelay,
    NormalDelay,
    OneToOne,
    Probability,
    UniformDelay,
    Weight,
)
from engines.spiking.parameters.plasticity import NoPlasticity, Stdp
from engines.spiking.parameters.synapses import OwnSynapse

QUANTA = 30
"""Bits of a 32-bit sum that the largest possible input of a neuron in one step may take."""
PARTS = 16
"""Of the synapses, whose sums are taken apart; always as many, so that the quantum is the same on every machine."""
BYTES = 8
"""Of a synapse."""
HEADROOM = 16.0
"""First weights that a spike of typed synapses adds at most, where nobody says it: 4 of a sum's 30 bits."""
DELAYS, WEIGHTS = 7, 8
"""Of the streams of random numbers that formulas of delays, and weights of tables that have none, draw from."""
PER_MS = 1e-3
"""µm/(mm/ms) in ms."""
NO_KINDS: Mapping[int, Dimension] = {}


@dataclass(frozen=True, eq=False)
class Span:
    """Neurons first … stop − 1 of the network."""

    first: int
    stop: int

    @property
    def number(self) -> int:
        return self.stop - self.first


@dataclass(frozen=True, eq=False)
class Space:
    """Where neurons are for rules and delays. places: (n, 3) float64 [µm]; by population's first neuron, sides: the
    length after which space repeats [µm], and flat: whether it does so along x and y alone"""

    places: Array
    sides: dict[int, float]
    flat: dict[int, bool]


@dataclass(frozen=True, eq=False)
class Wiring:
    """Row r is what neuron r sends: ``words[starts[r]:starts[r + 1]]``.

    starts: (n + 1,) int64; words: (synapses, 2) int32, target << 8 | delay [steps], weight [quanta]; late: (synapses,)
    uint8, what of the delay is above 8 bits, or empty where no synapse has any
    """

    starts: Array
    words: Array
    quantum: float
    longest: int
    late: Array
    plastic: tuple[Plastic, ...] = ()
    joined: tuple[Joined, ...] = ()
    """Synapses of equations that a person types."""

    @property
    def sent(self) -> Array:
        """(n + 1,) int64: how many synapses the neurons before each have, with those that change."""
        return np.asarray(sum((block.starts for block in (*self.plastic, *self.joined)), self.starts))

    @property
    def targets(self) -> Array:
        return self.words[:, 0] >> 8

    @property
    def delays(self) -> Array:
        """[steps]"""
        return delays_of(self.words, self.late)

    @property
    def weights(self) -> Array:
        return self.words[:, 1] * self.quantum


def expected(connection: Connection, source: Span, target: Span, neurons: int) -> int:
    """About how many synapses a connection has; for a distance rule at most so many."""
    rule, pairs = connection.rule, source.number * target.number
    match rule:
        case Probability():
            return round(rule.probability * pairs)
        case Inputs():
            return round(min(1.0, rule.inputs / max(neurons, 1)) * pairs)
        case FixedInputs():
            return rule.number * target.number if source.number else 0
        case FixedOutputs():
            return rule.number * source.number if target.number else 0
        case FixedTotal():
            return rule.number if pairs else 0
        case OneToOne():
            return min(source.number, target.number)
        case AllToAll():
            return pairs
        case Distance():
            return round(rule.probability * pairs)
        case FromFile():
            return rows(rule.path)


def span_of(name: str, spans: dict[str, Span], place: tuple[str | int, ...]) -> Span:
    """The neurons that a connection means. Raises ProblemError if there is no such population."""
    if name == ALL:
        return Span(0, max(span.stop for span in spans.values()))
    if name not in spans:
        known = ", ".join(spans)
        raise ProblemError(f"There is no population '{name}': choose one of {known}, or '{ALL}'.", place)
    return spans[name]


def delay_steps(delay: Delay, dt: float, place: tuple[str | int, ...]) -> tuple[int, float, float, float]:
    """Kind, mean and spread [steps], steps per µm; of those that a formula gives none. Raises ProblemError for a delay
    shorter than a step or too long."""
    match delay:
        case ConstantDelay() | NormalDelay():
            steps = delay.delay / dt
            if steps < 1 - 1e-9:
                raise ProblemError(
                    f"A delay of {delay.delay:g} ms is shorter than the step ({dt:g} ms): use a shorter step, a longer "
                    "delay, or none.",
                    place,
                )
            if steps > draw.LONGEST:
                raise ProblemError(
                    f"A delay of {delay.delay:g} ms is {steps:,.0f} steps, and there is room for {draw.LONGEST:,}: use "
                    "a longer step.",
                    place,
                )
            if isinstance(delay, NormalDelay):
                return draw.NORMAL_DELAY, steps, steps * delay.spread, 0.0
            return draw.CONSTANT_DELAY, steps, 0.0, 0.0
        case DistanceDelay():
            return draw.DISTANCE_DELAY, 0.0, 0.0, PER_MS / delay.velocity / dt
        case UniformDelay() | FormulaDelay():
            delays.checked(delay, dt, place)
    return draw.NONE, 0.0, 0.0, 0.0


def weight_kind(weight: Weight) -> tuple[int, float, float]:
    """Kind, mean, and spread as a share of the mean."""
    if isinstance(weight, ConstantWeight):
        return draw.CONSTANT, weight.weight, 0.0
    return (draw.LOGNORMAL if isinstance(weight, LognormalWeight) else draw.NORMAL), weight.weight, weight.spread


@dataclass(frozen=True, eq=False)
class _Draw:
    """A connection in numbers, ready to be counted and written. number: inputs of each target, where the rule says;
    outputs: (senders,) int64 where it says these"""

    rule: int
    salt: int
    source: Span
    target: Span
    number: int
    outputs: Array
    values: Array
    synapse: Array
    period: Array
    listed: tuple[Array, ...] | None = None
    plasticity: Stdp | OwnSynapse | None = None
    delay: delays.Formula | None = None

    def ends(self, space: Space) -> delays.Ends:
        first, sizes = (self.source.first, self.target.first), (self.source.number, self.target.number)
        return delays.Ends(first, *sizes, space.places, self.period)


def wire(
    connections: Sequence[Connection],
    spans: dict[str, Span],
    space: Space,
    dt: float,
    seed: int,
    outside: Array,
    progress: Progress = no_progress,
    kinds: Mapping[int, Dimension] = NO_KINDS,
) -> Wiring:
    """Draw all synapses. outside: (n,) the largest input from outside that a neuron may get in a step; kinds: of what
    kind the weights of connections are, where they are of one.

    The same on every machine; raises ProblemError for what connections cannot mean.
    """
    n = len(space.places)
    plans: list[_Draw] = []
    for k, connection in enumerate(connections):
        plans.append(_planned(connection, k, plans, spans, space, dt, seed, n, kinds.get(k)))
    blocks, joined = [], []
    sums = outside.astype(np.float64)
    longest = 0
    for k, plan in enumerate(plans):
        if isinstance(plan.plasticity, Stdp):
            starts, words, late = _drawn([plan], seed, space, n, progress)
            blocks.append(plastic(plan.plasticity, starts, words, late))
            sums += plan.plasticity.highest * blocks[-1].inputs
            longest = max(longest, int(draw.longest(words, late)))
        elif plan.plasticity is not None:
            joined.append(_joined(plan.plasticity, plan, k, _drawn([plan], seed, space, n, progress)))
            sums += joined[-1].largest * joined[-1].inputs
    starts, words, late = _drawn([plan for plan in plans if plan.plasticity is None], seed, space, n, progress)
    weights = words.view(np.float32)
    by_part = np.zeros((PARTS, n))
    with parallel_region():
        draw.heard(PARTS, words, weights, by_part)
    longest = max(longest, int(draw.longest(words, late)))
    sums += by_part.sum(axis=0)
    largest = float(sums.max(initial=0.0))
    quantum = 2.0 ** (math.ceil(math.log2(largest)) - QUANTA) if largest > 0 else 1.0
    with parallel_region():
        draw.quantised(words, weights, quantum)
    return Wiring(starts, words, quantum, longest, late, tuple(blocks), tuple(joined))


def _joined(own: OwnSynapse, plan: _Draw, k: int, drawn: tuple[Array, Array, Array]) -> Joined:
    """Those of a sender by their delays. Raises ProblemError where nothing says how much they may add."""
    found = listed(*by_delay(*drawn))
    largest = own.largest or HEADROOM * float(np.abs(found.weights).max(initial=0.0))
    if not own.gives:
        largest = 0.0
    elif not largest and len(found.words):
        raise ProblemError(
            "The first weights are 0, so nothing says how much a spike may add at most: say it.",
            ("connections", k, "plasticity", "largest"),
        )
    ends = (plan.source.first, plan.source.stop), (plan.target.first, plan.target.stop)
    return Joined(**vars(found), connection=k, source=ends[0], target=ends[1],
                  delay=int(delays_of(found.words, found.late).max(initial=0)), largest=largest)  # fmt: skip


def _drawn(
    plans: Sequence[_Draw], seed: int, space: Space, n: int, progress: Progress
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Starts (n + 1,), words with float32 weights, and what of the delays is above 8 bits."""
    cursor: Array = np.zeros(n, np.int64)
    nothing, none = np.empty((0, 2), np.int32), np.empty(0, np.uint8)
    for plan in plans:
        _apply(plan, False, seed, space, cursor, nothing, none)
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(cursor, out=starts[1:])
    words = np.empty((int(starts[-1]), 2), np.int32)
    late = np.zeros(len(words), np.uint8) if any(_longest(plan, space) > draw.SHORT for plan in plans) else none
    cursor = starts[:-1].copy()
    for k, plan in enumerate(plans):
        progress(f"Drawing {len(words):,} synapses", 0.1 + 0.6 * k / len(plans))
        begun = cursor.copy()
        _apply(plan, True, seed, space, cursor, words, late)
        if plan.delay is not None:
            rows, drawn = delays.rows_between(begun, cursor), draw.Drawn(words, words.view(np.float32), late)
            plan.delay.write(drawn, rows, plan.ends(space))
    return starts, words, late if late.any() else none


def _longest(plan: _Draw, space: Space) -> float:
    """What no delay of a connection exceeds [steps]; formulas say it when they are worked out."""
    if plan.delay is not None:
        return draw.LONGEST
    if plan.listed is not None:
        return float(plan.listed[3].max(initial=0))
    _, mean, spread, per_length = plan.synapse[3:7]
    size = np.linalg.norm(np.ptp(space.places, axis=0)) if per_length else 0.0
    return float(mean + draw.FARTHEST * spread + per_length * size)


def _planned(
    connection: Connection,
    k: int,
    before: Sequence[_Draw],
    spans: dict[str, Span],
    space: Space,
    dt: float,
    seed: int,
    n: int,
    weights: Dimension | None,
) -> _Draw:
    place: tuple[str | int, ...] = ("connections", k)
    source = span_of(connection.source, spans, (*place, "source"))
    same = [plan.salt for plan in before if plan.source.first < source.stop and source.first < plan.source.stop]
    salt = max(same, default=-1) + 1  # connections of one sender draw from streams of their own
    target = span_of(connection.target, spans, (*place, "target"))
    rule = connection.rule
    number, outputs, values = 0, np.empty(0, np.int64), np.zeros(4)
    period = np.zeros(3)
    kind = draw.PROBABILITY
    match rule:
        case Probability():
            values[0] = rule.probability
        case Inputs():
            values[0] = min(1.0, rule.inputs / n)
        case FixedInputs():
            kind, number = draw.INPUTS, rule.number if source.number else 0
        case FixedOutputs():
            kind, outputs = draw.OUTPUTS, np.full(source.number, rule.number if target.number else 0)
        case FixedTotal():
            kind, total = draw.OUTPUTS, rule.number if target.number else 0
            outputs = draw.shares(PARTS, seed, salt, source.first, source.number, total)
        case OneToOne():
            kind = draw.ONE_TO_ONE
        case AllToAll():
            kind = draw.ALL_TO_ALL
        case Distance():
            kind = draw.DISTANCE
            values[0] = rule.probability
            values[1 if rule.kernel == "gaussian" else 2] = (
                -0.5 / rule.width**2 if rule.kernel == "gaussian" else -1 / rule.width
            )
            if rule.periodic:
                ends = range(source.first, source.stop), range(target.first, target.stop)
                sides = sorted({side for at, side in space.sides.items() if any(at in end for end in ends)})
                if len(sides) > 1:
                    raise ProblemError(
                        f"Opposite sides cannot be joined where populations have sides of {sides[0]:g} and "
                        f"{sides[-1]:g} µm: give them the same, or do not join them.",
                        (*place, "rule", "periodic"),
                    )
                side = space.sides.get(target.first, 0.0)
                flat = space.flat.get(target.first, False)
                period[:] = (side, side, 0.0 if flat else side)
    synapse = np.zeros(8)
    synapse[:3] = weight_kind(connection.weight)
    synapse[3:7] = delay_steps(connection.delay, dt, (*place, "delay"))
    listed, drawn = None, connection.delay
    if isinstance(rule, FromFile):
        own = np.random.default_rng((seed, WEIGHTS, source.first, salt))
        listed, drawn = _listed(connection, rule, source, target, dt, place, weights, own)
    late = _formula(drawn, listed is not None, dt, (seed, DELAYS, source.first, salt), (*place, "delay"))
    chosen = connection.plasticity
    if not isinstance(chosen, NoPlasticity):
        if isinstance(chosen, Stdp) and (chosen.lowest > chosen.highest or connection.weight.weight < 0):
            raise ProblemError(
                "Weights that change are positive, between a lowest and a highest: use a positive weight and lowest "
                "below highest.",
                (*place, "plasticity"),
            )
        return _Draw(kind, salt, source, target, number, outputs, values, synapse, period, listed, chosen, late)
    return _Draw(kind, salt, source, target, number, outputs, values, synapse, period, listed, delay=late)


def _formula(
    delay: Delay, listed: bool, dt: float, stream: tuple[int, ...], place: tuple[str | int, ...]
) -> delays.Formula | None:
    """Of delays that no kernel draws: those that a person types, and of synapses from a file all that are drawn."""
    if not isinstance(delay, (UniformDelay, FormulaDelay, *((NormalDelay, DistanceDelay) if listed else ()))):
        return None
    place = (*place, "formula") if isinstance(delay, FormulaDelay) else place
    return delays.Formula(delays.read(delays.formula_of(delay, dt), place), dt, stream, place)


def _weights(weight: Weight, normal: Array) -> Array:
    """As ``draw`` has them, from normal numbers."""
    kind, mean, spread = weight_kind(weight)
    if kind == draw.LOGNORMAL:
        variance = np.log1p(spread**2)
        return np.asarray(mean * np.exp(np.sqrt(variance) * normal - 0.5 * variance))
    return mean * np.maximum(0.0, 1.0 + spread * normal)


def _listed(
    connection: Connection, rule: FromFile, source: Span, target: Span, dt: float, place: tuple[str | int, ...],
    weights: Dimension | None, random: np.random.Generator,
) -> tuple[tuple[Array, ...], Delay]:  # fmt: skip
    """As ``draw.as_listed`` has them, and how delays are drawn that the file does not have."""
    table, later = read(rule.path, weights), connection.delay
    ends = []
    for name, span in (("pre", source), ("post", target)):
        index = table[name].astype(np.int64)
        bad = np.flatnonzero((index < 0) | (index >= span.number) | (index != table[name]))
        if len(bad):
            raise ProblemError(
                f"Synapse {bad[0] + 1:,} names neuron {table[name][bad[0]]:g} as {name}, there are {span.number:,}: "
                "neurons count from 0.",
                (*place, "rule", "path"),
            )
        ends.append(index + span.first)
    count = len(ends[0])
    weight = table["weight"] if "weight" in table else _weights(connection.weight, random.standard_normal(count))
    if len(large := np.flatnonzero(np.abs(weight) > LARGEST)):
        raise ProblemError(
            f"The weight of synapse {large[0] + 1:,} is {weight[large[0]]:g}, and at most {LARGEST:.3g} can be: look "
            "at its unit.",
            (*place, "rule", "path"),
        )
    if isinstance(connection.plasticity, Stdp) and len(negative := np.flatnonzero(weight < 0)):
        raise ProblemError(
            f"The weight of synapse {negative[0] + 1:,} is {weight[negative[0]]:g}, and those that change are "
            "positive: give negative ones a connection of their own, without plasticity.",
            (*place, "rule", "path"),
        )
    if "delay" in table:
        steps = table["delay"] / dt
        short = np.flatnonzero((steps < 1 - 1e-9) & (steps != 0))
        if len(short):
            raise ProblemError(
                f"The delay of synapse {short[0] + 1:,} ({table['delay'][short[0]]:g} ms) is shorter than the step "
                f"({dt:g} ms): use a shorter step or longer delays.",
                (*place, "rule", "path"),
            )
        if len(steps) and steps.max() > draw.LONGEST:
            raise ProblemError(
                f"A delay of {steps.max() * dt:g} ms is more than {draw.LONGEST:,} steps: use a longer step.",
                (*place, "rule", "path"),
            )
        later = NoDelay()
    else:
        all_have = delay_steps(later, dt, (*place, "delay"))[1] if isinstance(later, ConstantDelay) else 0.0
        steps = np.full(count, all_have)
    return (*ends, weight.astype(np.float32), np.rint(steps).astype(np.int64)), later


def _apply(plan: _Draw, fill: bool, seed: int, space: Space, cursor: Array, words: Array, late: Array) -> None:
    drawn = draw.Drawn(words, words.view(np.float32), late)
    senders = np.array([plan.source.first, plan.source.stop], np.int64)
    rule = draw.Rule(plan.rule, seed, plan.salt, plan.target.first, plan.target.stop, plan.values)
    synapse = draw.Synapse(plan.synapse, space.places, plan.period)
    if plan.listed is not None:
        if fill:
            draw.as_listed(*plan.listed, cursor, drawn)
        else:
            cursor += np.bincount(plan.listed[0], minlength=len(cursor))
    elif plan.rule == draw.INPUTS:
        draw.by_target(fill, rule, senders, plan.number, synapse, cursor, drawn)
    else:
        draw.by_sender(int(senders[1] - senders[0]), fill, rule, senders, plan.outputs, synapse, cursor, drawn)
