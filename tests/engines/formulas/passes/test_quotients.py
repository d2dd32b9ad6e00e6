"""Quotients that are merged, and reciprocals that are shared: how many divisions are left, and that values stay."""

from __future__ import annotations

import numpy as np

from engines.formulas.counts import count
from engines.formulas.emit_numpy import evaluate
from engines.formulas.graph import const, make, symbol
from engines.formulas.passes.quotients import merge_quotients, share_reciprocals

A, B, C, D = (symbol(name) for name in "abcd")
rng = np.random.default_rng(2)
VALUES = {name: rng.uniform(0.5, 3.0, 50) for name in "abcd"}


def quotient(a, b):
    return make("div", a, b)


def check(before, after, divisions: int) -> None:
    """So many divisions, and the same values to a few roundings, of values that are up to 10 before they cancel."""
    assert count(after).divisions == divisions
    for found, wanted in zip(evaluate(after, VALUES), evaluate(before, VALUES), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=1e-14)


def test_sums_and_products_of_quotients_become_one():
    for roots in (
        [make("add", quotient(A, B), quotient(C, D))],
        [make("sub", quotient(A, B), quotient(C, B))],
        [make("mul", quotient(A, B), quotient(C, D))],
        [quotient(A, make("add", quotient(B, C), quotient(C, D)))],
        [quotient(quotient(A, B), quotient(C, D))],
        [quotient(make("add", quotient(A, B), quotient(C, D)), A)],
    ):
        check(roots, merge_quotients(roots, VALUES), 1)


def test_a_quotient_that_is_needed_elsewhere_is_kept():
    first = quotient(A, B)
    roots = [make("add", first, quotient(C, D)), first]
    check(roots, merge_quotients(roots, VALUES), 2)


def test_products_out_of_range_are_not_made():
    for size, divisions in ((1e40, 1), (1e60, 2)):
        huge = make("mul", const(size), B)
        roots = [make("add", quotient(A, huge), quotient(C, make("mul", const(2 * size), D)))]
        check(roots, merge_quotients(roots, VALUES), divisions)


def test_two_reciprocals_share_a_division():
    """1/b and d/c by one; b + 1/b is a denominator that needs the first, and so is divided by for itself."""
    deep = make("add", B, quotient(const(1.0), B))
    roots = [quotient(const(1.0), B), quotient(D, C), quotient(A, deep), quotient(C, B)]
    check(roots, share_reciprocals(roots, VALUES), 2)


def test_what_may_be_zero_shares_with_nothing():
    """b − 1.5 changes its sign: where it is zero, what shared its product would be lost."""
    roots = [quotient(A, make("add", B, const(-1.5))), quotient(A, C)]
    assert share_reciprocals(roots, VALUES) == tuple(roots)
