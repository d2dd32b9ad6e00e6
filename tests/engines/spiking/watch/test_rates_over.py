"""Rates over what differs from neuron to neuron: of a leaky neuron the formula of textbooks."""

import numpy as np
import pytest

from engines.api import Problem
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters

TAU, REFRACTORY, THRESHOLD = 10.0, 2.0, 20.0


def leaky(backend, **changes):
    neuron = {
        "kind": "own equations", "lines": ["dv/dt = (I - v)/tau : volt (unless refractory)", "I = top*(N - i)/N : volt",
                                           "twice = 2*v : volt", "now = i*t : second"],
        "threshold": "v > 20*mV", "reset": "v = 0*mV", "refractory": "2*ms", "excitatory": "", "inhibitory": "",
        "parameters": [{"name": "tau", "value": TAU, "unit": "ms"}, {"name": "top", "value": 40.0, "unit": "mV"}],
    }  # fmt: skip
    populations = [{"name": "A", "number": 50, "neuron": neuron | changes,
                    "start": {"kind": "uniform", "lowest": 0.0, "highest": 0.0}}]  # fmt: skip
    given = {"populations": populations, "connections": []}
    return SpikingEngine().build(Problem(SpikingParameters.model_validate(given)), backend)


def test_a_leaky_neuron_has_its_f_I_curve(backend):
    """1/(refractory + tau ln(I/(I - threshold))), to a step of 0.1 ms and a spike in 2 s; silent below."""
    simulation = leaky(backend)
    (info,) = (each for each in simulation.charts if each.name.startswith("rate_over"))
    assert (info.title, info.x_title, info.x_unit, info.unit) == ("Rate over I", "I", "mV", "Hz")  # others move in time
    assert simulation.chart(info.name).curves == ()
    simulation.advance(20_000)
    (curve,) = simulation.chart(info.name).curves
    np.testing.assert_allclose(curve.x, 40.0 * np.arange(1, 51) / 50)  # rising, whatever order neurons have
    above = curve.x > THRESHOLD * 1.001
    assert (curve.y[~above] == 0).all()
    interval = REFRACTORY + TAU * np.log(curve.x[above] / (curve.x[above] - THRESHOLD))
    np.testing.assert_allclose(curve.y[above], 1000 / interval, rtol=0.02, atol=0.5)
    simulation.set_control("populations.0.neuron.parameters.1.value", 80.0)
    assert simulation.chart(info.name).curves[0].x[-1] == pytest.approx(80.0)


def test_the_unit_is_one_of_few_digits(backend):
    parameters = [{"name": "tau", "value": 10.0, "unit": "ms"}, {"name": "top", "value": 20.0, "unit": "uA"}]
    lines = ["dv/dt = -v/tau + I*ohm/second : volt", "I = top*i/N : amp"]
    simulation = leaky(backend, lines=lines, parameters=parameters)
    (info,) = (each for each in simulation.charts if each.name.startswith("rate_over"))
    simulation.advance(10)
    (curve,) = simulation.chart(info.name).curves
    assert (info.x_unit, round(curve.x[-1], 9)) == ("uA", 19.6)


def test_neurons_that_are_alike_have_none(backend):
    simulation = leaky(backend, lines=["dv/dt = (top - v)/tau : volt", "I = top : volt"])
    assert not [each for each in simulation.charts if each.name.startswith("rate_over")]
