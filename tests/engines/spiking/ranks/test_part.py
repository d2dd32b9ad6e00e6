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
from tests.engines.spiking.problems import plain
from tests.engines.spiking.typed.synapses.models import MODELS, STEPPED, own
from tests.engines.spiking.typed.synapses.test_reading import FOLLOWED, VOLTAGE
from tests.engines.spiking.typed.synapses.test_steps import cells
from tests.engines.spiking.typed.synapses.test_twins import UNEVEN, driven
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


def delayed(**more):
    """Windows of 15 steps; ``more`` of the network's populations, whose neurons may fire in each step."""
    given = parameters("lif", delay={"kind": "constant", "delay": 1.4}, seed=2).model_dump()
    return Problem(SpikingParameters.model_validate({**given, "populations": [*given["populations"], *more.values()]}))


def changing(synapse):
    """Hearers on several ranks, whose synapses have a delay of 12 steps."""
    given = driven(synapse, 1.2, number=(40, 70), rate=60.0).model_dump()
    given["connections"][0]["delay"] = {"kind": "constant", "delay": 2.0}
    return Problem(SpikingParameters.model_validate(given))


def stepped(name):
    """Cells whose synapses read and sum up in each step; those begin at random."""
    synapse, weight = STEPPED[name]
    return Problem(cells(own({**synapse, "starts": f"{synapse['starts']}*(0.5 + rand())"}, largest=1.0), weight))


def voltages():
    """Cells whose synapses read voltages of both ends at spikes, those of hearers late."""
    synapse = own(VOLTAGE, post_delay=1.3, largest=8.0)
    return Problem(cells(synapse, 0.5, 24, 0.1, 0.8, cell=FOLLOWED, current=260.0))


def late():
    """Fixed synapses and typed ones, each with a delay of its own; of the typed ones half have none."""
    given = driven(own(MODELS["stdp"]), UNEVEN, number=(40, 70), rate=60.0).model_dump()
    given["connections"][0] |= {"delay": {"kind": "uniform", "shortest": 0.4, "longest": 3.0}}
    return Problem(SpikingParameters.model_validate(given))


POISSON = {"name": "sources", "number": 40, "neuron": {"kind": "poisson", "rate": 300.0}}
NETWORKS = {
    "plain": plain,
    "all models": lambda: Problem(all_models()),
    "delayed": delayed,
    "delayed and fast": lambda: delayed(sources=POISSON),
    **{f"typed {name}": lambda name=name: Problem(network(name, seed=5)) for name in ("izhikevich", "channels")},
    "stdp": lambda: changing({"kind": "stdp", "highest": 8.0}),
    **{f"synapses {name}": lambda name=name: changing(own(MODELS[name]))
       for name in ("short term", "everything")},
    **{f"synapses {name}": lambda name=name: stepped(name) for name in STEPPED},
    "synapses voltages": voltages,
    "synapses late": late,
}  # fmt: skip


CHANGING = {"stdp": "weights_0", "synapses short term": "synapses_1_x", "synapses everything": "synapses_1_a",
            "synapses nmda": "synapses_0_g", "synapses following": "synapses_0_a",
            "synapses voltages": "synapses_0_w", "synapses late": "synapses_1_w"}  # fmt: skip
"""An array of synapses of each network that has one which changes."""


@pytest.mark.parametrize(
    ("name", "size"), [*((name, 3) for name in NETWORKS), ("plain", 2), ("delayed", 2), ("stdp", 2)]
)
def test_neurons_on_ranks_fire_as_on_one(led, name, size):
    many, one = led(NETWORKS[name](), size)
    for ability in (Spiking, Inspected, WithResults):
        assert isinstance(many, ability)
    readers = [simulation.spike_trains() for simulation in (many, one)]
    begun = one.state()
    for steps in (1, 90, 110):
        for simulation in (many, one):
            simulation.advance(steps)
        assert same_answers(many, one)
        (steps_of, neurons), (expected_steps, expected) = ((each.steps, each.neurons) for each in map(take, readers))
        np.testing.assert_array_equal(steps_of, expected_steps)
        np.testing.assert_array_equal(neurons, expected)
    assert one.field("rate").max() > 0
    if name in CHANGING:
        assert (one.state()[CHANGING[name]] != begun[CHANGING[name]]).any()


