"""Delays of each synapse in Brian2's texts: read, and written so that they are read again bit for bit."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.brian2 import tables
from engines.spiking.brian2.script import brian2_script
from engines.spiking.parameters import SpikingParameters
from tests.engines.spiking.brian2.test_reader import HEAD, same_bits
from tests.engines.spiking.brian2.test_script import ENGINE, JOINED, NEEDS, network, ours_of, theirs_of
from tests.engines.spiking.typed.models import LIF
from tests.engines.spiking.typed.synapses.models import own
from workbench.project.document import open_document


def opened(text, folder):
    """The parameters, with tables that are written, and findings."""
    (folder / "network.py").write_text(f"from brian2 import *\n{text}\n", "utf-8")
    document = open_document(folder / "network.py")
    return document.parameters, [each.message for each in document.findings if each.severity == "warning"]


def changed(problem, **connection):
    given = problem.parameters.model_dump()
    given["connections"][0] |= connection
    return Problem(SpikingParameters.model_validate(given))


def table(folder, signs=False):
    """400 synapses of 20 neurons, each with a weight and a delay of its own."""
    random = np.random.default_rng(3)
    weight = 0.3 * random.random(400) * (np.where(random.random(400) < 0.2, -0.5, 1.0) if signs else 1.0)
    path = folder / "pairs.npz"
    np.savez(path, pre=np.repeat(np.arange(20), 20), post=random.integers(0, 20, 400), weight=weight,
             delay=0.1 * random.integers(0, 60, 400))  # fmt: skip
    return {"rule": {"kind": "file", "path": str(path)}, "delay": {"kind": "none"}}


DRAWN = {
    "uniform": {"kind": "uniform", "shortest": 0.3, "longest": 4.0},
    "normal": {"kind": "normal", "delay": 2.0, "spread": 0.7},
    "formula": {"kind": "formula", "formula": "clip(1*ms + i*ms/N_pre*randn(), 0*ms, 5*ms)"},
}


@pytest.mark.parametrize("synapse", [None, "stdp"])
@pytest.mark.parametrize("delay", DRAWN)
def test_a_script_that_draws_delays_opens_as_the_same_network(delay, synapse, tmp_path):
    problem = changed(network(LIF, 0.3, 0.0, synapse=own(JOINED[synapse]) if synapse else None), delay=DRAWN[delay])
    script = brian2_script(problem)
    assert "C0_0_0.pre.delay = '" in script
    parameters, told = opened(script, tmp_path)
    assert not told
    assert parameters.connections[0].delay.model_dump() == DRAWN[delay]
    same_bits(problem, Problem(parameters), 1500)


@pytest.mark.parametrize(("synapse", "signs"), [(None, False), (None, True), ("stdp", False), ("short term", False)])
def test_a_script_that_lists_synapses_opens_as_the_same_network(synapse, signs, tmp_path):
    one = network(LIF, 0.3, 0.0, synapse=own(JOINED[synapse]) if synapse else None)
    problem = changed(one, **table(tmp_path, signs))
    script = brian2_script(problem)
    compile(script, "network", "exec")
    assert script.count("Synapses(P0, P0,") == 1 + signs
    parameters, told = opened(script, tmp_path)
    assert not told
    assert [each.rule.kind for each in parameters.connections] == ["file"] * (1 + signs)
    same_bits(problem, Problem(parameters), 1500)


@NEEDS
@pytest.mark.brian2
@pytest.mark.parametrize("synapse", [None, "stdp"])
def test_brian2_gives_the_same_spikes(synapse, tmp_path):
    """400 synapses with delays from none to 6 ms: each neuron fires as often, nine spikes of ten in the same step."""
    one = network(LIF, 0.3, 0.0, synapse=own(JOINED[synapse]) if synapse else None)
    problem = changed(one, **table(tmp_path))
    theirs = np.array(theirs_of(problem, 60.0, "[[int(i) for i in S0.i], [float(t/ms) for t in S0.t]]", tmp_path))
    _, ours = ours_of(problem, 60.0)
    assert ours.shape[1] >= 20
    assert (np.bincount(ours[0].astype(int), minlength=20) == np.bincount(theirs[0].astype(int), minlength=20)).all()
    ours, theirs = (each[:, np.lexsort((each[1], each[0]))] for each in (ours, theirs))
    assert (np.abs(ours[1] - theirs[1]) < 0.05).mean() > 0.9


def test_a_table_between_all_populations_is_that_of_each_two(tmp_path):
    """Numbers of a table and of a formula count from the first neuron of all."""
    given = network(LIF, 0.3, 0.0).parameters.model_dump()
    given["populations"] = [given["populations"][0] | {"name": name, "number": 3} for name in "ab"]
    np.savez(tmp_path / "pairs.npz", pre=[0, 5, 2], post=[4, 1, 0], delay=[0.1, 0.2, 0.3])
    rule = {"kind": "file", "path": str(tmp_path / "pairs.npz")}
    given["connections"][0] |= {"source": "all", "target": "all", "rule": rule}
    script = brian2_script(Problem(SpikingParameters.model_validate(given)))
    found = [line for line in script.splitlines() if ".connect(" in line or ".delay" in line]
    assert found == ["C0_0_0.connect(i=[2], j=[0])", "C0_0_0.pre.delay = [0.3]*(ms)",
                     "C0_0_1.connect(i=[0], j=[1])", "C0_0_1.pre.delay = [0.1]*(ms)",
                     "C0_1_0.connect(i=[2], j=[1])", "C0_1_0.pre.delay = [0.2]*(ms)"]  # fmt: skip
    late = {"kind": "formula", "formula": "0.1*ms*(i + 2*j)*N_pre/6"}
    given["connections"][0] |= {"rule": {"kind": "all to all"}, "delay": late}
    script = brian2_script(Problem(SpikingParameters.model_validate(given)))
    assert "C0_1_0.pre.delay = '0.1*ms*((i + 3) + 2*j)*6/6'" in script
    assert "C0_0_1.pre.delay = '0.1*ms*(i + 2*(j + 3))*6/6'" in script


def test_more_synapses_than_a_script_takes_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr("engines.spiking.brian2.script.MOST_LISTED", 399)
    assert tables.MOST_LISTED == 20_000
    with pytest.raises(ProblemError, match="these have 400: 399 can be, so choose other rules"):
        brian2_script(changed(network(LIF, 0.3, 0.0), **table(tmp_path)))


JOIN = "S = Synapses(G, G, 'w : volt', on_pre='v += w')\n"
GRID = ("n = 10\nspacing = 50*um\nspeed = 0.2*meter/second\n"
        "G = NeuronGroup(n, '''dv/dt = -v/(10*ms) : volt\nx : metre''', threshold='v > 1*mV', reset='v = 0*mV')\n"
        "G.x = 'i*spacing'\n")  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [
    ("S.delay = '(1.0 + 2.0*rand())*ms'", {"kind": "uniform", "shortest": 1.0, "longest": 3.0}),
    ("top = 3*ms\nS.delay = 'clip(randn()*ms, 0*ms, top)'", {"kind": "formula",
                                                             "formula": "clip(randn()*ms, 0*ms, (3*ms))"}),
    ("S.pre.delay = 'abs(i-j)*0.1*ms'", {"kind": "formula", "formula": "abs(i-j)*0.1*ms"}),
    ("S.delay = rand(len(S))*2*ms", {"kind": "formula", "formula": "rand() * 2 * ms"}),
    ("S.delay = '2*1.5*ms'", {"kind": "constant", "delay": 3.0}),
    ("S.delay = [2]*ms", {"kind": "constant", "delay": 2.0}),
])  # fmt: skip
def test_what_draws_delays_is_read(text, expected, tmp_path):
    parameters, told = opened(f"{HEAD.partition(chr(10))[2]}{JOIN}S.connect()\nS.w = 1*mV\n{text}", tmp_path)
    assert not told
    assert parameters.connections[0].delay.model_dump() == expected


def test_delays_by_where_neurons_stand_are_formulas_of_their_numbers(tmp_path):
    """As in Brian2's examples: the distance of two neurons, whose places are a formula, over a velocity; also where the
    group is cut in two."""
    text = f"{GRID}{JOIN}S.connect('i < 4')\nS.w = 1*mV\nS.delay = 'sqrt((x_pre - x_post)**2)/speed'"
    parameters, told = opened(text, tmp_path)
    assert not told
    (connection,) = parameters.connections[:1]
    assert connection.delay.formula == ("sqrt((((i + 0)*(50*um)) - ((j + 0)*(50*um)))**2)/(0.2*(meter/second))")
    for each in parameters.connections:
        simulation = ENGINE.build(Problem(parameters), CpuBackend())
        block = simulation._subject.blocks[0]
        sender, hearer = block.senders(np.arange(len(block.targets))), block.targets >> 8
        np.testing.assert_array_equal(block.targets & 255, np.rint(np.abs(sender - hearer) * 50e-3 / 0.2 / 0.1))
        assert each.source == "G[0:4]"


def test_values_of_each_synapse_are_a_table_of_their_pairs(tmp_path):
    """In the order in which pairs are made; synapses of the parts of a group are its populations'."""
    lines = ["pairs = [0, 7, 2]", "S.connect(i=pairs, j=[1, 8, 3])", "S.connect(i=9, j=arange(2, 4))",
             "S.delay = array([1, 2.04, 0.06, 4, 5])*ms", "S.w = [5, 4, 3, 2, 1]*mV/2",
             "T = Synapses(G[:5], G, on_pre='v += 1*mV')", "T.connect()"]  # fmt: skip
    parameters, told = opened(HEAD.partition("\n")[2] + JOIN + "\n".join(lines), tmp_path)
    assert not told
    found = {}
    for each in parameters.connections:
        if each.rule.kind == "file":
            values = np.load(each.rule.path)
            rows = zip(*(values[name].tolist() for name in ("pre", "post", "weight", "delay")), strict=True)
            found[each.source, each.target] = [tuple(np.round(row, 9)) for row in rows]
    assert found == {
        ("G[0:5]", "G[0:5]"): [(0, 1, 2.5, 1.0), (2, 3, 1.5, 0.1)],
        ("G[5:10]", "G[5:10]"): [(2, 3, 2.0, 2.0)],
        ("G[5:10]", "G[0:5]"): [(4, 2, 1.0, 4.0), (4, 3, 0.5, 5.0)],
    }


