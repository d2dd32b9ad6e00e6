"""How neurons fire together: power spectrum and pairwise correlation of those in the raster, over the time it keeps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from engines.api import Array
from engines.api.charts import EMPTY, ChartData, Curve, histogram
from engines.spiking.watch.groups import Groups

SPECTRUM_BIN = 1.0
"""Time over which spikes are counted for the spectrum [ms]: it goes to 500 Hz."""
SEGMENT, SHORTEST = 256, 64
"""Counts that are transformed at once: about 4 Hz apart; and the fewest of which there is a spectrum."""
CORRELATION_BIN = 5.0
"""The same for correlations [ms]."""
FEWEST_COUNTS, FEWEST_SPIKES = 20, 2
"""Of a neuron that is correlated with others."""
PAIRED = 100
"""Neurons of a population whose pairs are looked at, at most."""
EDGES = np.linspace(-0.25, 1.0, 51)


def recent(history: Array, step: int, most: int = 1 << 30) -> Array:
    """(steps, slots) the last steps in order. history: (steps kept, slots), row s % kept is that of step s."""
    kept = min(step, len(history), most)
    return np.asarray(history[np.arange(step - kept, step) % len(history)])


def part_of(fired: Array, step: int, dt: float, stride: int) -> str:
    """Of which neurons and time before ``step`` these are; empty: of all."""
    of = f"one neuron in {stride}" if stride > 1 else ""
    last = f"the last {len(fired) * dt:.4g} ms" if step > len(fired) else ""
    return ", ".join(filter(None, (of, last)))


def members(slots: int, stride: int, groups: Groups) -> tuple[Array, ...]:
    """The slots of each population's neurons in the raster; slot k is neuron k * stride."""
    neurons = np.arange(slots) * stride
    return tuple(np.flatnonzero((neurons >= first) & (neurons < stop)) for first, stop in pairwise(groups.bounds))


def counted(fired: Array, steps: int) -> Array:
    """(bins, …) sums over ``steps`` rows of ``fired``; what is left over at its beginning is left out."""
    bins = len(fired) // steps
    return np.asarray(fired[len(fired) - bins * steps :].reshape(bins, steps, *fired.shape[1:]).sum(axis=1))


def spectrum(fired: Array, dt: float, stride: int, groups: Groups, step: int = 0) -> ChartData:
    """Power of each population's spike count over that of as many spikes at random times: 1 where neurons fire
    independently and irregularly, and above where they do so together.

    Welch's mean over Hann windows that overlap by half. A Poisson process of mean count λ has the expectation λ of
    |Σ w (x − λ) e^(−iωk)|²/Σ w², by which the power is divided.
    """
    width = max(1, round(SPECTRUM_BIN / dt))
    curves = []
    for name, own in zip(groups.names, members(fired.shape[1], stride, groups), strict=True):
        counts = counted(fired[:, own].sum(axis=1, dtype=np.int64), width).astype(float)
        if len(counts) < SHORTEST or not counts.any():
            continue
        frequencies, power = welch(counts, width * dt * 1e-3)
        curves.append(Curve(name, frequencies, power / counts.mean()))
    return ChartData(tuple(curves), part=part_of(fired, step, dt, stride)) if curves else EMPTY


def welch(counts: Array, interval: float) -> tuple[Array, Array]:
    """Frequencies [Hz], the mean left out, and the mean power there; ``interval`` [s] is between counts."""
    length = min(SEGMENT, len(counts))
    window = np.hanning(length + 1)[:-1]
    begins = range(0, len(counts) - length + 1, length // 2)
    parts = np.stack([counts[begin : begin + length] for begin in begins]) - counts.mean()
    power = (np.abs(np.fft.rfft(parts * window, axis=1)) ** 2).mean(axis=0) / (window**2).sum()
    return np.fft.rfftfreq(length, interval)[1:], power[1:]


def correlations(fired: Array, dt: float, stride: int, groups: Groups, step: int = 0) -> ChartData:
    """How many pairs of each population have which correlation of their spike counts."""
    counts = counted(fired, max(1, round(CORRELATION_BIN / dt)))
    if len(counts) < FEWEST_COUNTS:
        return EMPTY
    curves, thinned, beyond = [], False, 0
    for name, own in zip(groups.names, members(fired.shape[1], stride, groups), strict=True):
        own = own[counts[:, own].sum(axis=0) >= FEWEST_SPIKES]
        thinned = thinned or len(own) > PAIRED
        own = own[:: -(-len(own) // PAIRED) or 1]
        varied = counts[:, own].T.astype(float)
        varied = varied[varied.std(axis=1) > 0]
        if len(varied) > 1:
            pairs = np.corrcoef(varied)[np.triu_indices(len(varied), 1)]
            beyond += int(np.count_nonzero(pairs < EDGES[0]))
            curves.append(histogram(np.clip(pairs, EDGES[0], EDGES[-1]), EDGES, name))
    most = f"at most {PAIRED} neurons of a population" if thinned else ""
    part = ", ".join(filter(None, (part_of(fired, step, dt, stride), most)))
    note = f"{beyond:,} {'pair' if beyond == 1 else 'pairs'} below {EDGES[0]:g} in the first bar" if beyond else ""
    return ChartData(tuple(curves), note=note, part=part) if curves else EMPTY
