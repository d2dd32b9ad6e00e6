"""Derivatives of graphs against finite differences of their float64 value; the operations that are exact at z = 0."""

import numpy as np
import pytest

from engines.formulas.derivatives import derivatives
from engines.formulas.emit_numpy import evaluate
from engines.formulas.graph import const, make, symbol

X = symbol("x")


Z = np.concatenate([-np.geomspace(1e-9, 30, 60), [0.0], np.geomspace(1e-9, 30, 60)])


@pytest.mark.parametrize(
    ("expression", "slope"),
    [
        (make("pow", X, const(3.0)), lambda x: 3 * x**2),
        (make("sqrt", X), lambda x: 0.5 / np.sqrt(x)),
        (make("log", make("mul", const(2.0), X)), lambda x: 1 / x),
        (make("div", const(1.0), make("add", const(1.0), X)), lambda x: -1 / (1 + x) ** 2),
        (
            make("select", make("lt", X, const(2.0)), make("exp", X), const(5.0)),
            lambda x: np.where(x < 2, np.exp(x), 0),
        ),
        (make("goldman", X, make("exp", X)), lambda x: (np.expm1(x) - x * np.exp(x)) / np.expm1(x) ** 2),
        (make("mul", X, make("neg", X)), lambda x: -2 * x),
    ],
)
def test_rules(expression, slope):
    x = np.linspace(0.6, 4.0, 40)
    np.testing.assert_allclose(evaluate(derivatives([expression], "x"), {"x": x})[0], slope(x), rtol=1e-13)


def test_what_does_not_depend_has_the_slope_zero():
    (found,) = derivatives([make("exp", symbol("y"))], "x")
    assert found is const(0.0)


def test_an_exponent_that_depends_is_refused():
    with pytest.raises(ValueError, match="has no derivative"):
        derivatives([make("pow", const(2.0), X)], "x")


def test_growth_and_goldman_slope_are_exact_through_zero():
    """In longdouble by quotients outside |z| < 1e-2 and by four terms of their series inside; 1e-14 for the quotients'
    own cancellation (2e-19/1e-4 in the slope)."""
    z = Z.astype(np.longdouble)
    inside = np.abs(z) < 1e-2
    far = np.where(inside, 1.0, z)
    wanted = np.where(inside, 1 + z / 2 + z**2 / 6 + z**3 / 24 + z**4 / 120 + z**5 / 720, np.expm1(far) / far)
    growth = evaluate([make("growth", X, make("exp", make("mul", const(0.5), X)))], {"x": Z})[0]
    np.testing.assert_allclose(growth, wanted.astype(float), rtol=1e-14)
    series = -0.5 + z / 6 - z**3 / 180 + z**5 / 5040
    slope = np.where(inside, series, (np.expm1(far) - far * np.exp(far)) / np.expm1(far) ** 2)
    found = evaluate([make("goldman_slope", X, make("exp", X))], {"x": Z})[0]
    np.testing.assert_allclose(found, slope.astype(float), rtol=1e-14)
