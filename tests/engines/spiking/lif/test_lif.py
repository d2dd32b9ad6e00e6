"""Integrate-and-fire networks: one neuron's exact solution, spike trains against float64, both backends bit for bit."""

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engines.backend.cpu import CpuBackend
from engines.spiking.connectivity.pairs import random_synapses
from engines.spiking.lif import cpu, reference
from engines.spiking.lif.model import HISTORY, Lif, Sources, Start, Synapses
from engines.spiking.lif.twins import LIF

CUBA = Sources((0, 3200, 4000), (1.62, -9.0))


def network(sources, seed, probability=0.02):
    voltages = -60 + 10 * np.random.default_rng(seed).random(sources.neurons)
    synapses = random_synapses(sources.neurons, probability, seed)
    return synapses, Start(voltages)


def recorded(net, n):
    """(step, neuron) of the spikes in the history; all neurons are in it where there are few."""
    assert net.arrays["history"].shape == (HISTORY, n)
    return np.nonzero(net.arrays["history"])


@pytest.mark.parametrize("excitatory", [5.0, 20.0])
def test_a_step_is_exact(excitatory):
    """Against an ODE solver of tolerance 1e-12, for a synapse as slow as the membrane too."""
    lif = Lif(dt=2.0, excitatory=excitatory)
    p = lif.propagators()

    def slope(t, y):
        return [(lif.rest - y[0] + y[1] + y[2]) / 20.0, -y[1] / excitatory, -y[2] / 10.0]

    v, g_e, g_i = solve_ivp(slope, (0, 2.0), [-57.0, 8.0, -3.0], rtol=1e-12, atol=1e-12).y[:, -1]
    u = -57.0 - lif.rest
    step = lif.rest + u + p["loss"] * u + p["base"] + p["gain_e"] * 8.0 + p["gain_i"] * -3.0
    np.testing.assert_allclose([step, 8 + p["loss_e"] * 8, -3 - p["loss_i"] * 3], [v, g_e, g_i], rtol=1e-10)


