"""What is plotted of a network's neurons: raster, how rates and irregularity are spread."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from engines.api import Array
from engines.api.charts import EMPTY, ChartData, Curve, histogram
from engines.spiking.watch.groups import Groups
from engines.spiking.watch.rhythm import part_of

BARS = 30
FEWEST_INTERVALS = 2
"""Of a neuron whose intervals have a coefficient of variation."""
LARGEST_CV = 3.0


def raster(fired: Array, step: int, dt: float, stride: int, groups: Groups, spikes: int) -> ChartData:
    """The spikes of the last steps before ``step``, ``fired: (steps, slots)``: a row for each neuron, those of a
    population beside each other; and how many they are of all ``spikes``."""
    when, slot = np.nonzero(fired)
    times, neurons = (when + (step - len(fired))) * dt, slot * stride
    curves = []
    for population, (first, stop) in enumerate(pairwise(groups.bounds)):
        own = (neurons >= first) & (neurons < stop)
        if stop > first:
            curves.append(Curve(groups.names[population], times[own].astype(float), neurons[own].astype(float)))
    part = part_of(fired, step, dt, stride)
    return ChartData(tuple(curves), part=part and f"{len(times):,} of {spikes:,} spikes: {part}")


def rate_histogram(spikes: Array, seconds: float, groups: Groups) -> ChartData:
    """How many neurons of each population fire how often; ``spikes: (n,)`` since the beginning."""
    if seconds <= 0:
        return EMPTY
    rates = spikes / seconds
    edges = np.linspace(0, max(float(np.quantile(rates, 0.999)) * 1.05, 1.0), BARS + 1)
    return _by_population(rates, np.isfinite(rates), edges, groups, " Hz")


def irregularity(spikes: Array, interval: Array, square: Array, groups: Groups) -> ChartData:
    """How many neurons have intervals of which coefficient of variation: 0 a clock, 1 a Poisson process."""
    variation = coefficient_of_variation(spikes, interval, square)
    known = np.isfinite(variation)
    if not known.any():
        return EMPTY
    edges = np.linspace(0, LARGEST_CV / 2, BARS + 1)
    return _by_population(variation, known, edges, groups)


def coefficient_of_variation(spikes: Array, interval: Array, square: Array) -> Array:
    """(n,) standard deviation over mean of the intervals between spikes; NaN where there are too few."""
    intervals = np.maximum(spikes - 1, 1)
    mean = interval / intervals
    with np.errstate(invalid="ignore", divide="ignore"):
        variation = np.sqrt(np.maximum(square / intervals - mean**2, 0)) / mean
    return np.asarray(np.where(spikes > FEWEST_INTERVALS, variation, np.nan))


def _by_population(values: Array, known: Array, edges: Array, groups: Groups, unit: str = "") -> ChartData:
    curves, last = [], edges[-1]
    beyond = int(np.count_nonzero(values[known] > last))
    values = np.minimum(values, last)
    for population, (first, stop) in enumerate(pairwise(groups.bounds)):
        if stop > first:
            own = values[first:stop][known[first:stop]]
            curves.append(histogram(own, edges, groups.names[population]))
    note = (
        f"{beyond:,} {'neuron' if beyond == 1 else 'neurons'} above {last:.4g}{unit} in the last bar" if beyond else ""
    )
    return ChartData(tuple(curves), note=note)
