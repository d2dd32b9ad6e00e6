"""Delays of each synapse: what draws them, how they act, and what is told of those that cannot be."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.connectivity import delays
from engines.spiking.engine import SpikingEngine
from engines.spiking.network import reference
from engines.spiking.parameters import SpikingParameters
from engines.spiking.setup.memory import need, runs_of
from tests.engines.spiking.connectivity.test_wiring import drawn, senders
from tests.engines.spiking.network.test_network import built, parameters, recorded
from tests.engines.spiking.typed.synapses.models import FIXED, STDP, own
from tests.engines.spiking.typed.synapses.test_twins import driven

ENGINE = SpikingEngine()
EVERY = {"rule": {"kind": "all to all"}}


def formula(text):
    return {"kind": "formula", "formula": text}


def of(delay, **more):
    return drawn(400, EVERY | {"delay": delay}, **more)[0].delays


def test_uniform_delays_are_even_between_both():
    """40,000 of each: within 5 standard errors; those at the ends have half of a step."""
    steps = of({"kind": "uniform", "shortest": 1.0, "longest": 3.0})
    assert (steps.min(), steps.max()) == (10, 30)
    counts = np.bincount(steps)[10:] / np.array([0.5, *[1] * 19, 0.5])
    assert counts == pytest.approx(np.full(21, 2000), abs=5 * np.sqrt(2 * 2000))
    np.testing.assert_array_equal(of(formula("1.0*ms + 2.0*ms*rand()")), steps)


def test_a_formula_may_draw_and_clip():
    """Normal ones are cut off at both ends: Φ(−1) of them are there."""
    steps = of(formula("clip(2*ms + 0.5*ms*randn(), 1.5*ms, 2.5*ms)"))
    for end in (15, 25):
        assert (steps == end).mean() == pytest.approx(0.1841, abs=0.006)  # the half of a step at each end is there too
    assert (steps.min(), steps.max()) == (15, 25)
    both = of(formula("1*ms*rand() + 1*ms*rand()"))
    assert both.var() == pytest.approx(100 / 6, rel=0.05)  # two numbers and not one twice


def test_a_formula_knows_both_neurons():
    every, _ = drawn(400, EVERY | {"delay": formula("0.2*ms*i + 10*ms*int(j > 7) + (N_pre - N_post)*ms")})
    sender, hearer = senders(every), every.targets - 200
    np.testing.assert_array_equal(every.delays, 2 * sender + 100 * (hearer > 7))
    assert len(every.late)  # more than 255 steps
    ways = {"kind": "distance", "velocity": 0.1}, formula("clip(distance/(0.1*mm/ms), dt, 99*ms)")
    for rule in (EVERY["rule"], {"kind": "distance", "probability": 1.0, "width": 1e4, "periodic": True}):
        np.testing.assert_array_equal(*(drawn(400, {"rule": rule, "delay": each})[0].delays for each in ways))


def test_delays_hang_on_the_seed_and_their_own_connection(monkeypatch):
    delay = {"delay": formula("3*ms*rand()"), "rule": {"kind": "probability", "probability": 0.5}}
    alone, again, other = (drawn(400, delay, seed=seed)[0].delays for seed in (1, 1, 2))
    np.testing.assert_array_equal(alone, again)
    assert abs(np.corrcoef(alone[:15_000], other[:15_000])[0, 1]) < 0.05
    both, _ = drawn(400, delay, delay)
    rows = [
        slice(each, each + size) for each, size in zip(both.starts, np.diff(drawn(400, delay)[0].starts), strict=False)
    ]
    np.testing.assert_array_equal(np.concatenate([both.delays[row] for row in rows]), alone)
    monkeypatch.setattr(delays, "AT_ONCE", 1000)
    parts = drawn(400, {"delay": formula("0.1*ms*(i + j)"), **EVERY})[0]
    np.testing.assert_array_equal(parts.delays, senders(parts) + parts.targets - 200)


@pytest.mark.parametrize("delay", [{"kind": "normal", "delay": 3.0, "spread": 0.2}, formula("1*ms + 0.1*ms*i"),
                                   {"kind": "uniform", "shortest": 1.0, "longest": 3.0},
                                   {"kind": "distance", "velocity": 0.2}])  # fmt: skip
def test_pairs_of_a_table_without_delays_have_those_of_the_connection(tmp_path, delay):
    path = tmp_path / "pairs.npz"
    pre, post = np.divmod(np.arange(40_000), 200)
    rule = {"kind": "file", "path": str(path)}
    np.savez(path, pre=pre, post=post)
    steps, every = (drawn(400, {"rule": each, "delay": delay})[0].delays for each in (rule, EVERY["rule"]))
    if delay["kind"] == "normal":  # a kernel draws others
        assert steps.mean() == pytest.approx(every.mean(), abs=0.2)
        assert steps.std() == pytest.approx(every.std(), rel=0.03)
    else:
        np.testing.assert_array_equal(steps, every)
    np.savez(path, pre=pre, post=post, delay=np.full(40_000, 0.7))
    assert (drawn(400, {"rule": rule, "delay": delay})[0].delays == 7).all()


SAID = {
    "q*ms": "uses 'q', which is not known: there are i, j, N_pre",
    "2*mV": "is in volts and must be in seconds.",
    "": "it is empty",
    "randn()*ms": r"The delay of [\d,]+ synapses is below 0 or no number; that of the first is -",
    "sqrt(-1.0)*ms": "that of the first is no number: keep them above",
    "1*second*distance/um": r"is [\d,]+ steps, and there is room for 65,535: use a longer step",
}


@pytest.mark.parametrize("text", SAID)
def test_a_formula_that_gives_no_delay_says_why(text):
    with pytest.raises(ProblemError, match=SAID[text]) as caught:
        of(formula(text))
    assert caught.value.place == ("connections", 0, "delay", "formula")


@pytest.mark.parametrize(
    ("shortest", "longest", "field", "said"),
    [(3.0, 1.0, "shortest", "is above the longest"), (1.0, 900.0, "longest", "is 90,000 steps")],
)
def test_uniform_delays_that_cannot_be_say_why(shortest, longest, field, said):
    with pytest.raises(ProblemError, match=said) as caught:
        of({"kind": "uniform", "shortest": shortest, "longest": longest}, dt=0.01)
    assert caught.value.place == ("connections", 0, "delay", field)


@pytest.mark.parametrize(
    "synapse", [{"kind": "none"}, {"kind": "stdp", "highest": 8.0}, own(STDP)], ids=["fixed", "stdp", "typed"]
)
def test_equal_delays_of_each_are_the_delay_of_all_bit_for_bit(tmp_path, synapse):
    """By a formula, by a distribution without width, and from a column."""
    path = tmp_path / "pairs.npz"
    pre, post = np.divmod(np.arange(300 * 20), 20)
    np.savez(path, pre=pre, post=post)
    np.savez(tmp_path / "late.npz", pre=pre, post=post, delay=np.full(len(pre), 1.5))
    ways = [({"kind": "constant", "delay": 1.5}, path), (formula("1.5*ms"), path),
            ({"kind": "none"}, tmp_path / "late.npz"),
            ({"kind": "uniform", "shortest": 1.5, "longest": 1.5}, path)]  # fmt: skip
    networks = []
    for delay, table in ways:
        dumped = driven(synapse, delay).model_dump()
        dumped["connections"][1]["rule"] = {"kind": "file", "path": str(table)}
        network, *_ = built(SpikingParameters.model_validate(dumped), CpuBackend())
        network.advance(600)
        networks.append(network)
    assert networks[0].arrays["spikes"][-20:].sum() > 20
    for other in networks[1:]:
        for name, values in networks[0].arrays.items():
            np.testing.assert_array_equal(values, other.arrays[name], err_msg=name)


def test_spikes_are_those_of_float64():
    """A network whose delays are from none to 400 steps."""
    given = parameters("lif", number=(40, 10), delay=formula("clip(15*ms*randn(), 0*ms, 40*ms)"))
    net, plan, wiring, first = built(given, CpuBackend())
    assert (wiring.delays == 0).mean() > 0.4
    assert wiring.delays.max() > 300
    net.advance(900)
    spikes = recorded(net)
    assert spikes.shape[1] > 60
    np.testing.assert_array_equal(spikes, np.stack(reference.spikes(plan, wiring, first, 900)))


# Polychronous groups (Izhikevich 2006, figure 1): the order in which three neurons fire decides which of two that hear
# all of them fires, for in one order alone their spikes arrive together.

TO_A, TO_E = (9.0, 5.0, 1.0), (1.0, 5.0, 8.0)
"""Delays of b, c and d [ms]."""
ORDERS = {"b c d": ((0.0, 4.0, 8.0), {0: 9.0}), "d c b": ((7.0, 3.0, 0.0), {1: 8.0}), "together": ((2.0, 2.0, 2.0), {})}
"""When b, c and d fire, and when which of a and e hears all three [ms]."""


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("order", ORDERS)
def test_spikes_that_arrive_together_fire_a_neuron_at_the_step(tmp_path, order, typed):
    """Each arrives at 8 mV, the threshold is 20 mV above the rest; a neuron fires one step after the last arrives."""
    times, expected = ORDERS[order]
    np.savez(tmp_path / "spikes.npz", neuron=np.arange(3), time=np.array(times))
    table = {"pre": np.tile(np.arange(3), 2), "post": np.repeat([0, 1], 3), "delay": np.array([*TO_A, *TO_E])}
    np.savez(tmp_path / "axons.npz", **table)
    hears = {"kind": "lif", "resting_voltage": -70.0, "reset": -70.0, "threshold": -50.0, "excitatory_time": 0.0,
             "membrane_time": 2.0}  # fmt: skip
    given = SpikingParameters.model_validate({
        "populations": [
            {"name": "b c d", "number": 3, "neuron": {"kind": "spike list", "path": str(tmp_path / "spikes.npz")}},
            {"name": "a e", "number": 2, "neuron": hears, "start": {"kind": "uniform", "lowest": -70, "highest": -70}},
        ],
        "connections": [{
            "source": "b c d", "target": "a e", "rule": {"kind": "file", "path": str(tmp_path / "axons.npz")},
            "weight": {"kind": "constant", "weight": 8.0}, "plasticity": own(FIXED) if typed else {"kind": "none"},
        }],
    })  # fmt: skip
    simulation = ENGINE.build(Problem(given), CpuBackend())
    reader = simulation.spike_trains()
    simulation.advance(200)
    trains = reader.take()
    heard = trains.neurons >= 3
    found = dict(zip((trains.neurons[heard] - 3).tolist(), trains.steps[heard].tolist(), strict=True))
    assert found == {neuron: round(time / 0.1) + 1 for neuron, time in expected.items()}


def test_the_estimate_counts_rings_and_runs():
    """Of a formula about the longest delay that it may give; runs of a sender with the same delay."""
    for delay, low, high in (
        ({"kind": "uniform", "shortest": 1.0, "longest": 3.0}, 30, 30),
        (formula("1*ms + 2*ms*rand()"), 30, 30),
        (formula("clip(1*ms + randn()*ms, 0*ms, 4*ms)"), 40, 40),
        (formula("1*ms + randn()*0.5*ms"), 35, 45),
        (formula("0.1*ms*i + 0.2*ms*j"), 299 + 2 * 19, 299 + 2 * 19),
        (formula("distance/(1*mm/ms)"), 1, 20),
    ):
        fixed, typed = (driven(each, delay) for each in ({"kind": "none"}, own(STDP)))
        assert low <= need(fixed, (0, 4800)).longest <= high
        assert runs_of(typed, 1, 4800) == min(4800, 300 * (1 + need(fixed, (0, 4800)).longest))
    assert runs_of(driven(own(STDP)), 1, 4800) == 300
    one, each = (ENGINE.estimate(Problem(driven(own(STDP), delay)), CpuBackend()).bytes_per_step
                 for delay in (3.0, formula("3*ms*rand()")))  # fmt: skip
    assert each - one == 9 * (300 * 16 - 300)  # 4,800 synapses on average
    network = ENGINE.build(Problem(driven(own(STDP), formula("3*ms*rand()"))), CpuBackend())._network
    runs = network._synapses_typed[0]._block.runs
    assert len(runs.who) == np.count_nonzero(np.diff(runs.starts)) > 3000
    assert network.traffic[0].bytes_read > 9 * len(runs.who)
