"""Units of parameters that nobody has given: what follows from equations, and what a sentence about units says."""

import pytest

from engines.api.errors import ProblemError
from engines.formulas.typed.units import unit
from engines.spiking.parameters.equations import OwnNeuron, offered
from engines.spiking.parameters.synapses import _offered, _offered_of_path
from engines.spiking.typed import language
from engines.spiking.typed.population import typed_of

LEAKY = (
    "dv/dt = (g_L*(E_L - v) + g_e*(E_e - v) + I_ext)/C : volt (unless refractory)",
    "dg_e/dt = -g_e/tau_e : siemens",
)
THETA = "dv/dt = (v - v_0)**2/(mV*tau) + I/C : volt", "I = I_max*i/N : amp"
CHANNELS = "dv/dt = (E - v)/tau_m : volt", "dm/dt = (1/(1 + exp(-(v - V_half)/k)) - m)/tau_x : 1"


def added(found):
    """Units by name, of what is offered."""
    return {} if found is None else {each["name"]: each["unit"] for each in found[1]["parameters"]}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (LEAKY, {"g_L": "nS", "E_L": "mV", "E_e": "mV", "C": "pF", "tau_e": "ms"}),
        (THETA, {"v_0": "mV", "tau": "ms", "C": "pF", "I_max": "pA"}),
        (CHANNELS, {"E": "mV", "tau_m": "ms", "V_half": "mV", "k": "mV", "tau_x": "ms"}),
        (("dv/dt = a*b*mV/ms : volt",), {"a": "1", "b": "1"}),  # nobody can know
        (("dv/dt = where(v > V_T, a, -b) : volt",), {"V_T": "mV", "a": "mV/ms", "b": "mV/ms"}),
    ],
)
def test_units_follow_from_the_lines(lines, expected):
    found = added(offered(lines))
    assert found == expected
    assert language.check(lines, {name: unit(text)[0] for name, text in added(offered(lines)).items()}) is None


def test_what_spikes_do_tells_of_units_too():
    neuron = OwnNeuron(
        lines=["dv/dt = -v/(10*ms) : volt", "dw/dt = -w/(100*ms) : amp"], threshold="v > V_th", reset="v = V_r; w += b",
        refractory="t_ref", excitatory="v += weight*scale", inhibitory="", starts="v = V_0*rand()", parameters=[],
    )  # fmt: skip
    with pytest.raises(ProblemError) as raised:
        typed_of(neuron, ())
    rows = raised.value.remedy.changes[("parameters",)]
    expected = {"V_th": "mV", "V_r": "mV", "b": "pA", "t_ref": "ms", "scale": "1", "V_0": "mV"}
    assert {each["name"]: each["unit"] for each in rows} == expected
    mended = neuron.model_copy(update={"parameters": type(neuron).model_validate({"parameters": rows}).parameters})
    assert typed_of(mended).model.variables == ("v", "w")


def test_synapses_too():
    assert added(_offered(("w : 1", "dA/dt = -A/tau : 1 (event-driven)"))) == {"tau": "ms"}
    assert added(_offered_of_path(("A += dA; w = clip(w + A, 0, top)",), ("w : 1", "A : 1"))) == {"dA": "1", "top": "1"}


@pytest.mark.parametrize(
    ("line", "units", "told"),
    [
        ("dv/dt = (E - v)/tau : volt", {"E": "1", "tau": "ms"}, "Below Parameters E in mV would do."),
        ("dv/dt = (E - v)/tau : volt", {"E": "mV", "tau": "mV"}, "Below Parameters tau in ms would do."),
        ("dv/dt = (E - v)/tau : volt", {"E": "1", "tau": "1"}, "Below Parameters tau in ms and E in mV would do."),
        ("dv/dt = (E - v)/(3*ms) + 5 : volt", {"E": "mV"}, "give the number a unit"),
    ],
)
def test_a_sentence_about_units_names_the_parameters(line, units, told):
    _, sentence = language.check([line], {name: unit(text)[0] for name, text in units.items()})
    assert told in sentence
    assert ("Parameters" in sentence) == ("Parameters" in told)
