"""A network on a device, stepped and looked at; element i is neuron i."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from engines.api import Array, Dab, FieldInfo, KernelTiming, KernelTraffic, NonFinite, Selection, Simulation
from engines.api.abilities import Axes, Underneath
from engines.api.charts import ChartData, ChartInfo, Fact, Inspection
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup
from engines.api.values import Population
from engines.formulas.graph import const
from engines.geometry.particles import Particles
from engines.spiking.connectivity import partners
from engines.spiking.connectivity.partners import Block, Partners
from engines.spiking.lif.model import NEVER, raster_stride
from engines.spiking.neurons.constants import Live
from engines.spiking.step.named_numbers import NamedNumbers
from engines.spiking.step.network import Network
from engines.spiking.stimulate import brushes
from engines.spiking.typed.integration import able
from engines.spiking.typed.population import TypedPopulation
from engines.spiking.typed.synapses.state import name_of
from engines.spiking.watch import electrodes, firing, rhythm
from engines.spiking.watch.flashes import flashes, flashes_later
from engines.spiking.watch.groups import Groups
from engines.spiking.watch.links import links_of
from engines.spiking.watch.rates import Rates
from engines.spiking.watch.rates_over import RatesOver
from engines.spiking.watch.spikes import Reader, Readers
from engines.spiking.watch.synapses import TypedSynapses, axes_of, changing_weights
from engines.spiking.watch.traces import HEARD, SENT, Cell, Partner, Trace, company, profiles
from engines.spiking.watch.weights import Weights, weights_info

SAMPLE = 5.0
"""Between two samples [ms]: rates of 3,200 neurons at 6 Hz over this time scatter by a tenth."""
FOLLOWED = electrodes.MOST - 1 - HEARD * 2 - SENT
"""Probes that are recorded in each step; the other electrodes are for a neuron that somebody looks into."""
RASTER, DOTS = 2048, 1 << 20
"""Steps that the raster shows at least: all that are kept of few neurons, of which so many dots might be."""
FACTORS = ("excitation", "inhibition", "external", "noise")
LIVE = {"drive": "drive", "injected": "injected"} | {f"synapses.{name}": name for name in FACTORS}


@dataclass(frozen=True, eq=False)
class Subject:
    """What a simulation knows of its network beside the device's arrays.

    rest: (n,) float32 added to stored voltages [mV]; blocks: its synapses; hears: (n,) bool, whether a neuron has
    synapses (sources have none); live: the arrays that live parameters decide; cells: what populations keep
    """

    groups: Groups
    dt: float
    rest: Array
    blocks: tuple[Block, ...]
    hears: Array
    live: Callable[[Live], Mapping[str, Array]]
    voltages: tuple[float, float]
    largest: float
    unit: str
    cells: tuple[Cell, ...]
    synapses: int
    traffic: Callable[[float], tuple[KernelTraffic, ...]]
    """Of a step in which so much of the synapses is used per second as neurons of this mean rate [Hz] use."""
    recovers: bool = False
    highest: tuple[float, ...] = ()
    """The highest weight of each connection whose weights change."""
    within: int = 1
    """So many steps after a spike no neuron fires again: the shortest refractory time."""
    recorded: tuple[str, ...] = ()
    """Populations whose spikes are to be written."""
    typed: Mapping[int, TypedPopulation] = field(default_factory=dict)
    """Populations whose neurons a person types."""
    voltage_unit: str = "mV"
    typed_synapses: tuple[TypedSynapses, ...] = ()
    """Of connections whose synapses a person types."""


class SpikingSimulation(Simulation):
    """Neurons in space."""

    def __init__(self, backend: Backend, geometry: Particles, subject: Subject, network: Network) -> None:
        self.geometry, self.dt, self.step = geometry, subject.dt, 0
        self._backend, self._subject, self._network, self._live = backend, subject, network, Live()
        self._groups = subject.groups
        self._numbers = NamedNumbers(subject.typed, {each.connection: each.own for each in subject.typed_synapses})
        self._rates_over = RatesOver(subject.groups, subject.typed)
        self._synapse_charts = {info.name: each for each in subject.typed_synapses for info in each.charts}
        charts, own = self._groups.charts, [info for each in subject.typed_synapses for info in each.charts]
        charts = (*charts[:2], *self._rates_over.charts, *charts[2:], partners.BLOCKS, weights_info(subject.unit))
        self.series, self.charts = (*self._groups.series, *self._groups.means), (*charts, *own)
        self.traffic = network.traffic
        self.sample_steps = min(max(1, round(SAMPLE / subject.dt)), electrodes.WINDOW)
        largest, unit = subject.largest, subject.unit
        sizes = all(cell.reversals is not None or cell.variables for cell in subject.cells if not cell.source)
        inhibition = (0.0, largest) if sizes else (-largest, 0.0)
        self.fields = (
            FieldInfo("activity", "Spikes, fading", "1", "point", (0.0, 1.0), "inferno"),
            FieldInfo("voltage", "Membrane voltage", subject.voltage_unit, "point", subject.voltages),
            FieldInfo("g_e", "Excitatory synapses", unit, "point", (0.0, largest)),
            FieldInfo("g_i", "Inhibitory synapses", unit, "point", inhibition),
            FieldInfo("rate", "Mean rate", "Hz", "point", (0.0, 30.0)),
        )
        if subject.recovers:
            self.fields = (*self.fields, FieldInfo("recovery", "Recovery or adaptation", "1", "point", (-20.0, 20.0)))
        self._rest = backend.array(subject.rest)
        self.brushes = brushes.infos(max(2 * largest, 5 * (subject.voltages[1] - subject.voltages[0])), unit)
        self._silent = np.zeros(self._groups.neurons, bool)
        self._in_degrees: Array | None = None
        self._spread: Weights | None = None
        self._partners: tuple[int, tuple[Partners, ...]] = (-1, ())
        self._watched: tuple[int | None, tuple[Partner, ...]] = (None, ())
        self._followed: tuple[int, ...] = ()
        self._probed: Any = None
        self._traced: tuple[int, Array] = 0, np.zeros(0)
        """The step up to which probes are told, and when they had fired last, then."""
        self._seen = self._counted()
        self._means = Rates(self._groups, subject.dt)
        self._rates = dict.fromkeys((info.name for info in self._groups.series), 0.0)
        self.populations = tuple(
            Population(name, int(first), int(stop), name in subject.recorded)
            for name, (first, stop) in zip(self._groups.names, pairwise(self._groups.bounds), strict=True)
        )
        self._readers: Readers | None = None

    def advance(self, steps: int) -> None:
        if self._readers is not None and not self._readers:
            self._readers = self._network.spikes = None
        self._network.advance_watched(steps)
        self.step += steps

    def spike_trains(self) -> Reader:
        """See :class:`engines.api.abilities.Spiking`."""
        if self._readers is None:
            found = self._network.find_spikes(self._subject.within)
            self._readers = Readers(self.dt, self.populations, found.take)
        return self._readers.open()

    def synchronize(self) -> None:
        self._backend.synchronize()

    # What viewers ask.

    def select(self, selection: Selection) -> Any:
        return self._backend.select(selection)

    def gather(self, name: str, handle: Any) -> Array:
        return self.gather_later(name, handle)()

    def gather_later(self, name: str, handle: Any) -> Callable[[], Array]:
        begin, arrays = partial(self._backend.gather_later, handle=handle), self._network.arrays
        if name == "activity":
            last, release, lesioned = arrays["last"], arrays["release"], bool(self._silent.any())
            return flashes_later(self._backend, last, release, lesioned, handle, self.step - 1, self.dt)
        if name == "rate":
            spikes, seconds = begin(arrays["spikes"]), np.float32(max(self._seconds, 1e-9))
            return lambda: spikes() / seconds
        values = begin(arrays[name])
        if name != "voltage":
            return values
        rest = begin(self._rest)
        return lambda: values() + rest()

    def field(self, name: str) -> Array:
        if name == "activity":
            return self._activity(self._host("last").astype(np.float32), self.step - 1, self._silent)
        if name == "rate":
            return self._host("spikes").astype(np.float32) / np.float32(max(self._seconds, 1e-9))
        return self._host(name) + self._subject.rest if name == "voltage" else self._host(name)

    def on_device(self, name: str) -> Any | None:
        if name in ("activity", "rate"):  # made of others on the host
            return None
        with self._backend.active():
            values = self._network.arrays[name]
            return values + self._rest if name == "voltage" else values.copy()

    def _activity(self, last: Array, step: Any, silent: Array) -> Array:
        return np.where(silent, np.float32(np.nan), flashes(last, step, self.dt))

    @property
    def _seconds(self) -> float:
        return self.time / 1000.0

    def _host(self, name: str) -> Array:
        return self._backend.to_host(self._network.arrays[name])

    def _counted(self) -> tuple[int, Array, int]:
        """Step, spikes by population and synaptic events, all since the beginning."""
        return self.step, self._host("population_spikes"), int(self._host("events")[0])

    def observe(self) -> Mapping[str, float]:
        """Rates since the latest whole sample, or of few neurons over a longer time; none had fired before the
        beginning. And those since then. A look between two samples, at an end, changes nothing for a run that goes
        on."""
        now, past = self._counted(), self._means.past
        seconds = (now[0] - self._seen[0]) * self.dt / 1000.0
        if seconds > 0:
            rates = self._means.then(self._seen[:2], now[:2])
            events = (now[2] - self._seen[2]) / seconds
            self._rates = dict(zip(self._rates, (*map(float, rates), events), strict=True))
            whole = self.step % self.sample_steps == 0
            self._seen, self._means.past = (now, self._means.past) if whole else (self._seen, past)
            self.traffic = self._subject.traffic(events / max(self._subject.synapses, 1))
        return self._rates | self._groups.means_of(now[1], now[2], self._seconds)

    def chart(self, name: str) -> ChartData:
        match name:
            case "raster":
                history, total = self._host("history"), int(self._host("population_spikes").sum())
                fired = rhythm.recent(history, self.step, max(RASTER, DOTS // history.shape[1]))
                stride = raster_stride(self._groups.neurons)
                return firing.raster(fired, self.step, self.dt, stride, self._groups, total)
            case "spectrum" | "correlations":
                told = rhythm.spectrum if name == "spectrum" else rhythm.correlations
                fired = rhythm.recent(self._host("history"), self.step)
                return told(fired, self.dt, raster_stride(self._groups.neurons), self._groups, self.step)
            case "rate_histogram":
                return firing.rate_histogram(self._host("spikes"), self._seconds, self._groups)
            case "irregularity":
                spikes, interval, square = (self._host(array) for array in ("spikes", "interval", "interval_square"))
                return firing.irregularity(spikes, interval, square, self._groups)
            case "weights":
                if self._spread is None:
                    self._spread = Weights(self._subject.blocks, self._groups, self._subject.highest)
                return self._spread.chart(self._weights)
            case "blocks":
                return partners.block_chart(self._mean_inputs(), self._groups)
        if name in self._rates_over:
            return self._rates_over.chart(name, self._host("spikes"), self._seconds)
        if name in self._synapse_charts:
            own = self._synapse_charts[name]
            return own.chart(name.removeprefix(name_of(own.connection, "")), self.step, self._gathered)
        return super().chart(name)

    def results(self) -> Mapping[str, Array]:
        """Synapses between populations, what each neuron has done, and the weights that change as they are now."""
        spikes, subject = self._host("spikes"), self._subject
        found = {
            "connectivity/mean synapses by sender and population that hears [1]": self._mean_inputs(),
            "neurons/spikes [1]": spikes,
            "neurons/mean rate [Hz]": spikes / max(self._seconds, 1e-9),
        }
        for synapses in subject.typed_synapses:
            found |= synapses.results(self.step, lambda name, places: self._host(name)[places])
        return found | changing_weights(subject.blocks, subject.unit, self._host)

    def result_axes(self) -> Mapping[str, Axes]:
        return axes_of(self._subject.typed_synapses, self._subject.blocks, self._groups.names)

    def _mean_inputs(self) -> Array:
        if self._in_degrees is None:
            self._in_degrees = partners.in_degrees(self._subject.blocks, self._groups)
        return self._in_degrees

    def look_into(self, element: int | None) -> None:
        """Record this neuron and some of its partners in each step from now on."""
        joined: tuple[Partner, ...] = ()
        if element is not None:
            joined = company(self._partners_of(element), element, self._host("spikes"), self._weights)
        self._watched = element, joined
        self._record()

    def _record(self) -> None:
        element, joined = self._watched
        watched = () if element is None else (element, *(each.neuron for each in joined))
        self._network.electrodes.choose(tuple(dict.fromkeys((*self._followed, *watched))), self.step)

    def follow(self, elements: Array) -> int:
        """See :class:`engines.api.abilities.Traced`."""
        self._followed = tuple(map(int, elements[:FOLLOWED]))
        self._probed = self.select(Selection(np.array(self._followed, np.int32)))
        self._traced = self.step, self._at_probes("last")()
        self._record()
        return len(self._followed)

    def _at_probes(self, name: str) -> Callable[[], Array]:
        return self._backend.gather_later(self._network.arrays[name], self._probed)

    def traced(self) -> tuple[Array, Mapping[str, Array]]:
        """Voltage, recovery, rate and flash of the probed neurons; what synapses give has other values in a step than
        after it."""
        told, last = self._traced
        spikes, now = self._at_probes("spikes"), self._at_probes("last")
        steps, state = self._network.electrodes.values(self.step, self.step - told, self._followed)
        times, fired = (steps + 1) * self.dt, state[:, 4] > 0
        own = (self._trace("", each, steps, state[:, :, k]) for k, each in enumerate(self._followed))
        lasts = np.maximum.accumulate(np.concatenate([last[None], np.where(fired, steps[:, None], NEVER)]))[1:]
        later = fired.sum(axis=0) - fired.cumsum(axis=0)
        values = {
            "voltage": np.stack([each.voltage for each in own], axis=1),
            "activity": self._activity(lasts, steps[:, None], self._silent[list(self._followed)]),
            "rate": (spikes() - later) / np.maximum(times[:, None] / 1000.0, 1e-9),
        }
        if self._subject.recovers:
            values["recovery"] = state[:, 3]
        self._traced = self.step, now()
        return times, {name: each.astype(np.float32) for name, each in values.items()}

    def inspect(self, element: int) -> Inspection | None:
        handle = self.select(Selection(np.array([element], np.int32)))
        population = self._groups.of(element)
        cell = self._subject.cells[population]
        arrays = self._network.arrays
        names = ("voltage", "g_e", "g_i", "last", "spikes")
        known = {name: float(self._backend.gather(arrays[name], handle)[0]) for name in names}
        sums = (self._backend.gather(arrays[name], handle) for name in ("interval", "interval_square"))
        spikes = int(known["spikes"])
        facts = []
        if not cell.source:
            facts += [
                Fact(
                    "Membrane voltage",
                    known["voltage"] + float(self._subject.rest[element]),
                    self._subject.voltage_unit,
                ),
                Fact("Excitatory synapses", known["g_e"], cell.unit),
                Fact("Inhibitory synapses", known["g_i"], cell.unit),
            ]
        facts.append(Fact("Spikes", spikes, ""))
        if spikes:
            facts.append(Fact("Since the last spike", (self.step - 1 - known["last"]) * self.dt, "ms"))
            facts.append(Fact("Mean rate", spikes / max(self._seconds, 1e-9), "Hz"))
        variation = firing.coefficient_of_variation(np.array([spikes]), *sums)[0]
        if np.isfinite(variation):
            facts.append(Fact("CV of intervals", float(variation), "1"))
        found = self._partners_of(element)
        facts += partners.facts(found, self._groups)
        links = links_of(found, element, self.geometry.positions, self._subject.unit, self._weights)
        return Inspection(self._groups.title(element), tuple(facts), self._traces(element), links, charts_first=True)

    def _traces(self, element: int) -> tuple[tuple[ChartInfo, ChartData], ...]:
        """Charts of the last steps, if it is this neuron that is recorded."""
        watched, joined = self._watched
        if watched != element:
            return ()
        neurons = (element, *(each.neuron for each in joined))
        steps, values = self._network.electrodes.values(self.step, RASTER, neurons)
        titles = (self._groups.title(element), *(f"{each.way} {self._groups.short(each.neuron)}" for each in joined))
        told = zip(titles, neurons, values.transpose(2, 0, 1), strict=True)
        own, *others = (self._trace(title, neuron, steps, each) for title, neuron, each in told)
        return profiles(own, others)

    def _trace(self, title: str, neuron: int, steps: Array, state: Array) -> Trace:
        cell, rest = self._subject.cells[self._groups.of(neuron)], float(self._subject.rest[neuron])
        return Trace(title, cell, rest, (steps + 1) * self.dt, state)

    def _partners_of(self, element: int) -> tuple[Partners, ...]:
        if self._partners[0] != element:
            self._partners = element, tuple(partners.partners(block, element) for block in self._subject.blocks)
        return self._partners[1]

    def _weights(self, block: Block, places: Array) -> Array:
        return self._gathered(block.changing, places) if block.changing else block.weights(places)

    def _gathered(self, name: str, places: Array) -> Array:
        handle = self.select(Selection(places.astype(np.int32)))
        return self._backend.gather(self._network.arrays[name], handle)

    # Brushes.

    def paint(self, dab: Dab) -> str | None:
        neurons = brushes.reached(self.geometry.positions, dab)
        arrays = self._network.arrays
        if dab.brush == brushes.LESION:
            before = int(self._silent.sum())
            self._silent = brushes.lesion(self._backend, arrays, neurons, dab.amount, dab.erase)
            changed = int(self._silent.sum()) - before
            return f"{changed:,} neurons silenced, t = {self.time:.1f} ms." if changed > 0 else None
        neurons = neurons[self._subject.hears[neurons]]
        brushes.stimulate(self._backend, arrays, neurons, dab.amount)
        return f"{len(neurons):,} neurons stimulated, t = {self.time:.1f} ms."

    def underneath(self, dab: Dab, first: bool) -> Underneath:
        neurons = brushes.reached(self.geometry.positions, dab)
        return brushes.underneath(self._backend, self._network.arrays, neurons, dab)

    def put_back(self, under: Underneath) -> None:
        self._silent = brushes.put_back(self._backend, self._network.arrays, under)

    # Changes and checkpoints.

    def set_control(self, name: str, value: Any) -> None:
        changes = {}
        if name == "synapses" and isinstance(value, ParameterGroup):
            changes = {last: getattr(value, last) for last in FACTORS}
        elif name in LIVE:
            changes = {LIVE[name]: float(value)}
        elif not self._numbers.change(name, value):
            raise ProblemError(f"'{name}' cannot change during a run: reset, change it, and run again.")
        self.set_live(replace(self._live, **changes))

    def set_live(self, live: Live) -> None:
        """Place what live parameters decide."""
        for array, values in self._subject.live(live).items():
            self._place(values, array)
        self._live = live

    def _place(self, values: Array, name: str) -> None:
        held = self._network.arrays[name]
        with self._backend.active():
            held[...] = self._backend.array(values)

    def state(self) -> dict[str, Array]:
        live = np.array(astuple(self._live))
        step, spikes, events = self._seen
        rates = {
            "seen": np.array([step, events], np.int64),
            "seen_spikes": spikes,
            "past": self._means.past,
            "rates": np.array(list(self._rates.values())),
        }
        arrays = {name: self._host(name) for name in self._network.arrays}
        return {"step": np.array(self.step), "live": live} | rates | self._numbers.state() | arrays

    def restore(self, state: Mapping[str, Array]) -> None:
        for name, values in self._network.arrays.items():
            if state[name].shape != values.shape:
                raise ValueError(f"a network whose {name} is {state[name].shape}, not {values.shape}")
        for name in self._network.arrays:
            self._place(state[name], name)
        self._live = Live(*map(float, state["live"]))
        self._numbers.restore(state)
        self.step = int(state["step"])
        if self._readers is not None:
            self._readers.go_back(self.step)
        self._silent = np.asarray(state["release"] == brushes.SILENT)
        self._seen = self._counted()
        self._means.past = np.array(state.get("past", [(0, *np.zeros_like(self._seen[1]))]), np.int64)
        if "seen" in state:  # checkpoints of earlier versions go without: their next rates are of a shorter time
            self._seen = int(state["seen"][0]), np.array(state["seen_spikes"]), int(state["seen"][1])
            self._rates = dict(zip(self._rates, map(float, state["rates"]), strict=True))
        self._network.electrodes.choose((), self.step)
        self.follow(np.array(self._followed, np.int32))

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        titles = {"voltage": "The membrane voltage", "g_e": "The excitation", "g_i": "The inhibition"}
        for name, title in titles.items():  # endless excitation makes a spike of each voltage, which is finite again
            place = self._backend.first_non_finite(self._network.arrays[name])
            if place is not None:
                return self._typed_blow_up(place) or NonFinite(title, place, "use smaller weights.")
        for name in ("recovery", "more") if self._subject.typed else ():
            place = self._backend.first_non_finite(self._network.arrays[name])
            if place is not None:
                return self._typed_blow_up(place % self._groups.neurons)
        return self._wrong_synapses()

    def _wrong_synapses(self) -> NonFinite | None:
        arrays = self._network.arrays
        for each in self._subject.typed_synapses:
            cut = int(self._host(f"cut_{each.connection}")[0])
            bad = each.wrong(lambda name: self._backend.first_non_finite(arrays[name]), cut, self.time)
            if bad is not None:
                return bad
        return None

    def _typed_blow_up(self, element: int) -> NonFinite | None:
        """Which variable of a typed neuron is no number, where, when, and what to change."""
        population = self._groups.of(element)
        if population not in self._subject.typed:
            return None
        typed = self._subject.typed[population].typed
        rows = {name: self._host("more")[place] if isinstance(place, int) else self._host(place)
                for name, place in typed.places.items()}  # fmt: skip
        names = [name for name, row in rows.items() if not np.isfinite(row[element])]
        advice = "look for parameters that make it grow without bound, or use smaller weights."
        if typed.method != "exact":
            other = typed.method != "exponential euler" and able(typed.model, "exponential euler")
            advice = (
                f"use steps shorter than {self.dt:g} ms, {'or exponential Euler, ' * other}or look for terms that grow."
            )
            if (
                names[0] not in typed.model.held
                and not typed.model.rests_on_condition
                and typed.model.refractory != const(0.0)
            ):
                advice += (
                    f" {names[0]} goes on while a neuron is refractory: (unless refractory) in its line has it rest."
                )
        title = f"{names[0]} of {self._groups.title(element)} at t = {self.time:.4g} ms"
        return NonFinite(title, element, advice)

    def close(self) -> None:
        self._network.arrays.clear()
        del self._network
