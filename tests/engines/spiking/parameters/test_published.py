"""Networks from the literature within their published bands."""

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.spiking.connectivity.layout import places_of, space
from engines.spiking.connectivity.wiring import wire
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import published
from engines.spiking.parameters.published import cuba
from engines.spiking.setup.populations import spans
from tests.engines.spiking.statistics import measured


def test_cuba_is_asynchronous_and_irregular():
    """Vogels and Abbott (2005), figure 2, and benchmark 2 of Brette and others (2007): asynchronous and irregular at
    single-digit rates. 5.67 ± 0.27 Hz is Brian's example (``lif/test_lif.py``); one second scatters by 0.3. Intervals
    of 170 ms cut off after 1 s and 5 ms of rest take a third of the variation of a Poisson process."""
    found = measured(cuba(4000).parameters, 300, 1000)
    assert np.abs(found.rates - 5.67).max() < 1.0
    assert (found.variation > 0.4).all()
    assert (found.correlation < 0.01).all()


def test_coba_fires_at_its_published_rate():
    """Benchmark 1 of Brette and others (2007), after Vogels and Abbott (2005): at about 20 Hz in Brian's example (500
    ms scatter by 2 Hz), asynchronous, and irregular beyond a Poisson process, for it fires in bursts."""
    found = measured(published.coba(), 200, 500)
    assert (np.abs(found.rates - 20) < 5).all()
    assert (found.variation > 1).all()
    assert (found.correlation < 0.01).all()


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
    """Figure 3 of the paper: 7 to 8 Hz; the spread of a to d that ours lacks may cost a quarter. In the counts of 1 ms
    are the alpha rhythm (a peak from 7 to 13 Hz, with less on both sides) and the gamma rhythm (the highest, from 25 to
    50 Hz)."""
    found = measured(published.izhikevich_2003(), 0, 8000, bin=1.0)
    ours = (800 * found.rates[0] + 200 * found.rates[1]) / 1000
    assert ours == pytest.approx(np.mean([izhikevich_program(seed) for seed in range(2)]), rel=0.25)
    frequencies, power = found.spectrum(512)
    alpha = power[(frequencies >= 7) & (frequencies <= 13)].max()
    assert alpha > 3
    assert alpha > 2 * power[frequencies < 4].max()
    assert alpha > 1.1 * power[(frequencies > 12) & (frequencies < 18)].min()
    assert 25 <= found.peak(4, 500, 512) <= 50


@pytest.mark.slow
def test_brunel_s_regimes():
    """Brunel (2000), figure 8 and table 1, simulations: 60.7 Hz with a global rhythm of 180 Hz (SI fast), 37.7 Hz (AI),
    5.5 Hz with one of 22 Hz (SI slow); regular, fast and all at once at g = 3 (SR). Half a second of an oscillating
    network scatters by some percent, and so do its peaks, which are 8 Hz wide in segments of 256 counts."""
    regular, fast, irregular, slow = (
        measured(published.brunel(g, drive), 300, time, bin, 10**6)
        for g, drive, time, bin in ((3, 2, 100, 0.5), (6, 4, 400, 0.5), (5, 2, 400, 0.5), (4.5, 0.9, 1200, 1.0))
    )
    for found, rate, within in ((fast, 60.7, 4), (irregular, 37.7, 1.5), (slow, 5.5, 0.8)):
        assert np.abs(found.rates - rate).max() < within
        assert (found.variation > 0.3).all()
    assert fast.peak(50, 400) == pytest.approx(180, abs=20)
    assert slow.peak(8, 100) == pytest.approx(22, abs=6)
    assert regular.rates.min() > 2 * fast.rates.max()
    assert regular.variation.max() < 0.1
    varies = []
    for found in (regular, fast, irregular, slow):
        total = found.counts.sum(axis=1)
        varies.append((total.var() - total.mean()) / total.mean() ** 2)
    assert varies[2] < min(varies[0], varies[1], varies[3])


