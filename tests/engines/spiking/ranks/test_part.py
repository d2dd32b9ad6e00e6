"""Networks whose neurons several ranks share: spikes, rates, charts and checkpoints are those of one, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Dab, Problem, Selection
from engines.api.abilities import Inspected, Spiking, WithResults
from engines.api.errors import ProblemError
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters
from tests.cuda_on_host import COMPILER
from tests.engines.ranks.led import PatientBackend, PatientHostCuda, led_runs, same_states
from tests.engines.ranks.threads import Post, ThreadRanks
from tests.engines.spiking.network.test_network import all_models, parameters
from tests.engines.spiking.problems import general, plain
from tests.engines.spiking.typed.test_twins import network


@pytest.fixture
def led():
    with led_runs(SpikingEngine()) as make:
        yield make


def problem(**changes):
    return Problem(parameters("lif", **changes))


def same_answers(many, one) -> bool:
    n = one.geometry.n_cells
    chosen = np.random.default_rng(0).integers(0, n, 30).astype(np.int32)
    for info in one.fields:
        np.testing.assert_array_equal(many.field(info.name), one.field(info.name), info.name)
        for selection in (Selection(chosen), Selection(chosen, np.array([0, 7, 30], np.int32))):
            found = many.gather(info.name, many.select(selection))
            np.testing.assert_array_equal(found, one.gather(info.name, one.select(selection)))
    assert many.observe() == one.observe()
    for info in one.charts:
        if not info.series:
            mine, theirs = many.chart(info.name), one.chart(info.name)
            for curve, expected in zip(mine.curves, theirs.curves, strict=True):
                np.testing.assert_array_equal(curve.y, expected.y, info.name)
    results, expected = many.results(), one.results()
    assert results.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_array_equal(results[name], values, name)
    for element in (0, n - 1):
        assert many.inspect(element).facts == one.inspect(element).facts
    return same_states(many, one)


NETWORKS = {
    "plain": plain,
    "all models": lambda: Problem(all_models()),
    **{f"typed {name}": lambda name=name: Problem(network(name, seed=5)) for name in ("izhikevich", "channels")},
}


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("name", NETWORKS)
def test_neurons_on_ranks_fire_as_on_one(led, name, size):
    many, one = led(NETWORKS[name](), size)
    for ability in (Spiking, Inspected, WithResults):
        assert isinstance(many, ability)
    readers = [simulation.spike_trains() for simulation in (many, one)]
    for steps in (1, 90, 110):
        for simulation in (many, one):
            simulation.advance(steps)
        assert same_answers(many, one)
        (steps_of, neurons), (expected_steps, expected) = ((each.steps, each.neurons) for each in map(take, readers))
        np.testing.assert_array_equal(steps_of, expected_steps)
        np.testing.assert_array_equal(neurons, expected)
    assert one.field("rate").max() > 0


def take(reader):
    return reader.take()


@pytest.mark.parametrize("given", [problem(), NETWORKS["typed channels"]()], ids=["lif", "typed"])
def test_brushes_live_parameters_and_checkpoints_go_from_some_ranks_to_others(led, given):
    three, one = led(given, 3)
    two, _ = led(given, 2)
    middle = tuple(map(float, one.geometry.positions.mean(axis=0)))
    for simulation in (three, one):
        simulation.advance(70)
        for brush in simulation.brushes:
            under = simulation.underneath(Dab(brush.name, middle, 150.0, brush.amount), True)
            simulation.paint(Dab(brush.name, middle, 150.0, brush.amount))
        simulation.put_back(under)
        simulation.set_control("synapses.inhibition", 0.5)
        simulation.advance(40)
    assert same_answers(three, one)
    two.restore(three.state())
    for simulation in (two, one):
        simulation.advance(60)
    assert same_answers(two, one)


@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
@pytest.mark.parametrize("name", NETWORKS)
def test_kernels_of_a_gpu_step_ranges_as_one_network(name):
    with led_runs(SpikingEngine(), PatientHostCuda) as make:
        many, one = make(NETWORKS[name](), 2)
        readers = [simulation.spike_trains() for simulation in (many, one)]
        for steps in (1, 40):
            for simulation in (many, one):
                simulation.advance(steps)
        assert one.field("rate").max() > 0
        assert same_states(many, one)
        np.testing.assert_array_equal(*(np.sort(take(reader).neurons) for reader in readers))


@pytest.mark.parametrize(
    ("given", "size", "said"),
    [
        (general(), 2, "Synapses whose weights change run on one rank"),
        (problem(), 14, "A network of 100 neurons cannot be shared by 14 ranks"),
    ],
)
def test_what_ranks_cannot_share_is_refused_in_a_sentence(given, size, said):
    assert isinstance(given.parameters, SpikingParameters)
    with pytest.raises(ProblemError, match=said):
        SpikingEngine().build_part(given, PatientBackend(), ThreadRanks(Post(size), 0))
