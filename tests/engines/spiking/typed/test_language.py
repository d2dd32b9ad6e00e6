"""What may be typed of a neuron, and what is said of what may not: one sentence, and its place."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api.errors import ProblemError
from engines.formulas.typed.units import unit
from engines.spiking.parameters.equations import dimensions
from engines.spiking.parameters.neuron_library import LIBRARY
from engines.spiking.typed.language import Text, check, of_lines, parse
from engines.spiking.typed.rendered import html
from tests.engines.spiking.typed.models import MODELS, neuron

P = {
    name: unit(text)[0]
    for name, text in {"tau": "ms", "E_L": "mV", "V_th": "mV", "R": "Gohm", "g_L": "nS", "C": "pF", "b": "pA"}.items()
}
LINES = ("dv/dt = (E_L - v)/tau : volt",)


@pytest.mark.parametrize(
    ("lines", "place", "told"),
    [
        (
            ["dv/dt = E_L - v : volt"],
            0,
            "Line 1 is in volts and must be in volt/second: v is in volts, and dv/dt is that over a time.",
        ),
        (["dv/dt = (E_L - b)/tau : volt"], 0, "Line 1 subtracts volt and amp: look at its units."),
        (["dv/dt = (E_L - v + 1)/tau : volt"], 0, "adds volt and a plain number: give the number a unit, as 1*mV."),
        (["dv/dt = exp(v)*E_L/tau : volt"], 0, "takes exp of volt: divide it by what has that unit."),
        (["dv/dt = (E_L - v)/taum : volt"], 0, "uses 'taum', which is not known (perhaps tau)"),
        (["dv/dt = (E_L - v)/tau"], 0, "says no unit of v: end it with ': volt'"),
        (["dv/dt = (E_L - v)/tau : vold"], 0, "'vold', which is not known (perhaps volt)"),
        (["dv/dt = (E_L - v)/tau : volt (unless late)"], 0, "has the flag 'unless late', which is not known"),
        (["dv/dt = x/tau : volt", "x = y : volt", "y = x : volt"], 1, "'x' is needed for itself"),
        (["g_K : siemens (constant)", *LINES], 0, "there is no parameter 'g_K'; the nearest is 'g_L'"),
        ([*LINES, "E_L : amp"], 1, "here E_L is in amps, and below Parameters it is in volts: change one"),
        (["du/dt = 1/tau : 1"], 0, "nothing says how v changes"),
        ([*LINES, "dv/dt = 0*mV/tau : volt"], 1, "'v' is defined in line 1 already"),
        ([*LINES, "mV = 3 : volt"], 1, "'mV' has a meaning here"),
        ([*LINES, "tau = 3*ms : second"], 1, "'tau' is the name of a parameter"),
        ([*LINES, "for k in range(3)"], 1, "does not begin as 'dv/dt =' or 'name ='"),
        (
            ["dv/dt = (E_L - v)/tau*(1 + v**tau) : volt"],
            0,
            "raises what is in volts to a power that is no fixed number",
        ),
        (
            ["dv/dt = (E_L - v)/tau*2**v : volt"],
            0,
            "raises to a power that is in volts: divide it by what has that unit.",
        ),
        (["dv/dt = (E_L - v)^2/tau : volt"], 0, "write powers as '**'"),
        (["dv/dt = int(v/E_L)*E_L/tau : volt"], 0, "Line 1 takes int of what is no condition"),
        (
            [f"dx{k}/dt = 1/tau : 1" for k in range(8)] + list(LINES),
            8,
            "9 variables change in time, and a neuron has 8",
        ),
        (["dv/dt = " + "+".join(["v/tau"] * 1200) + " : volt"], 0, "operations, and there may be 1,000"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(lines, place, told):
    line, sentence = check(lines, P)
    assert told in sentence
    assert sentence.endswith(".")
    assert line == place


def test_numbers_and_units_need_no_other():
    """As they stand in Brian2's scripts; they are what they are with the unit said."""
    lines = [
        "dv/dt = (El - v)/(2*tau_0) + n*mV/ms : volt",
        "n = 2*3",
        "El = -65*mV  # at rest",
        "tau_0 = 10*ms + 1*second",
    ]
    assert check(lines, {}) is None
    said = ["1", "volt", "second"]
    whole = [lines[0], *(f"{line.split('#')[0]} : {unit}" for line, unit in zip(lines[1:], said, strict=True))]
    assert parse(of_lines(lines), {}).rates == parse(of_lines(whole), {}).rates
    assert "[volt]" in html(lines)
    place, sentence = check(["dv/dt = (El - v)/ms : volt", "El = -65*mV + V_0"], P | {"V_0": P["E_L"]})
    assert (place, "says no unit of El: end it with ': volt'" in sentence) == (1, True)
    assert "says no unit of El" in check(["dv/dt = (El - v)/ms : volt", "El = 65*mV + 3"], {})[1]