def test_a_driven_neuron_fires_at_the_interval_of_the_formula(backend):
    """T = t_ref + τ ln((E − V_r)/(E − V_t)); spikes are on the grid, so an interval is up to a step longer."""
    lif = Lif(drive=9.0)
    sources = Sources((0, 40), (1.0,))
    net = LIF.open(backend, lif, sources, random_synapses(40, 0.0, 1), Start(np.full(40, -60.0)))
    net.advance(1000)
    steps, ids = recorded(net, 40)
    expected = 5.0 - lif.dt + 20.0 * np.log((-40 + 60) / (-40 + 50))  # held from the step after the spike
    interval = np.diff(steps[ids == 7])
    assert (np.abs(interval * lif.dt - expected - lif.dt / 2) <= lif.dt / 2 + 1e-9).all()
    assert len(interval) == int(100 // (interval[0] * lif.dt)) - 1
    np.testing.assert_array_equal(net.arrays["spikes"], len(interval) + 1)
    np.testing.assert_allclose(net.arrays["interval"], interval.sum())
    np.testing.assert_allclose(net.arrays["interval_square"], (interval**2).sum())


def test_spikes_equal_those_of_float64(backend):
    """50 ms of a network that is dense enough to be busy: every spike in its step. float32 voltages of some mV
    round by 2e-7 mV a step, a few 1e-6 in the membrane's memory, and rise by 5e-3 mV a step at the threshold: a spike
    is a step off with a chance of about one in a thousand."""
    sources = Sources((0, 320, 400), (1.62, -9.0))
    synapses, start = network(sources, seed=3, probability=0.2)
    net = LIF.open(backend, Lif(), sources, synapses, start)
    net.advance(500)
    steps, ids = recorded(net, 400)
    expected = reference.spikes(Lif(), sources, synapses, start, 500)
    assert len(steps) > 150
    np.testing.assert_array_equal(np.stack([steps, ids]), np.stack(expected))
    assert net.arrays["population_spikes"].sum() == len(steps)
    assert net.arrays["events"][0] == np.diff(synapses.starts)[ids].sum()
    assert net.arrays["clock"][0] == 500


def test_cuba_equals_float64_for_20_ms(backend):
    """Brian2's network of 4,000 neurons with fixed weights, from which the one above is thinned."""
    synapses, start = network(CUBA, seed=5)
    net = LIF.open(backend, Lif(), CUBA, synapses, start)
    net.advance(200)
    steps, ids = reference.spikes(Lif(), CUBA, synapses, start, 200)
    counts = np.bincount(ids, minlength=4000)
    assert counts.sum() > 300
    np.testing.assert_array_equal(net.arrays["spikes"], counts)
    fired, slots = np.nonzero(net.arrays["history"])
    shown = ids % 8 == 0
    np.testing.assert_array_equal(fired, steps[shown])
    np.testing.assert_array_equal(slots, ids[shown] // 8)


def test_both_backends_give_the_same_bits(own_cache):
    """Products and sums are rounded one by one and inputs are integers, so no spike differs, ever."""
    host = pytest.importorskip("tests.cuda_on_host.backend")
    if pytest.importorskip("tests.cuda_on_host.loader").COMPILER is None:
        pytest.skip("no C++ compiler")
    sources = Sources((0, 320, 400), (1.62, -9.0))
    synapses, start = network(sources, seed=8, probability=0.2)
    one, other = (LIF.open(b, Lif(), sources, synapses, start) for b in (CpuBackend(), host.HostCudaBackend()))
    for steps in (1, 2, 300):
        one.advance(steps)
        other.advance(steps)
    for name, values in one.arrays.items():
        np.testing.assert_array_equal(values, other.arrays[name], err_msg=name)


def test_shared_steps_are_the_same(monkeypatch):
    sources = Sources((0, 320, 400), (1.62, -9.0))
    synapses, start = network(sources, seed=2, probability=0.2)
    alone, shared = (LIF.open(CpuBackend(), Lif(), sources, synapses, start) for _ in range(2))
    alone.advance(200)
    backend = shared._backend
    monkeypatch.setattr(cpu, "_PARALLEL_FROM", 1)
    backend._info = dataclasses.replace(backend.info, threads=2)
    shared.advance(200)
    for name, values in alone.arrays.items():
        np.testing.assert_array_equal(values, shared.arrays[name], err_msg=name)


def test_weights_survive_all_firing_at_once():
    """Sums are 32-bit integers; the largest possible input does not wrap."""
    n = 400
    sources = Sources((0, n), (7.3,))
    synapses = random_synapses(n, 1.0, 0)
    net = LIF.open(CpuBackend(), Lif(), sources, synapses, Start(np.full(n, -49.5)))
    net.advance(2)
    np.testing.assert_allclose(net.arrays["g_e"], n * 7.3 * np.exp(-0.1 / 5), rtol=1e-6)
    assert isinstance(synapses, Synapses)


def rates(neurons, seeds, probability):
    sources = Sources((0, neurons * 4 // 5, neurons), (1.62, -9.0))
    found = []
    for seed in seeds:
        synapses, start = network(sources, seed, probability)
        net = LIF.open(CpuBackend(), Lif(), sources, synapses, start)
        net.advance(10_000)
        found.append(net.arrays["spikes"].sum() / neurons)
    return np.array(found)


def test_cuba_fires_at_its_published_rate():
    """5.67 ± 0.27 Hz over 20 seeds: the mean of 4 is within 3 × 0.27/√4 (three of a thousand good codes would fail)."""
    assert abs(rates(4000, range(4), 0.02).mean() - 5.67) < 3 * 0.27 / 2


@pytest.mark.slow
def test_cuba_fires_at_its_published_rate_over_20_seeds():
    found = rates(4000, range(20), 0.02)
    assert abs(found.mean() - 5.67) < 3 * 0.27 / np.sqrt(20)
    assert 0.1 < found.std(ddof=1) < 0.5


@pytest.mark.slow
def test_cuba_of_400_000_neurons():
    """With 80 inputs each as the small one; 5.68 ± 0.03 Hz."""
    assert abs(rates(400_000, [1], 80 / 400_000)[0] - 5.68) < 0.1
