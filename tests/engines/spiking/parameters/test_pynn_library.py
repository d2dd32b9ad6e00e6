"""PyNN's standard cells against answers of their own: intervals and potentials in closed form, and the equations of
PyNN's documentation and their sources, written once more and solved by scipy with its events.

Spikes are on the grid of steps: a neuron fires at the end of the step in which v reaches its threshold.
"""

import math

import numpy as np
import pytest
import scipy

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.pynn_library import CELLS
from tests.engines.spiking.typed.models import with_numbers

ROUNDED = 1e-4
"""float32 rounds v by 4e-6 mV in a step, which a membrane of 20 ms adds up over 200 [mV]."""
LEAKY = ("IF_curr_exp", "IF_curr_alpha", "IF_cond_exp", "IF_cond_alpha")


def run(tmp_path, name, until, dt, weight=0.0, at=1.0, **numbers):
    """(v at the end of each step [mV], ends of the steps of its spikes [ms]) of one neuron, which gets a spike that
    acts from ``at`` on."""
    (tmp_path / "spikes.csv").write_text(f"neuron,time\n0,{at - dt!r}\n")
    neuron = {"kind": "own equations", **with_numbers(CELLS[name], **numbers)}
    populations = [
        {"name": "source", "number": 1, "neuron": {"kind": "spike list", "path": str(tmp_path / "spikes.csv")}},
        {"name": "cell", "number": 1, "neuron": neuron},
    ]
    joined = {"source": "source", "target": "cell", "rule": {"kind": "one to one"},
              "weight": {"kind": "constant", "weight": weight}}  # fmt: skip
    given = {"populations": populations, "connections": [joined] if weight else [], "numerics": {"step": dt}}
    simulation = SpikingEngine().build(Problem(SpikingParameters.model_validate(given)), CpuBackend())
    voltages, spikes, before = [], [], 0
    for step in range(round(until / dt)):
        simulation.advance(1)
        voltages.append(float(simulation.field("voltage")[1]))
        count = int(simulation.state()["spikes"][1])
        spikes += [(step + 1) * dt] * (count - before)
        before = count
    return np.array(voltages), np.array(spikes)


def solved(rates, begun, until, fires, reset):
    """Times of the spikes of dx/dt = rates(x), by scipy; ``fires``: zero where the neuron does, rising."""

    def event(t, x):
        return fires(x)

    event.terminal, event.direction = True, 1
    now, state, found = 0.0, np.array(begun, float), []
    while now < until:
        part = scipy.integrate.solve_ivp(
            lambda t, x: rates(x), (now, until), state, events=event, rtol=1e-9, atol=1e-11, max_step=0.2
        )
        if part.status != 1:
            break
        now, state = float(part.t[-1]), reset(part.y[:, -1].copy())
        found.append(now)
        now, state = held(now, state, rates)
    return np.array(found)


def held(now, state, rates, refractory=0.1):
    """After the refractory time, for which v alone rests."""
    part = scipy.integrate.solve_ivp(
        lambda t, x: np.array([0.0, *rates(x)[1:]]), (0, refractory), state, rtol=1e-9, atol=1e-11
    )
    return now + refractory, part.y[:, -1]


@pytest.mark.parametrize("current", [0.9, 1.2, 2.0])
@pytest.mark.parametrize("name", LEAKY)
def test_intervals_of_leaky_neurons_are_those_of_the_formula(tmp_path, name, current):
    """t_ref + τ ln((R I + E − V_r)/(R I + E − V_th)), R = τ/C, of which the rise takes whole steps."""
    _, spikes = run(tmp_path, name, 150.0, 0.1, i_offset=current, tau_refrac=3.0)
    rise = 20.0 * math.log(20.0 * current / (20.0 * current - 15.0))
    assert len(spikes) > 2
    assert np.diff(spikes) == pytest.approx(3.0 + math.ceil(rise / 0.1) * 0.1, abs=1e-9)


