"""The f-I curve: of a leaky neuron by its formula, of one that adapts by its two intervals; and what is refused."""

import math

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.neurons import AdaptiveExponential, Lif, PoissonSource
from engines.spiking.parameters.populations import Population
from engines.spiking.tools.response import Response, ResponseParameters

LEAKY = Lif(membrane_time=10.0, resting_voltage=-65.0, threshold=-50.0, reset=-65.0, refractory_time=2.0)


def tried(neuron, **asked):
    problem = Problem(SpikingParameters(populations=[Population(name="P", number=5, neuron=neuron)], connections=[]))
    backend = CpuBackend()
    try:
        return Response().run(problem, ResponseParameters(population="P", **asked), backend)
    finally:
        backend.close()


def test_a_leaky_neuron_fires_as_its_formula_says():
    """T = t_ref + τ ln(I/(I − θ)), θ = 15 mV, less what of the step of 0.1 ms goes on after a spike: v is held from its
    beginning."""
    result = tried(LEAKY, lowest=10.0, highest=40.0, currents=31, duration=400.0)
    ((info, data),) = result.charts
    last = data.curves[0]
    assert (info.x_unit, info.unit) == ("mV", "Hz")
    np.testing.assert_array_equal(last.y[last.x <= 15.0], 0.0)
    for current, rate in zip(last.x[last.x > 15.5], last.y[last.x > 15.5], strict=True):
        period = 2.0 + 10.0 * math.log(current / (current - 15.0))
        assert period - 0.1 - 1e-6 <= 1000.0 / rate <= period + 1e-6
    assert "from 16 mV on" in result.message


def test_a_neuron_that_adapts_begins_faster():
    first, last = (
        tried(AdaptiveExponential(), lowest=0.0, highest=1000.0, currents=2, duration=1000.0).charts[0][1].curves[k].y
        for k in (1, 0)
    )
    assert first[0] == last[0] == 0.0
    assert first[1] > 1.2 * last[1] > 0


def test_what_cannot_be_tried_is_told():
    tool, backend = Response(), None
    source = Problem(SpikingParameters(populations=[Population(name="S", neuron=PoissonSource())], connections=[]))
    with pytest.raises(ProblemError, match="add a population of neurons"):
        tool.defaults(source)
    with pytest.raises(ProblemError, match="no population 'S' of neurons: none"):
        tool.run(source, ResponseParameters(population="S"), backend)
    with pytest.raises(ProblemError, match="raise it"):
        tool.outlook(Problem(SpikingParameters()), ResponseParameters(lowest=3.0, highest=3.0))
