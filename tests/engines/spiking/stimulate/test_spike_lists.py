"""Sources that fire by a list: on both backends each spike in its step, in files of any order; what no list is."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.devices.select import open_backend
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import AllToAll
from tests.engines.spiking.typed.models import LIF, neuron

ENGINE = SpikingEngine()


def problem(path, number=40, dt=0.1):
    """Poisson sources, sources by the list, and typed neurons that these move."""
    populations = [
        {"name": "random", "number": 5, "neuron": {"kind": "poisson", "rate": 500.0}},
        {"name": "listed", "number": number, "neuron": {"kind": "spike list", "path": str(path)}},
        {"name": "cells", "number": number, "neuron": neuron(LIF).model_dump()},
    ]
    joined = {"source": "listed", "target": "cells", "rule": {"kind": "one to one"},
              "weight": {"kind": "constant", "weight": 60.0}}  # fmt: skip
    given = {"populations": populations, "connections": [joined], "numerics": {"step": dt}}
    return Problem(SpikingParameters.model_validate(given))


def fired(simulation, steps):
    """(steps, neurons) bool"""
    found, before = [], np.zeros(simulation.geometry.n_cells, int)
    for _ in range(steps):
        simulation.advance(1)
        count = np.asarray(simulation.state()["spikes"])
        found.append(count > before)
        before = count.copy()
    return np.array(found)


def test_each_fires_in_the_steps_of_its_times(backend, tmp_path):
    random = np.random.default_rng(4)
    neurons, times = random.integers(0, 40, 300), random.uniform(0, 12.0, 300)
    times[:30] = 0.1 * random.integers(0, 100, 30)  # on the grid, which division alone may miss
    np.savez(tmp_path / "s.npz", neuron=neurons, time=times)
    expected = np.zeros((100, 40), bool)
    grid = np.array([round(time / 0.1) if k < 30 else int(time / 0.1) for k, time in enumerate(times)])
    within = grid < 100
    expected[grid[within], neurons[within]] = True
    simulation = ENGINE.build(problem(tmp_path / "s.npz"), backend)
    found = fired(simulation, 100)
    np.testing.assert_array_equal(found[:, 5:45], expected)
    assert found[:, 45:].any()  # neurons that hear them
    assert found[:, :5].any()


def test_a_list_as_text_with_seconds_is_the_same_list(backend, tmp_path):
    (tmp_path / "s.csv").write_text("time [s],neuron\n0.005,1\n0.0002,0\n")
    found = fired(ENGINE.build(problem(tmp_path / "s.csv", 2), backend), 60)[:, 5:7]
    assert [tuple(each) for each in np.argwhere(found)] == [(2, 0), (50, 1)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("neuron,time\n2,1\n", "spikes of neuron 2, and there are 2"),
        ("neuron,time\n-1,1\n", "has the neuron -1"),
        ("neuron,time\n0.5,1\n", "has the neuron 0.5"),
        ("neuron,time\n0,-2\n", "has the time -2"),
        ("neuron,time\n0,nan\n", "is not a number"),
        ("neuron\n0\n", "no columns 'neuron' and 'time'"),
        ("", "neuron and time first"),
    ],
)
def test_what_is_no_list_is_said_at_its_field(tmp_path, text, why):
    from engines.backend.cpu import CpuBackend

    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(ProblemError, match=why) as refused:
        ENGINE.estimate(problem(tmp_path / "s.csv", 2), CpuBackend())
    assert refused.value.place == ("populations", 1, "neuron", "path")


@pytest.mark.parametrize("one_to_one", [True, False])
def test_the_estimate_of_a_large_network_leaves_the_sources_as_they_are(tmp_path, one_to_one):
    """It was made of a part of all neurons, of which the file knew more: no run of more than 4 MB began."""
    np.savez(tmp_path / "s.npz", neuron=[39], time=[1.0])
    few, many = problem(tmp_path / "s.npz"), problem(tmp_path / "s.npz")
    many.parameters.populations[2].number = 100_000
    if one_to_one:
        many.parameters.populations[1].number = 100_000
    else:
        many.parameters.connections[0].rule = AllToAll()
    small, large = (ENGINE.estimate(each, open_backend("cpu")) for each in (few, many))
    assert small.memory_bytes < 1 << 20 < 4 << 20 < large.memory_bytes
    assert large.seconds_per_simulated_unit > 0
