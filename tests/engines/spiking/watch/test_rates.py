"""The mean rate of few neurons: over a time in which one spike does not count hundreds of hertz."""

import numpy as np
import pytest

from engines.api import Problem
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters
from engines.spiking.watch.groups import Groups


def clock(backend, *numbers, names=None):
    """Leaky neurons without noise that fire alike."""
    names = names or [f"P{n}" for n in numbers]
    lone = {"kind": "uniform", "lowest": -65.0, "highest": -65.0}
    neuron = {"kind": "lif", "resting_voltage": -65.0, "threshold": -50.0}
    populations = [
        {"name": name, "number": n, "neuron": neuron, "start": lone} for name, n in zip(names, numbers, strict=True)
    ]
    given = {"populations": populations, "connections": [], "drive": 20.0}
    return SpikingEngine().build(Problem(SpikingParameters.model_validate(given)), backend)


def sampled(simulation, samples):
    found = []
    for _ in range(samples):
        simulation.advance(simulation.sample_steps)
        found.append(dict(simulation.observe()))
    return found


def test_the_rate_of_one_neuron_does_not_jump(backend):
    simulation = clock(backend, 1, 300)
    rates = sampled(simulation, 60)
    one, many = (np.array([each[name] for each in rates]) for name in ("rate_p1", "rate_p300"))
    mean = float(simulation.field("rate")[0])
    assert 20 < mean < 100
    assert np.abs(one[20:] - mean).max() <= 10.0  # a spike more or less in 100 ms
    assert many.max() >= 200.0  # all at once, in 5 ms: that is so
    assert [info.title for info in simulation.series[:2]] == ["Rate over 100 ms, P1", "Rate, P300"]


def test_the_time_is_told_in_the_chart_and_is_shorter_for_more_neurons():
    def groups(*numbers):
        return Groups(tuple("ABCD"[: len(numbers)]), np.cumsum([0, *numbers]))

    np.testing.assert_array_equal(groups(1, 25, 199, 200).windows, [100.0, 40.0, 10.0, 0.0])
    titles = [groups(*numbers).charts[1].title for numbers in ((1, 3), (1, 200), (500,))]
    assert titles == ["Mean rate over 100 ms", "Mean rate", "Mean rate"]


def test_a_run_that_goes_on_has_the_same_rates(backend):
    whole, first, second = (clock(backend, 1, 25) for _ in range(3))
    expected = sampled(whole, 50)
    begun = sampled(first, 23)
    second.restore(first.state())
    assert begun + sampled(second, 27) == expected
    older = {name: values for name, values in first.state().items() if name != "past"}
    second.restore(older)  # of an earlier version: from the beginning on
    assert sampled(second, 1)[0]["rate_p1"] == pytest.approx(float(second.field("rate")[0]))


@pytest.mark.parametrize(
    ("names", "rates"),
    [
        (("E", "e"), ["rate_e", "rate_e_2"]),
        (("A-B", "A B", "a b_2"), ["rate_a_b", "rate_a_b_2", "rate_a_b_2_2"]),
        (("+", "-"), ["rate__", "rate___2"]),
        (("A", "A "), ["rate_a", "rate_a_2"]),
    ],
)
def test_populations_whose_names_are_alike_have_rates_of_their_own(backend, names, rates):
    """They ended with an unexpected error: their series had one name."""
    numbers = (1, 25, 25)[: len(names)]
    simulation = clock(backend, *numbers, names=names)
    assert [info.name for info in simulation.series[: len(rates)]] == rates
    assert len({info.name for info in simulation.series}) == 2 * (len(rates) + 1), "each has a mean"
    assert simulation.charts[1].series == tuple(rates)
    expected = sampled(clock(backend, *numbers, names="ABC"[: len(names)]), 30)
    assert [list(each.values()) for each in sampled(simulation, 30)] == [list(each.values()) for each in expected]
