"""What papers tell of a network: rates, irregularity, synchrony, rhythm."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from engines.spiking.watch.firing import coefficient_of_variation


@dataclass(frozen=True)
class Measured:
    """By population. rates: [Hz]; variation: mean coefficient of variation of the intervals of neurons with three
    spikes and more; synchrony: variance over mean of the counts of up to 1,000 neurons (Potjans and Diesmann 2014), 1
    if they fire at random; counts: (bins, populations) of those neurons, of which there are ``neurons``; bin [ms]"""

    rates: np.ndarray
    variation: np.ndarray
    counts: np.ndarray
    neurons: np.ndarray
    bin: float

    @property
    def synchrony(self):
        return self.counts.var(axis=0) / self.counts.mean(axis=0)

    @property
    def correlation(self):
        """The mean of pairs, which adds as many times to the synchrony as a neuron has others."""
        return (self.synchrony - 1) / (self.neurons - 1)

    def spectrum(self, segment=256):
        """Frequencies [Hz] and power of the sum of all counts over that of as many random spikes; Hann windows that
        overlap by half."""
        total = self.counts.sum(axis=1).astype(float)
        window = np.hanning(segment + 1)[:-1]
        begins = range(0, len(total) - segment + 1, segment // 2)
        parts = [np.fft.rfft((total[begin : begin + segment] - total.mean()) * window) for begin in begins]
        power = np.mean(np.abs(parts) ** 2, axis=0) / (window**2).sum() / total.mean()
        return np.fft.rfftfreq(segment, self.bin * 1e-3)[1:], power[1:]

    def peak(self, low, high, segment=256):
        """The frequency between two at which the power is highest."""
        frequencies, power = self.spectrum(segment)
        between = (frequencies >= low) & (frequencies <= high)
        return frequencies[between][power[between].argmax()]


def measured(parameters, skip, time, bin=3.0, most=1000):
    """Of ``time`` after ``skip`` [ms], on the CPU."""
    simulation = SpikingEngine().build(Problem(parameters), CpuBackend())
    simulation.advance(round(skip / simulation.dt))
    state = simulation.state()
    for name in ("spikes", "interval", "interval_square", "population_spikes"):
        state[name][...] = 0
    simulation.restore(state)
    steps, bounds, counts = round(bin / simulation.dt), simulation._groups.bounds, []
    for _ in range(round(time / bin)):
        simulation.advance(steps)
        fired = simulation._network.arrays["last"] >= simulation.step - steps  # refractory for longer than a bin
        counts.append([fired[first : min(first + most, stop)].sum() for first, stop in pairwise(bounds)])
    state = simulation.state()
    rates = state["population_spikes"] / np.diff(bounds) / (len(counts) * bin) * 1000
    variation = coefficient_of_variation(*(state[name] for name in ("spikes", "interval", "interval_square")))
    means = np.array([np.nanmean(variation[first:stop]) for first, stop in pairwise(bounds)])
    return Measured(rates, means, np.array(counts), np.minimum(np.diff(bounds), most), bin)
