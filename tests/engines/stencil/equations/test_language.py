"""What may be typed, what each line then means, and the sentence for what may not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api.errors import ProblemError
from engines.formulas.graph import OPERATIONS, Node, ordered
from engines.stencil.equations.language import KNOWN, MOST_FIELDS, check, expression, parse
from engines.stencil.equations.passes import planned
from engines.stencil.equations.spatial import OPS
from engines.stencil.setup.starts import RANDOM, Start

NUMBERS = ("D", "F", "k")


def told(*lines: str) -> str:
    found = check(lines, NUMBERS)
    assert found is not None
    return found[1]


def symbols(node: Node) -> set[str]:
    return {str(each.value) for each in ordered([node]) if each.op == "symbol"}


def test_fields_and_names_in_any_order():
    system = parse(
        ("du/dt = D*laplacian(u) + gain", "gain = F*u*(1 - w)  # a comment", "w = u**2", "", "∂v/∂t = (u", " - v)"),
        NUMBERS,
    )
    assert system.fields == ("u", "v")
    assert not system.stored
    assert set(system.shown) == {"gain", "w"}
    assert symbols(system.rates["u"]) == {"D", "F", "u"}
    assert system.lines == {"u": 0, "gain": 1, "w": 2, "v": 4}


@pytest.mark.parametrize("left", ["d2u/dt2", "d²u/dt²", "∂²u/∂t²", "d^2u/dt^2", "d2 u / d t2"])
def test_second_order_is_two_fields(left):
    system = parse((f"{left} = laplacian(u) - F*u_t",), NUMBERS)
    assert system.fields == ("u", "u_t")
    assert symbols(system.rates["u"]) == {"u_t"}
    assert symbols(system.rates["u_t"]) == {"u", "F", "u_t"}


def test_what_derivatives_are_taken_of_is_stored_where_it_has_derivatives_itself():
    system = parse(
        ("mu = w - laplacian(u)", "w = u**3 - u", "half = mu/2", "du/dt = laplacian(half) + laplacian(w)"), ()
    )
    assert list(system.stored) == ["mu"]
    assert symbols(system.rates["u"]) == {"mu", "u"}
    chain = parse(("a = laplacian(u)", "b = laplacian(a)", "du/dt = laplacian(b)"), ())
    assert list(chain.stored) == ["a", "b"]


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (("du/dt = D*laplacain(u)",), "Line 1 calls the unknown function 'laplacain' (perhaps laplacian)"),
        (("du/dt = D*u + f",), "Line 1 uses 'f', which is not known (perhaps F)"),
        (("du/dt = u + zeta",), "size_z, pi; add it under Parameters if it is to be a number."),
        (("w = 1",), "nothing changes in time: a line begins with 'du/dt ='"),
        ((), "nothing changes in time"),
        (("du/dt = a", "a = b + u", "b = a"), "is needed for itself (a → b → a)"),
        (("du/dt = a", "a = a + 1"), "is needed for itself (a → a)"),
        (("du/dt = 1", "du/dt = 2"), "Line 2: 'u' is defined in line 1 already"),
        (("d2u/dt2 = 1", "du_t/dt = 2"), "'u_t' is defined in line 1 already"),
        (("dx/dt = 1",), "'x' has a meaning here"),
        (("dF/dt = 1",), "'F' is the name of a parameter"),
        (("du/dt = laplacian(dx(u))",),
        "takes 'laplacian' of what has 'dx' in it: give that a line of its own, as 'q = dx(…)'"),
        (("du/dt = div(laplacian(u)*grad(u))",), "takes 'div' of what has 'laplacian' in it"),
        (("du/dt = grad(u)",), "is a vector, and no number"),
        (("du/dt = div(u)",), "takes 'div' of a number: it takes a flux"),
        (("du/dt = grad(u) + 1",), "adds a vector and a number"),
        (("du/dt = exp(grad(u))",), "has a vector where a number is wanted"),
        (("du/dt = dot(grad(u), u)",), "takes 'dot' of a number"),
        (("du/dt = laplacian()",), "a value is missing"),
        (("du/dt = u^2",), "write powers as '**'"),
        (("u = 1", "du/dt = 1"), "'u' is defined in line 1 already"),
        (("if u > 1:", "du/dt = 1"), "write a choice as 'a if u < 1 else b'"),
        (("u' = 1",), "does not begin as 'du/dt ='"),
        (tuple(f"du{k}/dt = 1" for k in range(MOST_FIELDS + 1)), f"and a kernel holds {MOST_FIELDS}: leave some out"),
        (("du/dt = " + "(" * 2000 + "u" + ")" * 2000,), "nested too deeply"),
        (("du/dt = " + "+u" * 15_000,), "a formula of"),
        (("du/dt = 1", *(f"a{k} = u" for k in range(200))), "more than 100 lines"),
        (("du/dt = " + "+".join(f"u*{k}" for k in range(2, 1300)),), "more than 2,000 operations"),
    ],
)  # fmt: skip
def test_what_is_not_understood_gets_one_sentence(lines, sentence):
    found = told(*lines)
    assert sentence in found
    assert found.endswith(".")
    assert len(found) < 600


def test_the_place_of_an_error_is_its_line():
    found = check(("du/dt = 1", "", "a = (u +", "  foo)"), ())
    assert found is not None
    assert found[0] == 3


def test_a_plane_has_no_z_and_two_parts():
    for line in ("du/dt = dz(u)", "du/dt = dxz(u)", "du/dt = div(vector(u, u, u))", "du/dt = upwind(1, 2, 3, u)"):
        with pytest.raises(ProblemError, match="Line 1 "):
            planned(parse((line,), ()), "Euler", 2, True)
        planned(parse((line,), ()), "Euler", 3, True)


def test_starts_take_seeds_that_are_whole():
    def start(text: str) -> Start:
        return Start(expression(text, NUMBERS, RANDOM, ("x", "y", "z"), "The start of 'u'"), "The start of 'u'")

    start("noise(1) + 0.1*normal(2)*x")
    for text in ("noise(0.5)", "noise(D)", "noise(-1)", "noise(1e12)"):
        with pytest.raises(ProblemError, match="a seed that is no whole number"):
            start(text)
    with pytest.raises(ProblemError, match="The start of 'u' uses 'w', which is not known"):
        start("w")


PIECES = st.sampled_from(
    [
        *KNOWN, "u", "v", "w", "D", "x", "t", "pi", "du/dt =", "d2v/dt2 =", "w =", "__import__('os')", "exec", "u.real",
        "lambda", "(", ")", ",", "+", "-", "*", "/", "**", "<", "==", "if", "else", "and", "not", "1", "2.5",
        "1e400", "#", "\n", " ", "∂", "²", "'", '"', "\\", ";", "{}", "%s", "[0]", ":", "\x00", "é", "☃",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join))
@settings(max_examples=400)
def test_any_text_is_read_or_refused_in_a_sentence(text):
    """And what is read consists of known operations alone, whatever was typed."""
    lines = text.split("\n")
    found = check(lines, NUMBERS)
    if found is not None:
        assert 0 <= found[0] <= max(len(lines) - 1, 0)
        assert found[1].endswith(".")
        return
    system = parse(lines, NUMBERS)
    for node in ordered([*system.rates.values(), *system.stored.values()]):
        assert node.op in OPERATIONS or node.op in OPS or node.op in ("const", "symbol")


@given(st.text(max_size=200))
@settings(max_examples=200)
def test_any_characters_are_read_or_refused(text):
    check([f"du/dt = {text}"], NUMBERS)
    check([text], NUMBERS)
