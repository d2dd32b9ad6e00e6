"""What the ready problems of typed neurons are known for."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters
from tests.engines.spiking.statistics import measured

ENGINE = SpikingEngine()
PRESETS = {preset.id: preset for preset in ENGINE.presets()}


def parameters_of(name) -> SpikingParameters:
    text = PRESETS[name].project.joinpath("project.json").read_text("utf-8")
    return SpikingParameters.model_validate(json.loads(text)["parameters"])


def test_the_squid_s_axon_is_silent_and_then_fires_at_fifty_hertz_at_once():
    """Hodgkin and Huxley (1952), 6.3 °C: cycles begin at 6.26 µA/cm² with a frequency above zero (Rinzel and Miller
    1980; Guttman and others 1980), for rest loses its stability by a subcritical Hopf bifurcation at 9.78. Of 400
    currents that are 0.05 apart all are at rest below, all fire above, and faster with more."""
    simulation = ENGINE.build(Problem(parameters_of("typed_hodgkin_huxley")), CpuBackend())
    simulation.advance(20_000)  # 400 ms: at rest, or on the cycle
    before = simulation.results()["neurons/spikes [1]"]
    simulation.advance(25_000)
    rates = (simulation.results()["neurons/spikes [1]"] - before) / 0.5
    currents = 20.0 * np.arange(400) / 400
    onset = currents[np.argmax(rates > 0)]
    assert onset == pytest.approx(6.26, abs=0.06)
    assert (rates[currents < onset] == 0).all()
    assert rates[currents == onset] == pytest.approx(52.0, abs=2.0)
    assert (np.diff(rates[currents >= onset]) >= -2.0).all()  # one spike more or less in half a second
    assert rates[-1] == pytest.approx(86.0, abs=4.0)


def program(seed, dt, duration=2000.0):
    """Izhikevich's program (2003) with its spread of parameters, in Euler's steps of dt, with synaptic currents that
    decay within a millisecond and a refractory time of one: spikes per neuron and second."""
    rng = np.random.default_rng(seed)
    e, i = np.arange(800) / 800, np.arange(200) / 200
    a, b = np.r_[np.full(800, 0.02), 0.02 + 0.08 * i], np.r_[np.full(800, 0.2), 0.25 - 0.05 * i]
    c, d = np.r_[-65 + 15 * e**2, np.full(200, -65.0)], np.r_[8 - 6 * e**2, np.full(200, 2.0)]
    weights = np.hstack([0.5 * rng.random((1000, 800)), -rng.random((1000, 200))])
    v, since, total = np.full(1000, -65.0), np.full(1000, 1e9), 0
    u, s, spread = b * v, np.zeros(1000), np.repeat([5.0, 2.0], [800, 200]) / np.sqrt(dt)
    for _ in range(round(duration / dt)):
        since += dt
        ready = since > 1 - dt / 2
        rate = 0.04 * v**2 + 5 * v + 140 - u + s + spread * rng.standard_normal(1000)
        v, u, s = np.where(ready, v + dt * rate, v), u + dt * a * (b * v - u), s * (1 - dt)
        fired = ready & (v >= 30)
        total += int(fired.sum())
        since[fired] = 0.0
        v, u, s = np.where(fired, c, v), np.where(fired, u + d, u), s + weights[:, fired].sum(axis=1)
    return total / 1000 / (duration / 1000)


def test_izhikevich_s_thousand_cells_fire_as_a_program_of_the_same_equations():
    """Two seconds scatter by a percent; weights are even between 0 and 0.5 there, and normal of that mean and variance
    here. The paper's figure 3 has 7 to 8 Hz, in steps of 1 ms. The alpha rhythm is the highest peak below 20 Hz."""
    found = measured(parameters_of("typed_izhikevich"), 0, 6000, bin=1.0)
    ours = (800 * found.rates[0] + 200 * found.rates[1]) / 1000
    assert ours == pytest.approx(np.mean([program(seed, 0.5) for seed in range(2)]), rel=0.04)
    assert 7 <= found.peak(4, 20, 512) <= 13


def test_weights_that_compete_leave_the_middle():
    """Song, Miller and Abbott (2000), with steps four times as large, for 15 s: fewer weights in the middle third than
    at either end, where they began as many; the neuron fires less than by the first weights, as they balance."""
    given = parameters_of("typed_stdp")
    simulation = ENGINE.build(Problem(given), CpuBackend())
    names = [each.name for each in given.connections[0].plasticity.parameters]
    for name, value in (("dApre", 4e-4), ("dApost", -4.2e-4)):
        simulation.set_control(f"connections.0.plasticity.parameters.{names.index(name)}.value", value)
    fired = []
    for steps in (50_000, 100_000):
        simulation.advance(steps)
        weights = simulation.results()["synapses of connection/0/w [1]"] / 0.01
        fired.append(simulation.results()["neurons/spikes [1]"][-1])
    low, middle, high = np.histogram(weights, [0, 1 / 3, 2 / 3, 1 + 1e-6])[0]
    assert middle < min(low, high) - 30
    assert 100 < fired[1] - fired[0] < 2 * fired[0]
    assert simulation.non_finite() is None
