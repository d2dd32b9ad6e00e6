"""What is plotted of a network: rates, raster, how rates and irregularity are spread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array, SeriesInfo
from engines.charts import EMPTY, ChartData, ChartInfo, Curve, histogram

BARS = 30
FEWEST_INTERVALS = 2
"""Of a neuron whose intervals have a coefficient of variation."""
LARGEST_CV = 3.0
WEIGHTS = ChartInfo("weights", "Synapses, by weight", "1", kind="bar", x_title="Weight of the highest", x_unit="1")


@dataclass(frozen=True, eq=False)
class Groups:
    """Populations: neurons ``bounds[k]`` to ``bounds[k + 1] - 1`` have ``names[k]``."""

    names: tuple[str, ...]
    bounds: Array

    @property
    def neurons(self) -> int:
        return int(self.bounds[-1])

    @property
    def series(self) -> tuple[SeriesInfo, ...]:
        """The mean rate of each, and synaptic events."""
        rates = (SeriesInfo(_rate(name), f"Rate, {name[:1].lower()}{name[1:]}", "Hz") for name in self.names)
        return (*rates, SeriesInfo("events", "Synaptic events per second", "1/s"))

    @property
    def charts(self) -> tuple[ChartInfo, ...]:
        return (
            ChartInfo("raster", "Spikes, by neuron", "1", kind="raster", x_title="Time", x_unit="ms"),
            ChartInfo("rates", "Mean rate", "Hz", series=tuple(_rate(name) for name in self.names)),
            ChartInfo("rate_histogram", "Neurons, by rate", "1", kind="bar", x_title="Rate", x_unit="Hz"),
            ChartInfo(
                "irregularity", "Neurons, by irregularity", "1", kind="bar", x_title="CV of intervals", x_unit="1"
            ),
            ChartInfo("events", "Synaptic events", "1/s", series=("events",)),
        )


def _rate(name: str) -> str:
    """The name of a population's rate in records: no other two populations have names that are this alike."""
    return "rate_" + re.sub(r"\W+", "_", name.strip().lower())


def raster(history: Array, step: int, dt: float, stride: int, groups: Groups) -> ChartData:
    """The spikes of the last steps. history: (steps kept, slots), row s % kept is that of step s [1]."""
    kept = min(step, len(history))
    shown = np.arange(step - kept, step)
    when, slot = np.nonzero(history[shown % len(history)])
    times, neurons = shown[when] * dt if kept else np.zeros(0), slot * stride
    curves = []
    for population, (first, stop) in enumerate(zip(groups.bounds, groups.bounds[1:], strict=False)):
        own = (neurons >= first) & (neurons < stop)
        if stop > first:
            curves.append(Curve(groups.names[population], times[own].astype(float), neurons[own].astype(float)))
    return ChartData(tuple(curves))


def rate_histogram(spikes: Array, seconds: float, groups: Groups) -> ChartData:
    """How many neurons of each population fire how often; ``spikes: (n,)`` since the beginning."""
    if seconds <= 0:
        return EMPTY
    rates = spikes / seconds
    edges = np.linspace(0, max(float(np.quantile(rates, 0.999)) * 1.05, 1.0), BARS + 1)
    return _by_population(np.minimum(rates, edges[-1]), np.isfinite(rates), edges, groups)


def irregularity(spikes: Array, interval: Array, square: Array, groups: Groups) -> ChartData:
    """How many neurons have intervals of which coefficient of variation: 0 a clock, 1 a Poisson process."""
    variation = coefficient_of_variation(spikes, interval, square)
    known = np.isfinite(variation)
    if not known.any():
        return EMPTY
    edges = np.linspace(0, LARGEST_CV / 2, BARS + 1)
    return _by_population(np.minimum(variation, edges[-1]), known, edges, groups)


def weight_histogram(weights: Sequence[Array], highest: Sequence[float]) -> ChartData:
    """How many synapses of each connection whose weights change are how strong; weights of their highest."""
    edges = np.linspace(0, 1, BARS + 1)
    return ChartData(
        tuple(
            histogram(own / most, edges, f"Connection {k + 1} of those that change")
            for k, (own, most) in enumerate(zip(weights, highest, strict=True))
        )
    )


def coefficient_of_variation(spikes: Array, interval: Array, square: Array) -> Array:
    """(n,) standard deviation over mean of the intervals between spikes; NaN where there are too few."""
    intervals = np.maximum(spikes - 1, 1)
    mean = interval / intervals
    with np.errstate(invalid="ignore", divide="ignore"):
        variation = np.sqrt(np.maximum(square / intervals - mean**2, 0)) / mean
    return np.asarray(np.where(spikes > FEWEST_INTERVALS, variation, np.nan))


def _by_population(values: Array, known: Array, edges: Array, groups: Groups) -> ChartData:
    curves = []
    for population, (first, stop) in enumerate(zip(groups.bounds, groups.bounds[1:], strict=False)):
        if stop > first:
            own = values[first:stop][known[first:stop]]
            curves.append(histogram(own, edges, groups.names[population]))
    return ChartData(tuple(curves))
