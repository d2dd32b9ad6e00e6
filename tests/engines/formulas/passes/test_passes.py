"""The passes: what they find, and that values stay."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.formulas.counts import count
from engines.formulas.emit_cuda import statements
from engines.formulas.emit_numpy import evaluate
from engines.formulas.graph import const, make, ordered, symbol
from engines.formulas.linear import linear_in
from engines.formulas.passes.chains import plan
from engines.formulas.passes.sharing import share_exponentials
from engines.formulas.passes.singularities import remove_singularities
from engines.formulas.rules import simplify

V = symbol("V")


def optimised(roots):
    return share_exponentials(remove_singularities(simplify(roots)), {"V": 150.0})


def e(multiple: float, shift: float = 0.0):
    return make("exp", make("mul", const(multiple), make("sub", V, const(shift))))


THESIS = (-5, 5, -6, -7, 7, -10, 10, -14, 15, -20, 20, 24, 200, Fraction(-15, 2))
"""The divisors of V in the code of section 5.4.4, eq. 5.23 (13 stands there, but the code does not compute it)."""


def test_the_thesis_example_costs_no_more_than_by_hand():
    """The code there: two exponentials, four divisions, sixteen products, 72 instructions (table 5.3). Here 62."""
    exponents = [1 / Fraction(divisor) for divisor in THESIS]
    unit = lcm(*(exponent.denominator for exponent in exponents))
    found = plan([int(exponent * unit) for exponent in exponents])
    assert found.cost <= 72
    assert len(found.exponentials) == 2


@given(st.sets(st.integers(-40, 40).filter(bool), min_size=1, max_size=8))
@settings(max_examples=60)
def test_plans_make_every_power_and_count_right(targets):
    found = plan(targets)
    have = set(found.exponentials)
    left = [(n, (-n,)) for n in found.reciprocals] + [(n, (a, b)) for n, a, b in found.products]
    assert all(n == a + b for n, a, b in found.products)
    for _ in range(len(left)):
        have |= {n for n, needs in left if have.issuperset(needs)}
    assert have >= targets
    assert found.cost == 16 * len(found.exponentials) + 6 * len(found.reciprocals) + len(found.products)
    assert found.cost <= 16 * len(targets)


def test_exponentials_of_one_family_are_computed_once():
    root = make("add", make("div", const(1.0), make("add", const(1.0), e(-1 / 10, -20))), e(1 / 5, 3))
    (found,) = optimised([root])
    assert sum(node.op == "exp" for node in ordered([found])) == 1
    at = {"V": np.linspace(-100, 60, 50)}
    np.testing.assert_allclose(evaluate([found], at)[0], evaluate([root], at)[0], rtol=1e-13)


def test_a_constant_too_large_for_float32_stays_in_its_exponential():
    (found,) = optimised([make("add", e(-2.0, 50.0), e(-1.0))])
    assert all(abs(node.number) < 1e38 for node in ordered([found]) if node.op == "const")
    assert np.isfinite(evaluate([found], {"V": 60.0})[0])


def test_a_removable_singularity_is_removed_with_its_guard():
    """0.32 (V + 47.13)/(1 − exp(−0.1 (V + 47.13))) is 3.2 at V = −47.13, and smooth to 1e-14 beside it."""
    x = make("add", V, const(47.13))
    quotient = make("div", make("mul", const(0.32), x), make("sub", const(1.0), e(-0.1, -47.13)))
    (found,) = optimised([make("select", make("eq", V, const(-47.13)), const(3.2), quotient)])
    assert not any(node.op == "select" for node in ordered([found]))
    near = -47.13 + np.array([0.0, 1e-9, -1e-9, 1e-4, 4.9, 5.1, -30.0])
    y = -0.1 * (near + 47.13)
    wanted = np.where(y == 0, 3.2, -3.2 * y / np.where(y == 0, 1, -np.expm1(y)) * 1.0)
    np.testing.assert_allclose(evaluate([found], {"V": near})[0], wanted, rtol=1e-13)


def test_a_case_that_is_part_of_the_model_is_kept():
    x = make("add", V, const(47.13))
    quotient = make("div", x, make("sub", const(1.0), e(-0.1, -47.13)))
    (found,) = optimised([make("select", make("lt", V, const(-40.0)), const(3.2), quotient)])
    assert any(node.op == "select" for node in ordered([found]))


def test_linear_parts():
    w, limit, tau = symbol("w"), symbol("limit"), symbol("tau")
    found = linear_in(make("div", make("sub", limit, w), tau), "w")
    assert found is not None
    free, slope = evaluate(found, {"limit": 0.3, "tau": 4.0})
    assert (free, slope) == (pytest.approx(0.075), pytest.approx(0.25))
    assert linear_in(make("mul", w, w), "w") is None
    assert linear_in(make("div", limit, w), "w") is None


def test_counts_follow_the_thesis_costs():
    """exp 15 and its product 1, quotient 6, a·b + c one instruction (table 2.5)."""
    a, b = symbol("a"), symbol("b")
    assert count([make("exp", make("mul", const(0.1), a))]).total == 16
    assert count([make("div", a, b)]).total == 6
    fused = count([make("add", make("mul", a, b), a)])
    assert (fused.add, fused.mul, fused.fma) == (0, 0, 1)


def test_the_text_of_a_graph_is_the_same_in_every_process():
    """Terms of exponents stand in an order of what they are, not of where they lie in memory."""
    assert make("mul", symbol("a"), const(2.0)).rank.hex() == "67e0207084170a1d"
    for k in range(8):
        a, b = symbol(f"a{k}"), symbol(f"b{k}")
        near, far = (make("exp", make("mul", const(n), make("add", *ab))) for n, ab in ((1.0, (a, b)), (2.0, (b, a))))
        first, second = sorted((a, b), key=lambda node: node.rank)
        names = {str(each.value): str(each.value) for each in (a, b)}
        lines = [line for _, _, line in statements(share_exponentials([near, far], {}), names) if line]
        assert lines[0] == f"const REAL v2 = {first.value} + {second.value};"
