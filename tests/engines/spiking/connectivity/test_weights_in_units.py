"""The unit in the heading of a table's weights: converted into that of its synapses, or refused in a sentence."""

import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend import open_backend
from engines.spiking.brian2.script import brian2_script
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters

CURRENT, CONDUCTANCE = ({"kind": "adaptive exponential", "synapses": kind} for kind in ("current", "conductance"))
TYPED = {"kind": "own equations", "lines": ["dv/dt = (g_e - v)/tau : volt", "dg_e/dt = -g_e/tau : volt"],
         "threshold": "v > 15*mV", "reset": "v = 0*mV", "refractory": "", "excitatory": "g_e += weight",
         "inhibitory": "g_e -= weight", "starts": "", "parameters": [{"name": "tau", "value": 10.0, "unit": "ms"}],
         }  # fmt: skip
CONDUCTS = {**TYPED, "lines": ["dv/dt = -g_e*v/C : volt", "dg_e/dt = -g_e/tau : siemens"],
            "parameters": [*TYPED["parameters"], {"name": "C", "value": 100.0, "unit": "pF"}]}  # fmt: skip
GROWS = {"kind": "own equations", "lines": ["w : siemens"], "on_pre": ["g_e_post += w"], "on_post": [],
         "starts": "w = weight", "parameters": []}  # fmt: skip


def network(tmp_path, unit, *hear, **connection):
    """A Poisson source whose two synapses stand in a table with weights of 0.25 and 2."""
    (tmp_path / "table.csv").write_text(f"pre,post,weight{unit}\n0,1,0.25\n1,0,2\n")
    joined = {"source": "source", "target": "0", "rule": {"kind": "file", "path": str(tmp_path / "table.csv")}}
    source = {"name": "source", "number": 2, "neuron": {"kind": "poisson"}}
    hearing = [{"name": str(k), "number": 2, "neuron": neuron} for k, neuron in enumerate(hear)]
    return SpikingParameters.model_validate(
        {"populations": [*hearing, source], "connections": [{**joined, **connection}]}
    )


def weights_in(parameters):
    simulation = SpikingEngine().build(Problem(parameters), open_backend("cpu"))
    return [value for neuron in (2, 3) for value in simulation.inspect(neuron).links.values]


@pytest.mark.parametrize(
    ("unit", "neuron", "factor"),
    [
        (" [pA]", CURRENT, 1.0),
        (" [nA]", CURRENT, 1e3),
        (" (µS)", CONDUCTANCE, 1e3),
        ("_nS", CONDUCTANCE, 1.0),
        ("/V", {"kind": "lif"}, 1e3),
        (" [1]", {"kind": "lif conductance"}, 1.0),
        (" [V/s]", {"kind": "izhikevich"}, 1.0),
        (" [uV]", TYPED, 1e-3),
        (" [uS]", CONDUCTS, 1e3),
        ("", CONDUCTS, 1.0),
    ],
)
def test_weights_are_converted_into_the_unit_of_what_hears(tmp_path, unit, neuron, factor):
    found = weights_in(network(tmp_path, unit, neuron))
    assert found == pytest.approx([0.25 * factor, 2 * factor], rel=1e-6)


def test_weights_of_typed_synapses_are_in_what_they_begin_at(tmp_path):
    found = weights_in(network(tmp_path, " [uS]", CONDUCTS, plasticity=GROWS))
    assert found == pytest.approx([250.0, 2000.0], rel=1e-6)


@pytest.mark.parametrize(
    ("unit", "target", "sentence"),
    [
        (" [nS]", "0", "table.csv are in nS, and these synapses take pA: convert them, or leave the unit out"),
        (" [loud]", "0", "table.csv are in loud, and these synapses take pA"),
        (" [pA]", "all", "table.csv are in pA, and those whom its synapses reach take weights of several units"),
    ],
)
def test_another_unit_is_refused(tmp_path, unit, target, sentence):
    parameters = network(tmp_path, unit, CURRENT, CONDUCTANCE, target=target)
    with pytest.raises(ProblemError, match=sentence):
        weights_in(parameters)
    with pytest.raises(ProblemError, match=sentence) as refused:
        SpikingEngine().estimate(Problem(parameters), open_backend("cpu"))
    assert refused.value.place == ("connections", 0, "rule", "path"), "as soon as it is typed"


def test_a_table_that_cannot_be_read_is_refused_when_it_is_drawn(tmp_path):
    parameters = network(tmp_path, "", CURRENT)
    for content in (b"", b"pre,post\n0,x\n", b"\xff\xfe\n"):
        (tmp_path / "table.csv").write_bytes(content)
        SpikingEngine().estimate(Problem(parameters), open_backend("cpu"))
        with pytest.raises(ProblemError):
            weights_in(parameters)


def test_a_script_has_the_converted_weights(tmp_path):
    text = brian2_script(Problem(network(tmp_path, " [uS]", CONDUCTS)))
    assert "C0_1_0.weight = [250.0, 2000.0]*(nS)" in text
