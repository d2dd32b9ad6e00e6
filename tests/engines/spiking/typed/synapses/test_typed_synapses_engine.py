"""Typed synapses in a network as people run it: checkpoints, live parameters, charts, limits, findings."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from engines.spiking.setup.memory import need
from engines.spiking.watch import synapses
from tests.engines.spiking.typed.models import with_numbers
from tests.engines.spiking.typed.synapses.models import EVERYTHING, FIXED, MODELS, SHORT_TERM, STDP, own
from tests.engines.spiking.typed.synapses.test_twins import driven

ENGINE = SpikingEngine()
VALUE = "connections.1.plasticity.parameters.{}.value"


def build(model, *given, **more):
    return ENGINE.build(Problem(driven(own(model), *given, **more)), CpuBackend())


@pytest.mark.parametrize("name", ["stdp", "everything"])
def test_a_run_goes_on_bit_for_bit_from_a_checkpoint(name):
    first, second = (build(MODELS[name], 1.3) for _ in range(2))
    value = MODELS[name]["parameters"][-1]["value"]
    first.set_control(VALUE.format(len(MODELS[name]["parameters"]) - 1), 1.1 * value)
    first.advance(205)
    second.restore(first.state())
    for simulation in (first, second):
        simulation.advance(200)
    for key, values in first.state().items():
        np.testing.assert_array_equal(values, second.state()[key], err_msg=key)


def test_a_parameter_that_changes_while_it_runs_gives_what_a_run_with_it_gives():
    changed = build(STDP)
    place = [each["name"] for each in STDP["parameters"]].index("dApre")
    changed.set_control(VALUE.format(place), 0.4)
    other = build(with_numbers(STDP, dApre=0.4))
    for simulation in (changed, other):
        simulation.advance(600)
    ours, theirs = (each.results()["synapses of connection/1/w [1]"] for each in (changed, other))
    np.testing.assert_array_equal(ours, theirs)
    plain = build(STDP)
    plain.advance(600)
    assert (plain.results()["synapses of connection/1/w [1]"] != ours).any()
    with pytest.raises(ProblemError, match="perhaps by taupre, which is 0"):
        changed.set_control(VALUE.format(0), 0.0)


def test_charts_of_more_synapses_than_are_looked_at_count_all(monkeypatch):
    """They counted those that were looked at."""
    simulation = build(SHORT_TERM)
    simulation.advance(100)
    (curve,) = simulation.chart("synapses_1_x").curves
    monkeypatch.setattr(synapses, "LOOKED_AT", int(curve.y.sum()) // 3)
    (part,) = simulation.chart("synapses_1_x").curves
    assert part.y.sum() == pytest.approx(curve.y.sum(), rel=0.02)


def test_charts_have_weights_and_variables_as_they_are_now():
    simulation = build(SHORT_TERM)
    simulation.advance(500)
    infos = {info.name: info for info in simulation.charts}
    assert infos["synapses_1_x"].title == "sources to driven: synapses by x"
    found = simulation.results()
    x, u = (found[f"synapses of connection/1/{name} [1]"] for name in "xu")
    (curve,) = simulation.chart("synapses_1_x").curves
    assert curve.y.sum() == len(x)
    held = simulation.state()
    since = 500 - held["events_1"]
    np.testing.assert_allclose(u, held["synapses_1_u"] * np.exp(-0.1 * since / 1500), rtol=1e-6)
    np.testing.assert_allclose(x, 1 - (1 - held["synapses_1_x"]) * np.exp(-0.1 * since / 200), rtol=1e-6)
    weights = simulation.chart("weights").curves
    assert {curve.title for curve in weights} >= {"sources", "sources, at first"}


def test_what_sums_would_not_hold_ends_the_run():
    """A weight that doubles with each spike passes sixteen times the largest first one soon."""
    grows = {**FIXED, "on_pre": ["g_e_post += w*mV", "w *= 2"]}
    simulation = build(grows)
    simulation.advance(100)
    assert simulation.non_finite() is None
    simulation.advance(2000)
    bad = simulation.non_finite()
    assert bad.field.startswith("The sum of what spikes add, sources to driven, by t = 210 ms")
    assert "say a larger one" in bad.advice
    none = build({**FIXED, "on_pre": ["w = sqrt(w - 100)"]})
    none.advance(500)
    assert none.non_finite().field.startswith("w of a synapse, sources to driven, at t = 50")


def test_nothing_says_how_much_a_spike_may_add_where_weights_begin_at_0():
    with pytest.raises(ProblemError, match="say it") as caught:
        build(STDP, weight=0.0)
    assert caught.value.place == ("connections", 1, "plasticity", "largest")
    assert build({**STDP, "largest": 4.0}, weight=0.0).dt == 0.1


def test_memory_and_bytes_are_those_of_variables():
    sizes, moved = [], []
    for model in (FIXED, STDP, EVERYTHING):
        parameters = driven(own(model))
        sizes.append(need(parameters, (0, 1000)).synapses)
        moved.append(ENGINE.estimate(Problem(parameters), CpuBackend()).bytes_per_step)
    assert sizes == [each + 17 * 300 for each in (24_000, 36_000, 36_000)]  # a run of each sender
    assert moved[0] < moved[1]


def test_what_is_strange_is_a_finding():
    def told(model, **more):
        return [each.message for each in ENGINE.estimate(Problem(driven(own(model), **more)), CpuBackend()).findings]

    assert not told(STDP)
    assert any("first weights" in each and "4" in each for each in told(STDP, weight=5.0, spread=0.0))
    silent = {**STDP, "on_pre": STDP["on_pre"][1:]}
    assert any("add nothing to driven" in each for each in told(silent))
    assert any("their connection's weight" in each for each in told({**STDP, "starts": "w = 2"}))
