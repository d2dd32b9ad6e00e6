"""Formulas typed as text: what they mean, what is refused, and that no text does harm."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engines.api.errors import ProblemError
from engines.formulas.derivatives import derivatives
from engines.formulas.emit_cuda import rows_source
from engines.formulas.emit_numba import digest
from engines.formulas.emit_numpy import evaluate
from engines.formulas.graph import Node, make, ordered, symbol
from engines.formulas.linear import linear_in
from engines.formulas.parse import DEEPEST, LONGEST, MOST_NODES, FormulaError, Language, parse
from engines.formulas.passes.sharing import share_exponentials
from engines.formulas.passes.singularities import remove_singularities
from engines.formulas.rules import simplify
from tests.engines.formulas.conftest import CALLS, LANGUAGE, NAMES, numbers, truths

rng = np.random.default_rng(3)
VALUES = {name: rng.uniform(-2.0, 4.0, 20) for name in NAMES}
PYTHON = {
    **{name: getattr(np, {"atan": "arctan"}.get(name, name)) for name in CALLS},
    "min": np.minimum, "max": np.maximum, "where": np.where, "float64": np.float64,
}  # fmt: skip


def in_python(text: str, k: int) -> float:
    """What Python makes of the text at value k of each name, with every number a NumPy float64."""
    spelled = re.sub(r"(?<![\w.])(\d[\d.]*(?:e-\d+)?)", r"float64(\1)", text)
    scope = {**PYTHON, **{name: values[k] for name, values in VALUES.items()}}
    with np.errstate(all="ignore"):
        return float(eval(spelled, {"__builtins__": {}}, scope))  # noqa: S307 - a text that a test made


@given(numbers() | truths())
@settings(max_examples=150)
def test_a_formula_means_what_python_means(text):
    """The same operations in the same order; but for a rounding, since NumPy squares arrays for ** 2."""
    found = np.broadcast_to(evaluate([parse(text, LANGUAGE)], VALUES)[0], 20)
    wanted = [in_python(text, k) for k in range(20)]
    close = np.isclose(found, wanted, rtol=1e-14, atol=0, equal_nan=True)
    assert close.all(), text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-2 ** 2", -4.0),
        ("2 ** -1", 0.5),
        ("2 ** 3 ** 2", 512.0),
        ("2 ** -3 * 8", 1.0),
        ("7 - 2 - 3", 2.0),
        ("8 / 4 / 2", 1.0),
        ("- - 2", 2.0),
        ("1 if 1 < 2 < 3 else 0", 1.0),
        ("1 if 3 > 2 > 2 else 0", 0.0),
        ("1 if 2 < 1 else 2 if 2 < 1 else 3", 3.0),
        ("not 1 < 2", 0.0),
        ("1 < 2 and not 2 < 1 or 1 == 2", 1.0),
        ("(1 < 2) + (1 < 2)", 2.0),
        ("min(4, 3, max(1, 2), 5)", 2.0),
        ("where(1 < 2, 3, 4)", 3.0),
        ("\t1_000.5e-1\n+ .5", 100.55),
        ("1 +  # of the table\n2  # and (more", 3.0),
    ],
)
def test_operators_bind_as_in_python(text, value):
    assert evaluate([parse(text, LANGUAGE)], {})[0] == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("stress + 1", r"uses 'stress', which is not known \(perhaps stretch\): there are stretch, damage"),
        ("expo(damage)", r"calls the unknown function 'expo' \(perhaps exp\); known are exp, tanh"),
        ("exp", "uses 'exp', which needs its arguments in brackets"),
        ("stretch^2", r"uses '\^': write powers as '\*\*'"),
        ("stretch − 2", "uses '−': write minus as '-'"),
        ("stretch = 2", "uses '=': write equality as '=='"),
        ("2 stretch", "at character 3: an operator is missing before 'stretch'"),
        ("2stretch", r"at character 1: '2s' is no number, and products are written with '\*'"),
        ("1.2.3", "at character 4: an operator is missing before '.3'"),
        ("1 +", r"at character 4: a value is missing after '\+'"),
        ("* 2", r"at character 1: a value is missing before '\*'"),
        ("", "it is empty"),
        (" # nothing", "it is empty"),
        ("(1 + 2", r"at character 1: '\(' lacks its closing '\)'"),
        ("1)", r"at character 2: '\)' closes nothing"),
        ("1, 2", "',' stands between the arguments of no function"),
        ("exp()", r"a value is missing before '\)'"),
        ("exp(1, 2)", "calls exp with other than one argument"),
        ("min(1)", "calls min with other than two arguments or more"),
        ("where(1, 2, 3)", "a condition that is neither true nor false: compare it with something"),
        ("1 if damage", "'if' lacks an 'else'"),
        ("(1 if damage < 1)", "'if' lacks an 'else'"),
        ("1 else 2", "'else' has no 'if' before it"),
        ("1e999", "the number '1e999', which is too large"),
        ("'text'", "holds ''' at character 1: a formula has numbers, stretch, damage,"),
        ("stretch\0", r"holds '\\x00' at character 8"),
        ("[1]", r"holds '\[' at character 1"),
        ("1;2", "holds ';' at character 2"),
        ("()", r"a value is missing before '\)'"),
    ],
)
def test_what_is_not_understood_is_said_in_a_sentence(text, sentence):
    known = Language({"stretch": symbol("stretch"), "damage": symbol("damage")})
    with pytest.raises(ProblemError, match=f"^Line 3 .*{sentence}.*\\.$"):
        parse(text, known, "Line 3")


def test_a_language_without_conditions_has_none():
    plain = Language({"x": symbol("x")}, conditions=False)
    for text, sign in (("x < 1", "<"), ("x if x else 1", "if"), ("not x", "not"), ("x == 1", "==")):
        with pytest.raises(FormulaError, match=rf"holds '{sign}' at .* numbers, x, \+ - \* / \*\* and functions only"):
            parse(text, plain)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("(" * (DEEPEST + 1) + "a", "nested too deeply: give a part"),
        ("-" * (DEEPEST + 1) + "a", "nested too deeply"),
        ("exp(" * (DEEPEST + 1), "nested too deeply"),
        ("a**" * (DEEPEST + 1) + "a", "nested too deeply"),
        ("a if a < b else " * (DEEPEST + 1) + "a", "nested too deeply"),
        ("a" * (LONGEST + 1), "is a formula of 20,001 characters: give a part"),
        ("a+" * (MOST_NODES // 2 + 1) + "a", "more than 10,000 numbers, names and operations: give a part"),
    ],
)
def test_limits_end_in_a_sentence(text, sentence):
    with pytest.raises(FormulaError, match=sentence):
        parse(text, LANGUAGE)


DEEP = [
    "(" * 480 + "a" + ")" * 480,
    " + ".join(f"(a * {k}.5" for k in range(480)) + ")" * 480,
    "exp(-" * 480 + "a" + ")" * 480,
    "a * " * 3000 + "b",
    "a / " * 3000 + "b",
    "+".join(["a"] * 4900),
    "-".join(f"exp(a/{k + 2})" for k in range(300)),
    "a if a < 1 else " * 480 + "b",
    "a**" * 480 + "2",
    "min(a, " * 480 + "b" + ")" * 480,
    "tanh(" * 480 + "a*b" + ")" * 480,
]


@pytest.mark.parametrize("text", DEEP, ids=[text[:12] for text in DEEP])
def test_deep_formulas_go_through_every_walk(text):
    """With room for 80 calls: no walk goes down by calling itself, so 480 nested terms are as good as two."""
    frames, frame = 0, sys._getframe()
    while frame is not None:
        frames, frame = frames + 1, frame.f_back
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(frames + 80)
    try:
        node = parse(text, LANGUAGE)
        clean = remove_singularities(simplify([node]))
        if "exp(a/" not in text:  # the search for products of 300 exponentials takes minutes
            share_exponentials(clean, {"a": 1.0})
        linear_in(node, "a")
        if "**" not in text:  # an exponent that depends on the symbol has no derivative
            assert ordered(derivatives([node], "a"))
        assert digest([node])
        assert len(rows_source([node], NAMES)) > 100
        assert evaluate([node], {"a": 0.5, "b": 0.25, "c": 1.0})[0].shape == ()
        assert len(repr(node)) < 100
    finally:
        sys.setrecursionlimit(limit)


def test_shared_sums_and_products_take_no_time():
    """Sixty times doubled and squared, a term stands 2^60 times in what is written out."""
    doubled = squared = symbol("a")
    for _ in range(60):
        doubled, squared = make("add", doubled, doubled), make("mul", squared, squared)
    roots = [make("exp", doubled), make("exp", make("mul", symbol("b"), squared)), make("div", squared, doubled)]
    found = share_exponentials(remove_singularities(simplify(roots)), {"a": 1.0})
    assert len(ordered(found)) < 5000


WORDS = [
    *NAMES,
    "x",
    "1",
    ".5",
    "1e3",
    "1e999",
    "exp",
    "min",
    "where",
    "if",
    "else",
    "and",
    "or",
    "not",
    "é",
    "²",
    "\0",
]
SIGNS = [*"+-*/^()[]{}<>=!,.;:'\"\\ \n_&|~@#", "**", "//", "<=", "==", "!="]
PARTS = st.lists(st.sampled_from([*WORDS, *SIGNS]) | st.text(max_size=3), max_size=40)


def harmless(text: str) -> None:
    found: Node | FormulaError
    try:
        found = parse(text, LANGUAGE, "Line 1")
    except FormulaError as error:
        found = error
    if isinstance(found, Node):
        evaluate([found], VALUES)
        return
    assert str(found).startswith("Line 1 ")
    assert str(found).endswith(".")
    assert "\n" not in str(found)
    assert 0 <= found.at <= len(text)


@given(PARTS)
@settings(max_examples=300)
def test_any_text_is_a_graph_or_a_sentence(parts):
    harmless("".join(parts))


@pytest.mark.slow
@given(PARTS | st.lists(numbers(), max_size=3))
@settings(max_examples=4_000)
def test_any_text_is_a_graph_or_a_sentence_for_long(parts):
    harmless(" ".join(parts))


@given(numbers(), st.data())
@settings(max_examples=100)
def test_a_formula_with_a_character_more_or_less(text, data):
    at = data.draw(st.integers(0, len(text)))
    harmless(text[:at] + data.draw(st.sampled_from(SIGNS)) + text[at:])
    assume(at < len(text))
    harmless(text[:at] + text[at + 1 :])
