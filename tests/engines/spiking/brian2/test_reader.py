"""Networks read from Brian2's texts: what becomes of examples, our own scripts back again, what is told and refused."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.brian2.reader import LARGEST, problem_of, read_brian2
from engines.spiking.brian2.script import brian2_script
from engines.spiking.typed.population import typed_of
from tests.engines.spiking.brian2.test_script import CASES, ENGINE, JOINED, NEEDS, network, ours_of, theirs_of
from tests.engines.spiking.brian2.texts import BARE, CUBA, EXAMPLES, NOISY
from tests.engines.spiking.typed.models import LIF
from tests.engines.spiking.typed.synapses.models import CELL, STEPPED, own
from tests.engines.spiking.typed.synapses.test_steps import cells

SHAPES = {
    "CUBA": ((3200, 800), 2, 1000.0, 0), "COBAHH": ((3200, 800), 2, 1000.0, 0), "bare": ((1,), 0, None, 0),
    "adaptive threshold": ((1, 1), 1, 2000.0, 0), "STDP": ((1000, 1), 1, 100_000.0, 0),
    "short term": ((20, 40), 1, 1000.0, 0), "gap junctions": ((10,), 1, 500.0, 0), "noise": ((100,), 0, 1000.0, 0),
}  # fmt: skip
"""Neurons of populations, connections, the end [ms], and warnings."""


def neuron_of(found, place=0):
    return found.parameters.populations[place].neuron


def value_of(found, name, place=0):
    (each,) = (each for each in neuron_of(found, place).parameters if each.name == name)
    return each.value, each.unit


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_its_documentation_open_and_run(name):
    found = problem_of(EXAMPLES[name], name)
    numbers, connections, until, warnings = SHAPES[name]
    assert tuple(each.number for each in found.parameters.populations) == numbers
    assert len(found.parameters.connections) == connections
    assert found.until == until
    assert sum(each.severity == "warning" for each in found.findings) == warnings, found.findings
    estimate = ENGINE.estimate(Problem(found.parameters), CpuBackend())
    assert not [each for each in estimate.findings if each.severity == "warning"]
    fewer = found.parameters.model_copy(deep=True)
    for each in fewer.populations:
        each.number = min(each.number, 200)
    simulation = ENGINE.build(Problem(fewer), CpuBackend())
    simulation.advance(50)
    assert simulation.non_finite() is None


def test_numbers_names_and_kinds_are_those_of_the_text():
    found = problem_of(EXAMPLES["COBAHH"])
    names = [each.name for each in found.parameters.populations]
    assert names == ["Pe", "Pi"]
    assert value_of(found, "Cm") == (pytest.approx(200.0, rel=1e-12), "pF")
    assert value_of(found, "VT") == (-63.0, "mV")
    weights = [(each.source, each.target, each.weight.weight) for each in found.parameters.connections]
    assert weights == [("Pe", "all", 6.0), ("Pi", "all", -67.0)]
    assert neuron_of(found).method == "exponential euler"
    assert neuron_of(found).lines[2].endswith(": volt")  # an equation of three lines
    stdp = problem_of(EXAMPLES["STDP"]).parameters.connections[0].plasticity
    assert {each.name: each.value for each in stdp.parameters}["dApost"] == pytest.approx(-1.05e-4, rel=1e-12)
    assert (stdp.on_pre[0], stdp.starts) == ("ge_post += w", "w = rand() * gmax")
    noise = problem_of(NOISY)
    assert noise.parameters.numerics.step == 0.05
    assert noise.parameters.populations[0].external.noise == 1.0


def test_white_noise_has_the_variance_of_the_formula():
    """τ dv/dt = −v + σ √τ ξ: the variance is σ²/2, whatever the step; of 20,000 neurons after 10 τ."""
    for step in (0.05, 0.2):
        text = NOISY.replace("group.v0 = np.linspace(0, 20, n)*mV", "").replace("int(1e2)", "20000")
        found = problem_of(text.replace("vm > 10*mV", "vm > 1000*mV").replace("0.05*ms", f"{step}*ms"))
        simulation = ENGINE.build(Problem(found.parameters), CpuBackend())
        simulation.advance(round(100.0 / step))
        spread = float(np.asarray(simulation.state()["voltage"], float).std())
        exact = 5.0 / np.sqrt(2 * (1 - step / 20.0))  # of Euler's steps
        assert spread == pytest.approx(exact, rel=4 / np.sqrt(2 * 20000))


def same_bits(problem, told, steps=600):
    """Both run so many steps; every array of the network that both have is the same."""
    one, other = (ENGINE.build(each, CpuBackend()) for each in (problem, told))
    for each in (one, other):
        each.advance(steps)
    first, second = (rows_of(each, model) for each, model in ((one, problem), (other, told)))
    assert first["spikes"].sum() > 20
    for name in first:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)


def rows_of(simulation, problem):
    """Spikes, variables of the first population by their names, and those of synapses."""
    state, population = simulation.state(), problem.parameters.populations[0]
    places, own = typed_of(population.neuron).places, slice(population.number)
    found = {name: state[name] for name in ("spikes", "last") if name in state}
    found |= {name: state["more"][k, own] if isinstance(k, int) else state[k][own] for name, k in places.items()}
    return found | {name: values for name, values in state.items() if name.startswith("synapses_")}


@pytest.mark.parametrize("name", CASES)
def test_our_own_scripts_come_back_as_the_same_neurons(name):
    model, weight, current, step = CASES[name]
    problem = network(model, weight, current, step)
    found = problem_of(brian2_script(problem))
    assert not [each for each in found.findings if each.severity == "warning"]
    ours, theirs = problem.parameters, found.parameters
    assert theirs.populations[0].name == ours.populations[0].name
    for field in ("threshold", "reset", "refractory", "excitatory"):
        assert getattr(theirs.populations[0].neuron, field) == getattr(ours.populations[0].neuron, field)
    assert theirs.populations[0].start == ours.populations[0].start
    assert theirs.populations[0].external == ours.populations[0].external
    assert theirs.numerics == ours.numerics
    assert [each.model_dump(exclude={"target"}) for each in theirs.connections] == [
        each.model_dump(exclude={"target"}) for each in ours.connections
    ]
    same_bits(problem, Problem(theirs), round(120.0 / step))


@pytest.mark.parametrize("name", JOINED)
def test_our_own_scripts_come_back_as_the_same_synapses(name):
    late = 0.7 if JOINED[name]["on_post"] else 0.0
    problem = network(LIF, 0.3, 0.0, synapse=own(JOINED[name], post_delay=late))
    found = problem_of(brian2_script(problem))
    assert not [each for each in found.findings if each.severity == "warning"], found.findings
    ours, theirs = (each.connections[0] for each in (problem.parameters, found.parameters))
    assert (theirs.weight, theirs.delay, theirs.rule) == (ours.weight, ours.delay, ours.rule)
    for field in ("on_pre", "on_post", "post_delay", "starts", "largest"):
        assert getattr(theirs.plasticity, field) == getattr(ours.plasticity, field), field
    same_bits(problem, Problem(found.parameters), 1000)


def coupled(name, number=20, delay=1.0):
    """Typed cells with what synapses do in each step, from evenly spread voltages."""
    model, weight = STEPPED[name]
    used = [line for line in CELL["lines"] if "summed" not in line or line.split(" ")[0] in " ".join(model["lines"])]
    lines = [used[0].replace("+ I_nmda", "") if name == "gap" else used[0].replace("+ I_gap", ""), *used[1:]]
    lines = CELL["lines"] if name == "following" else lines
    given = cells(own(model), weight, number, delay=delay, cell={**CELL, "lines": lines}, current=400.0,
                  starts="v = E_L + 12*mV*i/N")  # fmt: skip
    only = given.model_dump()
    return Problem(type(given).model_validate({**only, "populations": only["populations"][1:]}))


@pytest.mark.parametrize("name", STEPPED)
def test_our_own_scripts_come_back_with_what_synapses_do_in_each_step(name):
    problem = coupled(name)
    found = problem_of(brian2_script(problem))
    assert not [each for each in found.findings if each.severity == "warning"], found.findings
    ours, theirs = (each.connections[0].plasticity for each in (problem.parameters, found.parameters))
    for field in ("lines", "on_pre", "on_post", "starts"):
        given = getattr(ours, field)
        given = [part for line in given for part in line.split("; ")] if field in ("on_pre", "on_post") else given
        assert getattr(theirs, field) == given, field
    same_bits(problem, Problem(found.parameters))


@NEEDS
@pytest.mark.brian2
@pytest.mark.parametrize("name", ["gap", "nmda"])
def test_brian2_gives_the_same_of_what_synapses_do_in_each_step(name, tmp_path):
    """Of 40 ms, 400 synapses with a delay of 1 ms, in float64 there: the same spikes, nine of ten in the same step, and
    the same variables as these leave (NMDA channels read voltages before a reset there and after it here)."""
    problem = coupled(name)
    shown = "x/mV) for x in P0.v" if name == "gap" else "x) for x in C0_0_0.g"
    told = f"[[int(i) for i in S0.i], [float(t/ms) for t in S0.t], [float({shown}]]"
    neurons, times, values = theirs_of(problem, 40.0, told, tmp_path)
    simulation, ours = ours_of(problem, 40.0)
    theirs = np.array([neurons, times])
    assert ours.shape[1] >= 20
    assert (np.bincount(ours[0].astype(int), minlength=20) == np.bincount(theirs[0].astype(int), minlength=20)).all()
    one, other = (each[:, np.lexsort((each[1], each[0]))] for each in (ours, theirs))
    assert (np.abs(one[1] - other[1]) < 0.05).mean() > 0.9
    found = simulation.state()["synapses_0_g" if name == "nmda" else "voltage"]
    assert np.isclose(found, values, rtol=2e-3).mean() > 0.9


def test_inhibition_noise_sources_and_input_come_back():
    """Two populations and a source, negative and normal weights, current with noise, spikes from outside."""
    given = network(LIF, 0.3, 0.0).parameters.model_dump()
    first = given["populations"][0] | {"external": {"current": 3.0, "noise": 0.5, "rate": 300.0, "weight": 0.4}}
    first["neuron"]["lines"][0] = "dv/dt = (E_L - v + g_e + g_i + I_ext/pA*mV)/tau_m : volt (unless refractory)"
    source = {"name": "source", "number": 30, "neuron": {"kind": "poisson", "rate": 40.0}}
    late, pairs = {"kind": "constant", "delay": 1.0}, {"kind": "probability", "probability": 0.3}
    given["populations"] = [first | {"name": "a"}, {**first, "name": "b", "number": 10}, source]
    given["connections"] = [
        {"source": "source", "target": "a", "rule": pairs, "weight": {"kind": "constant", "weight": 0.6}},
        {"source": "a", "target": "b", "rule": pairs, "weight": {"kind": "normal", "weight": 0.5, "spread": 0.5},
         "delay": late},
        {"source": "b", "target": "a", "rule": pairs, "weight": {"kind": "constant", "weight": -0.7}},
    ]  # fmt: skip
    problem = Problem(type(network(LIF, 0.3, 0.0).parameters).model_validate(given))
    found = problem_of(brian2_script(problem))
    assert [each.model_dump() for each in found.parameters.connections] == [
        each.model_dump() for each in problem.parameters.connections
    ]
    assert [each.external for each in found.parameters.populations] == [
        each.external for each in problem.parameters.populations
    ]
    same_bits(problem, Problem(found.parameters))


HEAD = """from brian2 import *
G = NeuronGroup(10, 'dv/dt = -v/(10*ms) : volt', threshold='v > 1*mV', reset='v = 0*mV')
"""
REFUSED = [
    ("G = NeuronGroup(N, 'dv/dt = -v/ms : 1')", "Line 1: 'N' uses 'N', which is not known"),
    ("N = load('a')\nG = NeuronGroup(N, 'dv/dt = -v/ms : 1')", "Line 2: 'N' of line 1 is not known: 'load('a')' is no"),
    ("G = NeuronGroup(2.5, 'dv/dt = -v/ms : 1')", "Line 1: 2.5 is no number of neurons"),
    ("G = NeuronGroup(\n 1, 'dv/dt = (v0 - v)/ms : 1')", "Line 2: uses 'v0', which is not known"),
    ("eqs = '''\ndv/dt = -v/ms : 1\ndu/dt = v : 1'''\nG = NeuronGroup(1, eqs)", "Line 3: has no unit and must be"),
    ("G = NeuronGroup(1, 'dv/dt = -v/ms')", "Line 1: 'dv/dt = -v/ms' says no unit"),
    ("G = NeuronGroup(1, 'rates : Hz', threshold='rand() < rates*dt')", "Line 1: G has no equation dx/dt"),
    ("G = NeuronGroup(1, f'dv/dt = -v/{3} : 1')", "Line 1: 'f'dv/dt = -v/{3} : 1'' is no string that can be read"),
    ("G = NeuronGroup(1, 'dv/dt = -v/ms : 1', threshold='v >> 1')", "Line 1: The threshold"),
    ("G = NeuronGroup(1, 'dv/dt = xi_1*second**-.5 + xi_2*second**-.5 : 1')", "more than one noise"),
    ("from brian2 import *\nrun(3*mV)", "Line 2: '3 * mV' is no time above 0"),
    ("from brian2 import *\nrun(3*ms)", "makes no group of neurons"),
    ("G = NeuronGroup(1, 'dv/dt = -v/ms : 1'", "Line 1: this is no Python that can be read"),
    ("G = PoissonGroup(5, rates='3*Hz*t/ms')\nG2 = NeuronGroup(1, 'dv/dt=-v/ms:1')", "Line 1: The rate of G"),
    ("tau = 5*mV\ndv/dt = -v/tau : volt", "Line 2: "),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told"), REFUSED)
def test_what_no_network_is_without_is_refused_by_its_line(text, told):
    with pytest.raises(ProblemError) as caught:
        problem_of(text)
    assert told in str(caught.value)


TOLD = [
    ("S = Synapses(G, G, on_pre='w += 1*mV')\nS.connect()", "Line 3: S is left out: .*'w'"),
    ("S = Synapses(G, G, on_pre='v += 1*mV')", "Line 3: S is left out: it joins no pairs"),
    ("S = Synapses(G, G, on_pre='v += 1*mV')\nS.connect('i != j', p=0.5)",
     "Line 4: neurons may be joined to themselves"),
    ("H = NeuronGroup(9, 'dv/dt = -v/ms : volt')\nS = Synapses(G, H, on_post='v += 1*mV')\nS.connect('i != j', p=0.5)",
     "Line 5: neurons of the same number may be joined here, unlike there"),
    ("S = Synapses(G, G, on_pre='v += 1*mV')\nS.connect(j='k for k in range(i)')", "Line 4: S is not connected so"),
    ("S = Synapses(G, G, on_pre='v += 1*mV')\nS.connect('abs(i-j) < 4')", "Line 4: .*the condition 'abs"),
    ("S = Synapses(G, G, on_pre='v += 1*mV')\nS.connect()\nS.delay = 'q*ms'", "Line 5: delays of S .* uses 'q'"),
    ("S = Synapses(G, G, on_pre='v += 1*mV')\nS.connect()\nS.delay = 'abs(v_post)*ms/mV'\nG.v = 'rand()*mV'",
     "Line 5: delays of S are left out: they hang on 'v_post', which is no formula of the neuron's number"),
    ("S = Synapses(G, G, on_pre='v += 1*mV')\nS.connect()\nS.delay = [1, 2]*ms",
     "Line 5: S.delay has 2 values for 100 synapses"),
    ("S = Synapses(G, G, on_pre='v += 1*mV')\nS.connect(p=0.5)\nS.delay = [1, 2]*ms",
     "Line 5: values of delay .*: pairs that are drawn"),
    ("S = Synapses(G, G, 'w : 1', on_pre='v += w*mV')\nS.connect(i=[0, 2], j=1)\nS.w = [1, 2]*mV", "w has no unit and"),
    ("S = Synapses(G, G, on_pre='v += 1*mV')\nS.connect(i=[0, 2], j=[1, 2, 3])", "i has 2 neurons and j 3"),
    ("S = Synapses(G, G, on_pre='v += 1*mV')\nS.connect(i=[0, 12], j=1)", "i has 12, and there are 10 neurons"),
    ("G.v[3] = 2*mV", "Line 3: 'G.v\\[3\\]' sets some of them"),
    ("G.u = 2*mV", "Line 3: G has no 'u'"),
    ("for k in range(3):\n    G.v = k*mV", "Line 3: a loop is not carried out"),
    ("@network_operation\ndef change():\n    G.v = 0*mV", "Line 4: a function is not carried out"),
    ("H = SpikeGeneratorGroup(1, [0], [1]*ms)\nS = Synapses(H, G, on_pre='v += 1*mV')", "Line 3: SpikeGeneratorGroup"),
    ("run(1*ms)\nG.v = 3*mV", "Line 4: G.v is set after the first run, and left out: set it above run"),
    ("H = NeuronGroup(2, 'dv/dt = (I - v)/(9*ms) : volt\\nI : volt', name='h')\nrun(20*ms)\nH.I = 3*mV",
     r"Line 5: H.I is set after .* equations, as I = \(3 \* mV\)\*int\(t >= 20\*ms\), or pause the run there"),
    ("G.run_regularly('v = 0*mV', dt=10*ms)", "Line 3: run_regularly is not carried out"),
    ("mV = 3", "Line 3: 'mV' is a unit here"),
    ("I = PoissonInput(G, 'v', 10, 5*Hz, '1*mV')", "Line 3: PoissonInput has a formula"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told"), TOLD)
def test_what_else_does_not_map_is_told_by_its_line(text, told):
    import re

    found = problem_of(HEAD + text)
    assert any(re.search(told, each.message) and each.severity == "warning" for each in found.findings), found.findings


PAIRS = [
    ("S.connect('i < 4 and j >= 6')", [("G[0:4]", "G[6:10]", "all to all")]),
    ("S.connect(i=2, j=[5, 6])", [("G[2:3]", "G[5:7]", "all to all")]),
    ("S.connect(i=[0, 1, 2], j=[4, 5, 6])", [("G[0:3]", "G[4:7]", "one to one")]),
    ("S.connect(i=[0, 1, 2], j=[4, 6, 4])", [("G", "G", "file")]),
    ("S.connect(i=[2, 2], j=[3, 3])", [("G", "G", "file")]),
    ("S.connect(j='i')", [("G", "G", "one to one")]),
    ("S.connect(condition='i==j')", [("G", "G", "one to one")]),
    ("S.connect(p=0.2)", [("G", "G", "probability")]),
]


@pytest.mark.parametrize(("text", "expected"), PAIRS)
def test_pairs_are_those_of_the_text(text, expected):
    found = problem_of(HEAD + "S = Synapses(G, G, on_pre='v += 1*mV')\n" + text)
    assert [(each.source, each.target, each.rule.kind) for each in found.parameters.connections] == expected
    assert sum(each.number for each in found.parameters.populations) == 10


def test_whole_numbers_are_those_of_python():
    text = HEAD.replace("10, 'dv/dt = -v/(10*ms)", "int(0.83*N), 'dv/dt = -k*v/(10*ms)").replace(
        "G =", "N = int(12.7)\nk = round(2.6)*-1 + float(3)\nG ="
    )  # fmt: skip
    found = problem_of(text)
    assert found.parameters.populations[0].number == 9
    assert value_of(found, "k") == (0.0, "1")
    with pytest.raises(ProblemError, match="takes int of what is no condition"):
        problem_of(HEAD.replace("-v/", "-int(v/mV)*mV/"))


def test_numbers_of_neurons_stay_those_of_the_group():
    text = HEAD.replace("-v/(10*ms)", "(i*mV/N - v)/(10*ms)") + "S = Synapses(G[4:], G)\nS.connect()\nG.v = 'i*mV'"
    first, second = (neuron_of(problem_of(text.replace("G[4:], G)", "G[4:], G, on_pre='v += mV')")), k) for k in (0, 1))
    assert "(i + 0)*mV/10" in first.lines[0]
    assert "(i + 4)*mV/10" in second.lines[0]
    assert second.starts == "v = (i + 4)*mV"


def test_a_file_opens_as_a_project_from_the_command_line_and_the_window(tmp_path):
    from workbench.cli import main
    from workbench.project.document import open_document

    path = tmp_path / "cuba.py"
    path.write_text(CUBA.replace("4000", "400").replace("3200", "320"), "utf-8")
    document = open_document(path)
    assert document.engine.id == "spiking"
    assert document.project.run.until == 1000.0
    assert any("populations" in each.message for each in document.findings)
    assert main(["convert", str(path), str(tmp_path / "cuba")]) == 0
    again = open_document(tmp_path / "cuba")
    assert again.parameters == document.parameters
    bare = tmp_path / "page.txt"
    bare.write_text(BARE, "utf-8")
    assert open_document(bare).parameters.populations[0].number == 1


def test_other_files_are_not_taken_and_large_ones_not_begun(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("x = 3\n")
    assert read_brian2(other) is None
    other.write_text("brian2\n" + "#" * LARGEST)
    with pytest.raises(ProblemError, match="larger than 1 MB"):
        read_brian2(other)


def told_of(read):
    """The sentence of what is refused; of what is read the findings, all of them sentences."""
    try:
        found = read()
    except ProblemError as error:
        return str(error)
    assert all(each.message.endswith(".") for each in found.findings)
    return "."


@pytest.mark.parametrize("depth", [300, 100_000])
def test_deep_texts_end_in_a_sentence(tmp_path, depth):
    path = tmp_path / "deep.py"
    for text in (
        f"{HEAD}x = {'(' * depth}1{')' * depth}", f"{HEAD}x = {'-' * depth}1\nG.v = x*mV", f"{HEAD}x = {'1+' * depth}1",
        HEAD.replace("-v/", f"{'(' * depth}v{')' * depth}/"),
    ):  # fmt: skip
        path.write_text(text)
        assert told_of(lambda: read_brian2(path)).endswith(".")


PIECES = [
    "(", ")", "'", "'''", ":", "=", "\n", " ", "*", "ms", "G", "v", "__import__('os').abort()", "[", "lambda", "#",
    "\x00", "\\", "i", ",", "rand()", "1e999", "ä", ";", "{}", "**", "xi", "in",
]  # fmt: skip
CHANGES = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(PIECES), st.integers(0, 9)), min_size=1, max_size=4
)  # fmt: skip


@settings(max_examples=150)
@given(st.sampled_from(sorted(EXAMPLES)), CHANGES)
def test_whatever_is_in_a_text_it_is_read_or_refused_with_a_sentence(name, changes):
    """Nothing of it is carried out: it would end this process."""
    text = EXAMPLES[name]
    for where, piece, removed in changes:
        at = round(where * len(text))
        text = text[:at] + piece + text[at + removed :]
    assert told_of(lambda: problem_of(text)).endswith(".")


@NEEDS
@pytest.mark.brian2
@pytest.mark.parametrize(("name", "time", "group", "told"), [
    ("CUBA", 500, "P", 0.1), ("adaptive threshold", 2000, "IF", 0.25), ("short term", 1000, "neurons", 0.1),
    ("noise", 1000, "group", 0.1), ("gap junctions", 500, "neurons", 0.01),
])  # fmt: skip
def test_a_text_fires_as_often_as_in_brian2(name, time, group, told, tmp_path):
    """The text itself there, its problem here, other random numbers: rates within what these leave open."""
    import re

    text = re.sub(r"^(plot|xlabel|show|subplot|    net|.*\brun\().*$", "", EXAMPLES[name], flags=re.MULTILINE)
    text = text.replace("if __name__ == '__main__':", "from brian2 import *")
    script = f"from brian2 import *\nprefs.codegen.target = 'numpy'\n{text}\n"
    script += f"spikes_of = SpikeMonitor({group})\nrun({time}*ms)\nprint(spikes_of.num_spikes)\n"
    path = tmp_path / "text.py"
    path.write_text(script, "utf-8")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=600, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    theirs = int(done.stdout.strip().splitlines()[-1])
    _, spikes = ours_of(Problem(problem_of(EXAMPLES[name]).parameters), time)
    numbers = {each.name: each.number for each in problem_of(EXAMPLES[name]).parameters.populations}
    sources = [each.name for each in problem_of(EXAMPLES[name]).parameters.populations if each.neuron.kind == "poisson"]
    first = 0
    ours = 0
    for each, number in numbers.items():
        if each not in sources:
            ours += int(((spikes[0] >= first) & (spikes[0] < first + number)).sum())
        first += number
    assert theirs > 30
    assert ours == pytest.approx(theirs, rel=told)


ONE = """from brian2 import *
tau = 10*ms
x = 1.5
G = NeuronGroup(10, '''dv/dt = (I - v)/tau : 1
I : 1''', threshold='v>1', reset='v=0', method='exact')
"""


@pytest.mark.parametrize(
    ("statement", "line", "sentence"),
    [
        ("for k in range(3):\n    x = k\nG.I = x\n", 8, "'x' of line 6 is not known: a loop that sets it"),
        ("while x < 3:\n    x += 1\nG.I = x\n", 8, "'x' of line 6 is not known: a loop that sets it"),
        ("if x > 1:\n    x = 3.0\nG.I = x\n", 8, "'x' of line 6 is not known: a choice that sets it"),
        ("try:\n    x = 3.0\nexcept Exception:\n    pass\nG.I = x\n", 10, "a try that sets it is not carried out"),
        ("for k in range(10):\n    G.I[k] = 0.2*k\n", 6, "a loop is not carried out"),
        ("G.I = 2\nS = Synapses(G, G, on_pre='v += 0.1')\nS.connect()\ndel S\n", 9, "such a statement is not carried"),
        (
            "net = Network(G)\nS = Synapses(G, G, on_pre='v += 0.1')\nS.connect()\nnet.run(9*ms)\n", 9,
            "S is no part of what is run there, and is here: take it out",
        ),
    ],
)  # fmt: skip
def test_what_would_leave_another_network_is_told(statement: str, line: int, sentence: str) -> None:
    found = problem_of(ONE + statement + "run(100*ms)\n").findings
    told = [each.message for each in found if each.severity == "warning"]
    assert any(each.startswith(f"Line {line}") and sentence in each for each in told), told


@pytest.mark.parametrize("more", ["", "net.add(S)\n"])
def test_a_network_that_names_all_of_it_says_nothing(more: str) -> None:
    text = f"S = Synapses(G, G, on_pre='v += 0.1')\nS.connect()\nnet = Network(G{'' if more else ', S'})\n{more}"
    assert problem_of(ONE + text + "net.run(100*ms)\n").findings == ()


def test_names_that_a_run_is_given_hold_there() -> None:
    """Brian2 takes a run's namespace in place of the script's names."""
    read = problem_of(ONE + "run(100*ms, namespace={'tau': 20*ms})\n").parameters
    assert [(each.name, each.value) for each in read.populations[0].neuron.parameters if each.name == "tau"] == [
        ("tau", 20)
    ]