@pytest.mark.parametrize("weight", [150.0, -150.0])
def test_the_potential_of_an_exponential_current_is_that_of_the_formula(tmp_path, weight):
    """w/C · τ_m τ_s/(τ_m − τ_s) · (e^(−t/τ_m) − e^(−t/τ_s))."""
    t = np.arange(0.1, 60.0, 0.1)
    found, _ = run(tmp_path, "IF_curr_exp", 60.0 + 1.0, 0.1, weight, at=1.0)
    wanted = weight / 1000 * 20 * 5 / 15 * (np.exp(-t / 20) - np.exp(-t / 5))
    np.testing.assert_allclose(found[10:][: len(t)] + 65, wanted, atol=ROUNDED)
    np.testing.assert_allclose(found[:10], -65.0, atol=1e-5)


@pytest.mark.parametrize("tau", [0.5, 4.0])
def test_the_potential_of_an_alpha_current_is_that_of_the_formula(tmp_path, tau):
    """Of w e t/τ e^(−t/τ), whose top is w: w e/(τ C) ∫ s e^(−s/τ) e^(−(t − s)/τ_m) ds, with k = 1/τ − 1/τ_m
    e^(−t/τ_m) (1 − (1 + k t) e^(−k t))/k²."""
    t, k = np.arange(0.1, 60.0, 0.1), 1 / tau - 1 / 20
    found, _ = run(tmp_path, "IF_curr_alpha", 60.0 + 1.0, 0.1, 150.0, at=1.0, tau_syn_E=tau)
    wanted = 150.0 / 1000 * math.e / tau * np.exp(-t / 20) * (1 - (1 + k * t) * np.exp(-k * t)) / k**2
    np.testing.assert_allclose(found[10:][: len(t)] + 65, wanted, atol=ROUNDED)


@pytest.mark.parametrize(("name", "alpha", "tau"), [("IF_cond_exp", False, 5.0), ("IF_cond_alpha", True, 2.0)])
@pytest.mark.parametrize(("weight", "reversal"), [(30.0, 0.0), (-30.0, -70.0)])
def test_the_potential_of_a_conductance_is_that_of_its_equation(tmp_path, name, alpha, tau, weight, reversal):
    """By scipy, g(t) in closed form; Runge and Kutta's method of order 4 at 0.1 ms leaves 1e-4 mV."""

    def rate(t, v):
        g = abs(weight) * (math.e * t / tau if alpha else 1.0) * math.exp(-t / tau)
        return (-65.0 - v) / 20.0 + g * (reversal - v) / 1000.0

    t = np.arange(0.1, 60.0, 0.1)
    found, _ = run(tmp_path, name, 61.0, 0.1, weight, at=1.0, tau_syn_E=tau, tau_syn_I=tau)
    wanted = scipy.integrate.solve_ivp(rate, (0, 60), [-65.0], t_eval=t, rtol=1e-9, atol=1e-9).y[0]
    np.testing.assert_allclose(found[10:][: len(t)], wanted, atol=1e-4)


def test_spike_frequency_adaptation_is_that_of_its_equations(tmp_path):
    """Muller and others (2007); each spike may be a step late, which adds up over intervals."""

    def rates(x):
        v, s, r = x
        return np.array([(-65.0 - v) / 20 + (s * (-75 - v) + r * (-75 - v) + 1500.0) / 1000, -s / 100, -r / 2])

    wanted = solved(rates, [-65.0, 0.0, 0.0], 150.0, lambda x: x[0] + 50, lambda x: x * [0, 1, 1] + [-65, 15, 3000])
    _, spikes = run(tmp_path, "IF_cond_exp_gsfa_grr", 150.0, 0.01, i_offset=1.5)
    assert len(spikes) == len(wanted) > 3
    assert np.diff(wanted)[-1] > 1.1 * np.diff(wanted)[0]
    np.testing.assert_allclose(spikes, wanted, rtol=2e-3)


