"""Populations as viewers see them: their series and charts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array, SeriesInfo
from engines.api.charts import ChartInfo

COUNTED, ROUND, LONGEST = 1000.0, 5.0, 100.0
"""Time of all neurons of a population together in which spikes are counted for its rate [ms], in whole samples, and the
longest: one spike of one neuron in 5 ms would be 200 Hz, and the next 0."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Populations: neurons ``bounds[k]`` to ``bounds[k + 1] - 1`` have ``names[k]``."""

    names: tuple[str, ...]
    bounds: Array

    @property
    def neurons(self) -> int:
        return int(self.bounds[-1])

    def of(self, neuron: int) -> int:
        """The place of its population."""
        return int(np.searchsorted(self.bounds, neuron, side="right")) - 1

    def title(self, neuron: int) -> str:
        """``Excitatory neuron 1,234``"""
        return f"{self.names[self.of(neuron)]} neuron {neuron:,}"

    def short(self, neuron: int) -> str:
        """``Excitatory 1,234``"""
        return f"{self.names[self.of(neuron)]} {neuron:,}"

    @property
    def windows(self) -> Array:
        """(populations,) time over which spikes are counted for the rate of each [ms]; 0: between two samples."""
        neurons = np.maximum(np.diff(self.bounds), 1)
        window = np.minimum(ROUND * np.ceil(COUNTED / neurons / ROUND), LONGEST)
        return np.where(window > ROUND, window, 0.0)

    @property
    def series(self) -> tuple[SeriesInfo, ...]:
        """The mean rate of each, and synaptic events."""
        rates = (
            SeriesInfo(rate, f"Rate{_over(window)}, {_inside(name)}", "Hz")
            for rate, name, window in zip(_rates(self.names), self.names, self.windows, strict=True)
        )
        return (*rates, SeriesInfo("events", "Synaptic events per second", "1/s", metered="Events"))

    @property
    def means(self) -> tuple[SeriesInfo, ...]:
        """Those of :attr:`series` from the beginning on, in the same order."""
        titles = (*(f"Mean rate so far, {_inside(name)}" for name in self.names), "Synaptic events per second so far")
        return tuple(
            SeriesInfo(f"mean_{each.name}", title, each.unit) for each, title in zip(self.series, titles, strict=True)
        )

    def means_of(self, spikes: Array, events: int, seconds: float) -> dict[str, float]:
        """Of (populations,) spikes and synaptic events since the beginning; zero there."""
        seconds = seconds or np.inf
        rates = spikes / np.maximum(np.diff(self.bounds), 1) / seconds
        return dict(zip((each.name for each in self.means), (*map(float, rates), events / seconds), strict=True))

    @property
    def charts(self) -> tuple[ChartInfo, ...]:
        return (
            ChartInfo("raster", "Spikes, by neuron", "1", kind="raster", x_title="Time", x_unit="ms", y_title="Neuron"),
            ChartInfo(
                "rates",
                f"Mean rate{_over(*self.windows)}",
                "Hz",
                series=_rates(self.names),
                binned=True,
                means=tuple(each.name for each in self.means[:-1]),
            ),
            ChartInfo(
                "rate_histogram", "Neurons, by rate", "1", kind="bar", x_title="Rate", x_unit="Hz", y_title="Neurons"
            ),
            ChartInfo(
                "irregularity",
                "Neurons, by irregularity",
                "1",
                kind="bar",
                x_title="CV of intervals",
                x_unit="1",
                y_title="Neurons",
            ),
            ChartInfo(
                "correlations",
                "Pairs, by correlation",
                "1",
                kind="bar",
                x_title="Correlation of counts",
                x_unit="1",
                y_title="Pairs",
            ),
            ChartInfo("spectrum", "Power over that of random spikes", "1", x_title="Frequency", x_unit="Hz"),
            ChartInfo(
                "events",
                "Synaptic events",
                "1/s",
                series=("events",),
                y_title="Events",
                binned=True,
                means=(self.means[-1].name,),
            ),
        )


def _inside(name: str) -> str:
    """A name as it stands inside of a title: a word in small letters, ``L2/3e`` as it is."""
    return name[:1].lower() + name[1:] if name[1:2].islower() else name


def _over(*windows: float) -> str:
    """Where all rates are over one time that is no sample's, this."""
    return f" over {windows[0]:g} ms" if len(set(windows)) == 1 and windows[0] else ""


def _rates(names: Sequence[str]) -> tuple[str, ...]:
    """What the rate of each population is called in records, with a number where ``E`` comes after ``e``."""
    found: dict[str, None] = {}
    for name in names:
        rate = plain = "rate_" + re.sub(r"\W+", "_", name.strip().lower())
        number = 1
        while rate in found:
            number += 1
            rate = f"{plain}_{number}"
        found[rate] = None
    return tuple(found)
