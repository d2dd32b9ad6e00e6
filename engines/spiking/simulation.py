"""A network on a device, stepped and looked at; element i is neuron i."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, KernelTiming, NonFinite, Selection, SeriesInfo, Simulation
from engines.backend.base import Backend
from engines.charts import ChartData, Fact, Inspection
from engines.errors import ProblemError
from engines.geometry.particles import Particles
from engines.parameters import ParameterGroup
from engines.spiking import charts
from engines.spiking.lif import LifNetwork
from engines.spiking.lif.model import Lif, Sources, Synapses, raster_stride

SERIES = (
    SeriesInfo("rate_excitatory", "Rate, excitatory", "Hz"),
    SeriesInfo("rate_inhibitory", "Rate, inhibitory", "Hz"),
    SeriesInfo("events", "Synaptic events per second", "1/s"),
)
SAMPLE = 5.0
"""Between two samples [ms]: rates of 3,200 neurons at 6 Hz over this time scatter by a tenth."""
FADE = 12.0
"""Time in which the flash of a spike fades to 1/e [ms]: some frames at the usual pace."""
LIVE = {"drive": "drive", "synapses.excitation": "excitation", "synapses.inhibition": "inhibition"}


class SpikingSimulation(Simulation):
    """Leaky integrate-and-fire neurons in sheets."""

    charts = charts.CHARTS
    series = SERIES

    def __init__(
        self,
        backend: Backend,
        geometry: Particles,
        lif: Lif,
        sources: Sources,
        synapses: Synapses,
        network: LifNetwork,
    ) -> None:
        self.geometry, self.dt, self.step = geometry, lif.dt, 0
        self._backend, self._lif, self._sources, self._synapses, self._network = (
            backend, lif, sources, synapses, network,
        )  # fmt: skip
        self.traffic = network.traffic
        self.sample_steps = max(1, round(SAMPLE / lif.dt))
        largest = 10 * max(abs(weight) for weight in (*sources.weights, 0.1))
        self.fields = (
            FieldInfo("activity", "Spikes, fading", "1", "point", (0.0, 1.0), "inferno"),
            FieldInfo("voltage", "Membrane voltage", "mV", "point", (min(lif.reset, lif.threshold), lif.threshold)),
            FieldInfo("g_e", "Excitatory current", "mV", "point", (0.0, largest)),
            FieldInfo("g_i", "Inhibitory current", "mV", "point", (-largest, 0.0)),
            FieldInfo("rate", "Mean rate", "Hz", "point", (0.0, 30.0)),
        )
        self._quantum = network.quantum
        self._inputs: Array | None = None
        self._seen = self._counted()
        self._rates = dict.fromkeys((info.name for info in SERIES), 0.0)

    def advance(self, steps: int) -> None:
        self._network.advance(steps)
        self.step += steps

    def synchronize(self) -> None:
        self._backend.synchronize()

    # What viewers ask.

    def select(self, selection: Selection) -> Any:
        return self._backend.select(selection)

    def gather(self, name: str, handle: Any) -> Array:
        arrays = self._network.arrays
        if name == "activity":
            return self._activity(self._backend.gather(arrays["last"], handle))
        if name == "rate":
            return self._backend.gather(arrays["spikes"], handle) / np.float32(max(self._seconds, 1e-9))
        values = self._backend.gather(arrays[name], handle)
        return values + np.float32(self._lif.rest) if name == "voltage" else values

    def field(self, name: str) -> Array:
        if name == "activity":
            return self._activity(self._host("last").astype(np.float32))
        if name == "rate":
            return self._host("spikes").astype(np.float32) / np.float32(max(self._seconds, 1e-9))
        return self._host(name) + np.float32(self._lif.rest if name == "voltage" else 0.0)

    def _activity(self, last: Array) -> Array:
        """1 at a spike, then fading; 0 where there was none."""
        age = (self.step - 1 - last) * np.float32(self.dt)
        return np.exp(-age / np.float32(FADE), dtype=np.float32)

    @property
    def _seconds(self) -> float:
        return self.time / 1000.0

    def _host(self, name: str) -> Array:
        return self._backend.to_host(self._network.arrays[name])

    def _counted(self) -> tuple[int, Array, int]:
        """Step, spikes by population and synaptic events, all since the beginning."""
        return self.step, self._host("population_spikes"), int(self._host("events")[0])

    def observe(self) -> Mapping[str, float]:
        """Rates since the call before."""
        now = self._counted()
        seconds = (now[0] - self._seen[0]) * self.dt / 1000.0
        if seconds > 0:
            neurons = np.maximum(np.diff(self._sources.bounds), 1)
            rates = (now[1] - self._seen[1]) / neurons / seconds
            events = (now[2] - self._seen[2]) / seconds
            self._rates = dict(zip(self._rates, (*map(float, rates), events), strict=True))
            self._seen = now
        return self._rates

    def chart(self, name: str) -> ChartData:
        match name:
            case "raster":
                stride = raster_stride(self._sources.neurons)
                return charts.raster(self._host("history"), self.step, self.dt, stride, self._sources)
            case "rate_histogram":
                return charts.rate_histogram(self._host("spikes"), self._seconds, self._sources)
            case "irregularity":
                spikes, interval, square = (self._host(array) for array in ("spikes", "interval", "interval_square"))
                return charts.irregularity(spikes, interval, square, self._sources)
        return super().chart(name)

    def inspect(self, element: int) -> Inspection | None:
        handle = self.select(Selection(np.array([element], np.int32)))
        population = int(np.searchsorted(self._sources.bounds, element, side="right")) - 1
        arrays = self._network.arrays
        names = ("voltage", "g_e", "g_i", "last", "spikes")
        known = {name: float(self._backend.gather(arrays[name], handle)[0]) for name in names}
        sums = (self._backend.gather(arrays[name], handle) for name in ("interval", "interval_square"))
        spikes = int(known["spikes"])
        facts = [
            Fact("Membrane voltage", known["voltage"] + self._lif.rest, "mV"),
            Fact("Excitatory current", known["g_e"], "mV"),
            Fact("Inhibitory current", known["g_i"], "mV"),
            Fact("Spikes", spikes, "1"),
        ]
        if spikes:
            facts.append(Fact("Since the last spike", (self.step - 1 - known["last"]) * self.dt, "ms"))
            facts.append(Fact("Mean rate", spikes / max(self._seconds, 1e-9), "Hz"))
        variation = charts.coefficient_of_variation(np.array([spikes]), *sums)[0]
        if np.isfinite(variation):
            facts.append(Fact("CV of intervals", float(variation), "1"))
        starts = self._synapses.starts
        facts.append(Fact("Hears", float(self._heard()[element]), "neurons"))
        facts.append(Fact("Is heard by", float(starts[element + 1] - starts[element]), "neurons"))
        return Inspection(f"{charts.NAMES[population]} neuron {element:,}", tuple(facts))

    def _heard(self) -> Array:
        """(n,) how many neurons each hears."""
        if self._inputs is None:
            self._inputs = np.bincount(self._synapses.targets, minlength=self._sources.neurons)
        return self._inputs

    # Changes and checkpoints.

    def set_control(self, name: str, value: Any) -> None:
        changes = {}
        if name == "synapses" and isinstance(value, ParameterGroup):
            changes = {last: getattr(value, last) for last in ("excitation", "inhibition")}
        elif name in LIVE:
            changes = {LIVE[name]: float(value)}
        else:
            raise ProblemError(f"'{name}' cannot change during a run: reset, change it, and run again.")
        self._lif = replace(self._lif, **changes)
        self._place(self._lif.constants(self._quantum), "constants")

    def _place(self, values: Array, name: str) -> None:
        held = self._network.arrays[name]
        with self._backend.active():
            held[...] = self._backend.array(values)

    def state(self) -> dict[str, Array]:
        live = np.array([self._lif.drive, self._lif.excitation, self._lif.inhibition])
        return {"step": np.array(self.step), "live": live} | {name: self._host(name) for name in self._network.arrays}

    def restore(self, state: Mapping[str, Array]) -> None:
        for name, values in self._network.arrays.items():
            if state[name].shape != values.shape:
                raise ValueError(f"a network whose {name} is {state[name].shape}, not {values.shape}")
        for name in self._network.arrays:
            self._place(state[name], name)
        drive, excitation, inhibition = map(float, state["live"])
        self._lif = replace(self._lif, drive=drive, excitation=excitation, inhibition=inhibition)
        self.step = int(state["step"])
        self._seen = self._counted()

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        place = self._backend.first_non_finite(self._network.arrays["voltage"])
        return None if place is None else NonFinite("The membrane voltage", place, "use smaller weights.")

    def close(self) -> None:
        self._network.arrays.clear()
        del self._network
