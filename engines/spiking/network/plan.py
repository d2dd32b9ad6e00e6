"""A network without a word about a device: populations in numbers, what may change while it runs, first values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.errors import ProblemError
from engines.formulas.typed.units import Dimension
from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.lif.model import HISTORY, NEVER, raster_stride
from engines.spiking.lif.traffic import TYPICAL_RATE
from engines.spiking.network.traffic import network_traffic
from engines.spiking.neurons import constants as model
from engines.spiking.neurons.constants import Live, constants, is_rising, model_of, refractory_steps
from engines.spiking.neurons.rows import TABLE, Kind
from engines.spiking.parameters.connections import Connection
from engines.spiking.parameters.neurons import ConductanceLif, HodgkinHuxley, Izhikevich, Neuron, PoissonSource, Source
from engines.spiking.parameters.populations import NormalStart, Population
from engines.spiking.stimulate.spike_lists import Listed, listed
from engines.spiking.typed.plan import WAITING, Typed
from engines.spiking.typed.population import TypedPopulation, numbers, populations_of
from engines.spiking.typed.synapses.connection import TypedConnection, typed_connections, weights_of
from engines.spiking.typed.synapses.state import synapse_state

WORD = 2.0**32


@dataclass(frozen=True, eq=False)
class Plan:
    """Populations one after the other. bounds: (populations + 1,)"""

    populations: tuple[Population, ...]
    dt: float
    seed: int
    connections: tuple[Connection, ...] = ()

    @cached_property
    def bounds(self) -> Array:
        """(populations + 1,) int64"""
        return np.cumsum([0, *(population.number for population in self.populations)])

    @property
    def neurons(self) -> int:
        return int(self.bounds[-1])

    @property
    def key(self) -> int:
        """Of the random numbers of steps; 64 bits."""
        return int(np.random.SeedSequence([self.seed, 2]).generate_state(1, np.uint64)[0])

    @property
    def models(self) -> Array:
        """(populations,) int32; of typed ones TYPED and the place of their model in ``typed_models``."""
        kinds = [int(model_of(population.neuron)) for population in self.populations]
        for k, population in self.typed.items():
            kinds[k] += self.typed_models.index(population.typed)
        return np.array(kinds, np.int32)

    @cached_property
    def typed(self) -> dict[int, TypedPopulation]:
        """Of the populations whose neurons a person types. Raises ProblemError."""
        return populations_of([(each.neuron, each.number) for each in self.populations], self.dt, self.seed)

    @cached_property
    def synapses(self) -> dict[int, TypedConnection]:
        """Of the connections whose synapses a person types. Raises ProblemError."""
        return typed_connections(self.connections, self.populations, self.dt, self.seed)

    @property
    def weights(self) -> dict[int, Dimension]:
        """Of what kind the weights of connections are, where they are of one. Raises ProblemError."""
        return weights_of(self.connections, self.populations, self.synapses)

    def traffic(self, wiring: Wiring, rate: float = TYPICAL_RATE) -> tuple[KernelTraffic, ...]:
        """Of a step at this mean rate of spikes [Hz]."""
        own = [(block, self.synapses[block.connection].typed) for block in wiring.joined]
        typed = [(len(block.weights), each) for block, each in own]
        runs = sum(len(block.runs.who) for block, each in own if each.model.paths[0])
        return network_traffic(self.neurons, int(wiring.sent[-1]), self.dt, rate, self.rising, typed, runs)

    @cached_property
    def typed_models(self) -> list[Typed]:
        return list(dict.fromkeys(population.typed for population in self.typed.values()))

    @property
    def more(self) -> int:
        """Rows of variables of typed neurons beside those of all models."""
        return max((typed.more for typed in self.typed_models), default=0)

    @property
    def refractory(self) -> Array:
        """(populations,) int32 [steps]"""
        steps = [refractory_steps(population.neuron, self.dt) for population in self.populations]
        for k, population in self.typed.items():
            steps[k] = population.typed.refractory(population.given)
        return np.array(steps, np.int32)

    @property
    def surely_silent(self) -> int:
        """So many steps after a spike no neuron fires again; where a condition says when it may, that is the next."""
        return int(np.where(self.refractory < WAITING, self.refractory, 1).min())

    @property
    def largest_outside(self) -> Array:
        """(neurons,) the largest input from outside in a step."""
        return np.repeat(
            [TABLE * abs(each.external.weight) if each.external.rate > 0 else 0.0 for each in self.populations],
            np.diff(self.bounds),
        )

    def live(self, live: Live, quantum: float) -> dict[str, Array]:
        """The arrays that live parameters decide.

        parameters: (populations, WIDTH) float32; chances: (populations, TABLE) uint32, k spikes or fewer come from
        outside where a random word is below chances[k], or a source fires where it is below chances[0]; outside:
        (populations, 2) int32, entries of the row that are used, and the weight of a spike in quanta; numbers: where
        neurons are typed, what their parameters make (``typed.population.numbers``)
        """
        rows, tables, outside = [], np.zeros((len(self.populations), TABLE), np.uint32), []
        for place, population in enumerate(self.populations):
            external, neuron = population.external, population.neuron
            rows.append(constants(neuron, self.dt, external.current, external.noise, live, quantum))
            if isinstance(neuron, Source):
                chance = chance_of(neuron, live.external, self.dt)
                if chance > 1 + 1e-5:
                    raise ProblemError(
                        f"{chance:.3g} spikes of a source in a step are too many, it has one at most: use steps of "
                        f"{self.dt / chance:.6g} ms, or several sources in the place of each.",
                        ("populations", place, "neuron", "rate"),
                    )
                tables[place, 0] = min(round(chance * WORD), WORD - 1)
                outside.append((0, 0))
                continue
            table = poisson_table(external.rate * live.external * self.dt * 1e-3, place)
            tables[place, : len(table)] = table
            outside.append((len(table), round(external.weight / quantum)))
        found = {"parameters": np.stack(rows), "chances": tables, "outside": np.array(outside, np.int32)}
        return found | ({"numbers": numbers(self.typed, len(self.populations))} if self.typed else {})

    @cached_property
    def listed(self) -> Listed:
        """The steps in which sources fire by a list. Raises ProblemError for files that hold none."""
        return listed([(each.neuron, each.number) for each in self.populations], self.dt)

    @property
    def needs_gates(self) -> bool:
        return Kind.HODGKIN_HUXLEY in self.models

    @property
    def rising(self) -> int:
        """Neurons whose synapses are alpha functions."""
        return rising(self.populations)

    @property
    def rest(self) -> Array:
        """(neurons,) float32, added to stored voltages [mV]"""
        return np.repeat(
            np.array([model.rest_of(population.neuron) for population in self.populations], np.float32),
            np.diff(self.bounds),
        )


def chance_of(neuron: Neuron, factor: float, dt: float) -> float:
    """Spikes of a source in a step in the mean; factor: of what is outside."""
    return neuron.rate * factor * dt * 1e-3 if isinstance(neuron, PoissonSource) else 0.0


def poisson_table(mean: float, place: int = 0) -> Array:
    """uint32: the chance of k or fewer events, of 2^32, for k = 0, 1, … until it is all. Raises ProblemError for more
    than a table holds."""
    if mean <= 0:
        return np.zeros(0, np.uint32)
    term, total, found = math.exp(-mean), 0.0, []
    for k in range(TABLE):
        total += term
        if total >= 1 - 0.5 / WORD:
            break
        found.append(math.floor(total * WORD))
        term *= mean / (k + 1)
    else:
        raise ProblemError(
            f"{mean:.3g} spikes from outside in a step are too many: use a shorter step or fewer and stronger spikes.",
            ("populations", place, "external", "rate"),
        )
    return np.array(found, np.uint32)


@dataclass(frozen=True, eq=False)
class First:
    """voltage: (n,) [mV]; excitation, inhibition: (n,) what synapses give, sizes"""

    voltage: Array
    excitation: Array
    inhibition: Array


def first_values(populations: Sequence[Population], seed: int) -> First:
    """Drawn from the seed; evenly spread voltages as they were before other starts came."""
    numbers = [population.number for population in populations]
    share = np.random.default_rng(seed).random(sum(numbers))
    normal = np.random.default_rng([seed, 1]).standard_normal((3, sum(numbers)))
    voltage, excitation, inhibition = np.zeros((3, sum(numbers)))
    first = 0
    for population in populations:
        own, start = slice(first, first + population.number), population.start
        first += population.number
        if isinstance(start, NormalStart):
            voltage[own] = start.voltage + start.voltage_spread * normal[0, own]
            excitation[own] = np.maximum(0, start.excitation + start.excitation_spread * normal[1, own])
            inhibition[own] = np.maximum(0, start.inhibition + start.inhibition_spread * normal[2, own])
        else:
            voltage[own] = start.lowest + (start.highest - start.lowest) * share[own]
    return First(voltage, excitation, inhibition)


def plastic_state(wiring: Wiring) -> dict[str, Array]:
    """Of each connection whose weights change: weights (synapses,) float32, and the traces of senders and targets,
    (2, n) float32"""
    state: dict[str, Array] = {}
    for k, block in enumerate(wiring.plastic):
        state[f"weights_{k}"] = block.weights
        state[f"traces_{k}"] = np.zeros((2, len(block.starts) - 1), np.float32)
    return state


def slots_for(longest: int) -> int:
    """Steps of the ring of inputs: a power of two that holds the longest delay."""
    return 1 << math.ceil(math.log2(longest + 2))


def noise_table() -> Array:
    """(4096,) float32: equally likely values of mean 0; two of them, drawn apart, add to a variance of 1."""
    from scipy.special import ndtri

    values = ndtri((np.arange(4096) + 0.5) / 4096)
    return (values / values.std() / math.sqrt(2)).astype(np.float32)


def new_state(plan: Plan, wiring: Wiring, first: First) -> dict[str, Array]:
    """The arrays that change, on the host; those of ``lif.model.new_state`` and

    recovery: (n,) float32 adaptation or recovery; gates: (3, n) float32 m, h, n of channels, (3, 1) if there are none
    ring: (slots, 2, n) int32 quanta that arrive in a step, excitatory and inhibitory
    rise: (2, n) float32, where synapses are alpha functions: what excitatory and inhibitory ones rise by in a step
    more: (rows, n) float32, where neurons are typed: variables that have no array among these
    and those of ``Plan.live``, ``plastic_state`` and ``synapse_state``
    """
    n = plan.neurons
    stride = raster_stride(n)
    recovery, gates = np.zeros(n, np.float32), np.zeros((3, n if plan.needs_gates else 1), np.float32)
    sign = np.ones(n)
    for k, population in enumerate(plan.populations):
        own = slice(int(plan.bounds[k]), int(plan.bounds[k + 1]))
        neuron = population.neuron
        if isinstance(neuron, Izhikevich):
            recovery[own] = neuron.b * first.voltage[own]
        if isinstance(neuron, HodgkinHuxley):
            gates[:, own] = steady_gates(first.voltage[own] - neuron.shift)
        synapses = "conductance" if isinstance(neuron, ConductanceLif) else getattr(neuron, "synapses", "current")
        sign[own] = 1 if synapses == "conductance" else -1
    voltage = np.where(np.repeat(plan.models == Kind.POISSON, np.diff(plan.bounds)), 0.0, first.voltage)
    rows = {
        "voltage": (voltage - plan.rest).astype(np.float32),
        "g_e": first.excitation.astype(np.float32),
        "g_i": (sign * first.inhibition).astype(np.float32),
        "recovery": recovery,
    }
    more = np.zeros((plan.more, n), np.float32)
    for k, typed in plan.typed.items():
        own = slice(int(plan.bounds[k]), int(plan.bounds[k + 1]))
        begun = {"voltage": first.voltage[own], "g_e": first.excitation[own], "g_i": first.inhibition[own]}
        for row in rows.values():
            row[own] = 0.0
        for name, values in typed.typed.starts(typed.given, begun).items():
            place = typed.typed.places[name]
            (rows[place] if isinstance(place, str) else more[place])[own] = values
    return {
        **rows,
        "gates": gates,
        "ring": np.zeros((slots_for(wiring.longest), 2, n), np.int32),
        "release": np.zeros(n, np.int32),
        "last": np.full(n, NEVER, np.int32),
        "spikes": np.zeros(n, np.int32),
        "interval": np.zeros(n),
        "interval_square": np.zeros(n),
        "population_spikes": np.zeros(len(plan.populations), np.int64),
        "events": np.zeros(1, np.int64),
        "clock": np.zeros(1, np.int32),
        "history": np.zeros((HISTORY, -(-n // stride)), np.uint8),
        **plan.live(Live(), wiring.quantum),
        **plastic_state(wiring),
        **synapse_state(plan.synapses, wiring),
        **({"rise": np.zeros((2, n), np.float32)} if plan.rising else {}),
        **({"more": more} if plan.typed else {}),
    }


def rising(populations: Sequence[Population]) -> int:
    """Neurons whose synapses are alpha functions."""
    return sum(population.number for population in populations if is_rising(population.neuron))


def no_rise() -> Array:
    """In place of ``rise`` where kernels do not look at it."""
    return np.zeros((2, 1), np.float32)


def steady_gates(x: Array) -> Array:
    """(3, n) m, h, n of Traub and Miles' channels at rest at a voltage ``x`` [mV] above V_T."""

    def linear(y: Array) -> Array:
        return np.where(np.abs(y) < 1e-6, 1.0, y / np.where(np.abs(y) < 1e-6, 1.0, np.expm1(y)))

    pairs = (
        (1.28 * linear((13 - x) / 4), 1.4 * linear((x - 40) / 5)),
        (0.128 * np.exp((17 - x) / 18), 4 / (1 + np.exp((40 - x) / 5))),
        (0.16 * linear((15 - x) / 5), 0.5 * np.exp((10 - x) / 40)),
    )
    return np.stack([opens / (opens + closes) for opens, closes in pairs])