@pytest.mark.parametrize(
    ("field", "text", "told"),
    [
        ("threshold", "v", "The threshold is no condition: write one, as v > -50*mV."),
        ("threshold", "v > 50", "compares a plain number and volt: give the number a unit"),
        ("reset", "v = 5", "The reset of v has no unit and must be in volts, as 5*mV: v is in volts."),
        ("reset", "u = 5*mV", "changes 'u', which is no variable"),
        ("reset", "v", "has 'v', which changes nothing"),
        ("refractory", "5", "The refractory time has no unit and must be in seconds, as 5*ms."),
        ("refractory", "5*ms*(1 + i)", "The refractory time hangs on i"),
        ("excitatory", "v = weight", "An excitatory spike adds to a variable: write v += weight."),
        ("excitatory", "v += 2*mV", "is not in proportion to the weight"),
        ("excitatory", "v += weight*(1 - v/E_L)", "hangs on v itself"),
        ("inhibitory", "v -= weight*tau", "is in volt*second and must be in volts"),
        ("starts", "v = b", "The start of v is in amps and must be in volts"),
        ("starts", "v = rand()", "The start of v has no unit and must be in volts, as 5*mV"),
        ("starts", "v = E_L*rand(2)", "calls rand with other than no argument"),
        ("starts", "v = E_L*exp()", "a value is missing before ')'"),
        ("starts", "v = E_L*(rand() + ())", "a value is missing before ')'"),
        ("reset", "v = E_L*rand()", "calls the unknown function 'rand'"),
    ],
)
def test_so_it_is_of_other_fields(field, text, told):
    given = {"lines": LINES, "threshold": "v > V_th", "reset": "", "refractory": "", "excitatory": "", "inhibitory": "",
             "starts": "", field: text}  # fmt: skip
    with pytest.raises(ProblemError) as caught:
        parse(Text(**given), P)
    assert told in str(caught.value)
    assert caught.value.place == (field,)


def test_weights_have_the_unit_of_what_they_are_added_to_or_none():
    for text in ("v += weight", "v += weight*mV", "v += 2*weight", "v += weight*mV*second/ms/1000"):
        given = Text(LINES, "v > V_th", "", "", text, "", "")
        ((name, factor),) = parse(given, P).arriving[0]
        assert (name, factor.number) == ("v", 2.0 if "2" in text else 1.0)


@pytest.mark.parametrize("field", ["reset", "starts", "excitatory"])
def test_a_comment_goes_on_behind_a_semicolon(field):
    """Up to the end of its line; what it says is not carried out, nor refused."""
    value = "weight" if field == "excitatory" else "E_L"
    given = {"lines": LINES, "threshold": "v > V_th", "reset": "", "refractory": "", "excitatory": "", "inhibitory": "",
             "starts": ""}  # fmt: skip
    plain, noted = f"v += {value}", f"v += {value}  # back; v = nowhere\n# v += E_L; that is all"
    read = [parse(Text(**{**given, field: text}), P) for text in (plain, noted)]
    found = [each.arriving[0] if field == "excitatory" else getattr(each, field) for each in read]
    assert found[0] == found[1]
    assert len(found[0]) == 1


@pytest.mark.parametrize(("title", "values"), LIBRARY)
def test_what_the_menu_offers_is_a_whole_neuron(title, values):
    from engines.spiking.typed.population import typed_of

    read = typed_of(neuron(values))
    assert check(values["lines"], dimensions(values["parameters"])) is None
    assert read.hears_outside() == (not title.startswith("Leaky"))
    assert all(field in values for field in type(neuron({})).model_fields if field != "kind")


def test_print_has_names_units_and_how_it_is_integrated():
    shown = html(MODELS["lif"]["lines"])
    assert "d<i>v</i>/dt = (<i>E</i><sub>L</sub> − <i>v</i>" in shown
    assert "[volt] unless refractory" in shown
    assert "linear: they are integrated exactly" in shown
    assert "0.04 <i>v</i><sup>2</sup>/(mV ms)" in html(MODELS["izhikevich"]["lines"])
    assert "integrated by Euler's method" in html(MODELS["izhikevich"]["lines"])
    assert "linear each in its own variable" in html(MODELS["channels"]["lines"])
    assert "integrated" not in html(["dv/dt = "])
    assert html(["dv/dt = -v/ms : volt  # a leak"]) == html(["dv/dt = -v/ms : volt"])


TOKENS = [
    "v", "w", "dv/dt", "=", ":", "volt", "mV", "(", ")", "+", "-", "*", "/", "**", "1", "0.5", "exp", "if", "else",
    "and", "<", ";", "#", "lambda", "weight", ",", "x", "tau", "unless refractory", "__import__('os')", "\n",
]  # fmt: skip


@settings(max_examples=200)
@given(st.lists(st.sampled_from(TOKENS), max_size=14), st.sampled_from(Text._fields))
def test_anything_typed_is_read_or_refused_with_a_sentence(tokens, field):
    text = " ".join(tokens)
    given = {"lines": LINES, "threshold": "v > V_th", "reset": "v = E_L", "refractory": "", "excitatory": "",
             "inhibitory": "", "starts": ""}  # fmt: skip
    given[field] = tuple(text.split("\n")) if field == "lines" else text
    html(text.split("\n"))
    sentence = "."
    try:
        parse(Text(**given), P)
    except ProblemError as error:
        sentence = str(error)
    assert sentence.endswith(".")


def test_the_form_begins_with_a_model_that_runs():
    assert neuron({}).lines
    from engines.spiking.typed.population import typed_of

    assert typed_of(neuron({})).method == "exact"
