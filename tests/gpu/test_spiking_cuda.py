"""Event matrices and spiking networks on a real GPU beside float64 and the CPU."""

import numpy as np
import pytest
import scipy.sparse

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking import EventList, EventMatrix
from engines.spiking.engine import SpikingEngine
from engines.spiking.events.reference import product
from engines.spiking.events.sparse.procedural import Drawn
from engines.spiking.events.vectors import on_device
from engines.spiking.events.weights import decoded, stored
from engines.spiking.lif import reference
from engines.spiking.lif.model import Lif
from engines.spiking.lif.twins import LIF
from engines.spiking.parameters import Numerics, SpikingParameters, published
from engines.spiking.parameters.published import cuba
from tests.engines.spiking.lif.test_lif import CUBA, network
from tests.engines.spiking.network.test_network import all_models, built
from tests.engines.spiking.network.test_plasticity import driven

pytestmark = pytest.mark.gpu


SHAPE = (3001, 5003)
DENSITIES = (0.0, 0.001, 0.1, 1.0)


def check(gpu, matrix, table, roundings):
    """On the host and on the device, binary and graded, one vector and a batch, a list; the same bits each time.

    Each rounding is of 6e-8 of at most the sum of sizes.
    """
    rng = np.random.default_rng()
    for operator, held in ((matrix, table), (matrix.T, table.T)):
        for density in DENSITIES:
            events = rng.random((held.shape[1], 3)) < density
            values = np.where(events, rng.normal(size=events.shape), 0).astype(np.float32)
            for way, given in ((operator, events), (operator.graded, values)):
                result = way @ given
                allowed = roundings * 6e-8 * product(np.abs(held), np.abs(given)) + 1e-12
                assert (np.abs(result - product(held, given)) <= allowed).all()
                np.testing.assert_array_equal(way @ given, result)
                np.testing.assert_array_equal(gpu.to_host(way @ gpu.array(given)), result)
                np.testing.assert_array_equal(gpu.to_host(way @ gpu.array(given[:, 1])), result[:, 1])
                listed = way @ EventList.of(given[:, 0], gpu, graded=given is values)
                assert (np.abs(gpu.to_host(listed) - result[:, 0]) <= 2 * allowed[:, 0]).all()


@pytest.mark.parametrize("order", ["presynaptic", "postsynaptic"])
@pytest.mark.parametrize("precision", ["float32", "float16", "int8"])
def test_dense_products_equal_float64(gpu, precision, order):
    """A sum's terms are added in several stages of at most 1024 each."""
    table = np.random.default_rng().normal(size=SHAPE).astype(np.float32)
    rows = table if order == "postsynaptic" else np.ascontiguousarray(table.T)
    held = decoded(stored(rows, precision)).astype(float)
    matrix = EventMatrix.dense(table, gpu, precision=precision, order=order)
    check(gpu, matrix, held if order == "postsynaptic" else held.T, 1024)


@pytest.mark.parametrize("format", ["compressed", "ell", "sell"])
@pytest.mark.parametrize("order", ["presynaptic", "postsynaptic"])
def test_sparse_products_equal_float64(gpu, format, order):
    """100 synapses of a row or column, give or take; no more than 200 roundings. Pushed sums are the CPU's."""
    rng = np.random.default_rng()
    table = scipy.sparse.random(*SHAPE, 0.02, rng=rng, data_rvs=rng.standard_normal).astype(np.float32).tocsr()
    matrix = EventMatrix.sparse(table, gpu, format=format, order=order)
    check(gpu, matrix, table.toarray().astype(float), 200)
    pushed = matrix if order == "presynaptic" else matrix.T
    here = EventMatrix.sparse(table if order == "presynaptic" else table.T.tocsr(), CpuBackend())
    values = np.where(rng.random(here.shape[1]) < 0.1, rng.normal(size=here.shape[1]), 0).astype(np.float32)
    np.testing.assert_array_equal(pushed.graded @ values, here.graded @ values)


def test_both_orders_and_a_captured_product(gpu):
    """The device decides which way it goes, also when a graph replays with other events."""
    rng = np.random.default_rng()
    table = scipy.sparse.random(2000, 3008, 0.02, rng=rng, dtype=np.float32)
    products = EventMatrix.sparse(table, gpu, format="sell", order="both")._products
    products.percents = (10, 10)
    out, events = gpu.empty((1, 2000), np.float32), gpu.array(np.zeros((1, 3008), bool))
    given = on_device(gpu, events)
    with gpu.active():
        products.gather_into(out, given)
    graph = gpu.captured(lambda: products.gather_into(out, given))
    for density in (0.5, 0.01, 0.0, 1.0):
        now = rng.random((1, 3008)) < density
        with gpu.active():
            events[...] = gpu.array(now)
            graph()
        expected = product(table.toarray(), now[0])
        # 60 positive terms and no more than as many roundings
        np.testing.assert_allclose(gpu.to_host(out)[0], expected, rtol=200 * 6e-8, atol=1e-12)


