"""Networks from the literature within their published bands."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.spiking import published
from engines.spiking.assembly import spans
from engines.spiking.charts import coefficient_of_variation
from engines.spiking.engine import SpikingEngine
from engines.spiking.layout import places_of, space
from engines.spiking.wiring import wire


def run(parameters, skip, time):
    """Mean rates of the populations [Hz] from ``skip`` on [ms], CV of intervals, spikes of each ms of the raster."""
    simulation = SpikingEngine().build(Problem(parameters), CpuBackend())
    simulation.advance(round(skip / simulation.dt))
    before = simulation.state()
    simulation.advance(round(time / simulation.dt))
    after = simulation.state()
    numbers = np.diff(simulation._groups.bounds)
    rates = (after["population_spikes"] - before["population_spikes"]) / numbers / time * 1000
    counted = (after[name] for name in ("spikes", "interval", "interval_square"))
    variation = coefficient_of_variation(*counted)
    raster = simulation.chart("raster").curves
    times = np.concatenate([curve.x for curve in raster])
    bins = np.histogram(times, np.arange(times.min() + 1, times.max() - 1, 1.0))[0]
    return rates, np.nanmean(variation), bins


def test_coba_fires_at_its_published_rate():
    """Irregularly, at about 20 Hz (Brian's example; Brette and others 2007); 500 ms scatter by 2 Hz."""
    rates, variation, _ = run(published.coba(), 200, 500)
    assert (np.abs(rates - 20) < 5).all()
    assert variation > 0.8


def izhikevich_program(seed):
    """The program of the paper, with its spread of parameters: spikes per neuron in 1 s."""
    rng = np.random.default_rng(seed)
    excitatory, inhibitory = rng.random(800), rng.random(200)
    a = np.concatenate([np.full(800, 0.02), 0.02 + 0.08 * inhibitory])
    b = np.concatenate([np.full(800, 0.2), 0.25 - 0.05 * inhibitory])
    c = np.concatenate([-65 + 15 * excitatory**2, np.full(200, -65.0)])
    d = np.concatenate([8 - 6 * excitatory**2, np.full(200, 2.0)])
    weights = np.hstack([0.5 * rng.random((1000, 800)), -rng.random((1000, 200))])
    v, total = np.full(1000, -65.0), 0
    u = b * v
    for _ in range(1000):
        current = np.concatenate([5 * rng.standard_normal(800), 2 * rng.standard_normal(200)])
        fired = np.flatnonzero(v >= 30)
        total += len(fired)
        v[fired] = c[fired]
        u[fired] += d[fired]
        current += weights[:, fired].sum(axis=1)
        for _ in range(2):
            v = v + 0.5 * (0.04 * v**2 + 5 * v + 140 - u + current)
        u = u + a * (b * v - u)
    return total / 1000


def test_izhikevich_2003_fires_as_the_published_program():
    """7 to 8 Hz; the spread of a to d that ours lacks may cost a quarter."""
    rates, *_ = run(published.izhikevich_2003(), 0, 1000)
    ours = (800 * rates[0] + 200 * rates[1]) / 1000
    assert ours == pytest.approx(np.mean([izhikevich_program(seed) for seed in range(2)]), rel=0.25)


@pytest.mark.slow
def test_brunel_s_regimes():
    """Brunel (2000), figure 8: simulated rates of 60.7, 37.7 and 5.5 Hz with inhibition ahead, regular and fast firing
    without; in the third the population's rate varies least, beside its mean and beyond counting. Half a second of an
    oscillating network scatters by some percent."""
    regular, fast, irregular, slow = (
        run(published.brunel(g, drive), 300, 500) for g, drive in ((3, 2), (6, 4), (5, 2), (4.5, 0.9))
    )
    for (rates, variation, _), published_rate, within in ((fast, 60.7, 4), (irregular, 37.7, 1.5), (slow, 5.5, 0.8)):
        assert np.abs(rates - published_rate).max() < within
        assert variation > 0.3
    assert regular[0].min() > 2 * fast[0].max()
    assert regular[1] < 0.1
    varies = [(bins.var() - bins.mean()) / bins.mean() ** 2 for *_, bins in (regular, fast, irregular, slow)]
    assert varies[2] < min(varies[0], varies[1], varies[3])


def test_the_microcircuit_is_that_of_the_table():
    """Numbers of synapses between its populations are binomial: within 5 standard deviations at a 50th of the size."""
    given = published.potjans_diesmann(0.02)
    known = spans(given)
    where = space(places_of(given.populations))
    wiring = wire(given.connections, known, where, 0.1, 1, np.zeros(len(where.places)))
    senders = np.repeat(np.arange(len(wiring.starts) - 1), np.diff(wiring.starts))
    bounds = np.array([0, *(span.stop for span in known.values())])
    found = np.histogram2d(wiring.targets, senders, [bounds - 0.5, bounds - 0.5])[0]
    pairs = np.outer(np.diff(bounds), np.diff(bounds))
    chance = -np.log1p(-np.array(published.PROBABILITIES))
    assert (np.abs(found - chance * pairs) <= 5 * np.sqrt(chance * (1 - chance) * pairs)).all()
    weights = wiring.weights[senders < known["L2/3e"].stop]
    assert weights.mean() == pytest.approx(3.512 / np.sqrt(0.02), rel=0.01)


@pytest.mark.slow
def test_the_microcircuit_fires_at_its_published_rates():
    """77,169 neurons, 0.3 G synapses (2.4 GB): rates of NEST's implementation, 0.9 to 8.7 Hz. Half a second of an
    irregular network: within a fifth, or 0.2 Hz where neurons hardly fire."""
    rates, *_ = run(published.potjans_diesmann(1.0), 300, 500)
    published_rates = np.array(published.RATES)
    assert (np.abs(rates - published_rates) < np.maximum(0.2 * published_rates, 0.2)).all()
