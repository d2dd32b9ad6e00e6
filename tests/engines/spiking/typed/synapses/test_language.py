"""What is typed of synapses, and what is said of what cannot be."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api.errors import ProblemError
from engines.spiking.typed.synapses.connection import typed_connections
from engines.spiking.typed.synapses.cuda_source import cuda_source
from engines.spiking.typed.synapses.language import check, check_path
from tests.engines.spiking.typed.models import CONDUCTANCES, FUNCTIONS, numbers
from tests.engines.spiking.typed.synapses.models import MODELS, SHORT_TERM, STDP, own
from tests.engines.spiking.typed.synapses.test_twins import driven


def read(synapse, hearer=None, **connection):
    parameters = driven(own(synapse))
    if hearer is not None:
        parameters = parameters.model_validate(
            {**parameters.model_dump(), "populations": [
                *parameters.model_dump()["populations"][:2], {"name": "driven", "number": 20, "neuron": hearer}]}
        )  # fmt: skip
    for name, value in connection.items():
        setattr(parameters.connections[1], name, value)
    return typed_connections(parameters.connections, parameters.populations, 0.1)[1]


@pytest.mark.parametrize("name", MODELS)
def test_what_is_typed_is_read(name):
    found = read(MODELS[name])
    assert found.typed.weight == "w"
    assert found.typed.highest(found.given) == (4.0 if name == "stdp" else 5.0 if name == "everything" else None)


CASES = [
    (STDP, {"lines": ["w : 1", "dA/dt = -A/taupre : 1"]}, None, ""),
    (STDP, {"lines": ["w : 1", "dA/dt = -A/taupre : 1 (clock-driven)"]}, None, ""),
    (STDP, {"lines": ["w : 1", "I_post = w*(v_pre - v_post) : 1 (summed)"]}, ("lines", 1),
     "Line 2 sums up I_post: write 'I : 1 \\(summed\\)' among the equations of the neurons that hear"),
    (STDP, {"lines": ["w : 1", "dA/dt = v_post/taupre : 1 (clock-driven)"]}, ("lines", 1),
     "reads 'v_post', and the neurons that hear are not typed"),
    (STDP, {"lines": ["w : 1", "dA/dt = -A*B/taupre : 1 (event-driven)", "dB/dt = -B/taupre : 1 (event-driven)"]},
     ("lines", 1), "A hangs on B"),
    (STDP, {"lines": ["w : 1", "dA/dt = -A**2/taupre : 1 (event-driven)"]}, ("lines", 1), "not linear in itself"),
    (STDP, {"lines": ["w : 1", "dA/dt = -A/taupre : volt (event-driven)"]}, None, ""),
    (STDP, {"lines": ["w : 1", "dA/dt = -A : 1 (event-driven)"]}, ("lines", 1), "has no unit and must be in hertz: A"),
    (STDP, {"lines": ["w : 1", "taupre : second"]}, ("lines", 1), "the name of a parameter"),
    (STDP, {"lines": ["w : 1", "v_post : volt"]}, ("lines", 1), "would be a variable of a neuron"),
    (STDP, {"lines": [f"w{k} : 1" for k in range(9)]}, ("lines", 8), "8 variables at most"),
    (STDP, {"on_pre": ["g_e_post += w*mV", "Apra += dApre"]}, ("on_pre", 1), "no variable; the nearest is 'Apre'"),
    (STDP, {"on_pre": ["g_e_post += w"]}, ("on_pre", 0), "has no unit and must be in volts, as 5.mV: g_e_post is"),
    (STDP, {"on_pre": ["v_post += w*mV"]}, ("on_pre", 0), "adds to 'v_post', .* there are g_e_post, g_i_post"),
    (STDP, {"on_pre": ["g_e += w*mV"]}, ("on_pre", 0), "the neuron that hears: write g_e_post"),
    (STDP, {"on_pre": ["g_e_post += w*mV  # all; v_post = 3"], "lines": ["w : 1"], "on_post": []}, None, ""),
    (STDP, {"on_pre": ["g_e_post = w*mV"]}, ("on_pre", 0), "sets g_e_post"),
    (STDP, {"on_pre": ["g_e_pre += w*mV"]}, ("on_pre", 0), "synapses change themselves and the neuron that hears"),
    (STDP, {"on_pre": ["g_e_post += w*v_post"]}, ("on_pre", 0), "pre reads 'v_post', and the neurons .* are not typed"),
    (STDP, {"on_post": ["w = clip(w + Apre, 0, gmas)"]}, ("on_post", 0), r"'gmas', which is .* \(perhaps gmax\)"),
    (STDP, {"on_post": ["w = w + 1*mV"]}, ("on_post", 0), "different units|adds"),
    (STDP, {"on_post": [" + ".join(["w += sin(w)", *(f"cos({k}*w)" for k in range(60))])] * 60}, ("on_post",),
     "An event takes .* shorten the statements"),
    (SHORT_TERM, {"starts": "w += weight"}, ("starts",), "is a value: write w = weight"),
    (SHORT_TERM, {"starts": "q = 1"}, ("starts",), "changes 'q', which is no variable"),
    (STDP, {"parameters": numbers(mV=(1.0, "1"))}, ("parameters", 0, "name"), "cannot name a parameter"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "change", "place", "told"), CASES)
def test_what_cannot_be_is_told_where(model, change, place, told):
    if place is None:
        change = {"on_pre": ["w += 0"], "on_post": [], **change}
        assert read({**model, **change}).typed.variables == ("w", "A")[: len(change["lines"])]
        return
    with pytest.raises(ProblemError, match=told) as caught:
        read({**model, **change})
    assert caught.value.place == ("connections", 1, "plasticity", *place)
    if place[0] == "lines" and "_post" not in " ".join(change["lines"]):
        line, sentence = check(
            change["lines"], {each["name"]: (0.0, 0.0, 1.0, 0.0, 0.0, 0.0) for each in model["parameters"]}
        )
        assert (line, sentence) == (place[1], str(caught.value))


def test_a_name_that_is_not_known_can_be_added():
    with pytest.raises(ProblemError) as caught:
        read({**STDP, "on_post": ["w += eta*Apre"]})
    ((path, rows),) = caught.value.remedy.changes.items()
    assert path == ("connections", 1, "plasticity", "parameters")
    assert rows[-1]["name"] == "eta"


def test_connections_that_are_of_several_populations_are_refused():
    for change, field in (({"target": "all"}, "target"), ({"source": "all"}, "source")):
        with pytest.raises(ProblemError, match="Synapses of your own equations") as caught:
            read(STDP, **change)
        assert caught.value.place == ("connections", 1, field)


def test_typed_neurons_hear_what_they_add_a_weight_to():
    typed = read({**STDP, "on_pre": ["g_e_post += w; g_i_post += 2*w"]}, {"kind": "own equations", **CONDUCTANCES})
    assert [node is not None for node in typed.typed.paths[0].quanta] == [True, True]
    with pytest.raises(ProblemError, match="spikes add to what"):
        read({**STDP, "on_pre": ["q_post += w"]}, {"kind": "own equations", **FUNCTIONS})


def test_statements_are_checked_in_the_form_without_the_neuron_that_hears():
    lines, known = STDP["lines"], dict.fromkeys(("taupre", "taupost"), (0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    known |= dict.fromkeys(("gmax", "dApre", "dApost"), (0.0,) * 6)
    assert check(lines, known) is None
    assert check_path(["anything_post += w*nS", *STDP["on_pre"][1:]], lines, known) is None
    assert check_path(["Apre += dApre", "w += clip(w"], lines, known)[0] == 1
    assert check_path(["Apre += dApre*mV"], lines, known)[0] == 0


PIECES = st.sampled_from(
    ["w", "Apre", "g_e_post", "v_post", "t", "i", " += ", " = ", " -= ", "*", "/", "(", ")", "clip(", "exp(", ", ",
     "1.5", "mV", "ms", ":", " : 1", "(event-driven)", "(summed)", "dw/dt = ", "dx/dt", "-", "**", " if ", " else ",
     " < ", ";", "\n", "#", "'", "\u00b5", "__import__", "lambda", "\x00", "=="]
)  # fmt: skip


@given(*[st.lists(PIECES, max_size=12).map("".join) for _ in range(3)])
@settings(max_examples=150)
def test_whatever_is_typed_is_read_or_refused_in_a_sentence(line, statement, start):
    """Pieces of the language in any order: there is no other error, and what is read has kernels of known words."""
    model = {**STDP, "lines": [*STDP["lines"], line], "on_pre": [*STDP["on_pre"], statement], "starts": start}
    told = "."
    try:
        written = cuda_source(read(model).typed)
    except ProblemError as error:
        written, told = "", str(error)
    assert told.endswith(".")
    assert len(told) < 600
    assert not {"__import__", "lambda", "\u00b5", "clip"} & set(re.findall(r"\w+", written))
