"""What is plotted of a network: rates, raster, how rates and irregularity are spread."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.charts import EMPTY, ChartData, ChartInfo, Curve, histogram
from engines.spiking.lif.model import Sources

NAMES = ("Excitatory", "Inhibitory")
CHARTS = (
    ChartInfo("raster", "Spikes, by neuron", "1", kind="raster", x_title="Time", x_unit="ms"),
    ChartInfo("rates", "Mean rate", "Hz", series=("rate_excitatory", "rate_inhibitory")),
    ChartInfo("rate_histogram", "Neurons, by rate", "1", kind="bar", x_title="Rate", x_unit="Hz"),
    ChartInfo("irregularity", "Neurons, by irregularity", "1", kind="bar", x_title="CV of intervals", x_unit="1"),
    ChartInfo("events", "Synaptic events", "1/s", series=("events",)),
)
BARS = 30
FEWEST_INTERVALS = 2
"""Of a neuron whose intervals have a coefficient of variation."""
LARGEST_CV = 3.0


def raster(history: Array, step: int, dt: float, stride: int, sources: Sources) -> ChartData:
    """The spikes of the last steps. history: (steps kept, slots), row s % kept is that of step s [1]."""
    kept = min(step, len(history))
    shown = np.arange(step - kept, step)
    when, slot = np.nonzero(history[shown % len(history)])
    times, neurons = shown[when] * dt if kept else np.zeros(0), slot * stride
    curves = []
    for population, (first, stop) in enumerate(zip(sources.bounds, sources.bounds[1:], strict=False)):
        own = (neurons >= first) & (neurons < stop)
        if stop > first:
            curves.append(Curve(NAMES[population], times[own].astype(float), neurons[own].astype(float)))
    return ChartData(tuple(curves))


def rate_histogram(spikes: Array, seconds: float, sources: Sources) -> ChartData:
    """How many neurons of each population fire how often; ``spikes: (n,)`` since the beginning."""
    if seconds <= 0:
        return EMPTY
    rates = spikes / seconds
    edges = np.linspace(0, max(float(np.quantile(rates, 0.999)) * 1.05, 1.0), BARS + 1)
    return _by_population(np.minimum(rates, edges[-1]), np.isfinite(rates), edges, sources)


def irregularity(spikes: Array, interval: Array, square: Array, sources: Sources) -> ChartData:
    """How many neurons have intervals of which coefficient of variation: 0 a clock, 1 a Poisson process."""
    variation = coefficient_of_variation(spikes, interval, square)
    known = np.isfinite(variation)
    if not known.any():
        return EMPTY
    edges = np.linspace(0, LARGEST_CV / 2, BARS + 1)
    return _by_population(np.minimum(variation, edges[-1]), known, edges, sources)


def coefficient_of_variation(spikes: Array, interval: Array, square: Array) -> Array:
    """(n,) standard deviation over mean of the intervals between spikes; NaN where there are too few."""
    intervals = np.maximum(spikes - 1, 1)
    mean = interval / intervals
    with np.errstate(invalid="ignore", divide="ignore"):
        variation = np.sqrt(np.maximum(square / intervals - mean**2, 0)) / mean
    return np.asarray(np.where(spikes > FEWEST_INTERVALS, variation, np.nan))


def _by_population(values: Array, known: Array, edges: Array, sources: Sources) -> ChartData:
    curves = []
    for population, (first, stop) in enumerate(zip(sources.bounds, sources.bounds[1:], strict=False)):
        if stop > first:
            own = values[first:stop][known[first:stop]]
            curves.append(histogram(own, edges, NAMES[population]))
    return ChartData(tuple(curves))
