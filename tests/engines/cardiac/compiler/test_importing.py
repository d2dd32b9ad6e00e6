"""What a file must be, and what is said of one that is not."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.cardiac.compiler.importing import import_model
from engines.cardiac.compiler.model import MODELS
from engines.formulas.emit_numpy import evaluate

myokit = pytest.importorskip("myokit")

CELLML = """<model xmlns="http://www.cellml.org/cellml/1.0#" xmlns:cellml="http://www.cellml.org/cellml/1.0#" name="m">
<component name="membrane">
<variable name="time" units="second"/><variable name="V" units="volt" initial_value="-0.08"/>
<math xmlns="http://www.w3.org/1998/Math/MathML">{math}</math></component></model>"""
DECAY = (
    "<apply><eq/><apply><diff/><bvar><ci>time</ci></bvar><ci>V</ci></apply>"
    "<apply><minus/><apply><plus/><ci>V</ci><cn cellml:units='volt'>{zero}</cn></apply></apply></apply>"
)
MMT = """[[model]]
{initial}

[engine]
time = 0 [ms] in [ms] bind time

[membrane]
{body}
"""


@pytest.fixture
def file(tmp_path):
    def write(text: str, name: str = "cell.cellml"):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


def test_volts_and_seconds_become_millivolts_and_milliseconds(file):
    """dV/dt = −V per second at −80 mV is 0.08 mV/ms."""
    model = import_model(file(CELLML.format(math=DECAY.format(zero="0"))))
    assert model.states[0].initial == pytest.approx(-80.0)
    (rate,) = evaluate(model.rates, {model.states[0].name: -80.0})
    assert rate == pytest.approx(0.08)


@pytest.mark.parametrize("version", ["cellml1", "cellml2"])
def test_a_cellml_file_gives_the_same_rates(tmp_path, version):
    """Mitchell-Schaeffer written as CellML by Myokit and read again."""
    path = tmp_path / "cell.cellml"
    source = MODELS / "mitchell_schaeffer_2003.mmt"
    myokit.formats.exporter(version).model(str(path), myokit.load_model(str(source)))
    found, wanted = import_model(path), import_model(source)
    for voltage in (-80.0, -50.0, 10.0):
        values = {"V": voltage, "h": 0.7}
        rates = []
        for model in (found, wanted):
            short = [state.name.rpartition(".")[2] for state in model.states]
            given = {state.name: values[name] for state, name in zip(model.states, short, strict=True)}
            rates.append(dict(zip(short, map(float, evaluate(model.rates, given)), strict=True)))
        assert rates[0] == pytest.approx(rates[1], rel=1e-14)


def test_a_delay_names_its_component(file):
    delay = "<csymbol definitionURL='http://www.w3.org/2001/symbols/delay'>d</csymbol>"
    math = f"<apply><eq/><ci>V</ci><apply>{delay}<ci>V</ci><cn>1</cn></apply></apply>"
    with pytest.raises(ProblemError, match=r"Component 'membrane' of cell\.cellml uses a delay"):
        import_model(file(CELLML.format(math=math)))


def test_an_implicit_equation_names_its_component(file):
    math = "<apply><eq/><apply><plus/><ci>V</ci><ci>V</ci></apply><cn cellml:units='volt'>0</cn></apply>"
    with pytest.raises(ProblemError, match=r"Component 'membrane' of cell\.cellml has an implicit equation \(a DAE\)"):
        import_model(file(CELLML.format(math=math)))


def test_an_import_names_its_component(file):
    imported = '<import><component name="sodium"/></import>'
    text = f'<model xmlns="http://www.cellml.org/cellml/1.1#" name="m">{imported}</model>'
    with pytest.raises(ProblemError, match="imports component 'sodium' from another file: merge"):
        import_model(file(text))


def test_what_is_no_model_is_said_in_one_sentence(file):
    with pytest.raises(ProblemError, match=r"cell\.cellml cannot be read as XML"):
        import_model(file("no xml"))
    with pytest.raises(ProblemError, match=r"cell\.mmt cannot be read as a cell model"):
        import_model(file("[[model]]\n[a]\nx = 1 +\n", "cell.mmt"))


@pytest.mark.parametrize(
    ("initial", "body", "said"),
    [
        ("membrane.w = 1", "dot(w) = -w", "has no membrane voltage .* its states are membrane.w"),
        ("membrane.w = 1\nmembrane.x = 1", "dot(w) = -w\ndot(x) = -x", "name it under cell options"),
        ("membrane.V = 0", "dot(V) = floor(V) in [mV]", "membrane.V of cell.mmt uses floor"),
        ("membrane.V = 0", "dot(V) = engine.time in [mV]", "depends on time"),
        ("membrane.V = 0", "dot(V) = if(engine.time % 9 < 1, 5 - V, -V) in [mV]", "changes with time in what depends"),
        ("membrane.V = 0", "dot(V) = -V in [1]", "has no dimension: write the model with its voltage in mV"),
        ("membrane.V = 0", "dot(V) = -V in [K]", r"is in \[K\], which is no unit of"),
    ],
)
def test_what_cannot_be_a_tissue_is_refused(file, initial, body, said):
    with pytest.raises(ProblemError, match=said):
        import_model(file(MMT.format(initial=initial, body=body), "cell.mmt"))


@pytest.mark.parametrize(
    "body",
    [
        "push = if(engine.time % 1000 < 2, 50, 0)\ndot(V) = push - V in [mV]",
        "late = engine.time - 100\npush = piecewise(late < 0, 0, late < 2, 50, 0)\ndot(V) = push - V in [mV]",
        "dot(V) = if(engine.time % 1000 < 2, 50, 0) - V in [mV]",
    ],
)
def test_a_stimulus_is_told_by_following_from_time_alone(file, body):
    model = import_model(file(MMT.format(initial="membrane.V = -80", body=body), "cell.mmt"))
    assert evaluate(model.rates, {"membrane.V": 2.0})[0] == -2.0
    (note,) = model.notes
    assert "follows from time alone is taken for a stimulus and held at 0." in note


def test_the_only_state_in_volts_is_the_voltage(file):
    body = "dot(p) = -p in [mV]\ndot(q) = -q"
    model = import_model(file(MMT.format(initial="membrane.q = 1\nmembrane.p = -80", body=body), "cell.mmt"))
    assert model.states[model.voltage].name == "membrane.p"
    assert model.notes == ("membrane.p is taken for the membrane voltage: no other state is a voltage.",)


def test_what_neighbours_bring_is_left_to_the_tissue(file):
    body = "i_diff = 3 bind diffusion_current\ndot(V) = i_diff - V in [mV]"
    model = import_model(file(MMT.format(initial="membrane.V = -80", body=body), "cell.mmt"))
    assert evaluate(model.rates, {"membrane.V": 2.0})[0] == -2.0


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "asin", "acos", "atan"])
def test_angles_are_computed_as_myokit_does(file, name):
    """Each on its whole range; acos and asin at ±1 too."""
    body = f"dot(V) = {name}(V) in [mV]"
    path = file(MMT.format(initial="membrane.V = 0", body=body), "cell.mmt")
    places = np.linspace(-1.0, 1.0, 41)
    own = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan}.get(name) or getattr(np, name)
    (rate,) = evaluate(import_model(path).rates, {"membrane.V": places})
    np.testing.assert_allclose(rate, own(places), rtol=0, atol=1e-15)


def test_voltage_and_stimulus_can_be_named(file):
    path = file(
        MMT.format(initial="membrane.p = -80", body="push = sin(engine.time)\ndot(p) = push - p in [mV]"), "cell.mmt"
    )
    model = import_model(path, voltage="membrane.p", stimulus="membrane.push")
    assert evaluate(model.rates, {"membrane.p": 2.0})[0] == -2.0
    with pytest.raises(ProblemError, match=r"has no state 'membrane\.x'"):
        import_model(path, voltage="membrane.x")
    with pytest.raises(ProblemError, match=r"has no variable 'membrane\.x'"):
        import_model(path, voltage="membrane.p", stimulus="membrane.x")


def voltage(body: str, initial: str = "membrane.V = -80") -> str:
    return MMT.format(initial=initial, body=body)


def test_what_hangs_on_a_state_is_no_stimulus_whatever_its_name(file):
    """i_st may be where a slow transient gate settles: set to zero it was another model without a word."""
    text = voltage(
        "dot(V) = -i_st - istim\n    in [mV]\ni_st = 0.1 * (V + 90)\nistim = if(engine.time % 500 < 2, -52, 0)"
    )
    model = import_model(file(text, "cell.mmt"))
    assert evaluate(model.rates, {"membrane.V": -80.0}) == [pytest.approx(-1.0)]
    assert model.notes == ("membrane.istim is taken for the stimulus of cell.mmt, by its name, and is 0 here.",)


def test_units_that_a_file_does_not_give_are_told(file):
    text = voltage("dot(V) = -V").replace(" in [ms]", "")
    assert import_model(file(text, "cell.mmt")).notes == (
        "engine.time has no unit in cell.mmt and is taken for ms.",
        "membrane.V has no unit in cell.mmt and is taken for mV.",
    )


@pytest.mark.parametrize("number", ["1 / (2 - 2)", "(-2)^0.5", "log(-1)", "exp(1000)", "0^-1"])
def test_a_number_that_is_none_is_named(file, number):
    with pytest.raises(ProblemError, match=r"membrane\.k of cell\.mmt is no finite number"):
        import_model(file(voltage(f"dot(V) = -V * k\n    in [mV]\nk = {number}"), "cell.mmt"))
    with pytest.raises(ProblemError, match=r"The start of membrane\.V in cell\.mmt is no finite number"):
        import_model(file(voltage("dot(V) = -V\n    in [mV]", f"membrane.V = {number}"), "cell.mmt"))


def test_what_follows_from_time_and_is_mostly_no_number_is_refused(file):
    text = voltage("dot(V) = -V + (10 - engine.time)^0.5\n    in [mV]")
    with pytest.raises(ProblemError, match="depends on time"):
        import_model(file(text, "cell.mmt"))


TWO = """<model xmlns="http://www.cellml.org/cellml/1.0#" xmlns:cellml="http://www.cellml.org/cellml/1.0#" name="m">
<component name="membrane"><variable name="time" units="second" public_interface="out"/>
<variable name="V" units="volt" initial_value="-0.08" public_interface="out"/>
<math xmlns="http://www.w3.org/1998/Math/MathML">{math}</math></component>
<component name="gate"><variable name="time" units="second" public_interface="in"/>
<variable name="V" units="ampere" public_interface="in"/><variable name="T" units="celsius" initial_value="37"/>
<variable name="x" units="dimensionless" initial_value="0.5"/>
<math xmlns="http://www.w3.org/1998/Math/MathML"><apply><eq/><apply><diff/><bvar><ci>time</ci></bvar><ci>x</ci></apply>
<ci>V</ci></apply></math></component><connection><map_components component_1="membrane" component_2="gate"/>
<map_variables variable_1="V" variable_2="V"/><map_variables variable_1="time" variable_2="time"/></connection>
</model>"""


def test_units_that_cannot_be_converted_are_told(file, recwarn):
    """Myokit takes 1 of them for 1 and says so to whoever reads standard error."""
    notes = " ".join(import_model(file(TWO.format(math=DECAY.format(zero="0")))).notes)
    assert 'Of cell.cellml: The units "celsius" (assigned to a variable) are not supported' in notes
    assert "Of cell.cellml: Unable to determine unit conversion factor for gate.V, from [A] to [V]." in notes
    assert not [each for each in recwarn if issubclass(each.category, UserWarning)]


def test_time_without_a_dimension_is_taken_for_milliseconds_and_told(file):
    text = MMT.format(initial="membrane.V = -80", body="dot(V) = -V in [mV]").replace("[ms]", "[1]")
    assert import_model(file(text, "cell.mmt")).notes == (
        "engine.time has no dimension in cell.mmt and is taken for ms.",
    )
