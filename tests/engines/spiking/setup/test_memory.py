"""What a network takes, told before it is made, beside the arrays that it has; what does not fit; what a step moves."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.connectivity.wiring import Span
from engines.spiking.engine import SpikingEngine
from engines.spiking.lif.model import HISTORY, raster_stride
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.neurons import Lif
from engines.spiking.parameters.populations import Cube, Sheet
from engines.spiking.setup.memory import CHANGING, SHARE, joined, need
from engines.spiking.setup.populations import neurons
from tests.engines.spiking.network.test_network import built
from tests.engines.spiking.problems import build


def network(delay=20.0, plastic=False, number=3000, rule=None):
    connection = {
        "source": "one",
        "delay": {"kind": "constant", "delay": delay},
        "rule": rule or {"kind": "fixed inputs", "number": 30},
        "plasticity": {"kind": "stdp", "highest": 4.0} if plastic else {"kind": "none"},
    }
    given = {"populations": [{"name": "one", "number": number}], "connections": [connection]}
    return SpikingParameters.model_validate(given)


@pytest.mark.parametrize(
    ("delay", "plastic"), [(0.5, False), (20.0, False), (20.0, True)], ids=["short", "late", "changing"]
)
def test_arrays_take_what_was_told(delay, plastic):
    """Within a tenth: lists on a GPU that the CPU does not have are 5 bytes a neuron of 70 and more."""
    given = network(delay, plastic)
    net, _, wiring, _ = built(given, CpuBackend())
    blocks = [array for block in wiring.plastic for array in (block.starts, block.words, block.into, block.listed)]
    taken = sum(array.nbytes for array in (*net.arrays.values(), *blocks, wiring.starts, wiring.words))
    assert need(given, (90_000,)).total == pytest.approx(taken, rel=0.1)


class Small(CpuBackend):
    """With little memory."""

    @property
    def info(self):
        return replace(super().info, memory_bytes=13_500_000)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            network(plastic=True, rule={"kind": "inputs", "inputs": 30}),
            r"about 90,000 synapses, and .* room for ([\d,]+): use fewer neurons or synapses\.$",
        ),
        (network(plastic=False, rule={"kind": "fixed inputs", "number": 90}), r"has room for ([\d,]+): use fewer"),
        (
            network(number=300_000, rule={"kind": "one to one"}),
            r"300,000 neurons, with delays of up to 200 steps, take .* room for ([\d,]+): .* or a longer step",
        ),
    ],
)
def test_what_does_not_fit_says_how_much_does(given, sentence):
    """The ring of delays and what belongs to weights that change count; as much as is said to fit does."""
    with pytest.raises(ProblemError, match=sentence) as caught:
        SpikingEngine().estimate(Problem(given), Small())
    fit = int(re.search(sentence, str(caught.value)).group(1).replace(",", ""))
    limit = SHARE * Small().info.memory_bytes
    if neurons(given) == 300_000:
        assert fit < 300_000
    else:
        assert need(given, (fit,)).total <= limit < need(given, (round(1.001 * fit),)).total


@pytest.mark.parametrize("kind", ["csv", "csv without a title", "npz"])
def test_synapses_of_a_file_are_counted(kind, tmp_path):
    """As many as the table has rows, also after it changed; a network without its file is refused."""
    pairs = np.stack([np.arange(500) % 20, np.arange(500) % 30])
    path = tmp_path / ("table.npz" if kind == "npz" else "table.csv")
    given = network(number=50, rule={"kind": "file", "path": str(path)})
    assert need(given, (0,)).on_host > 0
    with pytest.raises(ProblemError, match=f"There is no file '{path}' for connection 1"):
        SpikingEngine().estimate(Problem(given), CpuBackend())
    for count in (500, 300):
        if kind == "npz":
            np.savez(path, pre=pairs[0, :count], post=pairs[1, :count])
        else:
            np.savetxt(path, pairs[:, :count].T, "%d", ",", header="pre,post" if kind == "csv" else "", comments="")
        told = SpikingEngine().estimate(Problem(given), CpuBackend())
        assert told.memory_bytes == need(given, (count,)).on_host
        assert built(given, CpuBackend())[2].starts[-1] == count


def test_synapses_that_change_take_more():
    one, other = (need(network(plastic=plastic), (90_000,)) for plastic in (False, True))
    assert other.synapses == one.synapses * CHANGING / 8


def test_what_a_step_moves_follows_the_spikes(backend):
    """Bytes are those of the events that were, by hand: 12 for each, beside 44 of a neuron."""
    simulation = build(backend)
    simulation.set_control("synapses.inhibition", 0.0)
    before = simulation.traffic[0].bytes
    simulation.advance(500)
    events = simulation.observe()["events"] * simulation.dt * 1e-3
    assert simulation.traffic[0].bytes == pytest.approx(44 * 300 + 12 * events, rel=1e-3)
    assert simulation.traffic[0].bytes - 44 * 300 > 5 * (before - 44 * 300)


def test_what_a_step_moves_counts_alpha_functions():
    """16 bytes more of each neuron that has them, told before a run and in it."""
    told = []
    for course in ("exponential", "alpha"):
        given = network(number=200)
        given.populations[0].neuron = Lif(time_course=course, threshold=50.0)
        before = SpikingEngine().estimate(Problem(given), CpuBackend()).bytes_per_step
        simulation = SpikingEngine().build(Problem(given), CpuBackend())
        simulation.observe()
        simulation.advance(10)
        assert simulation.observe()["events"] == 0  # with a threshold far away
        told.append((before, simulation.traffic[0].bytes))
    (before, now), (more_before, more_now) = told
    assert more_before - before == more_now - now == 16 * 200


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
@pytest.mark.parametrize("place", ["sheet", "grid"])
def test_neurons_that_are_near_are_counted(place, kernel):
    """Without borders, and a kernel that is narrow beside the whole and wide beside a neuron: 4 % for the scatter of
    some 20,000 synapses and for the grid."""
    given = network(
        number=4096, delay=1.0, rule={"kind": "distance", "kernel": kernel, "width": 60.0, "periodic": True}
    )
    given.populations[0].place = {"sheet": Sheet, "grid": Cube}[place](side=1920.0 if place == "sheet" else 960.0)
    given.connections[0].rule.probability = 0.5 if place == "sheet" else 0.9
    _, _, wiring, _ = built(given, CpuBackend())
    told = joined(given, given.connections[0], Span(0, 4096), Span(0, 4096))
    assert told == pytest.approx(len(wiring.words), rel=0.04)


@pytest.mark.parametrize("plastic", [False, True])
@pytest.mark.parametrize("delay", [0.5, 20.0, 40.0])
@pytest.mark.parametrize(
    ("neuron", "more"),
    [
        ({"kind": "lif"}, 0),
        ({"kind": "lif", "time_course": "alpha"}, np.zeros(2, np.float32).nbytes),  # what rises, of both synapses
        ({"kind": "hodgkin-huxley"}, np.zeros(3, np.float32).nbytes),  # m, h and n
        ({"kind": "hodgkin-huxley", "time_course": "alpha"}, np.zeros(5, np.float32).nbytes),
    ],
)
def test_neurons_and_synapses_take_what_they_have(neuron, more, delay, plastic):
    """A ring of two sums for each step up to the longest delay, to a power of two; what traces and lists take where
    weights change; a byte more of a synapse where delays pass 8 bits."""
    given = network(delay, plastic)
    populations = [each.model_copy(update={"number": 200}) for each in given.populations]
    given = given.model_copy(update={"populations": populations}).model_dump()
    given["populations"][0]["neuron"] = neuron
    parameters = SpikingParameters.model_validate(given)
    told = need(parameters, (1000,))
    steps = round(delay / 0.1)
    ring = np.zeros((1 << (steps + 1).bit_length(), 2), np.int32)
    traces = np.zeros(3, np.float64) if plastic else np.zeros(0)
    raster = np.zeros((HISTORY, -(-200 // raster_stride(200))), np.uint8)
    assert told.longest == steps
    assert told.neurons == 200 * (60 + more + ring.nbytes + traces.nbytes) + raster.nbytes
    assert told.synapses == 1000 * ((20 if plastic else 8) + (1 if steps > 255 else 0))


@pytest.mark.parametrize("step", [0.1, 0.25])
def test_the_longest_delay_of_a_file_is_in_steps(tmp_path, step):
    path = tmp_path / "table.npz"
    np.savez(path, pre=np.arange(3), post=np.arange(3), delay=np.array([1.0, 7.1, 3.0]))
    given = network(number=50, rule={"kind": "file", "path": str(path)}).model_dump()
    given["numerics"]["step"] = step
    assert need(SpikingParameters.model_validate(given), (3,)).longest == math.ceil(7.1 / step)


def test_of_two_populations_only_the_neurons_of_the_target_are_near():
    """Those of the other, four times as many in the same place, count for nothing."""
    given = network(number=400, delay=1.0, rule={"kind": "distance", "kernel": "gaussian", "width": 60.0}).model_dump()
    (one,), (connection,) = given["populations"], given["connections"]
    one["place"] = Sheet(side=1000.0).model_dump()
    given["populations"] = [{**one, "name": "other", "number": 1600}, one]
    given["connections"] = [{**connection, "source": "other", "target": "one"}]
    both = SpikingParameters.model_validate(given)
    given["populations"], given["connections"] = [one], [connection]
    alone = SpikingParameters.model_validate(given)
    several = joined(both, both.connections[0], Span(0, 1600), Span(1600, 2000))
    single = joined(alone, alone.connections[0], Span(0, 400), Span(0, 400))
    assert several == pytest.approx(4 * single, rel=1e-3)