def take(reader):
    return reader.take()


@pytest.mark.parametrize("name", ["delayed", "typed channels", "stdp", "synapses following", "synapses late"])
def test_brushes_live_parameters_and_checkpoints_go_from_some_ranks_to_others(led, name):
    given = NETWORKS[name]()
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
        for steps in (1, 70):
            for simulation in (many, one):
                simulation.advance(steps)
        assert one.field("rate").max() > 0
        assert same_states(many, one)
        np.testing.assert_array_equal(*(np.sort(take(reader).neurons) for reader in readers))


def test_sources_that_fire_by_a_list_do_so_on_ranks(led, tmp_path):
    """In steps that follow each other, too."""
    path = tmp_path / "spikes.npz"
    np.savez(path, neuron=np.arange(400) % 40, time=0.1 * (np.arange(400) % 199))
    neuron = {"kind": "spike list", "path": str(path)}
    many, one = led(delayed(sources={"name": "sources", "number": 40, "neuron": neuron}), 2)
    for simulation in (many, one):
        simulation.advance(150)
    assert same_answers(many, one)
    assert one.state()["spikes"][-40:].min() > 0


def test_a_network_with_fewer_neurons_than_ranks_take_is_refused_in_a_sentence():
    with pytest.raises(ProblemError, match="A network of 100 neurons cannot be shared by 14 ranks"):
        SpikingEngine().build_part(problem(), PatientBackend(), ThreadRanks(Post(14), 0))


@pytest.mark.parametrize(
    ("largest", "said"), [(1e-3, "The sum of what spikes add"), (8.0, "k of a synapse")], ids=["sum", "variable"]
)
def test_what_is_wrong_with_synapses_is_told_of_a_neuron_that_hears(led, largest, said):
    """Spikes add more than their limit; or hearers of the second rank that fired twice have variables that are no
    numbers."""
    synapse = {**MODELS["fixed"], "lines": ["w : 1", "k : 1"], "on_post": ["k = (k + 1)*(1e30 if j > 50 else 0)"]}
    many, one = led(Problem(driven(own(synapse, largest=largest), number=(40, 80), rate=45.0)), 2)
    for simulation in (many, one):
        simulation.advance(400)
    found, expected = many.non_finite(), one.non_finite()
    assert said in found.field
    assert found == expected
    cut = one.state()["cut_1"]
    np.testing.assert_array_equal(many.state()["cut_1"], cut)
    assert cut.any() == (largest < 1)


@pytest.mark.parametrize(("name", "cuda", "steps"), [
    ("delayed", False, 15), ("delayed", True, 15), ("delayed and fast", False, 15), ("delayed and fast", True, 1),
    ("plain", False, 1), ("stdp", False, 13), ("stdp", True, 1), ("synapses gap", False, 1),
])  # fmt: skip
def test_ranks_tell_each_other_of_spikes_as_seldom_as_delays_allow(monkeypatch, name, cuda, steps):
    """A delay of 14 steps: what is fired in 15 of them acts after these. On a GPU no neuron fires twice in them, and
    synapses that change do so in each step."""
    if cuda and COMPILER is None:
        pytest.skip("needs a C++ compiler")
    calls, exchange = [], ThreadRanks.exchange
    monkeypatch.setattr(ThreadRanks, "exchange", lambda self, *given: calls.append(given) or exchange(self, *given))
    with led_runs(SpikingEngine(), *([PatientHostCuda] if cuda else [])) as make:
        many, _ = make(NETWORKS[name](), 2)
        many.advance(40)
        assert many.step == 40
    assert len(calls) == 2 * -(-40 // steps)