def test_asynchronous_irregular_firing_of_brunel_s_network():
    """The regime AI alone (Brunel 2000, figure 8C): 37.7 Hz; 0.15 s scatter by 0.5."""
    found = measured(published.brunel(5.0, 2.0), 100, 150)
    assert found.rates == pytest.approx(37.7, abs=2)
    assert (found.variation > 0.2).all()


def drawn(given, connections):
    """Senders and targets of these connections' synapses, weights, and the neurons of each population."""
    where = space(places_of(given.populations))
    wiring = wire(connections, spans(given), where, 0.1, 1, np.zeros(len(where.places)))
    senders = np.repeat(np.arange(len(wiring.starts) - 1), np.diff(wiring.starts))
    return senders, wiring.targets, wiring.weights, spans(given)


def test_the_microcircuit_is_that_of_the_table():
    """At a 50th of the size its populations have the numbers of synapses between them that the table gives."""
    given = published.potjans_diesmann(0.02)
    senders, targets, weights, known = drawn(given, given.connections)
    bounds = np.array([0, *(span.stop for span in known.values())]) - 0.5
    found = np.histogram2d(targets, senders, [bounds, bounds])[0]
    chance = -np.log1p(-np.array(published.PROBABILITIES))
    full = chance * np.outer(published.NUMBERS, published.NUMBERS) * 0.02**2
    np.testing.assert_allclose(found, full, rtol=0.02, atol=1)  # numbers of neurons are rounded
    assert weights[senders < known["L2/3e"].stop].mean() == pytest.approx(3.512 / np.sqrt(0.02), rel=0.01)


def test_both_ends_of_the_microcircuit_s_synapses_are_random():
    """Potjans and Diesmann (2014), equation 1: a pair may be joined more than once, so inputs from a population vary as
    a Poisson variable does, within 5 standard deviations of a variance. Those of L5e from L5i, the densest of all,
    would vary by half of it if pairs were joined once at most: then L5e fires at 7.27 Hz and L6e at 0.92, not at the
    7.73 and 1.10 of NEST."""
    given = published.potjans_diesmann(1.0)
    dense = [each for each in given.connections if (each.source, each.target) == ("L5i", "L5e")]
    _, targets, _, known = drawn(given, dense)
    inputs = np.bincount(targets)[known["L5e"].first :]
    assert len(inputs) == known["L5e"].number
    assert inputs.mean() == pytest.approx(-np.log1p(-0.3726) * 1065, rel=1e-6)
    assert inputs.var() == pytest.approx(inputs.mean(), rel=5 * np.sqrt(2 / len(inputs)))


SCALED = np.array([0.75, 3.28, 4.76, 6.20, 6.55, 8.97, 1.10, 8.06])
"""Rates at a tenth of the size in another implementation [Hz] (Romaro and others 2021, table A.1)."""
SYNCHRONY = np.array([2.6, 2.1, 3.1, 1.9, 4.5, 1.1, 1.7, 1.0])
"""And variance over mean of counts of 3 ms (table A.5)."""


def test_a_tenth_of_the_microcircuit_fires_as_the_full_one():
    """Rates of the full network, of 5 s, within a fifth: 1.5 s of so few neurons scatter by a tenth. Layer 2/3 lacks
    the common fluctuations of the full network, on which its excitatory cells ride: published 0.75 of 0.90 Hz at a
    tenth, and at least three quarters of that here. Without what stands for the skewness of inputs 2.0 Hz are left of
    the 3.0 of L2/3i. Irregular, and about as synchronous as published."""
    found = measured(published.potjans_diesmann(0.1), 300, 1500)
    full = np.array(published.FULL_RATES)
    assert (np.abs(found.rates - full) < 0.2 * full)[1:].all()
    assert 0.75 * SCALED[0] < found.rates[0] < 1.2 * full[0]
    assert ((found.variation > 0.5) & (found.variation < 1.1)).all()
    assert (np.abs(found.synchrony - SYNCHRONY) < 0.75 * SYNCHRONY).all()