@pytest.mark.parametrize("neurons", [3008, 3001])
def test_a_result_goes_where_it_is_asked_for(gpu, neurons):
    """Vectors that are read where they lie, and others."""
    rng = np.random.default_rng()
    table = rng.normal(size=(2000, neurons)).astype(np.float32)
    events = rng.random(neurons) < 0.1
    for matrix in (EventMatrix.dense(table, gpu), EventMatrix.sparse(scipy.sparse.csr_array(table), gpu, order="both")):
        there, out = gpu.array(events), gpu.array(np.full(2000, np.nan, np.float32))
        assert matrix.dot(there, out) is out
        np.testing.assert_array_equal(gpu.to_host(out), matrix @ events)
        np.testing.assert_array_equal(gpu.to_host(matrix @ there), gpu.to_host(out))
        with pytest.raises(ProblemError, match="on the device"):
            matrix.dot(there, np.empty(2000, np.float32))


def test_procedural_products_are_those_of_the_cpu(gpu):
    here, there = (EventMatrix.procedural(3001, 5003, 101, (-0.5, 1.5), 7, b) for b in (CpuBackend(), gpu))
    table = Drawn(5003, 3001, 101, np.float32(-0.5), np.float32(2.0), 7).table().T
    check(gpu, there, table, 300)
    events = np.random.default_rng().random(5003) < 0.1
    np.testing.assert_array_equal(there @ events, here @ events)


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
    [
        published.coba(),
        published.brunel(number=2500),
        published.izhikevich_2003(),
        published.potjans_diesmann(0.02),
        published.waves(40),
    ],
    ids=["coba", "brunel", "izhikevich", "microcircuit", "waves"],
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


def test_synapses_that_are_alpha_functions_are_those_of_the_cpu(gpu):
    """All models with both time courses in one network, to the bit."""
    here, there = (built(all_models(), backend)[0] for backend in (CpuBackend(), gpu))
    for run in (here, there):
        for steps in (1, 300, 33):
            run.advance(steps)
    assert (here.arrays["rise"] != 0).any()
    for name, values in here.arrays.items():
        np.testing.assert_array_equal(gpu.to_host(there.arrays[name]), values, err_msg=name)


def cuba_rate(gpu, number, seed):
    """Mean rate of Brian2's CUBA with 80 inputs per neuron over its first second [Hz]."""
    given = cuba(number).parameters.model_copy(update={"numerics": Numerics(seed=seed)})
    run = SpikingEngine().build(Problem(given), gpu)
    run.advance(10_000)
    return run.state()["spikes"].mean()


def test_cuba_fires_at_its_published_rate(gpu):
    """5.67 ± 0.27 Hz over 20 seeds, whose mean is within three standard errors."""
    found = np.array([cuba_rate(gpu, 4000, seed) for seed in range(20)])
    assert abs(found.mean() - 5.67) < 3 * 0.27 / np.sqrt(20)
    assert 0.1 < found.std(ddof=1) < 0.5


def test_cuba_of_400_000_neurons_fires_at_its_published_rate(gpu):
    """5.68 ± 0.03 Hz."""
    assert abs(cuba_rate(gpu, 400_000, 1) - 5.68) < 0.1


def test_cuba_equals_float64_for_20_ms(gpu):
    synapses, start = network(CUBA, seed=5)
    run = LIF.open(gpu, Lif(), CUBA, synapses, start)
    run.advance(200)
    _, ids = reference.spikes(Lif(), CUBA, synapses, start, 200)
    np.testing.assert_array_equal(gpu.to_host(run.arrays["spikes"]), np.bincount(ids, minlength=4000))


@pytest.mark.slow
def test_the_microcircuit_fires_at_its_published_rates(gpu):
    """Full scale, 5 s: the rates of the CPU's over 5 s, which end 2 ms earlier."""
    run = SpikingEngine().build(Problem(published.potjans_diesmann(1.0)), gpu)
    run.advance(5000)
    before = run.state()["population_spikes"]
    run.advance(50_000)
    rates = (run.state()["population_spikes"] - before) / np.array(published.NUMBERS) / 5
    np.testing.assert_allclose(rates, published.FULL_RATES, atol=0.02)


@pytest.mark.parametrize("rule", ["additive", "multiplicative"])
def test_weights_change_alike(gpu, rule):
    here, there = (built(driven(rule), backend)[0] for backend in (CpuBackend(), gpu))
    for run in (here, there):
        for steps in (1, 300):
            run.advance(steps)
    for name, values in here.arrays.items():
        np.testing.assert_array_equal(gpu.to_host(there.arrays[name]), values, err_msg=name)


@pytest.mark.parametrize("parameters", [None, published.izhikevich_2003(), published.coba()])
def test_recorded_steps_are_those_of_the_cpu(gpu, parameters):
    """From single launches and from graphs, with and without somebody who looks, and another neuron in the same graph;
    the run itself stays the same."""
    given = SpikingParameters() if parameters is None else parameters
    here, there = (SpikingEngine().build(Problem(given), backend) for backend in (CpuBackend(), gpu))
    for element in (7, None, 903):
        for run in (here, there):
            run.look_into(element)
            for steps in (1, 130, 33, 250):
                run.advance(steps)
        (steps, expected), (others, values) = (run._network.electrodes.values(run.step) for run in (here, there))
        np.testing.assert_array_equal(steps, others)
        np.testing.assert_array_equal(values, expected)
    state = there.state()
    for name, values in here.state().items():
        np.testing.assert_array_equal(state[name], values, err_msg=name)