@pytest.mark.parametrize(
    ("ends", "condition", "joined"),
    [
        ("G, G", "i != j", lambda i, j: i != j),
        ("G, H", "i != j", lambda i, j: i != j),
        ("G, H", "j!=i and i < 4 and j >= 2", lambda i, j: i != j and i < 4 and j >= 2),
        ("G[:5], G[5:]", "i != j", lambda i, j: i < 5 <= j and i != j - 5),
        ("G[2:6], H[1:3]", "i != j", lambda i, j: 2 <= i < 6 and 1 <= j < 3 and i - 2 != j - 1),
        ("G, H", "i != j and i >= 8", lambda i, j: i >= 8),
    ],
)
def test_neurons_of_one_number_are_left_out_where_a_text_says_so(tmp_path, ends, condition, joined):
    """Also of two groups, and of parts, whose neurons count from 0: all pairs were joined, without a word."""
    text = HEAD.partition("\n")[2] + "H = NeuronGroup(7, 'dv/dt = -v/(5*ms) : volt', threshold='v > 2*mV')\n"
    text += f"S = Synapses({ends}, on_pre='v += 1*mV')\nS.connect('{condition}')"
    parameters, told = opened(text, tmp_path)
    assert not told
    found = set()
    firsts = dict(zip([each.name for each in parameters.populations], starts_of(parameters), strict=True))
    for each in parameters.connections:
        first, second = firsts[each.source], firsts[each.target]
        if each.rule.kind == "file":
            values = np.load(each.rule.path)
            found |= set(zip((values["pre"] + first).tolist(), (values["post"] + second).tolist(), strict=True))
        else:
            assert each.rule.kind == "all to all"
            sizes = {population.name: population.number for population in parameters.populations}
            found |= {(first + i, second + j) for i in range(sizes[each.source]) for j in range(sizes[each.target])}
    hearers = 7 if "H" in ends else 10
    assert found == {(i, j) for i in range(10) for j in range(hearers) if joined(i, j)}


def starts_of(parameters):
    """The number in its group of each population's first neuron: parts are called G[4:6]."""
    return [int(each.name.partition("[")[2].partition(":")[0] or 0) for each in parameters.populations]
