"""Event matrices and spiking networks on a real GPU beside float64 and the CPU."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.spiking import EventMatrix, published
from engines.spiking.engine import SpikingEngine
from engines.spiking.events.reference import product
from engines.spiking.parameters import SpikingParameters
from tests.engines.spiking.test_network import built
from tests.engines.spiking.test_plasticity import driven

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("density", [0.0, 0.001, 0.01, 0.1, 1.0])
def test_products_equal_float64(gpu, density):
    """Two stages of at most 1024 roundings of 6e-8 of the sum of sizes; integers once."""
    rng = np.random.default_rng()
    weights = rng.normal(size=(3001, 5003)).astype(np.float32)
    dense = EventMatrix.dense(weights, gpu)
    for matrix, table in ((dense, weights), (dense.T, weights.T)):
        events = rng.random(table.shape[1]) < density
        first = matrix @ events
        largest = product(np.abs(table), events).max(initial=1e-30)
        np.testing.assert_allclose(first, product(table, events), rtol=0, atol=1024 * 6e-8 * largest)
        np.testing.assert_array_equal(matrix @ events, first)
    sparse = scipy.sparse.random(3001, 5003, 0.02, rng=rng, dtype=np.float32)
    events = rng.random(5003) < density
    result = EventMatrix.sparse(sparse, gpu) @ events
    np.testing.assert_allclose(result, product(sparse.toarray(), events), rtol=6.1e-8, atol=1e-12)
    given = gpu.array(events)
    np.testing.assert_array_equal(gpu.to_host(dense @ given), dense @ events)


@pytest.mark.parametrize("excitatory", [3200, 80_000])
def test_both_backends_give_the_same_spikes(gpu, excitatory):
    """Bit for bit, from single launches and from graphs."""
    given = {
        "populations": {"excitatory": excitatory, "inhibitory": excitatory // 4},
        "connections": {"kind": "inputs", "inputs": 80},
    }
    problem = Problem(SpikingParameters.model_validate(given))
    here, there = (SpikingEngine().build(problem, backend) for backend in (CpuBackend(), gpu))
    for run in (here, there):
        for steps in (1, 700, 33, 250):
            run.advance(steps)
    expected, state = here.state(), there.state()
    for name, values in expected.items():
        np.testing.assert_array_equal(state[name], values, err_msg=name)
    there.set_control("drive", 2.0)
    there.advance(101)
    final = there.state()
    there.restore(state)
    there.set_control("drive", 2.0)
    there.advance(101)
    for name, values in there.state().items():
        np.testing.assert_array_equal(values, final[name], err_msg=name)


@pytest.mark.parametrize(
    "parameters",
    [published.coba(), published.brunel(number=2500), published.izhikevich_2003(), published.potjans_diesmann(0.02)],
    ids=["coba", "brunel", "izhikevich", "microcircuit"],
)
def test_published_networks_give_the_same_spikes(gpu, parameters):
    """Every model rounds alike, so all arrays are the CPU's, from single launches and from graphs."""
    here, there = (SpikingEngine().build(Problem(parameters), backend) for backend in (CpuBackend(), gpu))
    for run in (here, there):
        for steps in (1, 300, 33, 150):
            run.advance(steps)
    state = there.state()
    for name, values in here.state().items():
        np.testing.assert_array_equal(state[name], values, err_msg=name)


@pytest.mark.parametrize("rule", ["additive", "multiplicative"])
def test_weights_change_alike(gpu, rule):
    here, there = (built(driven(rule), backend)[0] for backend in (CpuBackend(), gpu))
    for network in (here, there):
        for steps in (1, 300):
            network.advance(steps)
    for name, values in here.arrays.items():
        np.testing.assert_array_equal(gpu.to_host(there.arrays[name]), values, err_msg=name)
