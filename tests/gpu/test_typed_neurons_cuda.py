"""Typed neurons on a real GPU: the bits of the CPU, from launches and graphs, while somebody looks and changes them."""

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from tests.engines.spiking.typed.models import MODELS
from tests.engines.spiking.typed.test_twins import network

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("name", MODELS)
def test_runs_are_those_of_the_cpu(gpu, name):
    given = network(name)
    last = len(given.populations[0].neuron.parameters) - 1
    runs = [SpikingEngine().build(Problem(given), backend) for backend in (CpuBackend(), gpu)]
    for element in (7, None, 70):
        for run in runs:
            run.look_into(element)
            for steps in (1, 130, 33):
                run.advance(steps)
            value = given.populations[0].neuron.parameters[last].value * (1.05 if element == 7 else 1.0)
            run.set_control(f"populations.0.neuron.parameters.{last}.value", value)
        (_, expected), (_, values) = (run._network.electrodes.values(run.step) for run in runs)
        np.testing.assert_array_equal(values, expected)
    here, there = (run.state() for run in runs)
    assert here["spikes"].sum() > 0
    for key, values in here.items():
        np.testing.assert_array_equal(there[key], values, err_msg=f"{key}, seed {given.numerics.seed}")
