"""Variables of typed synapses: how they are distributed, as results, and where they are no numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engines.api import Array, NonFinite
from engines.api.abilities import Axes
from engines.api.charts import EMPTY, ChartData, ChartInfo, histogram
from engines.formulas.typed.units import named
from engines.spiking.connectivity.partners import Block
from engines.spiking.connectivity.plastic import Joined, delays_of
from engines.spiking.typed.synapses.connection import TypedConnection
from engines.spiking.typed.synapses.state import name_of
from engines.spiking.watch.weights import BARS, LOOKED_AT

Gather = Callable[[str, Array], Array]
"""(places,) float32 of an array of the device at ``places``."""


@dataclass(frozen=True, eq=False)
class TypedSynapses:
    """Of one connection; ``title``: ``sources to driven``."""

    title: str
    block: Joined
    own: TypedConnection

    @property
    def connection(self) -> int:
        return self.block.connection

    @property
    def charts(self) -> tuple[ChartInfo, ...]:
        """Of each variable but that which is shown as the weight."""
        typed = self.own.typed
        return tuple(
            ChartInfo(
                name_of(self.connection, name), f"{self.title}: synapses by {name}", "1", kind="bar", x_title=name,
                x_unit=self.unit(name), y_title="Synapses",
            )
            for name in typed.variables
            if name != typed.weight
        )  # fmt: skip

    def unit(self, name: str) -> str:
        return named(self.own.typed.model.dimensions[name], small=True)

    def chart(self, variable: str, step: int, gather: Gather) -> ChartData:
        """As it is at this step; of many synapses every k-th is looked at, and counts as k."""
        number = len(self.block.weights)
        places = np.arange(0, number, max(1, -(-number // LOOKED_AT)))
        if not len(places):
            return EMPTY
        values = self.present(step, gather, places)[variable]
        values = values[np.isfinite(values)]
        low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
        edges = np.linspace(low, high if high > low else low + 1.0, BARS + 1)
        bars = histogram(values, edges, variable)
        return ChartData((replace(bars, y=np.rint(bars.y * number / len(places))),))

    def present(self, step: int, gather: Gather, places: Array) -> Mapping[str, Array]:
        """(places,) float64 of each variable: between events they go on."""
        typed = self.own.typed
        values = {name: gather(name_of(self.connection, name), places).astype(float) for name in typed.variables}
        if not typed.model.rates:
            return values
        since = step - gather(f"events_{self.connection}", places).astype(float)
        return values | typed.later(self.own.given, values, since)

    def results(self, step: int, gather: Gather) -> dict[str, Array]:
        where, words = f"synapses of connection/{self.connection}", self.block.words
        values = self.present(step, gather, np.arange(len(words)))
        return {
            f"{where}/sender [1]": words[:, 1],
            f"{where}/target [1]": words[:, 0] >> 8,
            f"{where}/delay [ms]": self.own.given["dt"] * delays_of(words, self.block.late),
            **{f"{where}/{name} [{self.unit(name)}]": each for name, each in values.items()},
        }

    def wrong(self, first_non_finite: Callable[[str], int | None], cut: int, time: float) -> NonFinite | None:
        """A variable that is no number; or sums that would not hold what spikes add."""
        for name in self.own.typed.variables:
            place = first_non_finite(name_of(self.connection, name))
            if place is not None:
                hearer = int(self.block.words[place, 0]) >> 8
                title = f"{name} of a synapse, {self.title}, at t = {time:.4g} ms"
                return NonFinite(title, hearer, "look for statements that let it grow, or clip it.")
        if cut:
            title = f"The sum of what spikes add, {self.title}, by t = {time:.4g} ms"
            advice = (
                f"a spike adds more than the largest that was foreseen ({self.block.largest:.4g}): say a larger one."
            )
            return NonFinite(title, self.block.target[0], advice)
        return None


def changing_weights(blocks: Sequence[Block], unit: str, host: Callable[[str], Array]) -> dict[str, Array]:
    """Those of each block that has any, with senders and targets. ``host``: an array of the network by its name."""
    found: dict[str, Array] = {}
    for k, block in enumerate(each for each in blocks if each.changing.startswith("weights_")):
        senders = np.arange(len(block.starts) - 1, dtype=np.int32)
        found[f"changing weights/{k}/sender [1]"] = np.repeat(senders, np.diff(block.starts))
        found[f"changing weights/{k}/target [1]"] = np.asarray(block.targets >> block.shift, np.int32)
        found[f"changing weights/{k}/weight [{unit}]"] = host(block.changing)
    return found


def axes_of(typed: Sequence[TypedSynapses], blocks: Sequence[Block], populations: Sequence[str]) -> dict[str, Axes]:
    """What a network's results are over."""
    neuron: Axes = {"neuron": ""}
    synapse: Axes = {"synapse": ""}
    names = np.array(populations)
    found: dict[str, Axes] = {
        "connectivity/mean synapses by sender and population that hears": {"sender": names, "hearer": names},
        "neurons/spikes": neuron,
        "neurons/mean rate": neuron,
    }
    for each in typed:
        own = ("sender", "target", "delay", *each.own.typed.variables)
        found |= {f"synapses of connection/{each.connection}/{name}": synapse for name in own}
    changing = sum(block.changing.startswith("weights_") for block in blocks)
    for k in range(changing):
        found |= {f"changing weights/{k}/{name}": synapse for name in ("sender", "target", "weight")}
    return found
