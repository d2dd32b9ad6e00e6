"""Bounds of float32 arithmetic, and that a step loses no more than they say."""

import numpy as np
import pytest

from engines.formulas.emit_numpy import evaluate
from engines.formulas.graph import const, make, symbol
from engines.formulas.rounding import bounds
from tests.engines.formulas.conftest import in_single

X = symbol("x")


SMALL = np.concatenate([np.linspace(-3, 3, 101), [0.0, 1e-6, -1e-6, 0.5, -0.5]]).astype(np.float32)


def half(x):
    return make("exp", make("mul", const(0.5), x))


@pytest.mark.parametrize(
    "root",
    [
        make("expm1", X, half(X)),
        make("growth", X, half(X)),
        make("goldman", X, make("exp", X)),
        make("goldman_slope", X, make("exp", X)),
        make("log", make("add", const(4.0), make("mul", X, X))),
        make("sqrt", make("add", const(4.0), X)),
        make("select", make("lt", X, const(0.1)), make("neg", X), make("div", X, const(3.0))),
    ],
)
def test_operations_stay_in_their_bounds(root):
    """And the bounds are useful: no wider than 2e-5 of the largest value."""
    ((low, high),) = bounds([root], {"x": SMALL})
    for value in (in_single([root], {"x": SMALL})[0], evaluate([root], {"x": SMALL})[0]):
        assert ((low <= value) & (value <= high)).all()
    assert np.max(high - low) < 2e-5 * np.abs(value).max()


def test_a_cancellation_is_seen():
    """1 − exp(−x) of x = 1e-5 has two digits; by ``expm1`` it has six."""
    z = make("neg", X)
    lost, kept = make("sub", const(1.0), make("exp", z)), make("expm1", z, half(z))
    widths = [(high - low)[0] / 1e-5 for low, high in bounds([lost, kept], {"x": np.array([1e-5])})]
    assert widths[0] > 1e-2
    assert widths[1] < 1e-5


def test_a_steep_function_of_a_difference_is_uncertain():
    """1/(1 + exp(1e8·(x − x²/x))): anything between 0 and 1; and what may be true or not has both its cases."""
    difference = make("sub", X, make("div", make("mul", X, X), X))
    sigmoid = make("div", const(1.0), make("add", const(1.0), make("exp", make("mul", const(1e8), difference))))
    choice = make("select", make("lt", difference, const(0.0)), const(2.0), const(3.0))
    (low, high), (least, most) = bounds([sigmoid, choice], {"x": np.array([1.7])})
    assert low[0] < 1e-6
    assert high[0] > 0.5
    assert (least[0], most[0]) == (2.0, 3.0)
