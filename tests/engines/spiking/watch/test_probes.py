"""Probes of neurons are recorded in each step: a spike between two samples is not missed; both backends."""

import numpy as np
import pytest

import workbench as wb
from engines.api.abilities import Traced
from engines.spiking.engine import SpikingEngine
from engines.spiking.step.simulation import FOLLOWED
from tests.engines.spiking.problems import general, plain
from workbench.cli import main
from workbench.run.meters import Meters
from workbench.run.streams.traces import TraceStore

NEURONS = 3, 85, 3
"""One of them twice: two probes may stand at one neuron."""


def driven(problem, backend):
    simulation = SpikingEngine().build(problem(), backend)
    simulation.set_control("drive", 20.0)
    return simulation


@pytest.mark.parametrize("problem", [plain, general])
def test_every_step_is_told_once_whoever_else_is_looked_into(backend, problem):
    """The values of each step are those of a run that is stopped after it; a spike stands at its peak."""
    simulation, other = driven(problem, backend), driven(problem, backend)
    assert isinstance(simulation, Traced)
    assert simulation.follow(np.array(NEURONS)) == 3
    assert len(simulation.traced()[0]) == 0  # nothing has happened
    told = []
    for steps in (50, 1, 49):
        simulation.look_into(len(told) + 40)
        simulation.advance(steps)
        told.append(simulation.traced())
    times = np.concatenate([each for each, _ in told])
    np.testing.assert_allclose(times, np.arange(1, 101) * simulation.dt)
    spikes = 0
    for k in range(100):
        other.advance(1)
        state = other.state()
        for name in ("activity", "rate", "voltage", "recovery"):
            if name not in told[0][1]:
                continue
            values = np.concatenate([each[name] for _, each in told])[k]
            expected = other.field(name)[list(NEURONS)]
            if name == "voltage":
                now = state["last"][list(NEURONS)] == k
                spikes += now.sum()
                assert (values[now] > expected[now]).all()
                values, expected = values[~now], expected[~now]
            np.testing.assert_allclose(values, expected, rtol=1e-5, err_msg=name)
    assert spikes > 2


def test_traces_of_a_sample_have_each_step(backend):
    simulation = driven(plain, backend)
    meters = Meters(simulation, 1e9, [("P1", 3), ("P2", 90)])
    meters.collect(simulation)
    for _ in range(3):
        simulation.advance(simulation.sample_steps)
        meters.collect(simulation)
    store = TraceStore()
    store.take([meters.sample(simulation, 3, 0.1, None)])
    steps = 3 * simulation.sample_steps
    np.testing.assert_allclose(store.probes["P2", "voltage"].times, np.arange(steps + 1) * simulation.dt)
    assert len(store.probes["P1", "g_e"]) == len(store.series["events"]) == 4


def test_a_run_that_goes_back_tells_nothing_twice(backend):
    simulation = driven(plain, backend)
    simulation.follow(np.array([3]))
    simulation.advance(30)
    before = simulation.state()
    simulation.advance(30)
    simulation.restore(before)
    simulation.advance(10)
    np.testing.assert_allclose(simulation.traced()[0], np.arange(31, 41) * simulation.dt)


def test_whose_probes_are_not_recorded_is_told(backend):
    told = []
    simulation = driven(general, backend)
    Meters(simulation, 1e9, [(f"P{k}", k) for k in range(FOLLOWED + 1)], warn=told.append)
    assert told == [
        f"The first {FOLLOWED} probes are recorded in each step; the others have a value each 50 steps, and what is"
        " shorter does not show."
    ]


def test_a_table_of_traces_has_a_row_for_each_step(tmp_path):
    """What is sampled less often leaves its cells empty; Python has the same numbers."""
    changes = {"populations.0.number": 4, "populations.0.neuron.parameters.1.value": 20.0}
    problem = wb.open("typed_hodgkin_huxley").set(changes).probe("last", (46.41, 48.03, 0.0))
    out = tmp_path / "out"
    problem.save(tmp_path / "net.workbench")
    asked = ["run", str(tmp_path / "net.workbench"), "--until", "30", "--device", "cpu", "--no-pictures"]
    assert main([*asked, "--out", str(out)]) == 0
    table = np.genfromtxt(out / "traces.csv", delimiter=",", skip_header=1)
    head = (out / "traces.csv").read_text().splitlines()[0].split(",")
    voltage, synapses = table[:, head.index("last: voltage [mV]")], table[:, head.index("last: g_e [mV]")]
    np.testing.assert_allclose(table[:, 0], np.arange(1501) * 0.02)
    assert ((voltage[1:] > 0) & (voltage[:-1] <= 0)).sum() == 3  # at 15 µA/cm²; samples each 5 ms would miss them
    assert np.isfinite(synapses).sum() == 7
    with problem.run(until=30) as run:
        traced = run.probes["last"]["voltage"]
        np.testing.assert_allclose(traced.values, voltage, rtol=1e-6)
        np.testing.assert_allclose(traced.time, table[:, 0])
