"""Rewrites of single operations: every operation on every small expression keeps its value."""

from itertools import product

import numpy as np

from engines.formulas.emit_numpy import evaluate
from engines.formulas.graph import const, make, symbol
from engines.formulas.passes.singularities import remove_singularities
from engines.formulas.rules import linear_form, simplify

A, B, TWO, THREE = symbol("a"), symbol("b"), const(2.0), const(-3.0)
SMALL = [
    A, B, TWO, THREE, const(0.0), const(1.0), const(1e200), const(-1e-200),
    make("neg", A), make("exp", A), make("exp", make("neg", B)),
    *(make(op, *pair) for op in ("add", "sub", "mul", "div") for pair in product((A, TWO, THREE), (B, A, TWO))),
    *(make(op, const(1e200), A) for op in ("mul", "div")),
    make("div", A, const(1e-310)),
    make("select", make("lt", A, B), A, TWO),
]  # fmt: skip
rng = np.random.default_rng(11)
VALUES = {"a": rng.uniform(0.3, 2.0, 40), "b": rng.uniform(0.3, 2.0, 40)}


def check(roots, found, scale=1e-13):
    """Equal where the plain value is a number of usual size, to a thousand roundings of a value that may cancel to a
    hundredth; a rewrite may be a number where that is not."""
    for root, before, after in zip(roots, evaluate(roots, VALUES), evaluate(found, VALUES), strict=True):
        usual = np.isfinite(before) & ((np.abs(before) > 1e-290) | (before == 0))
        off = np.abs(np.where(usual, after, 0.0) - np.where(usual, before, 0.0))
        assert (off <= scale * np.maximum(np.abs(before), np.abs(before) < 1e3))[usual].all(), (root, root.args)


def test_two_by_two():
    roots = [make(op, *pair) for op in ("add", "sub", "mul", "div") for pair in product(SMALL, SMALL)]
    check(roots, simplify(roots))
    check(roots, remove_singularities(simplify(roots)))


def test_functions_of_small_expressions():
    positive = [each for each in SMALL if (evaluate([each], VALUES)[0] > 0).all()]
    roots = [make(op, each) for op in ("neg", "exp", "tanh", "abs") for each in SMALL]
    roots += [make(op, each) for op in ("log", "sqrt", "log10") for each in positive]
    exponents = (-3.0, -1.5, -1.0, 0.0, 0.5, 1.0, 2.0, 5.0, 16.0, 17.0, 0.3)
    roots += [make("pow", each, const(n)) for each in positive for n in exponents]
    check(roots, simplify(roots), 1e-11)  # a power of 1e200 by its logarithm


def test_linear_forms_add_up():
    roots = [make(op, *pair) for op in ("add", "sub") for pair in product(SMALL, SMALL)]
    for root in roots:
        terms, constant = linear_form(root)
        total = const(constant)
        for term, factor in terms.items():
            total = make("add", total, make("mul", const(factor), term))
        check([root], [total])


def test_constants_are_not_joined_where_that_overflows():
    """1e200·(1e200·e^(−500 a)) is a number though 1e400 is none; and so on."""
    huge, tiny = const(1e200), const(1e-200)
    little = make("exp", make("mul", const(-500.0), A))
    roots = [
        make("mul", huge, make("mul", huge, little)),
        make("mul", huge, make("div", huge, make("cosh", make("mul", const(350.0), A)))),
        make("div", make("mul", tiny, A), const(1e-310)),
        make("div", make("mul", tiny, A), make("mul", const(1e-310), B)),
        make("add", const(1e308), make("add", make("mul", const(-1e308), A), const(1e308))),
        make("sub", const(1e308), make("add", make("mul", const(1e308), A), const(-1e308))),
    ]
    plain = evaluate(roots, VALUES)
    assert all((np.isfinite(row) & (np.abs(row) > 1e-290)).any() for row in plain)
    check(roots, simplify(roots), 1e-11)
