"""Typed neurons in a network as people run it: live parameters, checkpoints, where it blows up, what is offered."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import ConstantWeight
from engines.spiking.tools.response import Response, ResponseParameters
from tests.engines.spiking.typed.models import ADAPTIVE, CHANNELS, IZHIKEVICH, LIF, MODELS, neuron, with_numbers
from tests.engines.spiking.typed.test_twins import network

ENGINE = SpikingEngine()
VALUE = "populations.0.neuron.parameters.{}.value"


def problem(model, current=0.0, step=0.1, number=20, **more):
    population = {"name": "cells", "number": number, "neuron": neuron(model, **more).model_dump(),
                  "external": {"current": current}}  # fmt: skip
    given = {"populations": [population], "connections": [], "numerics": {"step": step}}
    return Problem(SpikingParameters.model_validate(given))


def place_of(model, name):
    return [each["name"] for each in model["parameters"]].index(name)


@pytest.mark.parametrize("name", MODELS)
def test_a_run_goes_on_bit_for_bit_from_a_checkpoint(name):
    given = Problem(network(name, seed=5))
    first, second = (ENGINE.build(given, CpuBackend()) for _ in range(2))
    place = place_of(MODELS[name], given.parameters.populations[0].neuron.parameters[-1].name)
    first.set_control(VALUE.format(place), 1.1 * given.parameters.populations[0].neuron.parameters[place].value)
    first.advance(200)
    kept = first.state()
    second.restore(kept)
    for simulation in (first, second):
        simulation.advance(200)
    for key, values in first.state().items():
        np.testing.assert_array_equal(values, second.state()[key], err_msg=key)


def test_a_parameter_that_changes_while_it_runs_gives_what_a_run_with_it_gives():
    simulation = ENGINE.build(problem(LIF), CpuBackend())
    rest = place_of(LIF, "E_L")
    simulation.set_control(VALUE.format(rest), -45.0)
    other = ENGINE.build(problem(with_numbers(LIF, E_L=-45.0)), CpuBackend())
    for each in (simulation, other):
        each.advance(1000)
    np.testing.assert_array_equal(simulation.field("voltage"), other.field("voltage"))
    assert simulation.field("rate").mean() > 10
    rows = with_numbers(LIF, E_L=-60.0)["parameters"]
    simulation.set_control("populations.0.neuron.parameters", rows)
    simulation.advance(200)
    before = simulation.results()["neurons/spikes [1]"].sum()
    simulation.advance(1000)
    assert simulation.results()["neurons/spikes [1]"].sum() == before


def test_what_cannot_change_while_it_runs_is_refused():
    simulation = ENGINE.build(problem({**LIF, "refractory": "tau_i/2"}), CpuBackend())
    with pytest.raises(ProblemError, match="The refractory time hangs on tau_i"):
        simulation.set_control(VALUE.format(place_of(LIF, "tau_i")), 20.0)
    with pytest.raises(ProblemError, match="perhaps by tau_m, which is 0"):
        simulation.set_control(VALUE.format(place_of(LIF, "tau_m")), 0.0)
    with pytest.raises(ProblemError, match="cannot change during a run"):
        simulation.set_control("populations.0.neuron.parameters.0.unit", "ms")
    simulation.advance(10)
    assert np.isfinite(simulation.field("voltage")).all()


def test_what_blows_up_is_named_with_where_when_and_what_to_change():
    simulation = ENGINE.build(problem(CHANNELS, 500.0, method="euler"), CpuBackend())
    simulation.advance(2000)
    bad = simulation.non_finite()
    assert bad.field == "v of cells neuron 0 at t = 200 ms"
    assert "use steps shorter than 0.1 ms, or exponential Euler" in bad.advice
    assert "refractory" not in bad.advice
    fine = ENGINE.build(problem(CHANNELS, 500.0), CpuBackend())
    fine.advance(2000)
    assert fine.non_finite() is None


def test_a_name_that_is_not_known_can_be_added_as_a_parameter():
    given = problem({**LIF, "lines": [LIF["lines"][0].replace("E_L", "E_rest"), *LIF["lines"][1:]]})
    with pytest.raises(ProblemError, match="uses 'E_rest'") as caught:
        ENGINE.estimate(given, CpuBackend())
    assert caught.value.place == ("populations", 0, "neuron", "lines", 0)
    ((path, rows),) = caught.value.remedy.changes.items()
    assert path == ("populations", 0, "neuron", "parameters")
    assert [row["name"] for row in rows][-1] == "E_rest"


@pytest.mark.parametrize("refractory", ["", "20*ms"])
def test_what_blows_up_is_offered_no_method_that_its_equations_do_not_allow(refractory):
    """v² has no linear part; while no threshold is looked at it grows without bound."""
    grows = {
        "lines": ["dv/dt = v*v/(1*mV*ms) : volt"],
        "threshold": "v > 5*mV" if refractory else "",
        "reset": "v = 1*mV",
    }
    neuron = {**CHANNELS, **grows, "refractory": refractory, "excitatory": "", "inhibitory": "", "starts": "v = 4*mV"}
    simulation = ENGINE.build(problem({**neuron, "parameters": []}, method="euler"), CpuBackend())
    simulation.advance(2000)
    advice = simulation.non_finite().advice
    assert advice.startswith("use steps shorter than 0.1 ms, or look for terms that grow")
    assert ("v goes on while a neuron is refractory" in advice) == bool(refractory)


ADEX = {
    "lines": [
        "dv/dt = (g_L*(E_L - v) + g_L*D*exp((v - V_T)/D) - w + I_ext)/C : volt",
        "dw/dt = (a*(v - E_L) - w)/tau_w : amp",
    ],
    "threshold": "v > V_cut",
    "reset": "v = V_r; w += b",
    "refractory": "t_ref",
    "excitatory": "",
    "inhibitory": "",
    "parameters": [],
}


def test_all_names_that_are_not_known_are_added_at_once_whatever_their_units_will_be():
    given = problem({**LIF, **ADEX})
    with pytest.raises(ProblemError, match="Line 1 uses 'g_L'") as caught:
        ENGINE.estimate(given, CpuBackend())
    assert caught.value.remedy.text == "Add g_L, E_L, D and 8 others to the parameters"
    (rows,) = caught.value.remedy.changes.values()
    names = ["g_L", "E_L", "D", "V_T", "C", "a", "tau_w", "V_cut", "t_ref", "V_r", "b"]
    assert [row["name"] for row in rows] == names


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [("name", "1a", "cannot name a parameter"), ("name", "mV", "cannot name a parameter"),
     ("name", "tau_m", "Two parameters are called"), ("unit", "mvolts", "which is not known"),
     ("unit", "ms", "The lines|Line 1")],
)  # fmt: skip
def test_parameters_are_checked(name, value, told):
    given = problem(LIF)
    setattr(given.parameters.populations[0].neuron.parameters[1], name, value)
    with pytest.raises(ProblemError, match=told):
        ENGINE.build(given, CpuBackend())


def test_what_nobody_takes_is_a_finding():
    given = problem({**LIF, "inhibitory": ""}, current=5.0)
    given.parameters.populations[0].external.rate = 10.0
    given.parameters.populations[0].external.weight = -1.0
    told = [each.message for each in ENGINE.estimate(given, CpuBackend()).findings]
    assert any("none of its equations names I_ext" in each for each in told)
    assert any("Spikes of negative weights do nothing to cells" in each for each in told)
    assert not ENGINE.estimate(problem(ADAPTIVE, 500.0), CpuBackend()).findings


def test_viewers_see_variables_by_their_names():
    parameters = network("adaptive", seed=2)
    parameters.connections[0].weight = ConstantWeight(weight=60.0)
    simulation = ENGINE.build(Problem(parameters), CpuBackend())
    simulation.look_into(3)
    simulation.advance(400)
    titles = {info.title: info.unit for info, _ in simulation.inspect(3).profiles}
    assert titles["s_e"] == "nS"
    assert titles["w"] == "pA"
    infos = {info.name: info.unit for info in simulation.fields}
    assert infos["voltage"] == "mV"
    assert "recovery" in infos
    plain = {"lines": ["dv/dt = (1.1 - v)/(10*ms) : 1"], "threshold": "v > 1", "reset": "v = 0", "excitatory": "",
             "inhibitory": "", "parameters": []}  # fmt: skip
    assert {info.name: info.unit for info in ENGINE.build(problem(plain), CpuBackend()).fields}["voltage"] == "1"


def test_the_rate_over_the_current_is_measured_of_typed_ones_too():
    asked = ResponseParameters(population="cells", lowest=0.0, highest=1500.0, currents=4)
    found = Response().run(problem(ADAPTIVE), asked, CpuBackend(), lambda *_: None)
    assert "cells" in found.message
    assert ENGINE.estimate(problem(IZHIKEVICH), CpuBackend()).memory_bytes > 0


def test_every_spike_is_found_where_a_condition_ends_the_refractory_time():
    simulation = ENGINE.build(problem(CHANNELS, 500.0, step=0.02), CpuBackend())
    reader = simulation.spike_trains()
    simulation.advance(5000)
    trains, spikes = reader.take(), simulation.results()["neurons/spikes [1]"]
    assert spikes.min() > 3
    np.testing.assert_array_equal(np.bincount(trains.neurons, minlength=20), spikes)
