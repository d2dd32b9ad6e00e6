"""The state of a neuron in each step, as it is recorded where somebody looks into it; both backends, all models."""

import numpy as np
import pytest

from engines.api import Dab, Problem
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters
from engines.spiking.watch import electrodes
from tests.engines.spiking.problems import general, plain

STEPS = 60, 1, 52
"""On a GPU some from a graph, some one by one."""


def one_by_one(simulation, neurons, steps):
    """(steps, 5, neurons) the arrays of the network after each step."""
    found = []
    for _ in range(steps):
        simulation.advance(1)
        state = simulation.state()
        fired = state["last"] == simulation.step - 1
        recovery = state.get("recovery", np.zeros(len(fired)))
        rows = (state["voltage"], state["g_e"], state["g_i"], recovery, fired)
        found.append([row[list(neurons)].astype(np.float32) for row in rows])
    return np.array(found)


def after(simulation, values, chosen):
    """``values`` with what synapses still give after a step, which is what arrays hold, for what they gave in it."""
    state = simulation.state()
    if "parameters" not in state:
        return values  # the plain network records it so
    rows = state["parameters"][[simulation._groups.of(neuron) for neuron in chosen]]
    left = values.copy()
    left[:, 1] += values[:, 1] * rows[:, 2]
    left[:, 2] += values[:, 2] * rows[:, 3]
    left[np.abs(left) < 1e-20] = 0  # what has faded is nothing
    return left


@pytest.mark.parametrize("problem", [plain, general])
def test_every_step_is_recorded_and_changes_nothing(backend, problem):
    watched, other = (SpikingEngine().build(problem(), backend) for _ in range(2))
    for simulation in (watched, other):
        simulation.set_control("drive", 20.0)
        simulation.advance(51)
    n = watched.geometry.n_cells
    for element in range(3, n, 40):  # one of each population at least
        watched.look_into(element)
        chosen = watched._network.electrodes.chosen
        assert chosen[0] == element
        assert len(chosen) <= electrodes.MOST
        for steps in STEPS:
            watched.advance(steps)
        steps, values = watched._network.electrodes.values(watched.step)
        np.testing.assert_array_equal(steps, np.arange(watched.step - sum(STEPS), watched.step))
        np.testing.assert_array_equal(after(watched, values, chosen), one_by_one(other, chosen, sum(STEPS)))
    assert values.shape[2] == len(chosen) > 1
    expected = other.state()
    for name, held in watched.state().items():
        np.testing.assert_array_equal(held, expected[name], err_msg=name)


def test_charts_of_each_model(backend):
    """Titles, units and values are those of the model; a spike stands at its peak; nobody is recorded any more when
    nobody looks."""
    simulation = SpikingEngine().build(general(), backend)
    simulation.set_control("drive", 20.0)
    said = {}
    for population, name in enumerate(("lif", "izhikevich", "adaptive exponential", "hodgkin-huxley", "sources")):
        element = 40 * population + 5
        simulation.look_into(element)
        simulation.advance(300)
        inspection = simulation.inspect(element)
        said[name] = {info.title: (info.unit, data.curves) for info, data in inspection.profiles}
    assert {name: [(title, unit) for title, (unit, _) in told.items()][:4] for name, told in said.items()} == {
        "lif": [("Membrane voltage", "mV"), ("Synaptic currents", "mV"), ("Membrane voltage of partners", "mV")],
        "izhikevich": [
            ("Membrane voltage", "mV"),
            ("Synaptic currents", "mV/ms"),
            ("Recovery u", "mV/ms"),
            ("Membrane voltage of partners", "mV"),
        ],
        "adaptive exponential": [
            ("Membrane voltage", "mV"),
            ("Synaptic conductances", "nS"),
            ("Synaptic currents", "pA"),
            ("Adaptation w", "pA"),
        ],
        "hodgkin-huxley": [("Membrane voltage", "mV"), ("Synaptic conductances", "nS"), ("Synaptic currents", "pA")],
        "sources": [("Membrane voltage of partners", "mV")],
    }
    voltage = said["lif"]["Membrane voltage"][1][0]
    assert voltage.y.max() == -50.0  # the threshold, where it fired
    assert voltage.y.min() >= -60.0
    assert len(voltage.x) == 300
    assert voltage.x[-1] == pytest.approx(30.0)
    heard = said["izhikevich"]["Membrane voltage of partners"][1]
    assert heard[0].title.startswith("from lif ")
    simulation.look_into(None)
    assert simulation._network.electrodes.chosen == ()
    assert simulation.inspect(5).profiles == ()


def test_synaptic_currents_follow_from_conductances(backend):
    simulation = SpikingEngine().build(general(), backend)
    element = 85
    simulation.look_into(element)
    simulation.paint(_dab(simulation, element))
    simulation.advance(40)
    told = {info.name: data.curves for info, data in simulation.inspect(element).profiles}
    excitation = told["trace_conductances"][0].y
    assert excitation[0] == pytest.approx(10.0)  # the dab
    # excitatory synapses of the adaptive exponential neuron pull to 0 mV and fade in 5 ms
    np.testing.assert_allclose(excitation[1:] / excitation[:-1], np.exp(-0.1 / 5), rtol=1e-5)
    held = told["trace_voltage"][0].y
    np.testing.assert_allclose(told["trace_currents"][0].y[1:], -held[:-1] * excitation[1:], rtol=1e-5)


def test_inputs_that_last_a_step_are_seen(backend):
    """Synapses without a time constant: what arrives is there in its step, and gone after it."""
    given = {
        "populations": [
            {"name": "one", "number": 1, "neuron": {"kind": "poisson", "rate": 2000.0}},
            {"name": "two", "number": 1, "neuron": {"kind": "lif", "excitatory_time": 0.0}},
        ],
        "connections": [
            {
                "source": "one",
                "target": "two",
                "rule": {"kind": "one to one"},
                "weight": {"kind": "constant", "weight": 0.5},
            }
        ],
    }
    simulation = SpikingEngine().build(Problem(SpikingParameters.model_validate(given)), backend)
    simulation.look_into(1)
    simulation.advance(200)
    chart = {info.name: data for info, data in simulation.inspect(1).profiles}["trace_currents"]
    history = simulation.state()["history"][:200, 0]
    np.testing.assert_allclose(chart.curves[0].y[1:], 0.5 * history[:-1], atol=1e-6)  # rounded to quanta
    assert 20 < history.sum() < 60


def _dab(simulation, element):
    return Dab("stimulate", tuple(map(float, simulation.geometry.positions[element])), 1.0, 10.0)


def test_a_long_recording_keeps_the_last_steps_and_forgets_at_a_rewind(backend, monkeypatch):
    monkeypatch.setattr(electrodes, "WINDOW", 128)
    simulation = SpikingEngine().build(plain(), backend)
    simulation.look_into(3)
    simulation.advance(100)
    state = simulation.state()
    simulation.advance(100)
    steps, values = simulation._network.electrodes.values(200)
    np.testing.assert_array_equal(steps, np.arange(72, 200))
    assert (np.diff(values[:, 0, 0]) != 0).mean() > 0.5
    assert simulation.field("voltage")[3] == pytest.approx(values[-1, 0, 0] - 49.0)
    simulation.restore(state)
    assert len(simulation._network.electrodes.values(100)[0]) == 0
    simulation.advance(7)
    assert len(simulation._network.electrodes.values(107)[0]) == 7