@pytest.mark.slow
def test_the_scaled_microcircuit_over_ten_seconds():
    """Closer where time allows: within 8 % of the full network's rates, or 0.25 Hz, but for L2/3i, which has an eighth
    less; irregular as published (0.80 to 0.94, table A.3 of Romaro and others 2021, over 60 s: 10 s take a tenth of
    it, and more of the slowest)."""
    found = measured(published.potjans_diesmann(0.1), 500, 10_000)
    full = np.array(published.FULL_RATES)
    within = np.maximum(0.08 * full, 0.25)
    within[1] = full[1] / 8
    assert (np.abs(found.rates - full) < within).all()
    assert ((found.variation > 0.65) & (found.variation < 1.0)).all()


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_microcircuit_fires_at_its_published_rates():
    """77,169 neurons, 0.3 G synapses (2.4 GB): table 6 of Potjans and Diesmann (2014) as NEST gives it, 0.9 to 8.7 Hz:
    within 6 %, or 0.1 Hz where neurons hardly fire. Irregularity within the paper's bounds of asynchronous irregular
    firing (0.7 to 1.2, figure 8; 2 s cut off a fifth). Synchrony between what Romaro and others (2021, tables A.5 and
    A.6) have with Poisson input, whose weight differs from neuron to neuron there, and with constant input, give or
    take a tenth, by which 2 s scatter: that of the excitatory cells of layer 5 is the highest."""
    found = measured(published.potjans_diesmann(1.0), 500, 2000)
    rates = np.array(published.RATES)
    assert (np.abs(found.rates - rates) < np.maximum(0.06 * rates, 0.1)).all()
    assert ((found.variation > 0.55) & (found.variation < 1.2)).all()
    poisson = np.array([2.9, 1.8, 3.0, 1.7, 4.4, 1.1, 1.2, 1.0])
    constant = np.array([5.1, 3.3, 5.5, 2.7, 8.0, 2.0, 1.5, 1.3])
    assert (found.synchrony > poisson * 0.9).all()
    assert (found.synchrony < constant * 1.1).all()
    assert found.synchrony.argmax() == 4


def front(velocity):
    """Slowness [ms/mm] of the wave that a pulse to the middle of a slab without noise sets off, from the first spikes
    of the cells 0.25 to 0.7 mm away; the share of them that fire; and spikes of each."""
    given = published.waves(50, velocity, noise=0.0, periodic=False)
    simulation = SpikingEngine().build(Problem(given), CpuBackend())
    number = given.populations[0].number
    away = np.hypot(*(np.array(simulation.geometry.positions, float)[:number, :2] - 750.0).T)
    arrays = simulation._network.arrays
    arrays["g_e"][:number][away < 100] = 300.0
    first = np.full(number, np.nan)
    for _ in range(round(60 / simulation.dt)):
        simulation.advance(1)
        first[(arrays["last"][:number] == simulation.step - 1) & np.isnan(first)] = simulation.time
    ring = (away > 250) & (away < 700)
    fired = ring & np.isfinite(first)
    slowness = 1000 * np.polyfit(away[fired], first[fired], 1)[0]
    return slowness, fired.sum() / ring.sum(), arrays["spikes"][:number].mean()


def test_waves_run_as_fast_as_signals_do():
    """A front takes the time of signals, 1/velocity, and that in which cells fire, which is the same at any velocity:
    the slowness of fronts differs by that of signals, 20 ms/mm, within 15 % (slow signals reach fewer cells at once).
    It runs behind the signals and over nearly all cells, each of which fires once."""
    (slow, reached, spikes), (fast, *_) = front(0.025), front(0.05)
    assert slow - fast == pytest.approx(20.0, rel=0.15)
    assert 40 < slow < 1.5 * 40
    assert 20 < fast < 1.7 * 20
    assert reached > 0.9
    assert 0.8 < spikes < 1.2
