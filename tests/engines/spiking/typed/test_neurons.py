"""Typed neurons against those that are built in, and the rate of leaky ones against the formula."""

import math

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.neuron_library import ADAPTIVE, CHANNELS, CONDUCTANCES, IZHIKEVICH, LEAKY
from tests.engines.spiking.network.test_network import built, parameters
from tests.engines.spiking.typed.models import LIF, neuron, numbers, with_numbers


def joined(kind, one, current, start):
    """A hundred neurons of this kind's network, of ``one`` model."""
    given = parameters(kind).model_dump()
    for population in given["populations"]:
        population |= {"neuron": one, "external": {"current": current}}
        population["start"] |= dict(zip(("lowest", "highest"), start, strict=True))
    return built(SpikingParameters.model_validate(given), CpuBackend())[0]


@pytest.mark.parametrize(
    ("kind", "built_in", "current", "typed", "start"),
    [
        # leaky neurons keep their voltage above rest, so here rest is 0
        ("lif", {"resting_voltage": 0.0, "threshold": 10.0, "reset": -1.0}, 11.0,
         with_numbers(LEAKY, E_L=11.0, V_th=10.0, V_r=-1.0), (-1.0, 9.0)),
        ("lif conductance", {}, 20.0, with_numbers(CONDUCTANCES, E_L=-40.0), (-70.0, -52.0)),
        ("lif conductance", {"resting_voltage": -49.0, "membrane_time": 11.0}, 0.0,
         with_numbers(CONDUCTANCES, E_L=-49.0, tau_m=11.0), (-70.0, -52.0)),
    ],
)  # fmt: skip
def test_where_the_rule_is_the_same_the_bits_are(kind, built_in, current, typed, start):
    """100 ms of a network of what the library has: leaky neurons by exact steps, those with conductances by exponential
    Euler."""
    fixed = joined(kind, {"kind": kind, **built_in}, current, start)
    ours = joined(kind, neuron(typed).model_dump(), 0.0, start)
    for net in (fixed, ours):
        net.advance(1000)
    assert fixed.arrays["spikes"].sum() > 50
    for name in ("voltage", "g_e", "g_i", "spikes", "last", "history"):
        one, other = fixed.arrays[name], ours.arrays[name]
        if name == "g_i":  # a negative current there, a size that is subtracted in the library
            one, other = np.abs(one), np.abs(other)
        np.testing.assert_array_equal(one, other, err_msg=name)


SPIKES = 20


def time_of(one, current, dt, most=1000.0):
    """When a neuron from -65 mV fires for the twentieth time [ms]."""
    population = {"name": "one", "number": 1, "neuron": one, "external": {"current": current},
                  "start": {"kind": "uniform", "lowest": -65.0, "highest": -65.0}}  # fmt: skip
    given = {"populations": [population], "connections": [], "numerics": {"step": dt}}
    net = built(SpikingParameters.model_validate(given), CpuBackend())[0]
    while net.arrays["spikes"][0] < SPIKES:
        net.advance(round(2.0 / dt))  # shorter than an interval
        assert net.arrays["clock"][0] * dt < most
    assert net.arrays["spikes"][0] == SPIKES
    return float(net.arrays["last"][0]) * dt


@pytest.mark.parametrize(
    ("model", "kind", "current", "steps"),
    [(ADAPTIVE, "adaptive exponential", 900.0, (0.04, 0.02, 0.01)),
     (CHANNELS, "hodgkin-huxley", 500.0, (0.08, 0.04, 0.02)),
     (IZHIKEVICH, "izhikevich", 10.0, (0.1, 0.05, 0.025))],
)  # fmt: skip
def test_spikes_come_to_those_of_the_model_that_is_built_in(model, kind, current, steps):
    """Of the library. Euler and exponential Euler are of first order: the time of the twentieth spike is off by half as
    much in steps of half the length, within what the grid of steps adds; that of the model that is built in, at
    0.002 ms, is taken for right."""
    own = neuron(model).model_dump()
    right = time_of({"kind": kind}, current, 0.002)
    errors = np.array([time_of(own, current, dt) - right for dt in steps])
    orders = np.log2(errors[:-1] / errors[1:])
    assert ((orders > 0.8) & (orders < 1.3)).all(), (errors, orders)
    assert abs(errors[-1]) < 0.03 * right


