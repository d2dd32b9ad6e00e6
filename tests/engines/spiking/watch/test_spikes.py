"""Every spike reaches whoever reads them, and reading changes nothing; both backends, both kinds of network."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.abilities import Spiking
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters
from engines.spiking.watch import spikes
from tests.engines.spiking.problems import general, plain

PARTS = 1, 60, 7, 132
"""On a GPU some from a graph, some one by one."""


def recorded_in(problem, **recording):
    values = problem.parameters.model_dump(mode="json") | {"recording": recording}
    return Problem(SpikingParameters.model_validate(values))


def one_by_one(simulation, steps):
    """(k, 2) step and neuron, from the last spikes after each step."""
    found = []
    for _ in range(steps):
        simulation.advance(1)
        fired = np.flatnonzero(simulation.state()["last"] == simulation.step - 1)
        found.append(np.stack([np.full(len(fired), simulation.step - 1), fired], axis=1))
    return np.concatenate(found)


@pytest.mark.parametrize("problem", [plain, general])
def test_every_spike_is_found_and_nothing_changes(backend, problem, monkeypatch):
    monkeypatch.setattr(spikes, "ROOM", 1)  # the list of a GPU is emptied on the way
    monkeypatch.setattr(spikes, "MOST_ROOM", 600 if problem is general else 1 << 25)
    read, other = (SpikingEngine().build(problem(), backend) for _ in range(2))
    assert isinstance(read, Spiking)
    for simulation in (read, other):
        simulation.set_control("drive", 20.0)
        simulation.advance(51)
    reader, found = read.spike_trains(), []
    for steps in PARTS:
        read.advance(steps)
        if steps != 60:
            found.append(reader.take())
    expected = one_by_one(other, sum(PARTS))
    assert len(expected) > 50
    np.testing.assert_array_equal(np.concatenate([each.steps for each in found]), expected[:, 0])
    np.testing.assert_array_equal(np.concatenate([each.neurons for each in found]), expected[:, 1])
    np.testing.assert_allclose(found[0].times, found[0].steps * read.dt)
    wanted = other.state()
    for name, held in read.state().items():
        np.testing.assert_array_equal(held, wanted[name], err_msg=name)


def test_readers_come_go_and_go_back(backend):
    """A reader has what came since it came; what a restored state takes back is not there; without readers nothing is
    looked for."""
    simulation = SpikingEngine().build(plain(), backend)
    simulation.set_control("drive", 20.0)
    first = simulation.spike_trains()
    simulation.advance(150)
    state, second = simulation.state(), simulation.spike_trains()
    simulation.advance(150)
    late = second.take()
    whole = first.take()
    assert 0 < len(late) < len(whole)
    assert late.steps.min() >= 150
    simulation.advance(30)
    simulation.restore(state)
    assert not len(first.take())
    simulation.advance(150)
    again = second.take()
    np.testing.assert_array_equal(again.neurons, late.neurons)
    first.close()
    second.close()
    simulation.advance(10)
    assert simulation._network.spikes is None
    third = simulation.spike_trains()
    simulation.advance(150)
    assert third.take().steps.min() >= 310


def test_populations_that_are_not_recorded_are_left_out():
    simulation = SpikingEngine().build(
        recorded_in(general(), spikes="populations", populations=["sources", "lif"]), CpuBackend()
    )
    assert [each.name for each in simulation.populations if each.recorded] == ["lif", "sources"]
    reader = simulation.spike_trains()
    simulation.set_control("drive", 20.0)
    simulation.advance(300)
    found = reader.take()
    of = {each.name: len(found.of(each)) for each in simulation.populations}
    assert of["lif"]
    assert of["sources"]
    assert of["lif"] + of["sources"] == len(found)


def test_how_much_is_written_is_told_before():
    """Eight bytes for a time and four for a neuron; nothing is told where nothing is written."""
    engine, backend = SpikingEngine(), CpuBackend()
    (fact,) = engine.estimate(plain(), backend).facts
    assert (fact.title, fact.unit) == ("Spikes on disk at most, per second at 10 Hz", "MB")
    assert fact.value == pytest.approx(100 * 10 * 12 / 1e6)
    some = recorded_in(general(), spikes="populations", populations=["lif"])
    assert engine.estimate(some, backend).facts[0].value == pytest.approx(40 * 10 * 12 / 1e6)
    assert not engine.estimate(recorded_in(plain(), spikes="none"), backend).facts
    with pytest.raises(ProblemError, match=r"no population 'lift'.*'lif'") as told:
        engine.estimate(recorded_in(general(), spikes="populations", populations=["lift"]), backend)
    assert told.value.place == ("recording", "populations", 0)
