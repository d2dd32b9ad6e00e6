"""Typed synapses on a real GPU: the bits of the CPU, from launches and graphs, while somebody changes them."""

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from tests.engines.spiking.typed.synapses.models import MODELS, STEPPED, own
from tests.engines.spiking.typed.synapses.test_steps import cells
from tests.engines.spiking.typed.synapses.test_twins import UNEVEN, driven

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("delay", [0.0, 1.2, UNEVEN])
@pytest.mark.parametrize("name", MODELS)
def test_runs_are_those_of_the_cpu(gpu, name, delay):
    seed = int(np.random.default_rng().integers(1 << 30))
    given = driven(own(MODELS[name]), delay, seed=seed, number=(3000, 200), weight=0.2)
    same_bits(gpu, given, 1, seed)


@pytest.mark.parametrize("name", STEPPED)
def test_what_is_done_in_each_step_is_that_of_the_cpu(gpu, name):
    seed = int(np.random.default_rng().integers(1 << 30))
    model, weight = STEPPED[name]
    same_bits(gpu, cells(own(model), weight / 10, 500, delay=1.2, seed=seed, probability=0.7), 0, seed)


def same_bits(gpu, given, connection, seed):
    """While all parameters of the synapses change."""
    numbers = given.connections[connection].plasticity.parameters
    runs = [SpikingEngine().build(Problem(given), backend) for backend in (CpuBackend(), gpu)]
    for run in runs:
        for steps in (1, 130, 33):
            run.advance(steps)
        for place, each in enumerate(numbers):
            run.set_control(f"connections.{connection}.plasticity.parameters.{place}.value", 1.05 * each.value)
        run.advance(200)
    here, there = (run.state() for run in runs)
    assert here["population_spikes"][1:].min() > 0
    for key, values in here.items():
        np.testing.assert_array_equal(there[key], values, err_msg=f"{key}, seed {seed}")
