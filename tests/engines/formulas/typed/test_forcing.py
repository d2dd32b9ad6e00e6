"""Formulas of time beside what steps leave of them: which parts are looked at, and how far these are off."""

import numpy as np
import pytest

from engines.formulas.graph import symbol
from engines.formulas.parse import FUNCTIONS, Language, number, parse_either
from engines.formulas.typed.forcing import APART, Formula, parts_of_time, told_of_forcing

NAMES = ("t", "a", "b", "u", "v", "x")
EACH = ("begin", "begin and before", "begin, middle and end")


def formula(text, taken="begin", within=(), **known):
    node = parse_either(text, Language({name: symbol(name) for name in NAMES}, FUNCTIONS), "It")
    node = node if taken == "once" else number(node)
    return Formula(node, f"'{text}'", ("lines",), taken, [{name: known.get(name, 1.0) for name in "abx"}], within)


def told(*formulas, dt=0.1, shorter=(0.05, 0.02, 0.01, 0.005)):
    found = list(told_of_forcing(formulas, dt, shorter, "ms"))
    assert len(found) < 2
    return found[0] if found else None


def test_only_what_hangs_on_time_and_what_is_given_is_looked_at():
    node = formula("u*sin(a*t) + b*x*t - where(t < 3, v, 0) + a*b").node
    assert len(parts_of_time(node, ("a", "b", "x"))) == 3
    twice = formula("u*sin(a*t) + v*(sin(a*t) + t)").node
    assert len(parts_of_time(twice, ("a", "b", "x"))) == 2


@pytest.mark.parametrize(("tau", "dt"), [(0.3, 0.1), (1.0, 0.1), (5.0, 2.0)])
def test_a_decay_is_as_far_off_as_the_sum_of_a_geometric_series(tau, dt):
    """Of Euler's steps dt/(1 - e^(-dt/tau)) stands for tau."""
    right = dt / tau / -np.expm1(-dt / tau) - 1.0
    assert formula("exp(-t/a)", a=tau).off(dt) == pytest.approx(right, rel=0.01)


@pytest.mark.parametrize("taken", EACH)
def test_a_wave_of_one_step_is_all_off_and_one_of_many_is_not(taken):
    wave = formula("cos(2*3.141592653589793*t/a)", taken, a=0.1)
    assert wave.off(0.1) > 1.0
    assert wave.off(0.1 / 80) < 0.02
    assert formula("sin(t)*sin(t)", taken).off(0.1) < APART


@pytest.mark.parametrize("text", ["-70 + 5*cos(57*t)", "(b - 5*cos(57*t))/3 - 70"])
def test_what_is_added_and_rests_is_left_out(text):
    """To a thousandth, as what rests is looked at as a time, too."""
    assert formula(text).off(0.1) == pytest.approx(formula("cos(57*t)").off(0.1), rel=1e-3)


@pytest.mark.parametrize(
    "text",
    [
        "where(t > a, where(t < a + b, 1, 0), 0)",
        "where((t - a)/b > 0, where((t - a)/b < 1, 1, 0), 0)",
        "exp(-((t - a)/b)**2)",
    ],
)
def test_a_pulse_is_found_wherever_names_put_it(text):
    for on in (0.53, 53.03, 90_000.03):
        assert formula(text, a=on, b=0.001).off(0.1) == pytest.approx(1.0, abs=0.01)
        assert formula(text, a=on, b=20.0).off(0.1) < APART


def test_a_condition_that_one_step_sees_has_done_all_that_it_does():
    assert formula("t > 4.97 and t < 5.02", "once").off(0.1) == 0.0
    assert formula("t > 5.03 and t < 5.05", "once").off(0.1) == 1.0
    assert formula("t > 5", "once").off(0.1) == 0.0
    assert formula("t < 0.01 or u > 3", "once").off(0.1) == 0.0
    assert formula("u > sin(57*t + 1)", "once").off(0.1) > 1.0


def test_the_worst_is_told_with_a_step_for_all_and_a_name_in_it_is_named():
    slower, faster = formula("exp(-t/0.2)"), formula("exp(-t/0.05)")
    found = told(slower, faster, formula("exp(-t/50)"))
    assert found.message == (
        "'exp(-t/0.05)' changes with t so fast that steps of 0.1 ms do not follow it: 0.01 ms are short enough."
    )
    assert found.distorts
    assert found.remedy.changes == {("numerics", "step"): 0.01}
    assert told(formula("exp(-t/50)"), formula("u*v"), formula("2")) is None
    whole = formula("exp(-t/0.05)*u", within=(formula("exp(-t/50)"), faster))
    assert told(whole).message.startswith("'exp(-t/0.05)' changes")
    assert told(faster, shorter=(0.05,)).message.endswith("do not follow it. Let it change slower.")
    assert told(faster, shorter=(0.05,)).remedy is None


def test_what_is_no_number_is_left_to_the_run():
    assert formula("1/t").off(0.1) == 0.0
    assert Formula(symbol("t"), "It", (), "begin", []).off(0.1) == 0.0
