"""Butler-Volmer kinetics on the CPU and, emulated, on a GPU: the value, oddness, small overpotentials, round trips."""

from __future__ import annotations

import numpy as np
import pytest

from engines.battery.kinetics.butler_volmer import current_density, overpotential
from engines.battery.parameter_sets.constants import FARADAY, GAS

HALF = FARADAY / (2 * GAS * 298.15)
"""F/2RT [1/V]"""
EPSILON = {"float32": 2.0**-24, "float64": 2.0**-53}
LENGTHS = (1, 7, 64, 4099)


def overpotentials(n: int, precision: str) -> np.ndarray:
    """1 nV to 1 V, either sign, and 0."""
    rng = np.random.default_rng(n)
    values = 10 ** rng.uniform(-9, 0, n) * rng.choice([-1.0, 1.0], n)
    values[0] = 0.0
    return values.astype(precision)


def run(backend, function, given, exchange, **options):
    with backend.active():
        answer = function(backend, backend.array(given), backend.array(exchange), **options)
    return backend.to_host(answer)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("n", LENGTHS)
def test_the_value(backend, precision, n):
    """Relative, everywhere. Fη/2RT is up to 19.5, so its rounding (of the scale too) is 2 x 19.5 epsilon of the answer
    for large η; exp, the division and two products add some 8. For |u| < 1 there is no such amplification."""
    eta = overpotentials(n, precision)
    exchange = np.random.default_rng(1).uniform(0.1, 30, n).astype(precision)
    expected = 2 * exchange.astype(np.longdouble) * np.sinh(eta.astype(np.longdouble) * HALF)
    got = run(backend, current_density, eta, exchange)
    error = np.abs(got - expected) / np.where(expected == 0, 1, np.abs(expected))
    u = np.abs(eta) * HALF
    assert (error <= (8 + 2 * u) * EPSILON[precision] * 1.01).all(), float(error.max())
    assert got[0] == 0


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("n", LENGTHS)
def test_the_inverse(backend, precision, n):
    """Relative: division, two roundings in 1 + t, root and logarithm: 10 epsilon."""
    rng = np.random.default_rng(n)
    current = (10 ** rng.uniform(-6, 6, n) * rng.choice([-1.0, 1.0], n)).astype(precision)
    exchange = rng.uniform(0.1, 30, n).astype(precision)
    expected = np.arcsinh(current.astype(np.longdouble) / (2 * exchange.astype(np.longdouble))) / HALF
    got = run(backend, overpotential, current, exchange)
    assert (np.abs(got - expected) <= 10 * EPSILON[precision] * np.abs(expected)).all()


def test_small_overpotentials_are_linear(backend):
    """j = j0 Fη/RT to 1e-6 at 1 nV, where exponentials in float32 give nothing at all."""
    eta = np.array([1e-9, 1e-7, 1e-5], np.float32)
    got = run(backend, current_density, eta, np.full(3, 2.0, np.float32))
    np.testing.assert_allclose(got, 4 * HALF * eta.astype(float), rtol=1e-6)
    u = np.float32(HALF) * eta[:1]
    assert (np.exp(u) - np.exp(-u) == 0).all()  # the usual form


@pytest.mark.parametrize("function", [current_density, overpotential])
def test_odd_to_the_last_bit(backend, function):
    given, exchange = overpotentials(500, "float32"), np.full(500, 3.0, np.float32)
    np.testing.assert_array_equal(run(backend, function, -given, exchange), -run(backend, function, given, exchange))


@pytest.mark.parametrize(("precision", "tolerance"), [("float32", 1e-5), ("float64", 1e-14)])
def test_round_trip(backend, precision, tolerance):
    """There and back, at another temperature: relative at each of 1 nV to 1 V."""
    eta, exchange = overpotentials(4099, precision), np.full(4099, 0.7, precision)
    current = run(backend, current_density, eta, exchange, temperature=318.0)
    back = run(backend, overpotential, current, exchange, temperature=318.0)
    np.testing.assert_allclose(back, eta, rtol=tolerance, atol=0)


def test_large_overpotentials_saturate_and_nan_stays(backend):
    eta = np.array([100.0, -100.0, np.nan, 0.1], np.float32)
    got = run(backend, current_density, eta, np.full(4, 1e-6, np.float32))
    assert got[0] > 1e31
    assert got[1] == -got[0]
    assert np.isfinite(got[[0, 3]]).all()
    assert np.isnan(got[2])


def test_very_large_currents_have_no_overflow(backend):
    """asinh of 5e29, whose square is beyond float32."""
    got = run(backend, overpotential, np.array([1e30], np.float32), np.ones(1, np.float32))
    np.testing.assert_allclose(got, np.arcsinh(5e29) / HALF, rtol=1e-6)


def test_out_is_used_and_bad_arrays_are_refused(backend):
    eta, exchange = backend.array(np.ones(8, np.float32)), backend.array(np.ones(8, np.float32))
    out = backend.empty(8, np.float32)
    with backend.active():
        assert current_density(backend, eta, exchange, out=out) is out
        with pytest.raises(ValueError, match="of one precision"):
            current_density(backend, eta, backend.array(np.ones(8)))
        with pytest.raises(ValueError, match="of one precision"):
            current_density(backend, eta, exchange[:4])
        with pytest.raises(ValueError, match="float32 or float64"):
            overpotential(backend, backend.array(np.ones(8, int)), backend.array(np.ones(8, int)))
    assert len(current_density(backend, backend.empty(0, np.float32), backend.empty(0, np.float32))) == 0