def test_channels_by_runge_and_kutta_fire_as_those_built_in():
    """20 spikes, to a tenth of a millisecond: a step and what the built-in model is off by."""
    own = neuron({**CHANNELS, "method": "rk4"}).model_dump()
    assert abs(time_of(own, 500.0, 0.02) - time_of({"kind": "hodgkin-huxley"}, 500.0, 0.002)) < 0.1


def test_the_rate_of_leaky_neurons_over_their_drive_is_the_analytic_one():
    """A population of 200 with drives from 8 to 28 mV above rest: intervals are τ ln((E − V_r)/(E − V_th)) rounded up
    to a step, and the refractory time, in which the step of the spike counts. Below the threshold nobody fires."""
    given = {
        "lines": ["dv/dt = (E_L + drive - v)/tau_m : volt (unless refractory)", "drive = 8*mV + 20*mV*i/N : volt"],
        "excitatory": "", "inhibitory": "", "starts": "v = V_r",
        "parameters": numbers(tau_m=(20.0, "ms"), E_L=(-65.0, "mV"), V_th=(-55.0, "mV"), V_r=(-65.0, "mV")),
    }  # fmt: skip
    population = {"name": "all", "number": 200, "neuron": neuron(given).model_dump()}
    net = built(SpikingParameters.model_validate({"populations": [population], "connections": []}), CpuBackend())[0]
    net.advance(10_000)
    drive, dt = 8 + 20 * np.arange(200) / 200, 0.1
    fires = drive > 10.0
    spikes = net.arrays["spikes"]
    assert (spikes[~fires] == 0).all()
    wanted = np.array([math.ceil(20 * math.log(each / (each - 10)) / dt) * dt + 4.9 for each in drive[fires][1:]])
    found = net.arrays["interval"][fires][1:] * dt / (spikes[fires][1:] - 1)
    assert (np.abs(found - wanted) < 1e-9).mean() > 0.98  # of one the voltage is within rounding of the threshold
    assert np.abs(1000 / found - 1000 / wanted).max() < 0.2


def begun(starts, seed=1, number=4000):
    """Neurons of two populations that begin so and never fire."""
    one = neuron({**LIF, "threshold": "", "starts": starts}).model_dump()
    populations = [{"name": name, "number": number, "neuron": one} for name in "ab"]
    given = {"populations": populations, "connections": [], "numerics": {"seed": seed}}
    return built(SpikingParameters.model_validate(given), CpuBackend())[0]


def test_starts_draw_for_each_neuron_and_without_a_threshold_nobody_fires():
    """Even and normal numbers: mean and spread within five standard errors of 8,000, each call anew, of the seed."""
    starts = "v = -60*mV + 5*mV*rand(); g_e = 2*mV*randn() + 3*mV*randn(); g_i = v + 60*mV - 5*mV*rand()"
    net, again, other = begun(starts), begun(starts), begun(starts, 2)
    v, g_e, g_i = (net.arrays[name].astype(float) for name in ("voltage", "g_e", "g_i"))
    for values, mean, spread in ((v, -57.5, 5 / 12**0.5), (g_e, 0.0, 13**0.5), (g_i, 0.0, 5 / 6**0.5)):
        assert abs(values.mean() - mean) < 5 * spread / 8000**0.5
        assert values.std() == pytest.approx(spread, rel=0.06)
    assert (v[:4000] != v[4000:]).all()
    np.testing.assert_array_equal(net.arrays["voltage"], again.arrays["voltage"])
    assert (v != other.arrays["voltage"]).any()
    net.advance(500)
    assert (net.arrays["voltage"] > -50.0).mean() > 0.5  # drawn to -49 mV, above the threshold that LIF has
    assert not net.arrays["spikes"].any()