@pytest.mark.parametrize("name", ["EIF_cond_exp_isfa_ista", "EIF_cond_alpha_isfa_ista"])
def test_adaptive_exponential_neurons_are_those_of_their_equations(tmp_path, name):
    """Brette and Gerstner (2005), 1 nA."""
    g = 281 / 9.3667

    def rates(x):
        v, w = x
        up = g * (-70.6 - v) + g * 2 * math.exp(min((v + 50.4) / 2, 50)) - w + 1000
        return np.array([up / 281, (4 * (v + 70.6) - w) / 144])

    wanted = solved(rates, [-70.6, 0.0], 150.0, lambda x: x[0] + 40, lambda x: np.array([-70.6, x[1] + 80.5]))
    _, spikes = run(tmp_path, name, 150.0, 0.01, i_offset=1.0)
    assert len(spikes) == len(wanted) > 3
    np.testing.assert_allclose(spikes, wanted, rtol=2e-3)


def test_hodgkin_and_huxleys_neuron_is_that_of_its_equations(tmp_path):
    """Traub and Miles' channels; 0.5 nA. Exponential Euler, of first order, is late by 0.51 % at 0.005 ms."""

    def rates(x):
        v, m, h, n = x
        y = v + 63
        current = 10 * (-65 - v) - 20_000 * m**3 * h * (v - 50) - 6_000 * n**4 * (v + 90) + 500
        pairs = (
            (m, 0.32 * (13 - y) / (math.exp((13 - y) / 4) - 1), 0.28 * (y - 40) / (math.exp((y - 40) / 5) - 1)),
            (h, 0.128 * math.exp((17 - y) / 18), 4 / (1 + math.exp((40 - y) / 5))),
            (n, 0.032 * (15 - y) / (math.exp((15 - y) / 5) - 1), 0.5 * math.exp((10 - y) / 40)),
        )
        return np.array([current / 200, *(a * (1 - x) - b * x for x, a, b in pairs)])

    begun = [-65.0, 0.5, 0.5, 0.5]
    for k in range(1, 4):  # a x' + b: where the rate of each gate is 0
        low, high = (rates([*begun[:k], value, *begun[k + 1 :]])[k] for value in (0.0, 1.0))
        begun[k] = low / (low - high)
    crossed = scipy.integrate.solve_ivp(
        lambda t, x: rates(x), (0, 60), begun, events=(rising := _crossing(-33.0)), rtol=1e-9, atol=1e-11, max_step=0.1
    ).t_events[0]
    assert rising
    _, spikes = run(tmp_path, "HH_cond_exp", 60.0, 0.005, i_offset=0.5)
    assert len(spikes) == len(crossed) > 3
    np.testing.assert_allclose(spikes, crossed, rtol=6e-3)


def _crossing(level):
    def event(t, x):
        return x[0] - level

    event.direction = 1
    return event


def test_izhikevichs_neuron_takes_the_steps_of_eulers_method(tmp_path):
    """From PyNN's first values, at 10 pA: each step as NEST's izhikevich takes it, in float64."""
    v, u, wanted = -70.0, -14.0, []
    for step in range(2000):
        v, u = v + 0.1 * (0.04 * v * v + 5 * v + 140 - u + 10), u + 0.1 * 0.02 * (0.2 * v - u)
        if v >= 30:
            v, u = -65.0, u + 2.0
            wanted.append(0.1 * (step + 1))
    _, spikes = run(tmp_path, "Izhikevich", 200.0, 0.1, i_offset=0.01)
    assert len(spikes) == len(wanted) > 5
    np.testing.assert_allclose(spikes, wanted, atol=0.11)
    pulse, _ = run(tmp_path, "Izhikevich", 1.2, 0.1, 3.0, at=1.0)
    rest, _ = run(tmp_path, "Izhikevich", 1.2, 0.1)
    assert pulse[10] - rest[10] == pytest.approx(3.0, abs=0.2)  # it moves for a step
    assert pulse[9] == rest[9]
