"""Formulae typed as text."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engines.api.errors import ProblemError
from engines.battery.bpx.expressions import KNOWN, parse
from engines.battery.bpx.tracing import formula

X = np.linspace(0.05, 0.95, 19)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * x - 3 / x ** 2", 1 + 2 * X - 3 / X**2),
        ("-x ** 2", -(X**2)),
        ("2 ** 3 ** x", 2.0 ** (3.0**X)),
        ("2 - 3 - x", 2 - 3 - X),
        ("+x / 2 / x", np.full(19, 0.5)),
        ("1.9793 * exp(-39.3631 * x) + tanh(x - 0.5)", 1.9793 * np.exp(-39.3631 * X) + np.tanh(X - 0.5)),
        ("8.794e-11 * (x / 1000) ** 2", 8.794e-11 * (X / 1000) ** 2),
        (" 3.5 ", np.full(19, 3.5)),
        ("cosh(log(sqrt(x)))", np.cosh(np.log(np.sqrt(X)))),
        (" + ".join(["x"] * 800), 800 * X),
        ("(" * 480 + "x" + ")" * 480, X),
        ("(x + " * 480 + "x" + ")" * 480, 481 * X),
    ],
)
def test_a_formula_is_what_it_says(text, expected):
    """Rounding in another order: some 1e-16 per operation, 800 of them in the last."""
    got = parse(text, "a formula")(X)
    assert got.shape == X.shape
    assert got == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 + y", "uses 'y', but the only variable"),
        ("foo(x)", "calls the unknown function 'foo'; known are exp, tanh"),
        ("__import__('os').system('true')", "calls the unknown function"),
        ("x.real", "uses 'x.real', but the only variable of a formula is x"),
        ("exp(x, 2)", "exp with other than one argument"),
        ("exp(x=2)", "holds '=' at character 6: a formula has numbers, x, "),
        ("x^2", r"uses '\^': write powers as '\*\*'"),
        ("1 +", r"no formula that can be read, at character 4: a value is missing after '\+'"),
        ("", "no formula that can be read: it is empty"),
        ("[x for x in (1,)]", "numbers, x, "),
        ("lambda: 1", "uses 'lambda', but the only variable"),
        ("x if x else 1", "numbers, x, "),
        ("True", "uses 'True', but the only variable"),
        ("'x'", "numbers, x, "),
        ("2j", "'2j' is no number"),
        ("x // 2", "numbers, x, "),
        ("~x", "numbers, x, "),
        ("1" * 400 + ".0 ** x if", "the number '1+…', which is too large"),
        ("(" * 3000 + "x" + ")" * 3000, "nested too deeply: give a table"),
        ("-" * 9000 + "x", "nested too deeply: give a table"),
        ("x" * 30_000, "30,000 characters: give a table"),
        ("x\0", r"holds '\\x00' at character 2"),
    ],
)
def test_what_is_not_understood_is_named(text, sentence):
    with pytest.raises(ProblemError, match=f"^The potential .*{sentence}"):
        parse(text, "The potential")


def test_what_is_no_number_is_nan_and_not_an_error():
    assert np.isinf(parse("9 ** 9 ** 9 ** 9", "f")(X)).all()
    assert np.isinf(parse("1 / (x - x)", "f")(X)).all()
    assert np.isnan(parse("log(-x)", "f")(X)).all()


@st.composite
def texts(draw, depth=4):
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from(["x", "0.5", "2.0", "1e-3"]))
    inner = texts(depth=depth - 1)
    kind = draw(st.sampled_from(["+", "-", "*", "/", "**", "call", "minus"]))
    if kind == "call":
        return f"{draw(st.sampled_from(['exp', 'tanh', 'cosh']))}({draw(inner)})"
    if kind == "minus":
        return f"(-({draw(inner)}))"
    return f"({draw(inner)}) {kind} ({draw(inner)})"


@given(texts())
def test_a_traced_formula_takes_the_same_operations(text):
    """Bit for bit: the order of operations is kept by brackets where it needs them."""
    first = parse(text, "f")
    found = formula(first)
    assume(found is not None)  # a constant that is infinite has no formula
    again = parse(str(found), "f")(X)
    assert np.array_equal(again, first(X), equal_nan=True)


def test_python_agrees_on_every_function():
    for name in KNOWN.functions:
        function = getattr(np, {"atan": "arctan"}.get(name, name))
        assert parse(f"{name}(x)", "f")(X) == pytest.approx(function(X), rel=1e-15)


def test_functions_that_look_at_numbers_have_no_formula():
    assert formula(lambda x: np.interp(x, [0, 1], [2, 3])) is None
    assert formula(lambda x: np.where(x > 0.5, 1.0, 2.0)) is None
    assert formula(np.zeros_like) == 0.0
    assert formula(lambda x: 1 - np.tanh(2 - x) ** 2) == "1.0 - tanh(2.0 - x) ** 2.0"
